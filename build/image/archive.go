// Copyright 2026 The caddy-a2a-guard Authors
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"archive/tar"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/empty"
	"github.com/google/go-containerregistry/pkg/v1/layout"
)

// writeArchive writes images as one OCI archive under a name, and returns the digest
// of what has it: the index of all platforms, or the only image.
func writeArchive(to, name string, images []platformImage) (v1.Hash, error) {
	folder, err := os.MkdirTemp("", "oci-")
	if err != nil {
		return v1.Hash{}, err
	}
	defer func() { _ = os.RemoveAll(folder) }()
	path, err := layout.Write(folder, empty.Index)
	if err != nil {
		return v1.Hash{}, err
	}
	named := layout.WithAnnotations(map[string]string{
		"org.opencontainers.image.ref.name": name,
		"io.containerd.image.name":          fullName(name),
	})
	var digest v1.Hash
	if len(images) == 1 {
		if err = path.AppendImage(images[0].image, named); err == nil {
			digest, err = images[0].image.Digest()
		}
	} else {
		index := indexOf(images)
		if err = path.AppendIndex(index, named); err == nil {
			digest, err = index.Digest()
		}
	}
	if err != nil {
		return v1.Hash{}, err
	}
	return digest, pack(to, folder)
}

// pack packs a folder's files in the order of their names, with no trace of when and
// by whom.
func pack(to, folder string) (err error) {
	packed, err := os.Create(to)
	if err != nil {
		return err
	}
	defer func() {
		if closed := packed.Close(); err == nil {
			err = closed
		}
	}()
	archive := tar.NewWriter(packed)
	err = filepath.WalkDir(folder, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		name, err := filepath.Rel(folder, path)
		if err != nil {
			return err
		}
		info, err := entry.Info()
		if err != nil {
			return err
		}
		if err := archive.WriteHeader(&tar.Header{Name: filepath.ToSlash(name), Size: info.Size(), Mode: 0o444, ModTime: time.Unix(0, 0)}); err != nil {
			return err
		}
		body, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		_, err = archive.Write(body)
		return err
	})
	if err != nil {
		return err
	}
	return archive.Close()
}
