// Copyright 2026 The caddy-a2a-guard Authors
// SPDX-License-Identifier: Apache-2.0

package guard

import (
	"bytes"
	"slices"
)

// isTrace reports whether a text looks like what programs print of an exception, be
// it with JSON's escapes. It is not taken in by a text about programs: an exception
// is named as it is raised, a place in a file has its line.
func isTrace(text []byte) bool {
	return slices.ContainsFunc(traceMarks, func(mark []byte) bool { return bytes.Contains(text, mark) }) ||
		hasNumbered(text, `", line `) || hasNumbered(text, "goroutine ") ||
		namesException(text, "Error") || namesException(text, "Exception") || hasPlace(text)
}

// traceMarks stand in no other text.
var traceMarks = [][]byte{
	[]byte("Traceback (most recent call last)"), []byte("tack trace:"), []byte("tacktrace:"),
	[]byte("panic: "), []byte(" panicked at "), []byte("(Native Method)"), []byte("(Unknown Source)"), []byte("(<anonymous>)"),
	[]byte(" object has no attribute '"), []byte("annot read properties of "), []byte("annot read property '"),
}

// hasNumbered reports whether a number follows the words.
func hasNumbered(text []byte, words string) bool {
	for {
		i := bytes.Index(text, []byte(words))
		if i < 0 {
			return false
		}
		if text = text[i+len(words):]; startsNumber(text) {
			return true
		}
	}
}

func startsNumber(text []byte) bool { return len(text) > 0 && '0' <= text[0] && text[0] <= '9' }

// lookBack bounds how much in front of a place is looked at, in bytes.
const lookBack = 200

// namesException reports whether the text has an exception's name that ends so, with
// what comes of it ("KeyError: ", "KeyError("), or with its packages
// ("java.lang.NullPointerException").
func namesException(text []byte, ending string) bool {
	for from := 0; ; {
		i := bytes.Index(text[from:], []byte(ending))
		if i < 0 {
			return false
		}
		at := from + i
		from = at + len(ending)
		rest := text[from:]
		if len(rest) > 0 && isWord(rest[0]) {
			continue
		}
		start := at
		for start > 0 && at-start < lookBack && isWord(text[start-1]) {
			start--
		}
		if start == at || text[start] < 'A' || text[start] > 'Z' {
			continue
		}
		if len(rest) > 0 && (rest[0] == ':' || rest[0] == '(') || packages(text[:start]) > 1 {
			return true
		}
	}
}

// packages counts the lower-case words with a dot behind them that a text ends in.
func packages(text []byte) (n int) {
	for end := len(text); n < 2 && end > 0 && text[end-1] == '.'; n++ {
		start := end - 1
		for start > 0 && end-start < lookBack && isWord(text[start-1]) {
			start--
		}
		if start == end-1 || text[start] < 'a' || text[start] > 'z' {
			return n
		}
		end = start
	}
	return n
}

func isWord(b byte) bool {
	return 'a' <= b && b <= 'z' || 'A' <= b && b <= 'Z' || '0' <= b && b <= '9' || b == '_' || b == '$'
}

// sources are the endings of files that programs are written in.
var sources = []string{"py", "js", "mjs", "cjs", "ts", "java", "kt", "scala", "go", "rb", "php", "cs", "rs", "ex"}

// hasPlace reports whether the text names a line in a source file as a stack trace
// does: by the file's path, in brackets behind a function, or with what it is in.
func hasPlace(text []byte) bool {
	for from := 0; ; {
		i := bytes.IndexByte(text[from:], ':')
		if i < 0 {
			return false
		}
		at := from + i
		from = at + 1
		if !startsNumber(bytes.TrimPrefix(text[from:], []byte("line "))) {
			continue
		}
		name := text[max(0, at-lookBack):at]
		dot := bytes.LastIndexByte(name, '.')
		if dot < 0 || !slices.Contains(sources, string(name[dot+1:])) {
			continue
		}
		start := bytes.LastIndexAny(name, " \t\r\n\"'")
		if bytes.ContainsAny(name[start+1:], `/\(`) || bytes.HasPrefix(bytes.TrimLeft(text[from:], "0123456789"), []byte(":in ")) {
			return true
		}
	}
}
