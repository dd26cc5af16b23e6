// Copyright 2026 The caddy-a2a-guard Authors
// SPDX-License-Identifier: Apache-2.0

package caddymodule

import (
	"crypto/tls"
	"crypto/x509"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"github.com/caddyserver/caddy/v2"
	"github.com/caddyserver/caddy/v2/modules/caddyhttp"

	"github.com/a2aguard/caddy-a2a-guard/guard"
)

func TestWhatCountsAsCredentials(t *testing.T) {
	tests := []struct {
		name, header, value string
		tls                 *tls.ConnectionState
		want                bool
	}{
		{"nothing", "", "", nil, false},
		{"a token", "Authorization", "Bearer alice", nil, true},
		{"an empty one", "Authorization", "", nil, false},
		{"a key", "X-API-Key", "k1", nil, true},
		{"a cookie", "Cookie", "session=1", nil, false},
		{"what is for the proxy", "Proxy-Authorization", "Basic YTpi", nil, false},
		{"a connection with TLS", "", "", new(tls.ConnectionState), false},
		{"a client's certificate", "", "", &tls.ConnectionState{PeerCertificates: []*x509.Certificate{new(x509.Certificate)}}, true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			r := &http.Request{Header: make(http.Header), TLS: tt.tls}
			if tt.header != "" {
				r.Header.Set(tt.header, tt.value)
			}
			if got := hasCredentials(r); got != tt.want {
				t.Errorf("got %v", got)
			}
		})
	}
}

// A transport dials while the call goes on over another connection, and reads the
// request's variables when it comes to it. Run it with the race detector.
func TestARequestThatWasHandedOnKeepsItsVariables(t *testing.T) {
	failing := func(w http.ResponseWriter, _ *http.Request) error {
		w.WriteHeader(http.StatusInternalServerError)
		return nil
	}
	streaming := func(w http.ResponseWriter, _ *http.Request) error {
		w.Header().Set("Content-Type", guard.TypeSSE)
		return say(w, taskFrame)
	}
	for _, tt := range []struct {
		name, options, call string
		agent               caddyhttp.HandlerFunc
	}{
		{"an answer in the agent's place", "", unaryCall, failing},
		{"a stream", "", streamCall, streaming},
		{"a stream that is only observed", "profile observe", streamCall, streaming},
		{"a call that is not judged", "rule unknown-method observe", strings.ReplaceAll(unaryCall, "GetTask", "GetWeather"), failing},
	} {
		t.Run(tt.name, func(t *testing.T) {
			h := guarded(t, tt.options)
			var dialling sync.WaitGroup
			defer dialling.Wait()
			c := &client{header: make(http.Header)}
			r := httptest.NewRequest(http.MethodPost, "/", strings.NewReader(tt.call))
			logging := &caddyhttp.Server{Logs: new(caddyhttp.ServerLogConfig)}
			r = caddyhttp.PrepareRequest(r, caddy.NewReplacer(), c, logging)
			if err := h.ServeHTTP(c, r, caddyhttp.HandlerFunc(func(w http.ResponseWriter, r *http.Request) error {
				dialling.Go(func() { caddyhttp.GetVar(r.Context(), "proxy") })
				return tt.agent(w, r)
			})); err != nil {
				t.Fatal(err)
			}
		})
	}
}
