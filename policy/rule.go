// Copyright 2026 The caddy-a2a-guard Authors
// SPDX-License-Identifier: Apache-2.0

package policy

// Rule names one way in which traffic breaks the protocol.
type Rule uint8

// The rules, in the order in which a call meets them.
const (
	AuthnRequired Rule = iota
	RouteNormalisation
	RequestMalformed
	RequestDuplicateKeys
	RequestCaseVariantKeys
	RequestBatch
	RequestEncoded
	RequestTooLarge
	RequestBodyTimeout
	RequestContentType
	VersionSupported
	VersionHeader
	TenantEcho
	ExtensionRequired
	CapabilityStreaming
	PushCapability
	ExtendedCard
	UnknownMethod
	TaskOwner
	SendToTerminal
	SubscribeTerminal
	RequestTaskContext
	StreamLimit
	CallLimit
	PushURL
	PushConfigTask

	AnswerNotStream
	AnswerJSONError
	AnswerJSONResult
	AnswerEncoded
	AnswerNotEnvelope
	AnswerDuplicateKeys
	AnswerCaseVariantKeys
	AnswerUpstreamError
	AnswerHTTPStatus
	AnswerOversize
	CallTimeout
	CapabilityMismatch

	FrameMalformed
	FrameDuplicateKeys
	FrameCaseVariantKeys
	FrameOversize
	EnvelopeNeither
	EnvelopeBoth
	EnvelopeBare
	EnvelopeVersion
	ResponseID
	PayloadTwo
	PayloadUnknown

	FirstEvent
	SubscribeFirstTask
	UpdateBeforeTask
	MessageStreamOne
	MessageAfterTask
	SecondTask
	FinalMissing
	FinalEarly
	FinalLate
	TaskIDStable
	TaskIDMatchesRequest
	ContextIDStable
	ContextIDMatchesRequest
	ContextIDMissing
	StateRegression
	InterruptedStream
	AppendUnknownArtifact
	ChunkAfterLast
	ArtifactFields
	ArtifactClosed
	AuthRequiredMessage
	EventOrder
	StatusTimestamp
	DialectMismatch
	UnknownTask
	NoExistenceLeak
	TerminalImmutable
	ErrorRedaction
	RestartedTerminal
	TaskIDUnique
	TaskOwnerAnswer
	TaskOwnerList

	SendResultBare
	SendResultOne
	GetTaskBare
	BlockingNonterminal
	ReturnImmediately
	HistoryLength
	HistoryLengthSend
	ListPageToken
	ListArtifacts
	CancelResult
	CancelTerminal

	IllegalTransition
	LateArtifact
	LateArtifactKept
	EventAfterTerminal
	EventAfterError
	CloseAfterTerminal

	MissingFinal
	MissingFinalSubscribe
	UpstreamAbort
	NeverEnding

	RuleCount // how many there are
)

// Info describes a rule.
type Info struct {
	// ID is the name that users write and that labels carry.
	ID string
	// Doc says in one sentence what breaks the rule.
	Doc string
	// Standard and Strict are the actions in the two enforcing profiles.
	Standard, Strict Action
	// Notice marks a rule that legitimate traffic of official SDKs breaks: it
	// is counted apart from violations and not logged.
	Notice bool
}

