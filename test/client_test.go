// Copyright 2026 The caddy-a2a-guard Authors
// SPDX-License-Identifier: Apache-2.0

package test

import (
	"bufio"
	"context"
	"crypto/tls"
	"errors"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/quic-go/quic-go"
	"github.com/quic-go/quic-go/http3"
)

// protocol is one way to speak HTTP to the server.
type protocol struct {
	name   string
	secure bool
	speak  func(*http.Protocols) // nil for HTTP/3
}

// The ways to speak HTTP.
var (
	h1        = protocol{"h1", false, func(p *http.Protocols) { p.SetHTTP1(true) }}
	h1TLS     = protocol{"h1+TLS", true, func(p *http.Protocols) { p.SetHTTP1(true) }}
	h2        = protocol{"h2", true, func(p *http.Protocols) { p.SetHTTP2(true) }}
	h2c       = protocol{"h2c", false, func(p *http.Protocols) { p.SetUnencryptedHTTP2(true) }}
	h3        = protocol{"h3", true, nil}
	protocols = []protocol{h1, h1TLS, h2, h2c, h3}
)

// allProtocols makes a server speak every protocol.
var allProtocols = globals("servers {", "\tprotocols h1 h2 h2c h3", "}")

// insecure takes any certificate: they are not what is tested.
func insecure() *tls.Config { return &tls.Config{InsecureSkipVerify: true} }

// url is the server's address for the protocol.
func (s *server) url(p protocol) string {
	if p.secure {
		return "https://" + s.secure
	}
	return "http://" + s.plain
}

// client is a client of the server's, until the test ends.
type client struct {
	t         testing.TB
	url       string
	transport http.RoundTripper
}

func (s *server) client(t testing.TB, p protocol) *client {
	c := &client{t: t, url: s.url(p)}
	if p.speak == nil {
		c.transport = http3Transport(t)
		return c
	}
	transport := &http.Transport{TLSClientConfig: insecure(), Protocols: new(http.Protocols), DisableCompression: true}
	p.speak(transport.Protocols)
	var conns sync.Map
	transport.DialContext = func(ctx context.Context, network, address string) (net.Conn, error) {
		conn, err := new(net.Dialer).DialContext(ctx, network, address)
		if err == nil {
			conns.Store(conn, true)
		}
		return conn, err
	}
	t.Cleanup(func() {
		transport.CloseIdleConnections()
		for conn := range conns.Range { // busy ones, too
			conn.(net.Conn).Close()
		}
	})
	c.transport = transport
	return c
}

// http3Transport closes its connections with the test, also those that it has
// given up itself.
func http3Transport(t testing.TB) *http3.Transport {
	var conns sync.Map
	transport := &http3.Transport{TLSClientConfig: insecure()}
	transport.Dial = func(ctx context.Context, address string, tls *tls.Config, config *quic.Config) (*quic.Conn, error) {
		conn, err := quic.DialAddr(ctx, address, tls, config)
		if err == nil {
			conns.Store(conn, true)
		}
		return conn, err
	}
	t.Cleanup(func() {
		transport.Close()
		for conn := range conns.Range {
			_ = conn.(*quic.Conn).CloseWithError(0, "") // it may be closed already
		}
	})
	return transport
}

// header sets a header of a request.
func header(name, value string) func(*http.Request) {
	return func(r *http.Request) { r.Header.Set(name, value) }
}

// request prepares a request that ends when leave is called, at the latest with
// the test's patience.
func (c *client) request(method, path, body string, set ...func(*http.Request)) (r *http.Request, leave context.CancelFunc) {
	c.t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	r, err := http.NewRequestWithContext(ctx, method, c.url+path, strings.NewReader(body))
	if err != nil {
		c.t.Fatal(err)
	}
	if method == http.MethodPost {
		r.Header.Set("Content-Type", "application/json")
	}
	for _, f := range set {
		f(r)
	}
	return r, cancel
}

// answer is an answer that is being read.
type answer struct {
	*http.Response
	t     testing.TB
	lines *bufio.Reader
	leave context.CancelFunc
}

