// Copyright 2026 The caddy-a2a-guard Authors
// SPDX-License-Identifier: Apache-2.0

package peers_test

import (
	"net/http"
	"net/http/httptest"
	"testing"
)

func TestAnAnswerCutOffOnTheWayIsCompletedFromTheAgentsTask(t *testing.T) {
	work := begin(whole("report", "It is half past nine."), final("completed", "Done."))
	for _, agent := range sdks {
		t.Run(agent.String()+" agent", func(t *testing.T) {
			url := startAgent(t, agent)
			breaking := startTap(t, url)
			breaking.Cut(2)
			guard, _ := startGuard(t, breaking.URL)
			for _, sdk := range clientsOf(agent) {
				if sdk.name == "Java" {
					continue // now and then it takes a stream that breaks for one that ends
				}
				if sdk.name == "JavaScript" && agent.name == "Python" && agent.version == "0.3" && agent.binding == httpJSON {
					continue // it cannot read events in several lines
				}
				t.Run(sdk.String()+" client", func(t *testing.T) {
					client := startClient(t, sdk)
					sound := (&caller{client: client, url: url, limit: patience}).stream(work...)
					cut := (&caller{client: client, url: breaking.URL, limit: patience}).stream(work...)
					if cut.String() == sound.String() {
						t.Fatal("the connection did not break")
					}
					guarded := (&caller{client: client, url: guard, limit: patience}).stream(work...)
					if got, want := guarded.String(), sound.String(); got != want {
						t.Errorf("the client saw\n\t%s\nover a sound connection it sees\n\t%s", got, want)
					}
				})
			}
		})
	}
}

func TestEveryClientIsToldOfAnAgentThatIsNotThere(t *testing.T) {
	gone := httptest.NewServer(http.NotFoundHandler())
	gone.Close()
	guard, _ := startGuard(t, gone.URL)
	for _, sdk := range sdks {
		t.Run(sdk.String()+" client", func(t *testing.T) {
			client := startClient(t, sdk)
			c := &caller{client: client, url: guard, limit: patience}
			c.stream(message("Hello."))
			c.send(message("Hello."))
			for _, call := range c.calls {
				if sdk.name == "Java" && call.verb == "stream" {
					continue // it takes any answer but an event stream for an empty one
				}
				if call.End.How != "error" || len(call.Events) > 0 {
					t.Errorf("%s: the client saw %s, not an error", call.verb, call)
				}
			}
		})
	}
}