// rules is the whole catalogue. The doc sentences name the specification's
// section where it speaks of the matter.
var rules = [RuleCount]Info{
	AuthnRequired:          {"authn-required", "a call bears no credentials (A2A 1.0 §7.4)", Reject, Reject, false},
	RouteNormalisation:     {"route-normalisation", "a path is a call to some routers, and another call or none to others (A2A 1.0 §11.3)", Reject, Reject, false},
	RequestMalformed:       {"jsonrpc-envelope", "a request body is not one JSON-RPC request object (JSON-RPC 2.0 §4)", Reject, Reject, false},
	RequestDuplicateKeys:   {"duplicate-json-keys", "a request object that the guard reads holds one key twice (RFC 8259 §4)", Reject, Reject, false},
	RequestCaseVariantKeys: {"case-variant-keys", "a request object that the guard reads holds two spellings of one field", Reject, Reject, false},
	RequestBatch:           {"jsonrpc-envelope", "a request is a batch, which A2A does not define", Reject, Reject, false},
	RequestEncoded:         {"content-type-request", "a request body is compressed, so it cannot be judged", Reject, Reject, false},
	RequestTooLarge:        {"oversize-request", "a request body is larger than max_request_body", Reject, Reject, false},
	RequestBodyTimeout:     {"late-request", "a request body did not arrive within request_body_timeout", Reject, Reject, false},
	RequestContentType:     {"content-type-request", "a request's Content-Type is not JSON (A2A 1.0 §9.1, §11.1)", Observe, Reject, false},
	VersionSupported:       {"version-supported", "a call is of a version that is not accepted (A2A 1.0 §3.6.2)", Observe, Reject, false},
	VersionHeader:          {"version-header", "a call of 1.0 bears no A2A-Version, which makes it one of 0.3 (A2A 1.0 §3.6.2)", Observe, Reject, true},
	TenantEcho:             {"tenant-echo", "a call does not bear the tenant that the agent's card demands (A2A 1.0 §8.3.2)", Observe, Reject, false},
	ExtensionRequired:      {"extension-required", "a message comes without an extension that the agent's card demands (A2A 1.0 §3.3.4)", Observe, Reject, false},
	CapabilityStreaming:    {"capability-streaming", "a streaming call goes to an agent whose card declares no streaming (A2A 1.0 §3.3.4)", Observe, Answer, false},
	PushCapability:         {"push-capability", "a push notification call goes to an agent whose card declares none (A2A 1.0 §3.3.4)", Observe, Answer, false},
	ExtendedCard:           {"extended-card", "the extended card is asked of an agent whose card declares none (A2A 1.0 §3.1.11)", Observe, Answer, false},
	UnknownMethod:          {"unknown-method", "a JSON-RPC method is not one of A2A's", Observe, Answer, true},
	TaskOwner:              {"task-owner-scope", "a call names a task that is not known to be the caller's (A2A 1.0 §13.1)", Answer, Answer, false},
	SendToTerminal:         {"send-to-terminal", "a message is sent to a task that is terminal (A2A 1.0 §3.1.1)", Observe, Answer, false},
	SubscribeTerminal:      {"subscribe-terminal", "a subscription names a task that is terminal (A2A 1.0 §3.1.6)", Observe, Answer, true},
	RequestTaskContext:     {"request-task-context-match", "a message names a task and a context that is not the task's (A2A 1.0 §3.4.3)", Observe, Reject, false},
	StreamLimit:            {"max-streams", "a caller has max_streams streams open and asks for another", Reject, Reject, false},
	CallLimit:              {"max-calls", "a caller has max_calls calls in flight and makes another", Reject, Reject, false},
	PushURL:                {"push-url", "a push configuration names a webhook that is not public, not https or not plainly spelt (A2A 1.0 §13.2)", Observe, Reject, false},
	PushConfigTask:         {"push-config-task", "a push configuration names another task than the call that it comes with (A2A 1.0 §3.1.7)", Observe, Reject, false},

	AnswerNotStream:       {"stream-content-type", "a streaming call is answered with neither an event stream nor JSON (A2A 1.0 §9.4.2)", Reject, Reject, false},
	AnswerJSONError:       {"stream-content-type", "a streaming call is answered with a JSON error, which clients that only read event streams miss", Observe, Rewrite, true},
	AnswerJSONResult:      {"stream-content-type", "a streaming call is answered with a plain JSON result", Observe, Observe, false},
	AnswerEncoded:         {"compressed-body", "an answer is compressed although nobody asked for it, so it cannot be judged", Reject, Reject, false},
	AnswerNotEnvelope:     {"jsonrpc-envelope", "an answer is not one JSON-RPC response object", Reject, Reject, false},
	AnswerDuplicateKeys:   {"duplicate-json-keys", "an answer holds one key twice in an object that the guard reads (RFC 8259 §4)", Reject, Reject, false},
	AnswerCaseVariantKeys: {"case-variant-keys", "an answer holds two spellings of one field in an object that the guard reads", Reject, Reject, false},
	AnswerUpstreamError:   {"http-status-jsonrpc", "an HTTP error carries no protocol error", Reject, Reject, false},
	AnswerHTTPStatus:      {"http-status-jsonrpc", "a JSON-RPC response comes with an HTTP error", Observe, Observe, true},
	AnswerOversize:        {"oversize-frame", "a unary answer is larger than max_event, so it is not judged", Observe, Reject, false},
	CallTimeout:           {"call-timeout", "a unary call got no answer within call_timeout", Reject, Reject, false},
	CapabilityMismatch:    {"capability-mismatch-declared", "an agent whose card declares streaming refuses to stream (A2A 1.0 §3.3.4)", Observe, Observe, false},

	FrameMalformed:       {"malformed-frame", "an event's data is not a JSON object (A2A 1.0 §9.4.2)", Drop, End, false},
	FrameDuplicateKeys:   {"duplicate-json-keys", "an object that the guard reads holds one key twice (RFC 8259 §4)", Drop, End, false},
	FrameCaseVariantKeys: {"case-variant-keys", "an object that the guard reads holds two spellings of one field", Drop, End, false},
	FrameOversize:        {"oversize-frame", "an event is larger than max_event (A2A 1.0 §13.4)", End, End, false},
	EnvelopeNeither:      {"jsonrpc-envelope", "a response has neither result nor error (JSON-RPC 2.0 §5)", Drop, End, false},
	EnvelopeBoth:         {"jsonrpc-envelope", "a response has both result and error (JSON-RPC 2.0 §5)", Rewrite, End, false},
	EnvelopeBare:         {"jsonrpc-envelope", "a payload comes without its JSON-RPC envelope, or in HTTP+JSON with one", Observe, End, false},
	EnvelopeVersion:      {"jsonrpc-envelope", "a response's jsonrpc member is not \"2.0\"", Observe, End, false},
	ResponseID:           {"jsonrpc-id", "a response's id is not the request's (JSON-RPC 2.0 §5)", Rewrite, End, false},
	PayloadTwo:           {"stream-payload-oneof", "a result names two payloads, which clients read differently (A2A 1.0 §4.3.3)", Drop, End, false},
	PayloadUnknown:       {"stream-payload-oneof", "a result names no payload that the guard knows (A2A 1.0 §4.3.3)", Observe, End, false},

	FirstEvent:              {"first-event-task-or-message", "a stream begins with an update (A2A 1.0 §3.1.2)", Observe, Rewrite, true},
	SubscribeFirstTask:      {"subscribe-first-task", "a subscription does not begin with the Task (A2A 1.0 §3.1.6)", Observe, Rewrite, true},
	UpdateBeforeTask:        {"update-before-task", "an update comes before any Task", Observe, Observe, true},
	MessageStreamOne:        {"message-stream-exactly-one", "something follows the only Message of a stream (A2A 1.0 §3.1.2)", Drop, Drop, false},
	MessageAfterTask:        {"message-after-task", "a Message stands in a task's stream (A2A 1.0 §3.1.2)", Rewrite, Rewrite, false},
	SecondTask:              {"second-task-snapshot", "a stream carries a second Task (A2A 1.0 §11.7 allows a final one)", Observe, Rewrite, true},
	FinalMissing:            {"final-flag", "a terminal status update lacks final:true (A2A 0.3 §7.2.3)", Rewrite, Rewrite, false},
	FinalEarly:              {"final-flag", "final:true stands on a state that ends nothing", Observe, Observe, false},
	FinalLate:               {"final-flag", "something follows final:true (A2A 0.3 §9.3)", Drop, Drop, false},
	TaskIDStable:            {"task-id-stable", "an event of another task stands in the stream (A2A 1.0 §3.1.2)", Drop, End, false},
	TaskIDMatchesRequest:    {"task-id-matches-request", "the answer is about another task than the request (A2A 1.0 §3.4.2)", Observe, End, false},
	ContextIDStable:         {"context-id-stable", "the context id changes within a stream (A2A 1.0 §3.4.1)", Observe, Drop, false},
	ContextIDMatchesRequest: {"context-id-matches-request", "the answer is about another context than the request (A2A 1.0 §3.4.1)", Observe, End, false},
	ContextIDMissing:        {"context-id-missing", "a first event names no context (A2A 1.0 §3.4.1)", Observe, Observe, true},
	StateRegression:         {"state-regression", "a task that was worked on is submitted again", Observe, Observe, false},
	InterruptedStream:       {"interrupted-stream", "a stream stays open while its task waits for input (A2A 1.0 §11.7)", Observe, End, true},
	AppendUnknownArtifact:   {"append-unknown-artifact", "a chunk is appended to an artifact that was never begun", Observe, Rewrite, true},
	ChunkAfterLast:          {"chunk-after-last", "a chunk is appended after lastChunk", Observe, Drop, false},
	ArtifactFields:          {"artifact-required-fields", "an artifact lacks its id or its parts (A2A 1.0 §5.7)", Observe, Drop, false},
	ArtifactClosed:          {"artifact-required-fields", "the last chunk of an artifact has no parts", Observe, Observe, true},
	AuthRequiredMessage:     {"auth-required-message", "AUTH_REQUIRED comes without a message that explains it (A2A 1.0 §7.6.1)", Observe, Observe, true},
	EventOrder:              {"event-order", "a status is older than the one before it (A2A 1.0 §3.5.2)", Observe, Observe, false},
	StatusTimestamp:         {"status-timestamp", "a status bears a time that is not UTC (A2A 1.0 §5.6.1)", Observe, Observe, true},
	DialectMismatch:         {"dialect-mismatch", "an answer has the shape of the other version", Observe, Observe, false},
	UnknownTask:             {"unknown-task", "the agent does not know the task (A2A 1.0 §3.4.2)", Observe, Observe, true},
	NoExistenceLeak:         {"no-existence-leak", "a call that names a task is answered 403, which tells that the task exists (A2A 1.0 §3.3.2)", Observe, Reject, true},
	TerminalImmutable:       {"terminal-immutable", "a task that was terminal shows another state in a later call (A2A 1.0 §3.1.1)", Observe, Rewrite, false},
	ErrorRedaction:          {"error-redaction", "an error, or a failed status that looks like a trace, says what failed inside the agent (A2A 1.0 §13.4)", Observe, Rewrite, true},
	RestartedTerminal:       {"restarted-terminal-task", "the agent takes up a terminal task again (A2A 1.0 §3.1.1)", Observe, End, false},
	TaskIDUnique:            {"task-id-unique", "a new task bears the id of another principal's or another context's (A2A 1.0 §3.4.2)", Observe, Observe, false},
	TaskOwnerAnswer:         {"task-owner-scope", "the answer shows a task that is not known to be the caller's (A2A 1.0 §13.1)", End, End, false},
	TaskOwnerList:           {"task-owner-scope", "a list holds tasks that are not known to be the caller's (A2A 1.0 §13.1)", Rewrite, Rewrite, false},

	SendResultBare:      {"send-result-oneof", "SendMessage is answered with a Task or a Message without its wrapper (A2A 1.0 §9.4.1)", Observe, Rewrite, false},
	SendResultOne:       {"send-result-oneof", "SendMessage is answered with not exactly one Task or Message (A2A 1.0 §9.4.1)", Observe, Reject, false},
	GetTaskBare:         {"get-task-bare", "GetTask or CancelTask is answered with a Task in a wrapper (A2A 1.0 §3.1.3)", Observe, Rewrite, false},
	BlockingNonterminal: {"blocking-nonterminal", "a blocking call is answered while the task still runs (A2A 1.0 §3.2.2)", Observe, Answer, true},
	ReturnImmediately:   {"return-immediately", "a call that asks for an answer at once gets it after more than five seconds (A2A 1.0 §3.2.2)", Observe, Observe, false},
	HistoryLength:       {"history-length", "a Task holds more messages than the caller wants (A2A 1.0 §3.2.4)", Observe, Rewrite, false},
	HistoryLengthSend:   {"history-length", "SendMessage is answered with more messages than the caller wants (A2A 1.0 §3.2.4)", Observe, Rewrite, true},
	ListPageToken:       {"list-tasks-shape", "a list of tasks lacks nextPageToken (A2A 1.0 §3.1.4)", Observe, Observe, true},
	ListArtifacts:       {"list-tasks-shape", "a listed Task holds artifacts that nobody asked for (A2A 1.0 §3.1.4)", Observe, Rewrite, false},
	CancelResult:        {"cancel-result", "a task that was to be canceled shows another state (A2A 1.0 §3.1.5)", Observe, Observe, true},
	CancelTerminal:      {"cancel-terminal", "a task that is to be canceled is terminal (A2A 1.0 §3.1.5)", Observe, Observe, true},

	IllegalTransition:  {"illegal-transition", "a terminal task changes its state", Drop, Drop, false},
	LateArtifact:       {"late-artifact", "an artifact comes after the terminal state (A2A 1.0 §3.1.2)", Drop, Drop, false},
	LateArtifactKept:   {"late-artifact", "a task holds an artifact that came after its terminal state", Observe, Rewrite, true},
	EventAfterTerminal: {"no-event-after-terminal", "a Message or an error comes after the terminal state (A2A 1.0 §3.1.2)", Drop, Drop, false},
	EventAfterError:    {"error-frame-terminates", "something follows an error", Drop, Drop, false},
	CloseAfterTerminal: {"close-after-terminal", "the agent keeps a stream open after its end (A2A 1.0 §3.1.2)", End, End, false},

	MissingFinal:          {"missing-final-status", "a stream ends before its task is terminal or interrupted (A2A 1.0 §3.1.2)", End, End, false},
	MissingFinalSubscribe: {"missing-final-status", "a subscription ends before its task is terminal or interrupted", End, End, true},
	UpstreamAbort:         {"upstream-abort", "the agent's connection breaks in mid-stream", End, End, false},
	NeverEnding:           {"never-ending-stream", "a stream passes one of its time limits", End, End, false},
}

// Info returns the rule's entry in the catalogue.
func (r Rule) Info() Info { return rules[r] }

// String returns the rule's id.
func (r Rule) String() string { return rules[r].ID }

// Rules returns every rule in catalogue order.
func Rules() []Rule {
	all := make([]Rule, RuleCount)
	for i := range all {
		all[i] = Rule(i)
	}
	return all
}
