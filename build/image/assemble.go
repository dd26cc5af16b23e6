// Copyright 2026 The caddy-a2a-guard Authors
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"archive/tar"
	"bytes"
	"fmt"
	"io"
	"strings"
	"time"

	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/empty"
	"github.com/google/go-containerregistry/pkg/v1/mutate"
	"github.com/google/go-containerregistry/pkg/v1/tarball"
	"github.com/google/go-containerregistry/pkg/v1/types"
)

// nobody is the user that the programs run as, which owns nothing.
const nobody = "65532:65532"

const source = "https://github.com/a2aguard/caddy-a2a-guard"

// assemble makes the image of one platform: the binary, the list of its packages, and
// nothing else.
func assemble(p program, version string, platform *v1.Platform, binary, packages []byte) (v1.Image, error) {
	layer, err := layerOf([]file{{p.name, binary, 0o555}, {"sbom.spdx.json", packages, 0o444}})
	if err != nil {
		return nil, err
	}
	image := mutate.MediaType(mutate.ConfigMediaType(empty.Image, types.OCIConfigJSON), types.OCIManifestSchema1)
	if image, err = mutate.AppendLayers(image, layer); err != nil {
		return nil, err
	}
	config, err := image.ConfigFile()
	if err != nil {
		return nil, err
	}
	config = config.DeepCopy()
	config.OS, config.Architecture, config.Variant = platform.OS, platform.Architecture, platform.Variant
	config.Config = v1.Config{
		User:       nobody,
		Entrypoint: []string{"/" + p.name},
		Cmd:        p.command,
		Labels: map[string]string{
			"org.opencontainers.image.title":    p.title,
			"org.opencontainers.image.version":  version,
			"org.opencontainers.image.source":   source,
			"org.opencontainers.image.licenses": "Apache-2.0",
		},
	}
	return mutate.ConfigFile(image, config)
}

// file is one file of a layer.
type file struct {
	name string
	body []byte
	mode int64
}

// layerOf packs files as they would be packed at any time and by anybody.
func layerOf(files []file) (v1.Layer, error) {
	var packed bytes.Buffer
	archive := tar.NewWriter(&packed)
	for _, f := range files {
		if err := archive.WriteHeader(&tar.Header{Name: f.name, Size: int64(len(f.body)), Mode: f.mode, ModTime: time.Unix(0, 0)}); err != nil {
			return nil, err
		}
		if _, err := archive.Write(f.body); err != nil {
			return nil, err
		}
	}
	if err := archive.Close(); err != nil {
		return nil, err
	}
	return tarball.LayerFromOpener(func() (io.ReadCloser, error) {
		return io.NopCloser(bytes.NewReader(packed.Bytes())), nil
	}, tarball.WithMediaType(types.OCILayer))
}

// platformImage is the image of one platform.
type platformImage struct {
	image    v1.Image
	platform *v1.Platform
}

// indexOf joins the images of all platforms.
func indexOf(images []platformImage) v1.ImageIndex {
	index := mutate.IndexMediaType(empty.Index, types.OCIImageIndex)
	for _, i := range images {
		index = mutate.AppendManifests(index, mutate.IndexAddendum{Add: i.image, Descriptor: v1.Descriptor{Platform: i.platform}})
	}
	return index
}

// fullName is the name that engines look an image up by.
func fullName(name string) string {
	if strings.Contains(name, "/") {
		return name
	}
	return fmt.Sprintf("docker.io/library/%s", name)
}