// post sends a call to the agent's root and waits for the answer's head.
func (c *client) post(body string, set ...func(*http.Request)) *answer {
	c.t.Helper()
	r, cancel := c.request(http.MethodPost, "/", body, set...)
	return c.do(r, cancel)
}

// do sends a request and waits for the answer's head.
func (c *client) do(r *http.Request, leave context.CancelFunc) *answer {
	c.t.Helper()
	return head(c.t, c.send(r, leave))
}

// asks sends a call in the background; head waits for its answer.
func (c *client) asks(body string, set ...func(*http.Request)) <-chan asked {
	c.t.Helper()
	r, leave := c.request(http.MethodPost, "/", body, set...)
	c.t.Cleanup(leave)
	return c.send(r, leave)
}

// asked is what became of a request sent in the background.
type asked struct {
	response *http.Response
	leave    context.CancelFunc
	err      error
}

func (c *client) send(r *http.Request, leave context.CancelFunc) <-chan asked {
	done := make(chan asked, 1)
	go func() {
		response, err := c.transport.RoundTrip(r)
		done <- asked{response, leave, err}
	}()
	return done
}

// head waits for the answer's head to a request sent in the background.
func head(t testing.TB, done <-chan asked) *answer {
	t.Helper()
	select {
	case got := <-done:
		if got.err != nil {
			t.Fatal(got.err)
		}
		t.Cleanup(func() {
			got.leave()
			got.response.Body.Close()
		})
		return &answer{got.response, t, bufio.NewReader(got.response.Body), got.leave}
	case <-time.After(patience + time.Second):
		t.Fatal("no answer comes")
		return nil
	}
}

// next reads one frame, to its blank line.
func (a *answer) next() string {
	a.t.Helper()
	var frame strings.Builder
	for {
		line, err := a.lines.ReadString('\n')
		frame.WriteString(line)
		if err != nil {
			a.t.Fatalf("the stream ends with %v after %q", err, frame.String())
		}
		if strings.TrimRight(line, "\r\n") == "" {
			return frame.String()
		}
	}
}

// expect reads the next frames and compares them.
func (a *answer) expect(frames ...string) {
	a.t.Helper()
	for _, want := range frames {
		if got := a.next(); got != want {
			a.t.Fatalf("the client gets\n%s\nnot\n%s", got, want)
		}
	}
}

// rest reads what is left of the body. The body must end cleanly.
func (a *answer) rest() string {
	a.t.Helper()
	rest, err := io.ReadAll(a.lines)
	if err != nil {
		a.t.Fatalf("the body breaks off with %v after %q", err, rest)
	}
	return string(rest)
}

// rawClient is a connection to the server on which a test speaks for itself.
type rawClient struct {
	net.Conn
	t     testing.TB
	lines *bufio.Reader
}

// dial opens a connection, with TLS for the protocols that have it.
func (s *server) dial(t testing.TB, p protocol) *rawClient {
	t.Helper()
	address, dial := s.plain, net.Dial
	if p.secure {
		address = s.secure
		dial = func(network, address string) (net.Conn, error) { return tls.Dial(network, address, insecure()) }
	}
	conn, err := dial("tcp", address)
	if err != nil {
		t.Fatal(err)
	}
	if err := conn.SetDeadline(time.Now().Add(patience)); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	return &rawClient{conn, t, bufio.NewReader(conn)}
}

// send writes parts of a request.
func (c *rawClient) send(parts ...string) {
	c.t.Helper()
	for _, part := range parts {
		if _, err := io.WriteString(c, part); err != nil {
			c.t.Fatalf("sending: %v", err)
		}
	}
}

// response reads an answer.
func (c *rawClient) response() (*http.Response, string) {
	c.t.Helper()
	response, err := http.ReadResponse(c.lines, nil)
	if err != nil {
		c.t.Fatalf("reading the answer: %v", err)
	}
	body, err := io.ReadAll(response.Body)
	if err != nil && !errors.Is(err, io.EOF) {
		c.t.Fatalf("reading the answer's body: %v", err)
	}
	return response, string(body)
}
