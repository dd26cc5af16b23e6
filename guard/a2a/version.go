// Copyright 2026 The caddy-a2a-guard Authors
// SPDX-License-Identifier: Apache-2.0

package a2a

import "strings"

// VersionDialect is the dialect of an A2A-Version; none at all means 0.3 (A2A 1.0
// §3.6.2).
func VersionDialect(version string) Dialect {
	if version == "" || version[0] == '0' {
		return V03
	}
	return V10
}

// MajorMinor is the part of an A2A-Version that counts, "Major.Minor": a patch
// level does not (A2A 1.0 §3.6). A missing minor number is 0, and 0.2 is spoken
// like 0.3. What is no version is returned as it is.
func MajorMinor(version string) string {
	version = strings.TrimSpace(version)
	major, rest, dotted := strings.Cut(version, ".")
	minor, _, _ := strings.Cut(rest, ".")
	switch {
	case !digits(major) || dotted && !digits(minor):
		return version
	case !dotted:
		return version + ".0"
	case major == "0" && minor == "2":
		return "0.3"
	}
	return version[:len(major)+1+len(minor)]
}

func digits(s string) bool {
	for i := range len(s) {
		if s[i] < '0' || s[i] > '9' {
			return false
		}
	}
	return s != ""
}
