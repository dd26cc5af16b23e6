// Copyright 2026 The caddy-a2a-guard Authors
// SPDX-License-Identifier: Apache-2.0

package test

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/caddyserver/caddy/v2"
	"go.opentelemetry.io/contrib/instrumentation/net/http/otelhttp"
	"go.opentelemetry.io/otel/propagation"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"
	collector "go.opentelemetry.io/proto/otlp/collector/trace/v1"
	common "go.opentelemetry.io/proto/otlp/common/v1"
	otlp "go.opentelemetry.io/proto/otlp/trace/v1"
	"google.golang.org/grpc"
	"google.golang.org/protobuf/proto"

	"github.com/a2aguard/caddy-a2a-guard/test/peers/gosdk10"
)

// receiver takes spans by OTLP.
type receiver struct {
	collector.UnimplementedTraceServiceServer
	mu    sync.Mutex
	spans []*otlp.Span
	more  chan struct{} // gets a value with each delivery
}

func (r *receiver) Export(_ context.Context, request *collector.ExportTraceServiceRequest) (*collector.ExportTraceServiceResponse, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, resource := range request.GetResourceSpans() {
		for _, scope := range resource.GetScopeSpans() {
			r.spans = append(r.spans, scope.GetSpans()...)
		}
	}
	select {
	case r.more <- struct{}{}:
	default:
	}
	return new(collector.ExportTraceServiceResponse), nil
}

// named returns the spans of a name, in the order of their beginnings.
func (r *receiver) named(name string) []*otlp.Span {
	r.mu.Lock()
	defer r.mu.Unlock()
	var found []*otlp.Span
	for _, span := range r.spans {
		if span.GetName() == name {
			found = append(found, span)
		}
	}
	slices.SortFunc(found, func(a, b *otlp.Span) int { return int(a.GetStartTimeUnixNano()) - int(b.GetStartTimeUnixNano()) })
	return found
}

// startReceiver starts a receiver and lets Caddy's tracing send there.
func startReceiver(t *testing.T, protocol string) *receiver {
	t.Helper()
	r := &receiver{more: make(chan struct{}, 1)}
	var endpoint string
	if protocol == "grpc" {
		listener, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		server := grpc.NewServer()
		collector.RegisterTraceServiceServer(server, r)
		go func() { _ = server.Serve(listener) }() // until it is stopped
		t.Cleanup(server.Stop)
		endpoint = "http://" + listener.Addr().String()
	} else {
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, request *http.Request) {
			body, err := io.ReadAll(request.Body)
			message := new(collector.ExportTraceServiceRequest)
			if err != nil || request.URL.Path != "/v1/traces" || proto.Unmarshal(body, message) != nil {
				w.WriteHeader(http.StatusBadRequest)
				return
			}
			_, _ = r.Export(request.Context(), message)
			w.Header().Set("Content-Type", "application/x-protobuf")
		}))
		t.Cleanup(server.Close)
		endpoint = server.URL
	}
	t.Setenv("OTEL_TRACES_EXPORTER", "otlp")
	t.Setenv("OTEL_EXPORTER_OTLP_PROTOCOL", protocol)
	t.Setenv("OTEL_EXPORTER_OTLP_ENDPOINT", endpoint)
	t.Setenv("OTEL_EXPORTER_OTLP_INSECURE", "true")
	t.Setenv("OTEL_BSP_SCHEDULE_DELAY", "20")
	return r
}

func text(attributes []*common.KeyValue) string {
	var parts []string
	for _, a := range attributes {
		v := a.GetValue()
		value := v.GetStringValue()
		if n, ok := v.GetValue().(*common.AnyValue_IntValue); ok {
			value = fmt.Sprint(n.IntValue)
		}
		if a.GetKey() != "a2a.guard.inspect_us" {
			parts = append(parts, a.GetKey()+"="+value)
		}
	}
	slices.Sort(parts)
	return strings.Join(parts, " ")
}

