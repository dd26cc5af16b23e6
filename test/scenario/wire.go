// Copyright 2026 The caddy-a2a-guard Authors
// SPDX-License-Identifier: Apache-2.0

package scenario

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"strconv"
	"strings"
	"time"
)

// wire reads the notation for bytes on a connection.
type wire struct {
	text string
	at   int
	id   string // the raw id of the call that is answered
	// plain is true for an answer in HTTP+JSON, proto if it is of 0.3.
	plain, proto bool
}

// answer reads one line of an agent's answer.
func (w *wire) answer() ([]Step, error) {
	var steps []Step
	var chunk []byte
	size := 0
	flush := func() {
		for size > 0 && len(chunk) > size {
			steps = append(steps, Step{Kind: Chunk, Data: chunk[:size:size]})
			chunk = chunk[size:]
		}
		if len(chunk) > 0 {
			steps = append(steps, Step{Kind: Chunk, Data: chunk})
		}
		chunk = nil
	}
	for w.more() {
		switch c := w.text[w.at]; {
		case c == '|':
			w.at++
			flush()
		case c == '+':
			d, err := time.ParseDuration(strings.TrimPrefix(w.word(), "+"))
			if err != nil {
				return nil, err
			}
			flush()
			steps = append(steps, Step{Kind: Pause, For: d})
		case '0' <= c && c <= '9':
			head, err := w.head()
			if err != nil {
				return nil, err
			}
			flush()
			steps = append(steps, head)
		default:
			if kind, ok := events[w.peek()]; ok {
				w.word()
				flush()
				steps = append(steps, Step{Kind: kind})
				continue
			}
			if w.peek() == "by" {
				w.word()
				w.more()
				var err error
				if size, err = parseSize(w.word()); err != nil {
					return nil, err
				}
				continue
			}
			b, err := w.element()
			if err != nil {
				return nil, err
			}
			chunk = append(chunk, b...)
		}
	}
	flush()
	return steps, nil
}

// events are what an agent can do beside writing.
var events = map[string]StepKind{"EOF": EOF, "RST": RST, "CLOSE": Close, "OPEN": Open, "NEXT": Next}

func (w *wire) head() (Step, error) {
	status, err := strconv.Atoi(w.word())
	if err != nil || status < 100 || status > 599 {
		return Step{}, w.errorf("a number here is an HTTP status")
	}
	if !w.more() {
		return Step{}, w.errorf("a status wants a content type, or none")
	}
	head := Step{Kind: Head, Status: status}
	if w.text[w.at] == '"' {
		quoted, err := w.str()
		head.ContentType = string(quoted)
		return head, err
	}
	if t := w.word(); t != "none" {
		head.ContentType = t
	}
	return head, nil
}

// bytes reads elements up to the end.
func (w *wire) bytes() ([]byte, error) {
	var all []byte
	for w.more() {
		b, err := w.element()
		if err != nil {
			return nil, err
		}
		all = append(all, b...)
	}
	return all, nil
}

// element reads a string or a macro, with its repetition.
func (w *wire) element() ([]byte, error) {
	b, err := w.once()
	if err != nil || w.at == len(w.text) || w.text[w.at] != '*' {
		return b, err
	}
	w.at++
	return repeat(b, w.until(" \t|,)"))
}

func (w *wire) once() ([]byte, error) {
	if c := w.text[w.at]; c == '"' || c == '`' {
		return w.str()
	}
	name, ok := w.open()
	if !ok {
		return nil, w.errorf("neither a string nor a macro")
	}
	switch name {
	case "F", "J":
		m, err := w.payload()
		if err != nil {
			return nil, err
		}
		data := m.value
		if !w.plain {
			data = envelope(w.id, m)
		}
		if name == "F" {
			data = "data: " + data + "\n\n"
		}
		return []byte(data), w.close()
	case "gzip":
		return w.compressed()
	}
	m, err := w.macro(name)
	return []byte(m.value), err
}

// payload reads what stands in an envelope: a macro or raw JSON.
func (w *wire) payload() (member, error) {
	if !w.more() {
		return member{}, w.errorf("nothing in the parentheses")
	}
	if w.text[w.at] == '{' {
		raw, err := w.json()
		return member{"result", raw}, err
	}
	name, ok := w.open()
	if !ok {
		return member{}, w.errorf("neither a macro nor a JSON object")
	}
	return w.macro(name)
}

