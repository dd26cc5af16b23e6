// Copyright 2026 The caddy-a2a-guard Authors
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"encoding/json"
	"fmt"
	"regexp"
	"strings"
)

// account is what a client can tell of a streaming call.
type account struct {
	Marks  []mark
	Ending string // in two words, empty while the call lasts
	Bad    bool   // the call has no proper end

	// Words are those of the error that ended the call.
	Words string
	// Body is what came over the wire.
	Body []byte

	legacy  bool   // protocol 0.3
	isA2A   bool   // the answer is one that clients can read
	state   string // the task's last one
	flagged bool   // the last status had final:true (0.3)
	over    string // what ended the call: a terminal state, a message, an error
	late    bool   // something came after that
	garbled bool   // a frame could not be read
}

// mark is one event in the table's notation.
type mark struct {
	Text string
	Bad  bool // it breaks the protocol, in a way that a client can see
}

// String is the whole account, as a scenario expects it.
func (a *account) String() string {
	var b strings.Builder
	for _, m := range a.Marks {
		b.WriteString(m.Text + " ")
	}
	return strings.TrimSpace(b.String() + "| " + a.Ending)
}

func (a *account) add(text string, bad bool) {
	a.Marks = append(a.Marks, mark{text, bad})
}

// addFrame takes in the data of an event, or the body of a plain answer. It
// returns the payload, nil if there is none.
func (a *account) addFrame(data []byte) *payload {
	var r response
	switch err := json.Unmarshal(data, &r); {
	case err != nil, r.Error == nil && r.Result == nil:
		a.garbled = true
		a.add("?", true)
		return nil
	case r.Error != nil:
		a.Words = r.Error.Message
		a.addEnd("E", fmt.Sprintf("error %d", r.Error.Code))
		return nil
	}
	p, isMessage := r.Result.open()
	switch {
	case isMessage && len(a.Marks) == 0:
		a.addEnd("M", "message")
	case isMessage:
		a.addEvent("M", true)
	case p.Status != nil:
		a.addStatus(p)
	case p.Append || !p.LastChunk:
		a.addEvent("a", false)
	default:
		a.addEvent("A", false)
	}
	return p
}

func (a *account) addStatus(p *payload) {
	text := stateMarks[p.state()]
	if len(p.Status.Message) > 0 {
		text += `"`
	}
	if p.Final {
		text += "*"
	}
	a.state, a.flagged = p.state(), p.Final
	if isTerminal(a.state) {
		a.addEnd(text, strings.ToLower(a.state))
		return
	}
	a.addEvent(text, p.Final && a.state == "WORKING")
}

// addEvent adds an event that ends nothing.
func (a *account) addEvent(text string, bad bool) {
	a.late = a.late || a.over != ""
	a.add(text, bad || a.over != "")
}

// addEnd adds an event that ends the call.
func (a *account) addEnd(text, ending string) {
	a.addEvent(text, false)
	if a.over == "" {
		a.over = ending
	}
}

// close says how the call ended: as the connection did if that is not empty,
// else as its events tell.
func (a *account) close(connection string) {
	a.Bad = true
	switch {
	case connection != "":
		a.Ending = connection
	case a.garbled:
		a.Ending = "parse error"
	case a.late:
		a.Ending = "late events"
	case len(a.Marks) == 0:
		a.Ending = "empty"
	case a.over == "":
		a.Ending = "no end"
	case a.legacy && isTerminal(a.state) && !a.flagged:
		a.Ending = "no final flag"
	default:
		a.Ending, a.Bad = a.over, false
	}
}

// madeUp matches what an agent makes up anew in each call.
var madeUp = regexp.MustCompile(`\b(?:task|msg)-[A-Z2-7]{26}\b|\d{4}-\d\d-\d\dT[\d:.]+Z`)

// sameBytes reports whether two calls got the same answer, but for ids and times.
func sameBytes(a, b *account) bool {
	return madeUp.ReplaceAllString(string(a.Body), "-") == madeUp.ReplaceAllString(string(b.Body), "-")
}
