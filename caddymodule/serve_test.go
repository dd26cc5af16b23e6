// Copyright 2026 The caddy-a2a-guard Authors
// SPDX-License-Identifier: Apache-2.0

package caddymodule

import (
	"crypto/tls"
	"crypto/x509"
	"net/http"
	"testing"
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
