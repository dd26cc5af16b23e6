// Copyright 2026 The caddy-a2a-guard Authors
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"crypto/sha256"
	"debug/buildinfo"
	"encoding/json"
	"fmt"
	"runtime/debug"
)

// document is a list of packages in SPDX 2.3.
type document struct {
	Version       string         `json:"spdxVersion"`
	License       string         `json:"dataLicense"`
	ID            string         `json:"SPDXID"`
	Name          string         `json:"name"`
	Namespace     string         `json:"documentNamespace"`
	Creation      creation       `json:"creationInfo"`
	Packages      []spdxPackage  `json:"packages"`
	Relationships []relationship `json:"relationships"`
}

type creation struct {
	Created  string   `json:"created"`
	Creators []string `json:"creators"`
}

type spdxPackage struct {
	ID       string        `json:"SPDXID"`
	Name     string        `json:"name"`
	Version  string        `json:"versionInfo"`
	Location string        `json:"downloadLocation"`
	Refs     []externalRef `json:"externalRefs"`
}

type externalRef struct {
	Category string `json:"referenceCategory"`
	Type     string `json:"referenceType"`
	Locator  string `json:"referenceLocator"`
}

type relationship struct {
	Element string `json:"spdxElementId"`
	Type    string `json:"relationshipType"`
	Related string `json:"relatedSpdxElement"`
}

// listPackages lists the modules that a binary says it was built from, and Go itself.
func listPackages(name, version string, binary []byte) ([]byte, error) {
	info, err := buildinfo.Read(bytes.NewReader(binary))
	if err != nil {
		return nil, fmt.Errorf("reading what the binary was built from: %w", err)
	}
	d := document{
		Version: "SPDX-2.3", License: "CC0-1.0", ID: "SPDXRef-DOCUMENT", Name: name,
		Namespace: fmt.Sprintf("%s/sbom/%s/%x", source, name, sha256.Sum256(binary)),
		Creation:  creation{"1970-01-01T00:00:00Z", []string{"Tool: caddy-a2a-guard-build-image"}}, // that no build differs
	}
	d.add("DESCRIBES", info.Main.Path, version)
	d.add("CONTAINS", "stdlib", info.GoVersion)
	for _, module := range info.Deps {
		d.add("CONTAINS", used(module).Path, used(module).Version)
	}
	return json.MarshalIndent(d, "", "\t")
}

// used is the module that stands in for another one, if one does.
func used(module *debug.Module) *debug.Module {
	if module.Replace != nil {
		return module.Replace
	}
	return module
}

// add adds a package, the first of which is what the document is about.
func (d *document) add(how, path, version string) {
	id := fmt.Sprintf("SPDXRef-Package-%d", len(d.Packages))
	d.Packages = append(d.Packages, spdxPackage{
		id, path, version, "NOASSERTION", []externalRef{{"PACKAGE-MANAGER", "purl", "pkg:golang/" + path + "@" + version}},
	})
	of := d.ID
	if how == "CONTAINS" {
		of = d.Packages[0].ID
	}
	d.Relationships = append(d.Relationships, relationship{of, how, id})
}
