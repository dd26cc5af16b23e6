// Copyright 2026 The caddy-a2a-guard Authors
// SPDX-License-Identifier: Apache-2.0

package house_test

import (
	"bytes"
	"path"
	"regexp"
	"strings"
	"testing"
)

const (
	licence = "// Copyright 2026 The caddy-a2a-guard Authors\n// SPDX-License-Identifier: Apache-2.0\n"
	// maxLines bounds a source file: a longer one does more than one job.
	maxLines = 450
)

var (
	packageComment = regexp.MustCompile(`^(?:Package|Command) \w`)
	// registryHost matches where package managers fetch from. Lock files can
	// and do leave these addresses out, so that a mirror serves as well.
	registryHost = regexp.MustCompile(`(?i)\b(?:registry|proxy|sum|index|deb|security|static|files|repo\d?)\.[a-z0-9-]+\.(?:com|io|net|org)\b|\b(?:crates|pypi)\.\w`)
	// machinePath matches paths that exist on one machine only.
	machinePath = regexp.MustCompile(`(?:^|[^\w./])/(?:home|root|tmp|work|Users)/\w`)
)

func TestEveryGoFileBearsTheLicence(t *testing.T) {
	for _, file := range tree(t) {
		if file.isGo() && !bytes.HasPrefix(file.text, []byte(licence)) {
			t.Errorf("%s: the first two lines must be\n%s", file.path, licence)
		}
	}
}

func TestNoSourceFileIsTooLong(t *testing.T) {
	for _, file := range tree(t) {
		if lines := bytes.Count(file.text, []byte("\n")); file.isGo() && !file.isTest() && lines > maxLines {
			t.Errorf("%s has %d lines, more than %d: split it by what it does", file.path, lines, maxLines)
		}
	}
}

func TestEveryPackageSaysWhatItIs(t *testing.T) {
	documented := make(map[string]bool)
	for _, file := range tree(t) {
		if !file.isGo() {
			continue
		}
		folder := path.Dir(file.path)
		documented[folder] = documented[folder] || packageComment.MatchString(file.syntax.Doc.Text())
	}
	for folder, ok := range documented {
		if !ok {
			t.Errorf("%s: no file has a package comment", folder)
		}
	}
}

func TestNoFileNamesARegistryHost(t *testing.T) {
	for _, file := range tree(t) {
		for _, host := range registryHosts(file.text) {
			t.Errorf("%s names the registry host %s", file.path, host)
		}
	}
}

func TestNoGoFileNamesAMachinesPath(t *testing.T) {
	for _, file := range tree(t) {
		if found := machinePath.Find(file.text); file.isGo() && found != nil {
			t.Errorf("%s names the machine's path %q: use t.TempDir or a relative path", file.path, found)
		}
	}
}

// registryHosts finds the registry hosts in a text; hosts of the example
// domains (RFC 2606) are none.
func registryHosts(text []byte) []string {
	var hosts []string
	for _, found := range registryHost.FindAll(text, -1) {
		if host := string(found); !strings.Contains(host, ".example.") {
			hosts = append(hosts, host)
		}
	}
	return hosts
}

func TestRegistryHostsAndMachinePathsAreRecognised(t *testing.T) {
	tests := []struct {
		text       string
		host, path bool
	}{
		{text: `"resolved": "https://registry.` + `somewhere.org/a.tgz"`, host: true},
		{text: `GOPROXY=https://proxy.` + `somewhere.org,direct`, host: true},
		{text: `https://proxy.example.org/agent`},
		{text: `https://agent.example.com/a2a`},
		{text: `policy.Index.io`},
		{text: `cd ` + `/home` + `/me/guard`, path: true},
		{text: `"` + `/tmp` + `/socket"`, path: true},
		{text: `https://agent.example.com/work/items`},
		{text: `"/tasks/work/1"`},
	}
	for _, test := range tests {
		if got := len(registryHosts([]byte(test.text))) > 0; got != test.host {
			t.Errorf("%s: names a registry host: %t, want %t", test.text, got, test.host)
		}
		if got := machinePath.MatchString(test.text); got != test.path {
			t.Errorf("%s: names a machine's path: %t, want %t", test.text, got, test.path)
		}
	}
}
