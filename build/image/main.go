// Copyright 2026 The caddy-a2a-guard Authors
// SPDX-License-Identifier: Apache-2.0

// Command image builds the images of the root's Dockerfile as OCI archives, without a
// container engine or a registry:
//
//	cd build/image && go run . -out ../../bin
//
// It writes NAME.oci.tar, which "docker load", "podman load" and "ctr images import"
// take, and NAME.spdx.json, the packages in it, for the guard and the example agent.
// The same sources and Go make the same bytes, and so the same digest.
package main

import (
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	v1 "github.com/google/go-containerregistry/pkg/v1"
)

// program is one image.
type program struct {
	name    string
	title   string
	module  string   // the module's folder in the repository
	main    string   // the package's in the module
	command []string // arguments of the entry point
}

var programs = []program{
	{"caddy-a2a-guard", "Guard for the task lifecycle of A2A agents", ".", ".", []string{"run", "--config", "/etc/caddy/Caddyfile"}},
	{"a2a-order-desk", "Example A2A agent that misbehaves on request", ".", "./examples/agent", nil},
}

// pause holds a pod open in a cluster that has no registry.
var pause = program{"pause", "Holds a pod open", "test/kubernetes", "./pause", nil}

func main() {
	root := flag.String("root", "../..", "the repository's `folder`")
	out := flag.String("out", "../../bin", "the `folder` to write to")
	platforms := flag.String("platforms", "linux/amd64,linux/arm64", "`list` of platforms, separated by commas")
	version := flag.String("version", "dev", "the images' `tag`")
	proof := flag.Bool("proof", false, "also the image that test/kubernetes/cluster.sh needs")
	flag.Parse()
	if *proof {
		programs = append(programs, pause)
	}
	for _, p := range programs {
		digest, err := build(p, *root, *out, *version, strings.Split(*platforms, ","))
		if err != nil {
			fmt.Fprintf(os.Stderr, "image: %s: %v\n", p.name, err)
			os.Exit(1)
		}
		fmt.Printf("%s:%s %s\n", p.name, *version, digest)
	}
}

// build writes one program's archive and list of packages, and returns the digest.
func build(p program, root, out, version string, platforms []string) (v1.Hash, error) {
	if err := os.MkdirAll(out, 0o755); err != nil {
		return v1.Hash{}, err
	}
	var images []platformImage
	for _, name := range platforms {
		platform, err := v1.ParsePlatform(name)
		if err != nil {
			return v1.Hash{}, fmt.Errorf("platform %q: %w", name, err)
		}
		fmt.Fprintf(os.Stderr, "image: building %s for %s\n", p.name, name)
		binary, err := compile(p, root, platform)
		if err != nil {
			return v1.Hash{}, err
		}
		packages, err := listPackages(p.name, version, binary)
		if err != nil {
			return v1.Hash{}, err
		}
		image, err := assemble(p, version, platform, binary, packages)
		if err != nil {
			return v1.Hash{}, err
		}
		images = append(images, platformImage{image, platform})
		if err := os.WriteFile(filepath.Join(out, p.name+".spdx.json"), packages, 0o644); err != nil {
			return v1.Hash{}, err
		}
	}
	return writeArchive(filepath.Join(out, p.name+".oci.tar"), p.name+":"+version, images)
}

// compile builds a static binary that holds nothing of the machine it was built on.
func compile(p program, root string, platform *v1.Platform) ([]byte, error) {
	folder, err := os.MkdirTemp("", "image-")
	if err != nil {
		return nil, err
	}
	defer func() { _ = os.RemoveAll(folder) }()
	binary := filepath.Join(folder, p.name)
	command := exec.Command("go", "build", "-trimpath", "-buildvcs=false", "-ldflags=-s -w", "-o", binary, p.main)
	command.Dir = filepath.Join(root, p.module)
	command.Env = append(os.Environ(), "CGO_ENABLED=0", "GOOS="+platform.OS, "GOARCH="+platform.Architecture)
	command.Stderr = os.Stderr
	if err := command.Run(); err != nil {
		return nil, fmt.Errorf("go build %s: %w", p.main, err)
	}
	return os.ReadFile(binary)
}
