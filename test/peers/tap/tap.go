// Copyright 2026 The caddy-a2a-guard Authors
// SPDX-License-Identifier: Apache-2.0

// Package tap is a proxy that changes nothing and keeps what passes it.
package tap

import (
	"bytes"
	"fmt"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"slices"
	"sync"
)

// A Tap is a proxy before one server.
type Tap struct {
	// URL is the tap's own address.
	URL string

	server    *httptest.Server
	transport *http.Transport
	cut       int // whole frames of a stream before it breaks, 0 for all
	open      sync.WaitGroup
	mu        sync.Mutex
	exchanges []Exchange
}

// An Exchange is one request with its answer, as far as it came.
type Exchange struct {
	Target      string // verb, path and query
	Request     string
	Status      int
	ContentType string
	Response    string
}

func (e Exchange) String() string {
	return fmt.Sprintf("%s %q\n%d %s %q", e.Target, e.Request, e.Status, e.ContentType, e.Response)
}

// New puts a tap before the server at a URL.
func New(target string) (*Tap, error) {
	to, err := url.Parse(target)
	if err != nil {
		return nil, fmt.Errorf("reading the address of the server behind the tap: %w", err)
	}
	t := &Tap{transport: &http.Transport{DisableCompression: true}}
	t.server = httptest.NewServer(&httputil.ReverseProxy{
		Rewrite:       func(r *httputil.ProxyRequest) { r.SetURL(to) },
		Transport:     t,
		FlushInterval: -1,
		ErrorLog:      log.New(io.Discard, "", 0), // clients leave on purpose
	})
	t.URL = t.server.URL + "/"
	return t, nil
}

// Close ends the tap and its connections.
func (t *Tap) Close() {
	t.server.CloseClientConnections()
	t.server.Close()
	t.transport.CloseIdleConnections()
}

// Exchanges are the exchanges so far. It waits for the open ones to end.
func (t *Tap) Exchanges() []Exchange {
	t.open.Wait()
	t.mu.Lock()
	defer t.mu.Unlock()
	return slices.Clone(t.exchanges)
}

// RoundTrip implements http.RoundTripper.
func (t *Tap) RoundTrip(r *http.Request) (*http.Response, error) {
	var request []byte
	if r.Body != nil {
		var err error
		if request, err = io.ReadAll(r.Body); err != nil {
			return nil, err
		}
		r.Body = io.NopCloser(bytes.NewReader(request))
	}
	response, err := t.transport.RoundTrip(r)
	if err != nil {
		return nil, err
	}
	if t.cut > 0 && isStream(response) {
		response.Body = &breaking{ReadCloser: response.Body, frames: t.cut}
	}
	t.open.Add(1)
	response.Body = &recording{ReadCloser: response.Body, tap: t, exchange: Exchange{
		Target:      r.Method + " " + r.URL.RequestURI(),
		Request:     string(request),
		Status:      response.StatusCode,
		ContentType: response.Header.Get("Content-Type"),
	}}
	return response, nil
}

// recording is a response body that keeps what is read.
type recording struct {
	io.ReadCloser
	tap      *Tap
	exchange Exchange
	read     bytes.Buffer
}

func (r *recording) Read(p []byte) (int, error) {
	n, err := r.ReadCloser.Read(p)
	r.read.Write(p[:n])
	return n, err
}

// Close is called once, when the exchange is over.
func (r *recording) Close() error {
	r.exchange.Response = r.read.String()
	r.tap.mu.Lock()
	r.tap.exchanges = append(r.tap.exchanges, r.exchange)
	r.tap.mu.Unlock()
	r.tap.open.Done()
	return r.ReadCloser.Close()
}
