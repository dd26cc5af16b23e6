#!/usr/bin/env bash
# Copyright 2026 The caddy-a2a-guard Authors
# SPDX-License-Identifier: Apache-2.0
#
# Fetches the official conformance kit at a pinned commit into the user's cache and
# installs what it needs there; prints the folder. Needs git and Python 3.11 or later.
# A2A_TCK_SOURCE names another git repository to fetch it from, PYTHON the Python.

set -euo pipefail
commit=357c4a87afa2818731590647cccbea31c31733a2 # of branch 1.0-dev
source=${A2A_TCK_SOURCE:-https://github.com/a2aproject/a2a-tck.git}
folder=${XDG_CACHE_HOME:-$HOME/.cache}/caddy-a2a-guard/a2a-tck-$commit

if [ ! -e "$folder/installed" ]; then
	rm -rf "$folder"
	mkdir -p "$folder"
	git -C "$folder" init -q
	git -C "$folder" fetch -q --depth 1 "$source" "$commit" >&2
	git -C "$folder" checkout -q FETCH_HEAD
	"${PYTHON:-python3}" -m venv "$folder/.venv" >&2
	"$folder/.venv/bin/pip" install -q --disable-pip-version-check pytest pytest-asyncio pytest-html \
		httpx grpcio protobuf googleapis-common-protos jsonschema gherkin-official Jinja2 >&2
	touch "$folder/installed"
fi
echo "$folder"
