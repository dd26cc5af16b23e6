// Copyright 2026 The caddy-a2a-guard Authors
// SPDX-License-Identifier: Apache-2.0

package a2a

import (
	"encoding/binary"
	"errors"
	"math/bits"
)

// The functions of this file find the ends of JSON values by the letter of RFC 8259,
// but for two things that agents get wrong and the guard has to let pass: text that
// is no UTF-8, and halves of surrogate pairs. Each takes a text and the place where
// the value starts, and returns one past its end, or -1 if there is none.

var errSyntax = errors.New("not JSON")

// maxNesting is how deep arrays and objects may stand in a value that is skipped.
const maxNesting = 10000

// scanSpace returns where the next byte stands that is no white space.
func scanSpace(src []byte, i int) int {
	for i < len(src) && src[i] <= ' ' && (src[i] == ' ' || src[i] == '\n' || src[i] == '\r' || src[i] == '\t') {
		i++
	}
	return i
}

// scanScalar scans a value that is neither array nor object.
func scanScalar(src []byte, i int) int {
	if i >= len(src) {
		return -1
	}
	switch c := src[i]; {
	case c == '"':
		return scanString(src, i)
	case c == '-' || '0' <= c && c <= '9':
		return scanNumber(src, i)
	case c == 't':
		return scanWord(src, i, "true")
	case c == 'f':
		return scanWord(src, i, "false")
	case c == 'n':
		return scanWord(src, i, "null")
	}
	return -1
}

func scanWord(src []byte, i int, word string) int {
	if end := i + len(word); end <= len(src) && string(src[i:end]) == word {
		return end
	}
	return -1
}

func scanString(src []byte, i int) int {
	if i >= len(src) || src[i] != '"' {
		return -1
	}
	for i++; ; {
		i += plainLength(src[i:])
		switch {
		case i < len(src) && src[i] == '"':
			return i + 1
		case i+1 >= len(src) || src[i] != '\\':
			return -1 // cut off, or a control character
		}
		switch src[i+1] {
		case '"', '\\', '/', 'b', 'f', 'n', 'r', 't':
			i += 2
		case 'u':
			if i+6 > len(src) || !isHex(src[i+2:i+6]) {
				return -1
			}
			i += 6
		default:
			return -1
		}
	}
}

func isHex(digits []byte) bool {
	for _, d := range digits {
		if (d < '0' || d > '9') && (d|0x20 < 'a' || d|0x20 > 'f') {
			return false
		}
	}
	return true
}

// plainLength is how much of the text a JSON string may hold as it is: up to a
// quote, a backslash or a control character.
func plainLength(text []byte) int {
	const ones, highs = 0x0101010101010101, 0x8080808080808080
	i := 0
	for ; len(text)-i >= 8; i += 8 {
		eight := binary.LittleEndian.Uint64(text[i:])
		quotes := eight ^ ones*'"'
		slashes := eight ^ ones*'\\'
		// A byte's high bit is set where it is below 32, or 0 in the other two; a
		// borrow can set more of them, but only behind the first.
		if stops := ((eight-ones*' ')&^eight | (quotes-ones)&^quotes | (slashes-ones)&^slashes) & highs; stops != 0 {
			return i + bits.TrailingZeros64(stops)/8
		}
	}
	for ; i < len(text); i++ {
		if c := text[i]; c < ' ' || c == '"' || c == '\\' {
			break
		}
	}
	return i
}

func scanNumber(src []byte, i int) int {
	if i < len(src) && src[i] == '-' {
		i++
	}
	if i < len(src) && src[i] == '0' {
		i++
	} else if i = scanDigits(src, i); i < 0 {
		return -1
	}
	if i < len(src) && src[i] == '.' {
		if i = scanDigits(src, i+1); i < 0 {
			return -1
		}
	}
	if i < len(src) && src[i]|0x20 == 'e' {
		if i++; i < len(src) && (src[i] == '+' || src[i] == '-') {
			i++
		}
		i = scanDigits(src, i)
	}
	return i
}

// scanDigits scans at least one digit.
func scanDigits(src []byte, i int) int {
	start := i
	for i < len(src) && '0' <= src[i] && src[i] <= '9' {
		i++
	}
	if i == start {
		return -1
	}
	return i
}

// scanName scans a member's name and the colon behind it.
func scanName(src []byte, i int) int {
	if i = scanString(src, i); i < 0 {
		return -1
	}
	if i = scanSpace(src, i); i >= len(src) || src[i] != ':' {
		return -1
	}
	return i + 1
}

// scanValue scans any value. The brackets that are open at a place are kept in
// memory of the caller's, which is returned.
func scanValue(src []byte, i int, open []byte) (end int, memory []byte) {
	open = open[:0]
	for {
		// A value starts here.
		if i = scanSpace(src, i); i < len(src) && (src[i] == '{' || src[i] == '[') {
			bracket := src[i]
			if len(open) == maxNesting {
				return -1, open
			}
			if i = scanSpace(src, i+1); i >= len(src) || src[i] != bracket+2 { // '{' + 2 is '}'
				open = append(open, bracket)
				if bracket == '{' {
					i = scanName(src, i)
				}
				if i < 0 {
					return -1, open
				}
				continue
			}
			i++
		} else if i = scanScalar(src, i); i < 0 {
			return -1, open
		}
		// A value has ended here, and maybe what it stands in.
		for {
			if len(open) == 0 {
				return i, open
			}
			bracket := open[len(open)-1]
			if i = scanSpace(src, i); i >= len(src) {
				return -1, open
			}
			if src[i] == ',' {
				if i++; bracket == '{' {
					i = scanName(src, scanSpace(src, i))
				}
				if i < 0 {
					return -1, open
				}
				break
			}
			if src[i] != bracket+2 {
				return -1, open
			}
			open = open[:len(open)-1]
			i++
		}
	}
}
