// Copyright 2026 The caddy-a2a-guard Authors
// SPDX-License-Identifier: Apache-2.0

package scenario

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/a2aguard/caddy-a2a-guard/policy"
)

// Expectation is what must come of an exchange.
type Expectation struct {
	Items  []Item
	Final  string // "END", "BROKEN", "LEFT", or empty with a Reject
	EndsAt Moment // when that comes
	Reject *Rejection
	Head   *Step   // if it is not the agent's
	Header []Field // of the response, beside others
	// Reports and Notices are the broken rules, the former with the action.
	Reports, Notices []string
	// End and Settled are the stream's labels, empty if the case does not care.
	End, Settled string
	// Reaches are header fields as the agent gets them, an empty value for none.
	Reaches []Field
	// Finishes demands that the agent gets to the end of what it sends.
	Finishes bool
}

// Moment is a time since the request, if it is set.
type Moment struct {
	Set bool
	At  time.Duration
}

// Rejection is a whole answer of the guard's.
type Rejection struct {
	Status      int
	ContentType string
	Code        int
	Rule        string
	ID          string // raw; empty for the request's own
}

// ItemKind tells what an item is.
type ItemKind uint8

// The kinds of items.
const (
	Bytes      ItemKind = iota // exactly these
	Pass                       // everything that the agent sends
	Fault                      // an error frame of the guard's
	Status                     // a status update of the guard's
	Heartbeats                 // comment lines of the guard's
	Headers                    // the response's head, before anything else
)

// Item is one thing that the client gets, in its place.
type Item struct {
	Kind ItemKind
	At   Moment // when its first byte comes

	Data  []byte // of Bytes
	Code  int    // of Fault
	Rule  string // of Fault
	State string // of Status
	Said  string // part of a Status' text
	Count int    // of Heartbeats
}

// take reads one line of expectations.
func (e *Expectation) take(w *wire) error {
	if field, ok := strings.CutPrefix(w.text, "header "); ok {
		var err error
		e.Header, err = appendField(e.Header, field)
		return err
	}
	var at Moment
	for w.more() {
		item := Item{At: at}
		switch word := w.peek(); {
		case word[0] == '@':
			d, err := time.ParseDuration(w.word()[1:])
			if err != nil {
				return err
			}
			at = Moment{true, d}
			continue
		case word == "END", word == "BROKEN", word == "LEFT":
			e.Final, e.EndsAt = w.word(), at
			continue
		case word == "REJECT":
			return e.reject(strings.Fields(w.text[w.at:]))
		case '0' <= word[0] && word[0] <= '9':
			head, err := w.head()
			if err != nil {
				return err
			}
			e.Head = &head
			continue
		default:
			if err := item.read(w, word); err != nil {
				return err
			}
		}
		e.Items = append(e.Items, item)
	}
	return nil
}

// read reads one item, whose first word is known.
func (i *Item) read(w *wire, word string) (err error) {
	number := func() (n int) {
		if w.more() && err == nil {
			n, err = strconv.Atoi(w.word())
		}
		return n
	}
	next := func() string {
		w.more()
		return w.word()
	}
	switch word {
	case "PASS":
		w.word()
		i.Kind = Pass
	case "HEAD":
		w.word()
		i.Kind = Headers
	case "HEARTBEAT":
		w.word()
		i.Kind, i.Count = Heartbeats, number()
	case "ERROR":
		w.word()
		i.Kind, i.Code, i.Rule = Fault, number(), next()
		if err == nil {
			err = knownRule(i.Rule)
		}
	case "STATUS":
		w.word()
		i.Kind, i.State = Status, next()
		if w.more() && w.text[w.at] == '"' {
			var said []byte
			said, err = w.str()
			i.Said = string(said)
		}
	default:
		i.Kind = Bytes
		i.Data, err = w.element()
	}
	return err
}

func (e *Expectation) reject(words []string) error {
	if len(words) < 5 || len(words) > 6 {
		return errors.New("REJECT wants an HTTP status, a content type, a code and a rule")
	}
	status, err := strconv.Atoi(words[1])
	code, err2 := strconv.Atoi(words[3])
	if err := errors.Join(err, err2, knownRule(words[4])); err != nil {
		return err
	}
	e.Reject = &Rejection{Status: status, ContentType: words[2], Code: code, Rule: words[4]}
	if len(words) == 6 {
		id, ok := strings.CutPrefix(words[5], "id=")
		if !ok {
			return fmt.Errorf("%q is no id such as id=null", words[5])
		}
		e.Reject.ID = id
	}
	return nil
}

// check reports an expectation that says too little.
func (e *Expectation) check() error {
	if e.Reject == nil && e.Final == "" {
		return errors.New("how does the client's stream end? Expect END, BROKEN, LEFT or a REJECT")
	}
	if e.Reject != nil && (e.Final != "" || len(e.Items) > 0) {
		return errors.New("a REJECT is the whole answer")
	}
	return nil
}

// breaks reports whether a rule is expected to be reported or noticed.
func (e *Expectation) breaks(id string) bool {
	named := func(line string) bool { return strings.Fields(line)[0] == id }
	return slices.ContainsFunc(e.Reports, named) || slices.ContainsFunc(e.Notices, named)
}

// noRule stands in a file where an error of the guard's names no rule.
const noRule = "none"

func knownRule(id string) error {
	if id == noRule || slices.ContainsFunc(policy.Rules(), func(r policy.Rule) bool { return r.String() == id }) {
		return nil
	}
	return fmt.Errorf("there is no rule %q", id)
}

// appendReports reads a rule, the action if words is 2, and how often it is
// reported.
func appendReports(list []string, line string, words int) ([]string, error) {
	fields := strings.Fields(line)
	times := 1
	if n := len(fields); n > words && fields[n-1][0] == 'x' {
		var err error
		if times, err = strconv.Atoi(fields[n-1][1:]); err != nil {
			return nil, err
		}
		fields = fields[:n-1]
	}
	if len(fields) != words {
		return nil, fmt.Errorf("%q is not a rule, what was done (unless it is a notice) and perhaps x2", line)
	}
	if err := knownRule(fields[0]); err != nil {
		return nil, err
	}
	for range times {
		list = append(list, strings.Join(fields, " "))
	}
	return list, nil
}
