// Copyright 2026 The caddy-a2a-guard Authors
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"archive/tar"
	"bytes"
	"debug/elf"
	"encoding/json"
	"errors"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"testing"

	"github.com/google/go-containerregistry/pkg/v1/layout"
)

// desk is the quicker of the two programs to build.
var desk = programs[1]

func TestTwoBuildsHaveOneDigest(t *testing.T) {
	platforms := []string{"linux/" + runtime.GOARCH}
	var archives [2][]byte
	var digests [2]string
	for i := range archives {
		out := t.TempDir()
		digest, err := build(desk, "../..", out, "v1", platforms)
		if err != nil {
			t.Fatal(err)
		}
		digests[i] = digest.String()
		if archives[i], err = os.ReadFile(filepath.Join(out, desk.name+".oci.tar")); err != nil {
			t.Fatal(err)
		}
	}
	if digests[0] != digests[1] || !bytes.Equal(archives[0], archives[1]) {
		t.Errorf("the digests are %s", digests)
	}
}

func TestAnImageHoldsItsProgramAndItsPackagesAlone(t *testing.T) {
	out := t.TempDir()
	digest, err := build(desk, "../..", out, "v1", []string{"linux/amd64", "linux/arm64"})
	if err != nil {
		t.Fatal(err)
	}
	path := unpack(t, filepath.Join(out, desk.name+".oci.tar"))
	index, err := path.ImageIndex()
	if err != nil {
		t.Fatal(err)
	}
	index, err = index.ImageIndex(digest)
	if err != nil {
		t.Fatal(err)
	}
	manifest, err := index.IndexManifest()
	if err != nil {
		t.Fatal(err)
	}
	machines := map[string]elf.Machine{"amd64": elf.EM_X86_64, "arm64": elf.EM_AARCH64}
	for _, descriptor := range manifest.Manifests {
		image, err := index.Image(descriptor.Digest)
		if err != nil {
			t.Fatal(err)
		}
		config, err := image.ConfigFile()
		if err != nil {
			t.Fatal(err)
		}
		if c := config.Config; c.User != nobody || !slices.Equal(c.Entrypoint, []string{"/" + desk.name}) || c.Labels["org.opencontainers.image.version"] != "v1" {
			t.Errorf("%s: the configuration is %+v", descriptor.Platform, c)
		}
		layers, err := image.Layers()
		if err != nil || len(layers) != 1 {
			t.Fatalf("%d layers, %v", len(layers), err)
		}
		packed, err := layers[0].Uncompressed()
		if err != nil {
			t.Fatal(err)
		}
		files := filesOf(t, packed)
		binary, err := elf.NewFile(bytes.NewReader(files[desk.name]))
		if err != nil {
			t.Fatal(err)
		}
		if libraries, err := binary.ImportedLibraries(); len(libraries) > 0 || err != nil || binary.Machine != machines[descriptor.Platform.Architecture] {
			t.Errorf("%s: the binary is for %v and needs %q, %v", descriptor.Platform, binary.Machine, libraries, err)
		}
		var packages document
		if err := json.Unmarshal(files["sbom.spdx.json"], &packages); err != nil {
			t.Fatal(err)
		}
		if len(files) != 2 || len(packages.Packages) < 2 || packages.Packages[1].Name != "stdlib" {
			t.Errorf("%d files, packages %+v", len(files), packages.Packages)
		}
	}
	if len(manifest.Manifests) != len(machines) {
		t.Errorf("%d platforms", len(manifest.Manifests))
	}
}

func TestAPlatformThatIsNoneIsRefused(t *testing.T) {
	if _, err := build(desk, "../..", t.TempDir(), "v1", []string{"linux/pdp11"}); err == nil {
		t.Error("an image is built")
	}
}

// unpack unpacks an archive.
func unpack(t *testing.T, archive string) layout.Path {
	t.Helper()
	packed, err := os.Open(archive)
	if err != nil {
		t.Fatal(err)
	}
	defer packed.Close()
	folder := t.TempDir()
	for name, body := range filesOf(t, packed) {
		to := filepath.Join(folder, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(to), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(to, body, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return layout.Path(folder)
}

// filesOf reads the files of an archive, none of which may tell who packed it or when.
func filesOf(t *testing.T, packed io.Reader) map[string][]byte {
	t.Helper()
	files := make(map[string][]byte)
	for archive := tar.NewReader(packed); ; {
		header, err := archive.Next()
		if errors.Is(err, io.EOF) {
			return files
		}
		if err != nil {
			t.Fatal(err)
		}
		if header.ModTime.Unix() != 0 || header.Uid != 0 || header.Uname != "" {
			t.Errorf("%s is of %v by %d %q", header.Name, header.ModTime, header.Uid, header.Uname)
		}
		if files[header.Name], err = io.ReadAll(archive); err != nil {
			t.Fatal(err)
		}
	}
}
