// Copyright 2026 The caddy-a2a-guard Authors
// SPDX-License-Identifier: Apache-2.0

package grafana

import (
	"bytes"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/a2aguard/caddy-a2a-guard/test/grafana/draw"
)

const composeFolder = "../../examples/compose"

// startPrometheus runs the compose file's Prometheus until the test ends, for a
// guard whose metrics are at another address.
func startPrometheus(t *testing.T, target string) draw.Prometheus {
	t.Helper()
	prometheus := tool(t, "prometheus", "https://prometheus.io")
	folder, address := t.TempDir(), "127.0.0.1:"+freePort(t)
	spawn(t, nil, prometheus,
		"--config.file="+scrapeConfig(t, folder, target),
		"--storage.tsdb.path="+filepath.Join(folder, "data"), "--web.listen-address="+address,
		"--enable-feature=exemplar-storage")
	answers(t, "http://"+address+"/-/ready")
	return draw.Prometheus("http://" + address)
}

// scrapeConfig copies the example's configuration of Prometheus, for a guard at
// another address and for tests that are in a hurry.
func scrapeConfig(t *testing.T, folder, target string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(composeFolder, "prometheus.yml"))
	if err != nil {
		t.Fatal(err)
	}
	rules, err := filepath.Abs(rulesFolder)
	if err != nil {
		t.Fatal(err)
	}
	for from, to := range map[string]string{
		"guard:2020": target, "rules/": rules + "/",
		"scrape_interval: 5s": "scrape_interval: 1s", "evaluation_interval: 15s": "evaluation_interval: 5s",
	} {
		if !bytes.Contains(text, []byte(from)) {
			t.Fatalf("prometheus.yml has no %q", from)
		}
		text = bytes.ReplaceAll(text, []byte(from), []byte(to))
	}
	path := filepath.Join(folder, "prometheus.yml")
	if err := os.WriteFile(path, text, 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// spawn runs a program until the test ends.
func spawn(t *testing.T, environment []string, program string, args ...string) {
	t.Helper()
	var said bytes.Buffer
	command := exec.Command(program, args...)
	command.Env = append(os.Environ(), environment...)
	command.Stderr = &said
	if err := command.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		_ = command.Wait()
	}()
	t.Cleanup(func() {
		_ = command.Process.Signal(syscall.SIGTERM)
		select {
		case <-ended:
		case <-time.After(20 * time.Second):
			_ = command.Process.Kill()
			<-ended
		}
		if t.Failed() {
			t.Logf("%s said:\n%.4000s", filepath.Base(program), said.String())
		}
	})
}

func freePort(t *testing.T) string {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	_, port, _ := strings.Cut(listener.Addr().String(), ":")
	return port
}

// answers waits until a server does.
func answers(t *testing.T, url string) {
	t.Helper()
	eventually(t, 30*time.Second, func() error {
		response, err := http.Get(url)
		if err != nil {
			return err
		}
		defer response.Body.Close()
		if response.StatusCode != http.StatusOK {
			return fmt.Errorf("%s: %s", url, response.Status)
		}
		return nil
	})
}

// eventually tries until there is no error.
func eventually(t *testing.T, limit time.Duration, try func() error) {
	t.Helper()
	deadline := time.After(limit)
	ticker := time.NewTicker(500 * time.Millisecond)
	defer ticker.Stop()
	for {
		err := try()
		if err == nil {
			return
		}
		select {
		case <-deadline:
			t.Fatal(err)
		case <-ticker.C:
		}
	}
}
