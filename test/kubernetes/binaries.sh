#!/usr/bin/env bash
# Copyright 2026 The caddy-a2a-guard Authors
# SPDX-License-Identifier: Apache-2.0
#
# Builds Kubernetes programs, once, into the user's cache, and prints their folder. It
# takes a quarter of an hour and some gigabytes.
#
#	binaries.sh [<program>...]	kube-apiserver and kubectl, unless others are named

set -euo pipefail

version=1.34.4
cache=${XDG_CACHE_HOME:-$HOME/.cache}/caddy-a2a-guard/kubernetes/$version
programs=("${@:-kube-apiserver}")
[ $# -gt 0 ] || programs+=(kubectl)

missing=()
for program in "${programs[@]}"; do
	[ -x "$cache/bin/$program" ] || missing+=("$program")
done
if [ ${#missing[@]} -gt 0 ]; then
	mkdir -p "$cache/bin" "$cache/source"
	cd "$cache/source"
	# A module of its own, with the parts that Kubernetes' go.mod takes from its own tree.
	mod=$(go mod download -json "k8s.io/kubernetes@v$version" | sed -n 's/.*"GoMod": "\(.*\)".*/\1/p')
	{
		printf 'module kubernetes-programs\n\n'
		grep -E '^(go|godebug) ' "$mod"
		printf '\nrequire k8s.io/kubernetes v%s\n\nreplace (\n' "$version"
		awk -v part="0.${version#1.}" '/^replace \(/ {on = 1; next} on && /^\)/ {exit} on {print "\t" $1 " => " $1 " v" part}' "$mod"
		printf ')\n'
	} >go.mod
	{
		printf '//go:build tools\n\npackage tools\n\nimport (\n'
		for program in "${programs[@]}"; do printf '\t_ "k8s.io/kubernetes/cmd/%s"\n' "$program"; done
		printf ')\n'
	} >tools.go
	go mod tidy >&2
	flags="-s -w"
	for package in k8s.io/component-base/version k8s.io/client-go/pkg/version; do
		flags+=" -X $package.gitVersion=v$version -X $package.gitMajor=1 -X $package.gitMinor=34"
	done
	for program in "${missing[@]}"; do
		echo "building $program $version" >&2
		CGO_ENABLED=0 go build -ldflags "$flags" -o "$cache/bin/$program" "k8s.io/kubernetes/cmd/$program"
	done
fi
echo "$cache/bin"
