// Copyright 2026 The caddy-a2a-guard Authors
// SPDX-License-Identifier: Apache-2.0

package a2a

// Kind is what a payload is.
type Kind uint8

// The kinds.
const (
	NoEvent        Kind = iota // nothing there
	Unknown                    // a payload that this version does not know
	Task                       // a whole task (A2A 1.0 §4.1.1)
	Message                    // a message of the agent (A2A 1.0 §4.1.4)
	StatusUpdate               // a change of state (A2A 1.0 §4.2.1)
	ArtifactUpdate             // an artifact or a chunk of one (A2A 1.0 §4.2.2)
	Error                      // an error in place of a result

	KindCount // how many there are
)

var kindNames = [KindCount]string{"none", "unknown", "task", "message", "status", "artifact", "error"}

// String returns the kind's label, from a closed set.
func (k Kind) String() string { return kindNames[k] }

// Span is a part of the input, by offsets; both zero where there is none.
type Span struct{ Start, End int }

// Of returns the part of data that the span means, nil where there is none.
func (s Span) Of(data []byte) []byte {
	if s.End == 0 {
		return nil
	}
	return data[s.Start:s.End]
}

// Event is what the guard reads of one payload.
type Event struct {
	Kind Kind
	// Dialect is the payload's own shape: V10 if it stood in a wrapper, V03 if
	// it came flat. In HTTP+JSON, where 0.3 has wrappers too, it is the call's.
	Dialect Dialect
	// Kinded is true if the payload names its kind itself, as those of 0.3 do.
	Kinded bool
	// Payloads counts the payloads that a result names; more than one is a
	// fault that clients resolve differently.
	Payloads int

	TaskID    Token
	ContextID Token

	// HasState is true if a status with a state stands in the payload.
	HasState bool
	State    State
	Status   Span // the whole status object
	// StatusMessage is true if the status carries a message.
	StatusMessage bool
	Timestamp     Token

	// Final is the 0.3 flag (A2A 0.3 §7.2.3); FinalAt is where its value stands.
	Final   bool
	FinalAt Span

	// Artifact is an ArtifactUpdate's, Artifacts are a Task's.
	Artifact  Artifact
	Artifacts []Artifact
	// MoreArtifacts is true if a Task holds more than the reader lists.
	MoreArtifacts bool
	// ArtifactsAt is where a Task's member of that name stands.
	ArtifactsAt Span
	Append      bool
	AppendAt    Span
	LastChunk   bool

	// History are a Task's messages, HistoryAt is where the member stands and
	// Messages how many there are, counted if the reader is to count them.
	History   Span
	HistoryAt Span
	Messages  int

	// Object is the payload itself, its braces included.
	Object Span
}

// Artifact is what the guard reads of one artifact.
type Artifact struct {
	ID       Token
	HasParts bool
	Object   Span
}

// maxArtifacts bounds how many artifacts of one Task are listed.
const maxArtifacts = 1024

var (
	payloadFields = []field{
		{"taskId", "task_id"}, {"contextId", "context_id"}, {camel: "status"}, {camel: "final"},
		{camel: "artifact"}, {camel: "append"}, {"lastChunk", "last_chunk"},
		{camel: "kind"}, {camel: "id"}, {camel: "artifacts"}, {"messageId", "message_id"}, {camel: "history"},
		{camel: "task"}, {camel: "message"}, {"statusUpdate", "status_update"}, {"artifactUpdate", "artifact_update"},
	}
	statusFields   = []field{{camel: "state"}, {camel: "timestamp"}, {camel: "message"}}
	artifactFields = []field{{"artifactId", "artifact_id"}, {camel: "parts"}}
)

// Indexes into payloadFields.
const (
	fTaskID = iota
	fContextID
	fStatus
	fFinal
	fArtifact
	fAppend
	fLastChunk
	fKind
	fID
	fArtifacts
	fMessageID
	fHistory
	fTask
	fMessage
	fStatusUpdate
	fArtifactUpdate

	// wrapped is how many of the fields a wrapped payload itself may hold.
	wrapped = fTask
)

// flat is what stands in a payload that names its kind itself, or lacks one.
type flat struct {
	kind                                Token
	id, taskID                          Token
	hasMessageID, hasArtifact, hasFinal bool
	said                                bool // a message that is a text: an error's
}

// payload reads the value that comes next into ev: a wrapper with one of the
// four payloads, or a payload itself. ev keeps its Artifacts' storage.
func (c *cursor) payload(ev *Event) {
	*ev = Event{Artifacts: ev.Artifacts[:0]}
	o, ok := c.open(payloadFields)
	if !ok {
		return
	}
	var f flat
	for o.next() {
		switch o.field {
		case fTask, fMessage, fStatusUpdate, fArtifactUpdate:
			c.wrapped(ev, o.field)
		default:
			c.member(ev, &f, o.field)
		}
	}
	if ev.Payloads > 0 {
		if f.kind != nil {
			ev.Payloads++
		}
		return
	}
	ev.Object = Span{o.start, o.end}
	ev.Dialect = V03
	ev.Kinded = f.kind != nil
	ev.Kind = f.classify(ev)
	ev.identify(&f)
	if ev.Kind != Unknown {
		ev.Payloads = 1
	}
}