func TestCallsAreTraced(t *testing.T) {
	for _, protocol := range []string{"grpc", "http/protobuf"} {
		t.Run(protocol, func(t *testing.T) {
			r := startReceiver(t, protocol)
			a := startAgent(t)
			s := serve(t, "tracing\n"+reaching(a.address, "name desk"))
			c := s.client(t, h1)
			const traceID, clientSpan = "0af7651916cd43dd8448eb211c80319c", "b7ad6b7169203331"
			within := header("traceparent", "00-"+traceID+"-"+clientSpan+"-01")
			asked := c.asks(streamCall, within)
			call := a.next(t)
			agentsParent := call.Header.Get("traceparent")
			call.stream().say(taskFrame)
			client := head(t, asked)
			client.expect(taskFrame)
			for limit := time.After(patience); len(r.named("a2a stream began")) == 0; { // while the stream is open
				select {
				case <-r.more:
				case <-limit:
					t.Fatal("nothing shows that a stream has begun")
				}
			}
			late := frame(`"artifactUpdate":{"taskId":"t1","contextId":"c1","artifact":{"artifactId":"late","parts":[{"text":"x"}]}}`)
			call.say(doneFrame, late).end()
			client.rest()
			again := c.asks(getCall, within)
			a.next(t).json(`{"jsonrpc":"2.0","id":"q1","error":{"code":-32001,"message":"no such task"}}`)
			head(t, again).rest()
			if err := caddy.Stop(); err != nil { // what waits is sent
				t.Fatal(err)
			}

			streams, gets := r.named("a2a send_streaming_message"), r.named("a2a get_task")
			if len(streams) != 1 || len(gets) != 1 {
				t.Fatalf("%d spans of the stream, %d of the call", len(streams), len(gets))
			}
			stream, get := streams[0], gets[0]
			if got := fmt.Sprintf("%x", stream.GetTraceId()); got != traceID || stream.GetKind() != otlp.Span_SPAN_KIND_CLIENT {
				t.Errorf("the span is a %v of trace %s", stream.GetKind(), got)
			}
			if want := fmt.Sprintf("00-%s-%x-01", traceID, stream.GetSpanId()); agentsParent != want {
				t.Errorf("the agent is told %q, want %q", agentsParent, want)
			}
			parents := 0
			for _, span := range r.spans {
				if string(span.GetSpanId()) == string(stream.GetParentSpanId()) && fmt.Sprintf("%x", span.GetParentSpanId()) == clientSpan {
					parents++ // Caddy's own
				}
			}
			if parents != 1 {
				t.Error("the span does not hang below Caddy's, and that below the client's")
			}
			if got, want := text(stream.GetAttributes()), "a2a.agent=desk a2a.binding=JSONRPC a2a.context.id=c1 a2a.events=2 a2a.outcome=ok a2a.protocol.version=1.0 "+
				"a2a.task.id=t1 a2a.task.state=completed a2a.violations=1 gen_ai.conversation.id=c1 gen_ai.operation.name=invoke_agent jsonrpc.request.id=q1 "+
				"rpc.method=SendStreamingMessage rpc.system.name=jsonrpc"; got != want {
				t.Errorf("the stream's span has\n%s, want\n%s", got, want)
			}
			var events []string
			for _, e := range stream.GetEvents() {
				events = append(events, e.GetName()+" "+text(e.GetAttributes()))
			}
			if want := []string{
				"a2a.state a2a.task.state=working", "a2a.state a2a.task.state=completed",
				"a2a.violation a2a.action=drop a2a.rule=late-artifact", fmt.Sprintf("a2a.dropped a2a.event.bytes=%d a2a.event.kind=artifact", len(late)),
			}; fmt.Sprint(events) != fmt.Sprint(want) {
				t.Errorf("the stream's span has the events\n%q, want\n%q", events, want)
			}
			if states := r.named("a2a state"); len(states) != 2 || text(states[1].GetAttributes()) != "a2a.task.state=completed" || string(states[1].GetParentSpanId()) != string(stream.GetSpanId()) {
				t.Errorf("%d spans mark states: %v", len(states), states)
			}
			if stream.GetStatus().GetCode() == otlp.Status_STATUS_CODE_ERROR || get.GetStatus().GetCode() != otlp.Status_STATUS_CODE_ERROR {
				t.Errorf("the stream is %v, the call %v", stream.GetStatus(), get.GetStatus())
			}
			if links := get.GetLinks(); len(links) != 1 || string(links[0].GetSpanId()) != string(stream.GetSpanId()) {
				t.Errorf("the call leads to %v", links)
			}
		})
	}
}

func TestWithoutTracingTheAgentIsToldWhatTheClientSays(t *testing.T) {
	a := startAgent(t)
	s := serve(t, reaching(a.address))
	const parent = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"
	asked := s.client(t, h1).asks(getCall, header("traceparent", parent))
	call := a.next(t)
	if got := call.Header.Get("traceparent"); got != parent {
		t.Errorf("the agent is told %q", got)
	}
	call.json(`{"jsonrpc":"2.0","id":"q1","result":` + doneTask + `}`)
	head(t, asked).rest()
}

func TestTheAgentsOwnSpansHangBelowTheGuards(t *testing.T) {
	r := startReceiver(t, "grpc")
	agent := gosdk10.NewAgent()
	t.Cleanup(agent.Close)
	own := tracetest.NewSpanRecorder()
	provider := sdktrace.NewTracerProvider(sdktrace.WithSpanProcessor(own))
	server := httptest.NewServer(otelhttp.NewHandler(agent, "agent", otelhttp.WithTracerProvider(provider), otelhttp.WithPropagators(propagation.TraceContext{})))
	t.Cleanup(server.Close)
	s := serve(t, "tracing\n"+reaching(strings.TrimPrefix(server.URL, "http://")))
	if got := s.client(t, h1).post(getCall, header("A2A-Version", "1.0")).rest(); !strings.Contains(got, "-32001") {
		t.Errorf("the agent answers %s", got)
	}
	if err := caddy.Stop(); err != nil {
		t.Fatal(err)
	}
	calls, spans := r.named("a2a get_task"), own.Ended()
	if len(calls) != 1 || len(spans) != 1 {
		t.Fatalf("%d spans of the guard's, %d of the agent's", len(calls), len(spans))
	}
	parent := spans[0].Parent()
	if id := parent.SpanID(); string(id[:]) != string(calls[0].GetSpanId()) {
		t.Errorf("the agent's span hangs below %v, the guard's is %x", id, calls[0].GetSpanId())
	}
}
