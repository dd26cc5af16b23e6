// Copyright 2026 The caddy-a2a-guard Authors
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"io"
	"net"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"
)

const (
	eventSize  = 256  // bytes of an event on the wire, its blank line included
	answerSize = 1024 // bytes of a unary answer's body
	idHeader   = "X-Load-Client"
)

// epoch is what stamps count from. Agent and clients are one process.
var epoch = time.Now()

// agent is an A2A agent that costs little: it answers from bytes that it renders
// once for each client.
type agent struct {
	server   *http.Server
	listener net.Listener
}

func startAgent() (*agent, error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, fmt.Errorf("starting the agent: %w", err)
	}
	mux := http.NewServeMux()
	for _, s := range scenarios {
		calls := s.calls()
		handle := func(w http.ResponseWriter, r *http.Request) {
			client, err := strconv.Atoi(r.Header.Get(idHeader))
			if err == nil {
				_, err = io.Copy(io.Discard, r.Body)
			}
			switch {
			case err != nil:
				http.Error(w, err.Error(), http.StatusBadRequest)
			case s.kind == unary:
				time.Sleep(s.every)
				answer(w, client, calls, strings.TrimPrefix(r.RequestURI, s.path()))
			default:
				stream(w, r, client, s)
			}
		}
		mux.HandleFunc(s.path(), handle)
		mux.HandleFunc(s.path()+"/", handle)
	}
	a := &agent{&http.Server{Handler: mux, ReadHeaderTimeout: 10 * time.Second}, listener}
	go func() { _ = a.server.Serve(listener) }() // ends with close
	return a, nil
}

func (a *agent) address() string { return a.listener.Addr().String() }

func (a *agent) close() { _ = a.server.Close() }

// answer answers the one of the calls that has the target.
func answer(w http.ResponseWriter, client int, calls []call, target string) {
	i := slices.IndexFunc(calls, func(c call) bool { return c.forClient(client).path == target })
	if i < 0 {
		http.Error(w, "no such call", http.StatusNotFound)
		return
	}
	body := calls[i].answerTo(client)
	w.Header()["Content-Type"] = []string{"application/json"}
	w.Header()["Content-Length"] = []string{strconv.Itoa(len(body))}
	_, _ = w.Write(body) // a client that left needs none
}

// stream sends a task and then, unless the scenario is to wait, chunks of an
// artifact until the client leaves.
func stream(w http.ResponseWriter, r *http.Request, client int, s scenario) {
	w.Header()["Content-Type"] = []string{"text/event-stream"}
	flush := http.NewResponseController(w).Flush
	send := func(event []byte) bool {
		_, err := w.Write(event)
		return err == nil && flush() == nil
	}
	if !send(firstEvent(s.binding(), client)) {
		return
	}
	if s.kind == idle {
		<-r.Context().Done()
		return
	}
	events := newEvents(s.binding(), client)
	if s.every == 0 {
		for n := 0; r.Context().Err() == nil && send(events[n%len(events)].stamped()); n++ {
		}
		return
	}
	time.Sleep(s.every * time.Duration(client%16) / 16) // not all streams at once
	ticker := time.NewTicker(s.every)
	defer ticker.Stop()
	for n := 0; ; n++ {
		select {
		case <-r.Context().Done():
			return
		case <-ticker.C:
			if !send(events[n%len(events)].stamped()) {
				return
			}
		}
	}
}