// wrapped reads the payload behind a wrapper's key. A second one is counted,
// not read: no reading of such a frame is the right one.
func (c *cursor) wrapped(ev *Event, which int) {
	if c.err == nil && c.peek() != '{' {
		c.skip()
		return
	}
	if ev.Payloads++; ev.Payloads > 1 {
		c.skip()
		return
	}
	o, ok := c.open(payloadFields[:wrapped])
	if !ok {
		return
	}
	var f flat
	for o.next() {
		c.member(ev, &f, o.field)
	}
	ev.Object = Span{o.start, o.end}
	ev.Dialect = c.wrapper
	ev.Kind = [...]Kind{fTask: Task, fMessage: Message, fStatusUpdate: StatusUpdate, fArtifactUpdate: ArtifactUpdate}[which]
	ev.identify(&f)
}

// member reads one member of a payload.
func (c *cursor) member(ev *Event, f *flat, which int) {
	switch which {
	case fTaskID:
		f.taskID = c.id()
	case fID:
		f.id = c.id()
	case fContextID:
		ev.ContextID = c.id()
	case fKind:
		f.kind = c.value()
	case fStatus:
		c.status(ev)
	case fFinal:
		start := c.offset()
		ev.Final, f.hasFinal = c.flag()
		ev.FinalAt = Span{start, c.at}
	case fArtifact:
		ev.Artifact = c.artifact()
		f.hasArtifact = ev.Artifact.Object.End > 0
	case fArtifacts:
		start := c.nameAt
		if c.wants.List && !c.wants.Artifacts {
			c.skip()
		} else {
			c.artifacts(ev)
		}
		ev.ArtifactsAt = Span{start, c.at}
	case fAppend:
		start := c.offset()
		ev.Append, _ = c.flag()
		ev.AppendAt = Span{start, c.at}
	case fLastChunk:
		ev.LastChunk, _ = c.flag()
	case fHistory:
		c.history(ev)
	case fMessageID:
		f.hasMessageID = c.id() != nil
	default:
		c.skip()
	}
}

// classify finds a flat payload's kind: by its kind member, else by what it
// holds (some 0.3 agents leave kind out).
func (f *flat) classify(ev *Event) Kind {
	if f.kind != nil {
		var scratch [32]byte
		switch string(f.kind.AppendText(scratch[:0])) {
		case "task":
			return Task
		case "message":
			return Message
		case "status-update":
			return StatusUpdate
		case "artifact-update":
			return ArtifactUpdate
		}
		return Unknown
	}
	switch {
	case f.hasArtifact:
		return ArtifactUpdate
	case ev.HasState && (f.hasFinal || f.taskID != nil):
		return StatusUpdate
	case ev.HasState && f.id != nil:
		return Task
	case f.hasMessageID:
		return Message
	}
	return Unknown
}

// identify sets the task's id: a Task's own id, else the id it refers to.
func (ev *Event) identify(f *flat) {
	if ev.TaskID = f.taskID; ev.Kind == Task {
		ev.TaskID = f.id
	}
}

func (c *cursor) status(ev *Event) {
	o, ok := c.open(statusFields)
	if !ok {
		return
	}
	for o.next() {
		switch o.field {
		case 0:
			if state := c.value(); state != nil {
				ev.State, ev.HasState = ParseState(state), true
			}
		case 1:
			ev.Timestamp = c.id()
		case 2:
			ev.StatusMessage = c.err == nil && c.peek() == '{'
			c.skip()
		default:
			c.skip()
		}
	}
	ev.Status = Span{o.start, o.end}
}

func (c *cursor) artifact() (a Artifact) {
	o, ok := c.open(artifactFields)
	if !ok {
		return a
	}
	for o.next() {
		switch o.field {
		case 0:
			a.ID = c.id()
		case 1:
			a.HasParts = len(c.value()) > len("[]")
		default:
			c.skip()
		}
	}
	a.Object = Span{o.start, o.end}
	return a
}

func (c *cursor) artifacts(ev *Event) {
	for range c.elements() {
		if len(ev.Artifacts) == maxArtifacts {
			ev.MoreArtifacts = true
			c.skip()
			continue
		}
		ev.Artifacts = append(ev.Artifacts, c.artifact())
	}
}

// history finds a Task's messages.
func (c *cursor) history(ev *Event) {
	name, start := c.nameAt, c.offset()
	if c.wants.History {
		for range c.elements() {
			ev.Messages++
			c.skip()
		}
	} else {
		c.skip()
	}
	end := c.at
	ev.History, ev.HistoryAt = Span{start, end}, Span{name, end}
}
