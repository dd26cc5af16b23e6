// Copyright 2026 The caddy-a2a-guard Authors
// SPDX-License-Identifier: Apache-2.0

package policy

//go:generate go test -run TestTheReferenceIsFresh -update .

// Row is what the rule reference, docs/rules.md, says of one id beyond its rules.
type Row struct {
	// ID is the name of its rules or, if it has none, of an obligation.
	ID string
	// Source is where the protocol demands it, or who was seen to need it.
	Source string
	// Spares is the legitimate traffic that comes close and breaks nothing, or is
	// but noticed.
	Spares string
	// Unseen says of an id without rules why no traffic breaks it here, and who
	// keeps it instead.
	Unseen string
}

// Reference returns a row for every id, in the order in which users look for
// them: streams, terminal tasks, identity, artifacts, states, unary answers,
// subscriptions, push notifications, admission, bytes.
func Reference() []Row { return reference }

var reference = []Row{
	{ID: "first-event-task-or-message", Source: "A2A 1.0 §3.1.2", Spares: "Java never sends a Task; Python and Go begin later turns with an update; every 0.3 server may"},
	{ID: "update-before-task", Source: "Python and Go SDK", Spares: "as above"},
	{ID: "message-stream-exactly-one", Source: "A2A 1.0 §3.1.2", Spares: "one Message and the end of the stream"},
	{ID: "message-after-task", Source: "A2A 1.0 §3.1.2", Spares: "hand-written servers that speak in Messages: their words go out as a status"},
	{ID: "second-task-snapshot", Source: "A2A 1.0 §11.7", Spares: "the final snapshot that the protocol allows; Go, JavaScript and Python repeat the Task"},
	{ID: "stream-payload-oneof", Source: "A2A 1.0 §4.3.3", Spares: "members of extensions beside the payload"},
	{ID: "close-after-terminal", Source: "A2A 1.0 §3.1.2, §3.1.6; A2A 0.3 §9.3", Spares: "Python cleans up after its last event: linger gives it time"},
	{ID: "missing-final-status", Source: "A2A 1.0 §3.1.2", Spares: "a stream that ends while the task waits for its client; JavaScript's resubscription to an idle task; work that goes on in the background: the agent is asked first"},
	{ID: "upstream-abort", Source: "Python SDK", Spares: "a client that left first"},
	{ID: "never-ending-stream", Source: "A2A 1.0 §13.4", Spares: "quiet jobs with news in GetTask; tasks that wait for a person"},
	{ID: "interrupted-stream", Source: "A2A 1.0 §11.7 against §3.1.2 and §7.6.1", Spares: "a stream that ends at INPUT_REQUIRED; AUTH_REQUIRED, which may resolve itself"},
	{ID: "final-flag", Source: "A2A 0.3 §7.2.3, §9.3", Spares: "input-required with or without final; 1.0, which has no such flag"},
	{ID: "stream-content-type", Source: "A2A 1.0 §9.4.2, §11.7", Spares: "Python, JavaScript and Java answer in JSON if they fail before the first event; charset parameters"},
	{ID: "no-event-after-terminal", Source: "A2A 1.0 §3.1.2, §3.1.6", Spares: "one repetition of the terminal state in its other form; replays to a subscriber"},
	{ID: "late-artifact", Source: "A2A 1.0 §3.1.2; Python SDK", Spares: "artifacts behind a terminal Task that opens a subscription; another stream of the task, still behind"},
	{ID: "terminal-immutable", Source: "A2A 1.0 §3.1.1", Spares: "a call that began before the task was terminal; a state that the guard itself made up; a state of a later version"},
	{ID: "restarted-terminal-task", Source: "A2A 1.0 §3.1.1", Spares: "a new task in the same context; the finished task as the answer"},
	{ID: "send-to-terminal", Source: "A2A 1.0 §3.1.1; A2A 0.3 §7.1", Spares: "referenceTaskIds; a task of another caller"},
	{ID: "subscribe-terminal", Source: "A2A 1.0 §3.1.6", Spares: "Go answers -32001, JavaScript 0.3 with the Task"},
	{ID: "task-id-stable", Source: "A2A 1.0 §3.1.2", Spares: "an id that is spelt with escapes"},
	{ID: "task-id-matches-request", Source: "A2A 1.0 §3.4.2", Spares: "requests that name no task"},
	{ID: "context-id-stable", Source: "A2A 1.0 §3.4.1", Spares: "empty context ids, which count as absent"},
	{ID: "context-id-matches-request", Source: "A2A 1.0 §3.4.1, §3.4.3", Spares: "requests that name no context"},
	{ID: "context-id-missing", Source: "A2A 1.0 §3.4.1", Spares: "messages of Python and JavaScript agents; the Task's contextId is optional in the proto"},
	{ID: "request-task-context-match", Source: "A2A 1.0 §3.4.3", Spares: "0.3 agents ignore the context; a task of another caller"},
	{ID: "unknown-task", Source: "A2A 1.0 §3.4.2", Spares: "Go answers a subscription to an idle task so; agents forget tasks"},
	{ID: "jsonrpc-id", Source: "JSON-RPC 2.0 §5", Spares: "null in an error that could not read the id; 1 and 1.0"},
	{ID: "jsonrpc-envelope", Source: "JSON-RPC 2.0 §4, §5", Spares: "Go answers a deletion with neither result nor error"},
	{ID: "task-id-unique", Source: "A2A 1.0 §3.4.2", Spares: "a message sent again under its id may get the same task, in the same context"},
	{ID: "append-unknown-artifact", Source: "A2A 1.0 §4.2.2", Spares: "a subscription, or a later turn, that goes on with an artifact"},
	{ID: "chunk-after-last", Source: "A2A 1.0 §4.2.2", Spares: "an artifact that begins afresh with append false"},
	{ID: "artifact-required-fields", Source: "A2A 1.0 §5.7", Spares: "a closing chunk without parts"},
	{ID: "illegal-transition", Source: "A2A 1.0 §3.1.1", Spares: "every transition between states that are not terminal"},
	{ID: "state-regression", Source: "conformance tests", Spares: "WORKING after INPUT_REQUIRED or AUTH_REQUIRED"},
	{ID: "event-order", Source: "A2A 1.0 §3.5.2", Spares: "equal or missing timestamps; a Task that an executor has kept for a while"},
	{ID: "status-timestamp", Source: "A2A 1.0 §5.6.1", Spares: "Go writes the time of its own zone"},
	{ID: "auth-required-message", Source: "A2A 1.0 §7.6.1", Spares: "an explanation that was agreed on elsewhere"},
	{ID: "blocking-nonterminal", Source: "A2A 1.0 §3.2.2", Spares: "Python executors without a final status, Java's time limit; 0.3, where blocking binds nobody"},
	{ID: "return-immediately", Source: "A2A 1.0 §3.2.2", Spares: "tasks that end at once"},
	{ID: "send-result-oneof", Source: "A2A 1.0 §9.4.1", Spares: "a payload in the shape of 0.3, see dialect-mismatch"},
	{ID: "get-task-bare", Source: "A2A 1.0 §3.1.3", Spares: "the shape of 0.3, see dialect-mismatch"},
	{ID: "history-length", Source: "A2A 1.0 §3.2.4", Spares: "Go answers SendMessage with the whole history; 0.3, where 0 means all"},
	{ID: "list-tasks-shape", Source: "A2A 1.0 §3.1.4", Spares: "ProtoJSON leaves an empty nextPageToken out"},
	{ID: "cancel-result", Source: "A2A 1.0 §3.1.5", Spares: "Python answers with whatever state the task has reached"},
	{ID: "cancel-terminal", Source: "A2A 1.0 §3.1.5, §3.3.1", Spares: "Go and JavaScript answer with the canceled Task, others with -32002: both pass"},
	{ID: "cancel-then-stream", Source: "Python SDK", Unseen: "a stream is judged by what it carried itself: late-artifact, illegal-transition and no-event-after-terminal hold what follows CANCELED there"},
	{ID: "concurrent-send-same-task", Source: "A2A 1.0 §3.3.3", Unseen: "legal, so nothing is to be held against it; to count the messages under way to each task would take a lock at the end of every call"},
	{ID: "duplicate-message-id", Source: "A2A 1.0 §3.3.1", Unseen: "legal, a client that tries again does so; to know its messages would take as much memory as its tasks"},
	{ID: "subscribe-first-task", Source: "A2A 1.0 §3.1.6", Spares: "an event of a Go or Java agent that overtakes the Task; 0.3 does not demand it"},
	{ID: "broadcast-same-events", Source: "A2A 1.0 §3.5.2", Unseen: "whoever attaches late rightly misses events, and several guards may each see one stream; each stream is judged by itself, so the guard adds no difference"},
	{ID: "close-one-stream", Source: "A2A 1.0 §3.5.2", Unseen: "an obligation of the guard's: the end of one stream cuts that stream's request alone, and no task is canceled because a client left"},
	{ID: "push-capability", Source: "A2A 1.0 §3.3.4", Spares: "agents whose card the guard does not know"},
	{ID: "push-url", Source: "A2A 1.0 §13.2", Spares: "public https addresses, and what push_allow names"},
	{ID: "push-config-task", Source: "A2A 1.0 §3.1.7", Spares: "a body that leaves the task's id to the path"},
	{ID: "push-delete-idempotent", Source: "A2A 1.0 §3.1.10", Unseen: "the agent's to keep: a second deletion is forwarded, and whatever it is answered passes"},
	{ID: "webhook-payload", Source: "A2A 1.0 §4.3.3; A2A 0.3 §9.5", Unseen: "notifications go from the agent straight to the client's server, past the guard"},
	{ID: "authn-required", Source: "A2A 1.0 §7.4", Spares: "the public card; off unless require_authorization is set"},
	{ID: "task-owner-scope", Source: "A2A 1.0 §13.1", Spares: "shared tasks and changing tokens: off unless task_owner is on"},
	{ID: "guard-memory-scope", Source: "A2A 1.0 §3.3.2, §13.1", Unseen: "an obligation of the guard's: what it remembers of a task it tells only to the caller, tenant and guard that it was learned from"},
	{ID: "no-existence-leak", Source: "A2A 1.0 §3.3.2", Spares: "a 403 that speaks of the caller, not of the task; calls that name no task"},
	{ID: "error-redaction", Source: "A2A 1.0 §13.4", Spares: "texts that help, such as those of -32602"},
	{ID: "version-header", Source: "A2A 1.0 §3.6.2", Spares: "Go servers and hand-written clients do without"},
	{ID: "version-supported", Source: "A2A 1.0 §3.6.2", Spares: "patch digits"},
	{ID: "extension-required", Source: "A2A 1.0 §3.3.4", Spares: "the header's older name, X-A2A-Extensions"},
	{ID: "extended-card", Source: "A2A 1.0 §3.1.11", Spares: "0.3 cards say it in another place"},
	{ID: "capability-streaming", Source: "A2A 1.0 §3.3.4", Spares: "cards that differ by tenant, that are of another path or cannot be had; agents whose extended card may say more"},
	{ID: "capability-mismatch-declared", Source: "A2A 1.0 §3.3.4", Spares: "-32004 about a task that takes no more messages"},
	{ID: "tenant-echo", Source: "A2A 1.0 §8.3.2", Spares: "agents without tenants"},
	{ID: "content-type-request", Source: "A2A 1.0 §9.1, §11.1", Spares: "application/json and application/a2a+json, with any binding"},
	{ID: "oversize-request", Source: "A2A 1.0 §13.4", Spares: "bodies that are sent in pieces"},
	{ID: "max-streams", Source: "A2A 1.0 §13.4", Spares: "a stream that ends makes room at once; counted only if the option max_streams is set"},
	{ID: "max-calls", Source: "A2A 1.0 §13.4", Spares: "streams, which are not counted; counted only if the option max_calls is set"},
	{ID: "late-request", Source: "A2A 1.0 §13.4", Spares: "slow clients within the limit"},
	{ID: "call-timeout", Source: "A2A 1.0 §13.4", Spares: "an agent that thinks for minutes"},
	{ID: "http-status-jsonrpc", Source: "JSON-RPC 2.0 §5", Spares: "JavaScript puts a status of 400 or 500 on a JSON-RPC error"},
	{ID: "malformed-frame", Source: "A2A 1.0 §9.4.2", Spares: "empty data, [DONE] behind the end"},
	{ID: "duplicate-json-keys", Source: "RFC 8259 §4", Spares: "equal keys in data and metadata, which are the user's"},
	{ID: "case-variant-keys", Source: "Go and JavaScript parsers", Spares: "the proto's snake_case spelling alone"},
	{ID: "oversize-frame", Source: "A2A 1.0 §13.4", Spares: "large artifacts within max_event"},
	{ID: "error-frame-terminates", Source: "every official SDK", Spares: "an error as the last event"},
	{ID: "route-normalisation", Source: "RFC 3986 §6", Spares: "doubled slashes and one at the end, encoded letters and colons, ids with a colon or an encoded slash"},
	{ID: "unknown-method", Source: "A2A 0.3 §3.5.5", Spares: "methods of extensions"},
	{ID: "dialect-mismatch", Source: "A2A 1.0 §9.4; A2A 0.3 §7", Spares: "0.3 over HTTP+JSON, which is wrapped as in 1.0; 0.3 payloads without kind"},
	{ID: "passthrough", Source: "WHATWG HTML, event streams", Unseen: "an obligation of the guard's: comments, id, event, retry, data over several lines and line ends pass byte for byte"},
	{ID: "compressed-body", Source: "RFC 9110 §8.4", Spares: "identity; answers of calls that the guard does not judge"},
}