// macro reads a macro's arguments and the closing parenthesis.
func (w *wire) macro(name string) (member, error) {
	a := new(arguments)
	for w.more() && w.text[w.at] != ')' {
		key, value := "", ""
		if c := w.text[w.at]; c != '"' && c != '`' {
			key = strings.TrimSpace(w.until("=,)\"`"))
			if w.at < len(w.text) && w.text[w.at] == '=' {
				w.at++
			} else {
				key, value = "", key
			}
		}
		if w.more() && (w.text[w.at] == '"' || w.text[w.at] == '`') {
			b, err := w.element()
			if err != nil {
				return member{}, err
			}
			value = string(b)
		} else if key != "" {
			value = strings.TrimSpace(w.until(",)"))
		}
		if key == "" {
			a.words = append(a.words, value)
		} else {
			a.named = append(a.named, Field{key, value})
		}
		if w.more() && w.text[w.at] == ',' {
			w.at++
		}
	}
	if err := w.close(); err != nil {
		return member{}, err
	}
	return render(name, a, w)
}

// compressed reads the elements of gzip(...).
func (w *wire) compressed() ([]byte, error) {
	var packed bytes.Buffer
	z := gzip.NewWriter(&packed)
	for w.more() && w.text[w.at] != ')' {
		b, err := w.element()
		if err != nil {
			return nil, err
		}
		if _, err := z.Write(b); err != nil {
			return nil, err
		}
	}
	if err := z.Close(); err != nil {
		return nil, err
	}
	return packed.Bytes(), w.close()
}

// open reads a name with an opening parenthesis.
func (w *wire) open() (name string, ok bool) {
	end := strings.IndexAny(w.text[w.at:], "( \t,)\"`")
	if end <= 0 || w.text[w.at+end] != '(' {
		return "", false
	}
	name = w.text[w.at : w.at+end]
	w.at += end + 1
	return name, true
}

func (w *wire) close() error {
	if !w.more() || w.text[w.at] != ')' {
		return w.errorf("a parenthesis is not closed")
	}
	w.at++
	return nil
}

// str reads a quoted string: Go's notation, "..." with escapes or `...` without.
func (w *wire) str() ([]byte, error) {
	quoted, err := strconv.QuotedPrefix(w.text[w.at:])
	if err != nil {
		return nil, w.errorf("a string is not closed")
	}
	w.at += len(quoted)
	s, err := strconv.Unquote(quoted)
	return []byte(s), err
}

// json reads a JSON object as it stands.
func (w *wire) json() (string, error) {
	depth, quoted := 0, false
	for i := w.at; i < len(w.text); i++ {
		switch c := w.text[i]; {
		case quoted && c == '\\':
			i++
		case c == '"':
			quoted = !quoted
		case quoted:
		case c == '{', c == '[':
			depth++
		case c == '}', c == ']':
			if depth--; depth == 0 {
				raw := w.text[w.at : i+1]
				w.at = i + 1
				return raw, nil
			}
		}
	}
	return "", w.errorf("a JSON object is not closed")
}

// more skips blanks and reports whether anything is left.
func (w *wire) more() bool {
	for w.at < len(w.text) && (w.text[w.at] == ' ' || w.text[w.at] == '\t') {
		w.at++
	}
	return w.at < len(w.text)
}

func (w *wire) word() string {
	s := w.peek()
	w.at += len(s)
	return s
}

func (w *wire) peek() string {
	s := w.text[w.at:]
	if end := strings.IndexAny(s, " \t|"); end >= 0 {
		return s[:end]
	}
	return s
}

// until reads up to one of the bytes, or to the end.
func (w *wire) until(stops string) string {
	s := w.text[w.at:]
	if end := strings.IndexAny(s, stops); end >= 0 {
		s = s[:end]
	}
	w.at += len(s)
	return s
}

func (w *wire) errorf(format string, args ...any) error {
	return fmt.Errorf("%s: %.60q", fmt.Sprintf(format, args...), w.text[min(w.at, len(w.text)):])
}

// repeat repeats bytes a number of times, or up to a size.
func repeat(b []byte, times string) ([]byte, error) {
	if n, err := strconv.Atoi(times); err == nil {
		if n < 1 {
			return nil, fmt.Errorf("repeating %d times makes nothing", n)
		}
		return bytes.Repeat(b, n), nil
	}
	size, err := parseSize(times)
	if err != nil {
		return nil, err
	}
	return bytes.Repeat(b, size/max(len(b), 1)+1)[:size], nil
}

// parseSize reads a number of bytes: 1B, 16KiB, 5MiB.
func parseSize(s string) (int, error) {
	for _, unit := range []struct {
		name string
		size int
	}{{"KiB", 1 << 10}, {"MiB", 1 << 20}, {"B", 1}} {
		if number, ok := strings.CutSuffix(s, unit.name); ok {
			n, err := strconv.Atoi(number)
			if err != nil || n < 1 || n > 1<<30/unit.size {
				break
			}
			return n * unit.size, nil
		}
	}
	return 0, fmt.Errorf("%q is no size such as 1B, 16KiB, 5MiB", s)
}
