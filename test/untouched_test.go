// Copyright 2026 The caddy-a2a-guard Authors
// SPDX-License-Identifier: Apache-2.0

package test

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// mirror is an agent that answers with the request as it came.
func mirror(t testing.TB) *agent {
	return answering(t, func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			t.Errorf("reading the body of %s: %v", r.URL, err)
		}
		switch r.URL.Path {
		case "/.well-known/agent-card.json":
			w.Header().Set("Content-Type", typeJSON)
			w.Header().Set("ETag", `"1"`)
			_, _ = io.WriteString(w, `{"name": "desk",  "url":"http://agent.example.com/"}`)
			return
		case "/events":
			w.Header().Set("Content-Type", typeSSE)
			_, _ = io.WriteString(w, "data: {not json}\n\ndata: "+task)
			return
		case "/packed":
			w.Header().Set("Content-Encoding", "gzip")
		case "/gone":
			w.Header().Set("Content-Type", "text/html")
			w.WriteHeader(http.StatusGone)
		}
		w.Header().Set("Trailer", "X-Sum")
		fmt.Fprintf(w, "%s %s %s\n", r.Method, r.RequestURI, r.Host)
		_ = r.Header.WriteSubset(w, map[string]bool{"X-Forwarded-For": true})
		fmt.Fprintf(w, "%d %x %q\n", r.ContentLength, sha256.Sum256(body), body[:min(len(body), 100)])
		w.Header().Set("X-Sum", strconv.Itoa(len(body)))
	})
}

var dates = regexp.MustCompile(`(?m)^Date: .*\r\n`)

// exchange sends a whole request on a connection of its own and returns all that
// comes back, but for the date.
func (s *server) exchange(t testing.TB, request string) string {
	t.Helper()
	c := s.dial(t, h1)
	c.send(request)
	got, err := io.ReadAll(c.lines)
	if err != nil {
		t.Fatal(err)
	}
	return dates.ReplaceAllString(string(got), "")
}

func TestWhatIsNoCallPassesByteForByte(t *testing.T) {
	message := func(line, fields, body string) string {
		if body != "" || strings.HasPrefix(line, "POST") {
			fields += fmt.Sprintf("Content-Length: %d\r\n", len(body))
		}
		return line + " HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\nAccept-Encoding: gzip, br\r\n" + fields + "\r\n" + body
	}
	post := func(path, contentType, body string) string {
		return message("POST "+path, "Content-Type: "+contentType+"\r\n", body)
	}
	requests := map[string]string{
		"card":                     message("GET /.well-known/agent-card.json", "", ""),
		"card's head":              message("HEAD /.well-known/agent-card.json", "", ""),
		"health":                   message("GET /healthz?deep=1", "X-Probe: a\r\nX-Probe: b\r\n", ""),
		"GET with a call":          message("GET /", "Content-Type: application/json\r\n", streamCall),
		"PUT with a call":          message("PUT /", "Content-Type: application/json\r\n", streamCall),
		"PATCH with a call":        message("PATCH /", "", getCall),
		"DELETE":                   message("DELETE /tasks/t1", "", ""),
		"OPTIONS":                  message("OPTIONS /", "Origin: https://agent.example.com\r\nAccess-Control-Request-Method: POST\r\n", ""),
		"events":                   message("GET /events", "Accept: text/event-stream\r\n", ""),
		"an error page":            message("GET /gone", "", ""),
		"a packed answer":          message("GET /packed", "", ""),
		"a form":                   post("/login", "application/x-www-form-urlencoded", "user=alice&password=x"),
		"nothing":                  post("/ping", "text/plain", ""),
		"nothing of unknown size":  "POST /ping HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
		"blanks":                   post("/ping", "text/plain", strings.Repeat(" \r\n", 1000)),
		"JSON of another kind":     post("/api/orders", typeJSON, ` {"order": 1,  "id":7, "params":{"id":"t1"}}`),
		"JSON that is broken":      post("/api/orders", typeJSON, `{"order": 1,`),
		"a list":                   post("/api/orders", typeJSON, `[{"order":1},{"order":1,"order":2}]`),
		"JSON and more":            post("/api/orders", typeJSON, "{\"order\":1}\n{\"order\":2}\n"),
		"another JSON-RPC":         post("/rpc", typeJSON, `{"jsonrpc":"2.0","id":1,"method":"tasks/send","id":2}`),
		"another JSON-RPC at root": post("/", typeJSON, `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"x"}}`),
		"another JSON-RPC, events": post("/events", typeJSON, `{"jsonrpc":"2.0","id":1,"method":"tools/call"}`),
		"a packed body":            message("POST /api/orders", "Content-Encoding: gzip\r\n", "\x1f\x8b{\"method\":\"GetTask\"}"),
		"chunks and a trailer": "POST /upload HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\nTransfer-Encoding: chunked\r\nTrailer: X-Sum\r\n\r\n" +
			"5\r\nhello\r\n1;ext=1\r\n!\r\n0\r\nX-Sum: 6\r\n\r\n",
		"gRPC over HTTP/1.1":  post("/a2a.v1.A2AService/GetTask", "application/grpc", "\x00\x00\x00\x00\x02{}"),
		"a large upload":      post("/upload", "application/octet-stream", strings.Repeat("0123456789abcdef", 1<<20)),
		"a large upload, {{":  post("/upload", "application/octet-stream", "x{"+strings.Repeat("{", 12<<20)),
		"a large upload at /": post("/files", "multipart/form-data; boundary=x", "--x\r\n\r\n"+strings.Repeat("\x00", 12<<20)+"\r\n--x--"),
	}
	s := serve(t, "reverse_proxy "+mirror(t).address)
	plain := make(map[string]string)
	for name, request := range requests {
		plain[name] = s.exchange(t, request)
	}
	// At an address of its own: connections to the old one may still meet the old server.
	s = serve(t, reaching(mirror(t).address))
	for name, request := range requests {
		t.Run(name, func(t *testing.T) {
			if got, want := s.exchange(t, request), plain[name]; got != want {
				t.Errorf("with the guard comes\n%.3000s\nwithout\n%.3000s", got, want)
			}
		})
	}
	if got := logged.violations(); len(got) > 0 {
		t.Errorf("the log blames %q", got)
	}
}

