// Copyright 2026 The caddy-a2a-guard Authors
// SPDX-License-Identifier: Apache-2.0

package test

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
)

// head11 is the head of a raw request, without the blank line.
func head11(version string, fields ...string) string {
	return "POST / HTTP/" + version + "\r\nHost: 127.0.0.1\r\n" + strings.Join(append(fields, ""), "\r\n")
}

func TestABodyThatNeverEndsIsRefusedInTime(t *testing.T) {
	a := startAgent(t)
	s := serve(t, reaching(a.address, "request_body_timeout 50ms"), allProtocols)
	for _, p := range protocols {
		t.Run(p.name, func(t *testing.T) {
			var body string
			if strings.HasPrefix(p.name, "h1") {
				c := s.dial(t, p)
				c.send(head11("1.1", "Transfer-Encoding: chunked", ""), "5\r\n{\"id\"\r\n")
				var response *http.Response
				response, body = c.response()
				if response.StatusCode != http.StatusRequestTimeout {
					t.Errorf("the status is %d", response.StatusCode)
				}
			} else {
				reader, writer := io.Pipe()
				defer writer.Close()
				go func() { _, _ = io.WriteString(writer, `{"id"`) }() // ends with the pipe
				c := s.client(t, p)
				r, leave := c.request(http.MethodPost, "/", "")
				r.Body, r.ContentLength, r.GetBody = reader, -1, nil
				answer := c.do(r, leave)
				if body = answer.rest(); answer.StatusCode != http.StatusRequestTimeout {
					t.Errorf("the status is %d", answer.StatusCode)
				}
			}
			if got, want := anonymous(t, body), fault("null", -32600, tooLate, "late-request"); got != want {
				t.Errorf("the client gets\n%s\nnot\n%s", got, want)
			}
		})
	}
	if n := a.connections(); n > 0 {
		t.Errorf("%d connections reach the agent", n)
	}
}

func TestABodyTooLargeIsRefusedBeforeItIsSent(t *testing.T) {
	const limit = 64 << 10
	beginning := `{"jsonrpc":"2.0","id":7,"method":"tasks/get","params":{"id":"`
	a := startAgent(t)
	s := serve(t, reaching(a.address, "max_request_body 64KiB"))
	for _, tt := range []struct {
		name, head, body string
	}{
		{"of known length", head11("1.1", "Content-Length: 1000000000", ""), beginning + strings.Repeat("x", limit)},
		{"chunked", head11("1.1", "Transfer-Encoding: chunked", ""), fmt.Sprintf("%x\r\n%s%s", 1_000_000_000, beginning, strings.Repeat("x", limit))},
	} {
		t.Run(tt.name, func(t *testing.T) {
			c := s.dial(t, h1)
			c.send(tt.head, tt.body)
			response, body := c.response()
			if response.StatusCode != http.StatusRequestEntityTooLarge {
				t.Errorf("the status is %d", response.StatusCode)
			}
			if got, want := anonymous(t, body), fault("7", -32600, tooLarge, "oversize-request"); got != want {
				t.Errorf("the client gets\n%s\nnot\n%s", got, want)
			}
		})
	}
	if n := a.connections(); n > 0 {
		t.Errorf("%d connections reach the agent", n)
	}
}

func TestAClientThatWaitsForContinueGetsIt(t *testing.T) {
	a := startAgent(t)
	s := serve(t, reaching(a.address))
	c := s.dial(t, h1)
	c.send(head11("1.1", fmt.Sprintf("Content-Length: %d", len(getCall)), "Expect: 100-continue", ""))
	if line, err := c.lines.ReadString('\n'); err != nil || line != "HTTP/1.1 100 Continue\r\n" {
		t.Fatalf("the server says %q, %v", line, err)
	}
	if _, err := c.lines.ReadString('\n'); err != nil {
		t.Fatal(err)
	}
	c.send(getCall)
	call := a.next(t)
	if call.body != getCall || call.Header.Get("Expect") != "" || call.ContentLength != int64(len(getCall)) {
		t.Errorf("the agent gets %q with %v", call.body, call.Header)
	}
	call.json(result(task))
	if _, body := c.response(); body != result(task) {
		t.Errorf("the client gets %q", body)
	}
}

