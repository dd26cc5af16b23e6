// Copyright 2026 The caddy-a2a-guard Authors
// SPDX-License-Identifier: Apache-2.0

package caddymodule

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"net/http"
	"strings"
	"sync/atomic"
	"time"

	"github.com/caddyserver/caddy/v2/caddyconfig/caddyfile"
	"github.com/caddyserver/caddy/v2/modules/caddyhttp"
	"go.uber.org/zap"

	"github.com/a2aguard/caddy-a2a-guard/guard"
	"github.com/a2aguard/caddy-a2a-guard/guard/a2a"
)

// maxCard is the largest card that is read, in bytes.
const maxCard = 1 << 20

// isCardRequest reports whether a request asks for an agent's public card, below
// whatever path the agent is mounted at (A2A 1.0 §8.2; 0.2 had another name).
func isCardRequest(r *http.Request) bool {
	return (r.Method == http.MethodGet || r.Method == http.MethodHead) &&
		(strings.HasSuffix(r.URL.Path, cardPath) || strings.HasSuffix(r.URL.Path, oldCardPath))
}

// serveCard hands a request for the card on and reads the card on its way back. A
// card that is to be changed is fetched whole, whatever the client has already:
// the agent's validators are not those of what goes out.
func (h *Handler) serveCard(w http.ResponseWriter, r *http.Request, next caddyhttp.Handler) error {
	c := &cardWriter{h: h, w: w, r: r, holds: h.guard.PublicURL != nil && !h.guard.Policy.Observes()}
	agent := r
	if c.holds {
		agent = r.WithContext(r.Context())
		agent.Method = http.MethodGet
		agent.Header = r.Header.Clone()
		for _, name := range [...]string{"If-Match", "If-None-Match", "If-Modified-Since", "If-Unmodified-Since", "If-Range", "Range"} {
			agent.Header.Del(name)
		}
		agent.Header.Set("Accept-Encoding", "identity")
		stayOnProtocol(agent.Header)
	}
	if err := next.ServeHTTP(c, agent); err != nil {
		return err
	}
	c.finish()
	return nil
}

// cardWriter is what the agent's card is written to. It keeps a copy, and if the
// card is to be changed holds it back.
type cardWriter struct {
	h      *Handler
	w      http.ResponseWriter
	r      *http.Request
	holds  bool // nothing goes out before the whole card is there
	status int
	keeps  bool // what came so far is kept
	sent   bool
	body   []byte
}

// Header implements http.ResponseWriter.
func (c *cardWriter) Header() http.Header { return c.w.Header() }

// Unwrap lets a handler that changes the protocol reach the connection.
func (c *cardWriter) Unwrap() http.ResponseWriter { return c.w }

// WriteHeader implements http.ResponseWriter.
func (c *cardWriter) WriteHeader(status int) {
	switch {
	case status < 200:
		c.w.WriteHeader(status)
		return
	case c.status != 0:
		return
	}
	c.status = status
	encoding := c.w.Header().Get("Content-Encoding")
	encoded := encoding != "" && !strings.EqualFold(encoding, "identity")
	if encoded && c.holds {
		c.h.warnCard(cardEncoded, "the agent's card is compressed although nobody asked for it, so it keeps its URLs")
	}
	if c.keeps = status == http.StatusOK && !encoded; !c.keeps || !c.holds {
		c.send()
	}
}

// send lets the head out.
func (c *cardWriter) send() {
	c.sent = true
	c.w.WriteHeader(c.status)
}

// Write implements http.ResponseWriter.
func (c *cardWriter) Write(p []byte) (int, error) {
	if c.status == 0 {
		c.WriteHeader(http.StatusOK)
	}
	if c.keeps {
		if len(c.body)+len(p) <= maxCard {
			c.body = append(c.body, p...)
			if !c.sent {
				return len(p), nil
			}
		} else if err := c.giveUp(); err != nil {
			return 0, err
		}
	}
	if c.holds && c.r.Method == http.MethodHead {
		return len(p), nil // the agent was asked for the body, the client did not
	}
	return c.w.Write(p)
}

