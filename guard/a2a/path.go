// Copyright 2026 The caddy-a2a-guard Authors
// SPDX-License-Identifier: Apache-2.0

package a2a

import (
	"iter"
	"strings"
)

// segment is one part of a path, decoded; start is where the slash before it stands
// in the path, -1 where that cannot be told.
type segment struct {
	text  string
	start int
}

// splitPath appends the path's segments. Empty ones do not count: routers
// collapse slashes, or find nothing.
func splitPath(to []segment, path string) []segment {
	for start := 0; start < len(path); {
		end := start + 1
		for end < len(path) && path[end] != '/' {
			end++
		}
		if text := strings.TrimPrefix(path[start:end], "/"); text != "" {
			to = append(to, segment{unescapePath(text), start})
		}
		start = end
	}
	return to
}

// habit is what a router does to a path before it looks for its routes.
type habit uint8

const (
	cutsMatrix      habit = 1 << iota // drops what stands behind a semicolon
	splitsDecoded                     // takes an encoded slash, or a backslash, for a slash
	resolvesRaw                       // resolves "." and ".." as they stand
	resolvesDecoded                   // and where they are encoded

	habits
)

// split splits a path as a router with the habit does.
func (h habit) split(path string) []segment {
	var list []segment
	for part := range strings.SplitSeq(path, "/") {
		if h&resolvesRaw != 0 && isDots(part) {
			list = resolve(list, part)
			continue
		}
		if h&cutsMatrix != 0 {
			part, _, _ = strings.Cut(part, ";")
		}
		part = unescapePath(part)
		if h&splitsDecoded == 0 {
			list = h.add(list, part)
			continue
		}
		for text := range strings.FieldsFuncSeq(part, func(r rune) bool { return r == '/' || r == '\\' }) {
			list = h.add(list, text)
		}
	}
	return list
}

func (h habit) add(list []segment, text string) []segment {
	switch {
	case text == "":
		return list
	case h&resolvesDecoded != 0 && isDots(text):
		return resolve(list, text)
	}
	return append(list, segment{text, -1})
}

// FoldPath makes one of all spellings of a path, decoded, that some router takes for
// the same: it ignores case, empty and dot segments and matrix parameters.
func FoldPath(path string) string {
	if isFolded(path) {
		return path
	}
	var to strings.Builder
	for _, s := range (cutsMatrix | splitsDecoded | resolvesDecoded).split(path) {
		to.WriteByte('/')
		to.WriteString(strings.ToLower(s.text))
	}
	if to.Len() == 0 {
		return "/"
	}
	return to.String()
}

// isFolded reports whether FoldPath has nothing to do.
func isFolded(path string) bool {
	return path == "/" || strings.HasPrefix(path, "/") && !strings.HasSuffix(path, "/") &&
		!strings.ContainsAny(path, `%;\`) && !strings.Contains(path, "//") && !strings.Contains(path, "/.") && !hasCapital(path)
}

func isDots(text string) bool { return text == "." || text == ".." }

func resolve(list []segment, dots string) []segment {
	if dots == ".." {
		return list[:max(len(list)-1, 0)]
	}
	return list
}

// AppendSegment returns the path with one more segment, escaped so that every
// router reads it as one.
func AppendSegment(path, text string) string {
	const hex = "0123456789ABCDEF"
	to := make([]byte, 0, len(path)+1+len(text))
	to = append(append(to, path...), '/')
	for i := range len(text) {
		switch c := text[i]; {
		case 'a' <= c && c <= 'z', 'A' <= c && c <= 'Z', '0' <= c && c <= '9', c == '-', c == '_', c == '.', c == '~':
			to = append(to, c)
		default:
			to = append(to, '%', hex[c>>4], hex[c&15])
		}
	}
	return string(to)
}

// unescapePath decodes the escapes of a path, once. What is no escape stays.
func unescapePath(s string) string {
	if strings.IndexByte(s, '%') < 0 {
		return s
	}
	to := make([]byte, 0, len(s))
	for i := 0; i < len(s); i++ {
		if s[i] == '%' && i+2 < len(s) {
			if high, low := unhex(s[i+1]), unhex(s[i+2]); high >= 0 && low >= 0 {
				to = append(to, byte(high<<4|low))
				i += 2
				continue
			}
		}
		to = append(to, s[i])
	}
	return string(to)
}

func unhex(c byte) int {
	switch {
	case '0' <= c && c <= '9':
		return int(c - '0')
	case 'a' <= c|0x20 && c|0x20 <= 'f':
		return int(c|0x20-'a') + 10
	}
	return -1
}

// queryValues walks over the parameters of a raw query.
func queryValues(query string) iter.Seq2[string, string] {
	return func(yield func(name, value string) bool) {
		for part := range strings.SplitSeq(query, "&") {
			name, value, _ := strings.Cut(part, "=")
			if !yield(unescapeQuery(name), unescapeQuery(value)) {
				return
			}
		}
	}
}

func unescapeQuery(s string) string { return unescapePath(strings.ReplaceAll(s, "+", " ")) }