func TestUploadsPassWhileTheyCome(t *testing.T) {
	parts := []string{"first", "second", strings.Repeat("third", 100_000)}
	for _, p := range protocols {
		t.Run(p.name, func(t *testing.T) {
			got := make(chan string)
			a := answering(t, func(w http.ResponseWriter, r *http.Request) {
				for _, part := range parts {
					piece := make([]byte, len(part))
					if _, err := io.ReadFull(r.Body, piece); err != nil {
						t.Error(err)
					}
					got <- string(piece)
				}
				_, _ = io.Copy(w, r.Body)
			})
			s := serve(t, reaching(a.address, "max_request_body 1KiB", "request_body_timeout 1s"), allProtocols)
			reader, writer := io.Pipe()
			c := s.client(t, p)
			r, leave := c.request(http.MethodPost, "/upload", "")
			r.Body, r.ContentLength, r.GetBody = reader, -1, nil
			r.Header.Set("Content-Type", "application/octet-stream")
			answers := c.send(r, leave)
			for _, part := range parts {
				if _, err := io.WriteString(writer, part); err != nil {
					t.Fatal(err)
				}
				if piece := <-got; piece != part {
					t.Errorf("the agent gets %.100q", piece)
				}
			}
			if _, err := io.WriteString(writer, "the end"); err != nil {
				t.Fatal(err)
			}
			writer.Close()
			if body := head(t, answers).rest(); body != "the end" {
				t.Errorf("the client gets %q", body)
			}
		})
	}
}

func TestWebsocketsPass(t *testing.T) {
	a := answering(t, func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Upgrade") != "websocket" || r.Header.Get("Sec-WebSocket-Key") == "" {
			t.Errorf("the agent gets %v", r.Header)
		}
		conn, lines, err := http.NewResponseController(w).Hijack()
		if err != nil {
			t.Error(err)
			return
		}
		defer conn.Close()
		_, _ = io.WriteString(conn, "HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Accept: x\r\n\r\n")
		_, _ = io.Copy(conn, lines) // until the client leaves
	})
	s := serve(t, reaching(a.address))
	for _, p := range []protocol{h1, h1TLS} {
		t.Run(p.name, func(t *testing.T) {
			c := s.dial(t, p)
			c.send("GET /ws HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: eA==\r\n\r\n")
			response, err := http.ReadResponse(c.lines, nil)
			if err != nil || response.StatusCode != http.StatusSwitchingProtocols || response.Header.Get("Sec-WebSocket-Accept") != "x" {
				t.Fatalf("the client gets %v, %v", response, err)
			}
			for _, message := range []string{"\x81\x02hi", "\x82\x00", taskFrame} {
				c.send(message)
				echo := make([]byte, len(message))
				if _, err := io.ReadFull(c.lines, echo); err != nil || string(echo) != message {
					t.Errorf("%q comes back as %q, %v", message, echo, err)
				}
			}
		})
	}
}