// giveUp lets a card pass that is too large to be read.
func (c *cardWriter) giveUp() error {
	held := c.body
	c.keeps, c.body = false, nil
	if c.sent {
		return nil
	}
	c.h.warnCard(cardOversize, "the agent's card is larger than the guard reads, so it keeps its URLs")
	c.send()
	if c.r.Method == http.MethodHead {
		return nil
	}
	_, err := c.w.Write(held)
	return err
}

// FlushError implements what http.ResponseController looks for.
func (c *cardWriter) FlushError() error {
	if !c.sent {
		return nil
	}
	return http.NewResponseController(c.w).Flush()
}

// finish reads the card once it is whole, and lets out what was held.
func (c *cardWriter) finish() {
	if !c.keeps {
		return
	}
	var report guard.CardReport
	ref := func() string { return reference(c.r, true) }
	if len(c.body) > 0 && c.h.protect(ref, func() {
		report = c.h.guard.ReadCard(c.body, a2a.Span{End: len(c.body)}, c.r.Host)
	}) {
		c.h.sawCard(&report, c.r.Host)
		c.h.agentCards.passed(c.r.URL.Path, &report)
	}
	if c.sent {
		return
	}
	header := c.w.Header()
	modified, _ := http.ParseTime(header.Get("Last-Modified"))
	if report.Body != nil {
		c.body, modified = report.Body, time.Time{}
		dropValidators(header)
		hash := sha256.Sum256(c.body)
		header.Set("ETag", `"`+hex.EncodeToString(hash[:16])+`"`)
	}
	http.ServeContent(c.w, c.r, "", modified, bytes.NewReader(c.body))
}

// dropValidators takes out what the agent says of a body's bytes.
func dropValidators(header http.Header) {
	for _, name := range [...]string{"ETag", "Last-Modified", "Accept-Ranges", "Content-MD5", "Digest", "Content-Digest", "Repr-Digest"} {
		header.Del(name)
	}
}

// The warnings about cards, each of which is given once.
const (
	cardElsewhere = iota
	cardSigned
	cardUnreadable
	cardEncoded
	cardOversize

	cardWarningCount
)

type cardWarnings [cardWarningCount]atomic.Bool

func (h *Handler) warnCard(which int, text string, fields ...zap.Field) {
	if h.cards[which].CompareAndSwap(false, true) {
		h.logger.Warn(text, append(fields, zap.String("agent", h.Name))...)
	}
}

// sawCard warns of a card that leads clients round the guard.
func (h *Handler) sawCard(report *guard.CardReport, host string) {
	switch report.Flaw {
	case guard.CardFine:
	case guard.CardElsewhere:
		h.warnCard(cardElsewhere, "the agent's card leads clients round the guard; set card { public_url }, or the agent's own URL", zap.String("host", clip(host)))
	case guard.CardSigned:
		h.warnCard(cardSigned, "the agent's card leads clients round the guard and is signed, so it keeps its URLs; have the agent sign a card with the public URL")
	case guard.CardUnreadable:
		if h.guard.PublicURL != nil {
			h.warnCard(cardUnreadable, "the agent's card cannot be read without doubt, so it keeps its URLs")
		}
	}
}

// readCard reads the block of the "card" option.
func (h *Handler) readCard(d *caddyfile.Dispenser) error {
	if d.NextArg() {
		return d.ArgErr()
	}
	h.Card = new(CardConfig)
	for nesting := d.Nesting(); d.NextBlock(nesting); {
		if d.Val() != "public_url" {
			return d.Errf("unrecognized option %q of card", d.Val())
		}
		if h.Card.PublicURL != "" {
			return d.Err(`option "public_url" of card is given twice`)
		}
		if !d.AllArgs(&h.Card.PublicURL) {
			return d.ArgErr()
		}
		if _, err := guard.ParsePublicURL(h.Card.PublicURL); err != nil {
			return d.Errf("card public_url %q: %v", h.Card.PublicURL, err)
		}
	}
	if h.Card.PublicURL == "" {
		return d.Err("card does nothing without public_url")
	}
	return nil
}
