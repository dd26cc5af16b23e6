// Copyright 2026 The caddy-a2a-guard Authors
// SPDX-License-Identifier: Apache-2.0

package grafana

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/a2aguard/caddy-a2a-guard/guard"
	"github.com/a2aguard/caddy-a2a-guard/test/grafana/draw"
)

const dashboardFile = "../../examples/grafana/dashboard.json"

var (
	picture = flag.String("picture", "", "draw the dashboard into this `file` (PNG)")
	length  = flag.Duration("length", 2*time.Minute, "the time that the picture shows")
)

func TestEveryQueryHasDataOfRealTraffic(t *testing.T) {
	board, err := draw.Read(dashboardFile)
	if err != nil {
		t.Fatal(err)
	}
	s := startStack(t)
	server := s.prometheus
	begin := time.Now()
	questions := make(map[string]string) // by where they stand
	for _, panel := range board.Panels {
		for _, target := range panel.Targets {
			questions[panel.Title+" "+target.RefID] = draw.Fill(target.Expr, 5*time.Minute, 20*time.Second)
		}
	}
	for _, annotation := range board.Annotations.List {
		questions["annotation "+annotation.Name] = draw.Fill(annotation.Expr, 5*time.Minute, 20*time.Second)
	}
	variable := regexp.MustCompile(`^label_values\((.*), (\w+)\)$`)
	for _, v := range board.Templating.List {
		// Namespace and pod are Kubernetes' to add.
		if parts := variable.FindStringSubmatch(v.Definition); parts != nil && (v.Name == "agent" || v.Name == "method") {
			questions["variable "+v.Name] = draw.Fill(fmt.Sprintf(`count by (%s) (%s{%s!=""})`, parts[2], "a2a_guard_requests_total", parts[2]), 0, 0)
		}
	}
	for _, rule := range rules(t, "recording.rules.yml") {
		questions["rule "+rule.Record] = rule.Record
	}
	// Alerts are quiet as long as all is well, so their selectors are asked.
	selector := regexp.MustCompile(`[a-z_]\w*(?::\w+)*(?:\{[^}]*\}|\b)`)
	for _, rule := range append(rules(t, "alerts.rules.yml"), rules(t, "recording.rules.yml")...) {
		for _, found := range selector.FindAllString(rule.Expr, -1) {
			if regexp.MustCompile(`^(?:a2a_guard|namespace_agent|process|go|up\{)`).MatchString(found) {
				questions[found+" in "+rule.Alert+rule.Record] = "count(" + found + ")"
			}
		}
	}
	eventually(t, 90*time.Second, func() error {
		var without []error
		for name, question := range questions {
			if answer, err := server.Now(t.Context(), question); err != nil || len(answer) == 0 {
				without = append(without, errors.Join(fmt.Errorf("%s has no data: %s", name, question), err))
			}
		}
		return errors.Join(without...)
	})
	exemplars(t, server, "a2a_guard_stream_first_event_seconds_bucket", begin)
	s.reload(t) // is a mark on every panel
	if *picture != "" {
		time.Sleep(*length - time.Since(begin))
	}
	view(t, board, server, begin)
}

// exemplars wants the traces of some observations.
func exemplars(t *testing.T, prometheus draw.Prometheus, metric string, begin time.Time) {
	t.Helper()
	response, err := http.Get(fmt.Sprintf("%s/api/v1/query_exemplars?query=%s&start=%d&end=%d", prometheus, metric, begin.Unix(), time.Now().Unix()))
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	// The label's name is the one that the data source's provisioning links to Jaeger.
	if err != nil || !regexp.MustCompile(`"trace_id":"[0-9a-f]{32}"`).Match(body) {
		t.Errorf("%s has no exemplars: %v %.500s", metric, err, body)
	}
}

func TestQueriesNameEndsThatExist(t *testing.T) {
	known := make(map[string]bool)
	for end := range guard.EndCount {
		known[end.String()] = true
	}
	texts := make(map[string]string)
	for _, path := range []string{dashboardFile, rulesFolder + "/alerts.rules.yml", rulesFolder + "/recording.rules.yml"} {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		texts[path] = strings.ReplaceAll(string(text), `\"`, `"`)
	}
	for path, text := range texts {
		named := regexp.MustCompile(`\bend(?:=|!=|=~|!~)"([^"]+)"`).FindAllStringSubmatch(text, -1)
		if len(named) == 0 {
			t.Errorf("%s names no ends", path)
		}
		for _, match := range named {
			for name := range strings.SplitSeq(match[1], "|") {
				if !known[name] {
					t.Errorf("%s: no stream ends with %s", path, name)
				}
			}
		}
	}
}

// view draws the dashboard, and keeps the picture if the flag names a file.
func view(t *testing.T, board *draw.Dashboard, prometheus draw.Prometheus, begin time.Time) {
	t.Helper()
	var page bytes.Buffer
	v := draw.View{Dashboard: board, Prometheus: prometheus, From: begin, To: time.Now(), Rates: 20 * time.Second}
	height, err := v.Write(t.Context(), &page)
	if err != nil {
		t.Fatal(err)
	}
	if drawn := strings.Count(page.String(), "<polyline"); drawn < len(board.Panels) {
		t.Errorf("only %d lines are drawn on %d panels", drawn, len(board.Panels))
	}
	if *picture == "" {
		return
	}
	chromium := tool(t, "chromium", "the browser")
	html := filepath.Join(t.TempDir(), "dashboard.html")
	if err := os.WriteFile(html, page.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	shot, err := filepath.Abs(*picture)
	if err != nil {
		t.Fatal(err)
	}
	command := exec.Command(chromium, "--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars",
		fmt.Sprintf("--window-size=%d,%d", draw.Width, height), "--screenshot="+shot, "file://"+html)
	if out, err := command.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
}