func TestGRPCPassesInBothDirections(t *testing.T) {
	a := answering(t, func(w http.ResponseWriter, r *http.Request) {
		if r.ProtoMajor != 2 || r.Header.Get("Te") != "trailers" {
			t.Errorf("the agent gets %s %v", r.Proto, r.Header)
		}
		w.Header().Set("Content-Type", "application/grpc")
		w.Header().Set("Trailer", "Grpc-Status")
		flush := http.NewResponseController(w).Flush
		_ = flush()
		message := make([]byte, 7)
		for {
			if _, err := io.ReadFull(r.Body, message); err != nil {
				break
			}
			_, _ = w.Write(message)
			_ = flush()
		}
		w.Header().Set("Grpc-Status", "0")
		w.Header().Set(http.TrailerPrefix+"Grpc-Message", "done")
	})
	s := serve(t, guarded()+"\nreverse_proxy h2c://"+a.address, allProtocols)
	for _, p := range []protocol{h2, h2c} {
		for _, contentType := range []string{"application/grpc", "application/grpc+proto"} {
			t.Run(p.name+" "+contentType, func(t *testing.T) {
				reader, writer := io.Pipe()
				c := s.client(t, p)
				r, leave := c.request(http.MethodPost, "/a2a.v1.A2AService/SendStreamingMessage", "", header("Content-Type", contentType), header("Te", "trailers"))
				r.Body, r.ContentLength, r.GetBody = reader, -1, nil
				answer := head(t, c.send(r, leave)) // before anything is sent
				for _, message := range []string{"\x00\x00\x00\x00\x02{}", "\x00\x00\x00\x00\x02[]"} {
					if _, err := io.WriteString(writer, message); err != nil {
						t.Fatal(err)
					}
					echo := make([]byte, len(message))
					if _, err := io.ReadFull(answer.lines, echo); err != nil || string(echo) != message {
						t.Errorf("%q comes back as %q, %v", message, echo, err)
					}
				}
				writer.Close()
				if rest := answer.rest(); rest != "" {
					t.Errorf("after the end comes %q", rest)
				}
				if answer.Trailer.Get("Grpc-Status") != "0" || answer.Trailer.Get("Grpc-Message") != "done" {
					t.Errorf("the trailers are %v", answer.Trailer)
				}
			})
		}
	}
}

func TestFilesAreServedBehindTheGuard(t *testing.T) {
	root := t.TempDir()
	content := bytes.Repeat([]byte("0123456789"), 100_000)
	if err := os.WriteFile(filepath.Join(root, "file.txt"), content, 0o600); err != nil {
		t.Fatal(err)
	}
	a := startAgent(t)
	s := serve(t, "root * "+strconv.Quote(root)+"\nroute {\n"+guarded()+"\nfile_server /file.txt\nreverse_proxy "+a.address+"\n}", allProtocols)
	for _, p := range protocols {
		t.Run(p.name, func(t *testing.T) {
			c := s.client(t, p)
			r, leave := c.request(http.MethodGet, "/file.txt", "")
			if got := c.do(r, leave).rest(); got != string(content) {
				t.Errorf("%d bytes come", len(got))
			}
			r, leave = c.request(http.MethodGet, "/file.txt", "", header("Range", "bytes=5-9"))
			if answer := c.do(r, leave); answer.StatusCode != http.StatusPartialContent || answer.rest() != "56789" {
				t.Errorf("a range is answered with %d", answer.StatusCode)
			}
			r, leave = c.request(http.MethodHead, "/file.txt", "")
			if answer := c.do(r, leave); answer.ContentLength != int64(len(content)) {
				t.Errorf("the head says %d bytes", answer.ContentLength)
			}
		})
	}
}