func TestALyingContentLength(t *testing.T) {
	a := startAgent(t)
	s := serve(t, reaching(a.address))
	t.Run("more than comes", func(t *testing.T) {
		c := s.dial(t, h1)
		c.send(head11("1.1", "Content-Length: 1000", ""), getCall)
		if err := c.Conn.(*net.TCPConn).CloseWrite(); err != nil {
			t.Fatal(err)
		}
		_, body := c.response()
		if got, want := anonymous(t, body), fault10("null", -32700, notJSON, "JSON_PARSE_ERROR", "jsonrpc-envelope", "t1"); got != want {
			t.Errorf("the client gets\n%s\nnot\n%s", got, want)
		}
		if n := a.connections(); n > 0 {
			t.Errorf("%d connections reach the agent", n)
		}
	})
	t.Run("less than comes", func(t *testing.T) {
		c := s.dial(t, h1)
		c.send(head11("1.1", fmt.Sprintf("Content-Length: %d", len(getCall)), ""), getCall, getCall, "\r\n\r\n")
		call := a.next(t)
		if call.body != getCall {
			t.Errorf("the agent gets %q", call.body)
		}
		call.json(result(task))
		if _, body := c.response(); body != result(task) {
			t.Errorf("the client gets %q", body)
		}
		if response, _ := c.response(); response.StatusCode != http.StatusBadRequest {
			t.Errorf("the rest is answered with %d", response.StatusCode)
		}
	})
	t.Run("another in HTTP/2", func(t *testing.T) {
		c := s.client(t, h2)
		r, leave := c.request(http.MethodPost, "/", getCall)
		r.ContentLength = int64(len(getCall)) + 10
		answer := c.do(r, leave)
		if got, want := anonymous(t, answer.rest()), fault10("null", -32700, notJSON, "JSON_PARSE_ERROR", "jsonrpc-envelope", "t1"); got != want {
			t.Errorf("the client gets\n%s\nnot\n%s", got, want)
		}
	})
	if n := a.connections(); n > 1 {
		t.Errorf("%d connections reach the agent", n)
	}
}

func TestAClientThatLeavesInMidBodyReachesNobody(t *testing.T) {
	a := startAgent(t)
	s := serve(t, "log\n"+reaching(a.address))
	c := s.dial(t, h1)
	c.send(head11("1.1", "Content-Length: 1000", ""), getCall)
	c.Close()
	logged.wait(t, "handled request")
	if n := a.connections(); n > 0 {
		t.Errorf("%d connections reach the agent", n)
	}
}

func TestHTTP10ClientsAreServed(t *testing.T) {
	a := startAgent(t)
	s := serve(t, reaching(a.address))
	t.Run("unary", func(t *testing.T) {
		c := s.dial(t, h1)
		c.send(head11("1.0", fmt.Sprintf("Content-Length: %d", len(getCall)), ""), getCall)
		a.next(t).json(result(task))
		if response, body := c.response(); response.StatusCode != http.StatusOK || body != result(task) {
			t.Errorf("the client gets %d %q", response.StatusCode, body)
		}
	})
	t.Run("stream", func(t *testing.T) {
		c := s.dial(t, h1)
		c.send(head11("1.0", fmt.Sprintf("Content-Length: %d", len(streamCall)), ""), streamCall)
		call := a.next(t).stream().say(taskFrame)
		response, err := http.ReadResponse(c.lines, nil)
		if err != nil {
			t.Fatal(err)
		}
		if len(response.TransferEncoding) > 0 || response.Header.Get("Content-Type") != "text/event-stream" {
			t.Errorf("the head is %v, %v", response.TransferEncoding, response.Header)
		}
		stream := &answer{response, t, bufio.NewReader(response.Body), nil}
		stream.expect(taskFrame)
		call.say(doneFrame).end()
		stream.expect(doneFrame)
		if rest := stream.rest(); rest != "" {
			t.Errorf("after the end comes %q", rest)
		}
	})
	t.Run("without a length", func(t *testing.T) {
		c := s.dial(t, h1)
		c.send(head11("1.0", ""))
		if _, body := c.response(); anonymous(t, body) != fault("null", -32700, notJSON, "jsonrpc-envelope") {
			t.Errorf("the client gets %q", body)
		}
	})
}

func TestRequestIDsComeBackAsTheyWereSent(t *testing.T) {
	long := `"` + strings.Repeat("0123456789", 20_000) + `"`
	s := serve(t, reaching(freeAddress(t)))
	for _, tt := range []struct{ name, member, want string }{
		{"zero", `"id":0,`, "0"},
		{"number", `"id":42,`, "42"},
		{"beyond a float's precision", `"id":9007199254740993,`, "9007199254740993"},
		{"fraction", `"id":1.0,`, "1.0"},
		{"beyond a float's range", `"id":-1e999,`, "-1e999"},
		{"empty", `"id":"",`, `""`},
		{"escapes", `"id":"\u0061\/\ud83d\ude00",`, `"\u0061\/\ud83d\ude00"`},
		{"half a surrogate", `"id":"\ud83d",`, `"\ud83d"`},
		{"other letters", `"id":"ключ 🔑",`, `"ключ 🔑"`},
		{"200,000 letters", `"id":` + long + `,`, long},
		{"null", `"id":null,`, "null"},
		{"none", ``, "null"},
	} {
		for _, method := range []string{"tasks/get", "message/stream"} {
			t.Run(tt.name+" "+method, func(t *testing.T) {
				answer := s.client(t, h1).post(`{"jsonrpc":"2.0",` + tt.member + `"method":"` + method + `","params":{"id":"t1"}}`)
				body := answer.rest()
				want := `{"jsonrpc":"2.0","id":` + tt.want + `,"error":{"code":-32603,"message":"the agent cannot be reached; try again later (`
				if answer.StatusCode != http.StatusBadGateway || !strings.HasPrefix(body, want) {
					t.Errorf("the client gets %d\n%s\nnot\n%s", answer.StatusCode, body, want)
				}
			})
		}
	}
}
