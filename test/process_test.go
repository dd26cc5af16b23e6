// Copyright 2026 The caddy-a2a-guard Authors
// SPDX-License-Identifier: Apache-2.0

package test

import (
	"bufio"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

// binary builds the product once and returns its path.
var binary = sync.OnceValues(func() (string, error) {
	path := filepath.Join(folder, "caddy-a2a-guard")
	out, err := exec.Command("go", "build", "-o", path, "..").CombinedOutput()
	if err != nil {
		return "", fmt.Errorf("building the binary: %w\n%s", err, out)
	}
	return path, nil
})

// process is a Caddy of its own, for what ends a process.
type process struct {
	*server
	admin  string
	logged logBook
	cmd    *exec.Cmd
	exited chan struct{}
	code   int
}

// start runs the binary with a site of the directives.
func start(t testing.TB, directives string, options ...option) *process {
	t.Helper()
	p := &process{server: &server{plain: freeAddress(t), secure: freeAddress(t)}, admin: freeAddress(t)}
	for _, set := range options {
		set(p.server)
	}
	p.run(t, p.config(directives), os.Environ())
	return p
}

// run runs Caddy with a Caddyfile.
func (p *process) run(t testing.TB, caddyfile string, env []string) {
	t.Helper()
	path, err := binary()
	if err != nil {
		t.Fatal(err)
	}
	p.exited = make(chan struct{})
	p.logged.clear()
	config := filepath.Join(t.TempDir(), "Caddyfile")
	if err := os.WriteFile(config, []byte(caddyfile), 0o600); err != nil {
		t.Fatal(err)
	}
	p.cmd = exec.Command(path, "run", "--config", config, "--adapter", "caddyfile")
	p.cmd.Env = env
	stderr, err := p.cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := p.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	go func() {
		defer close(p.exited)
		for lines := bufio.NewScanner(stderr); lines.Scan(); {
			_, _ = p.logged.Write(lines.Bytes()) // some of the first lines are no JSON
		}
		_ = p.cmd.Wait()
		p.code = p.cmd.ProcessState.ExitCode()
	}()
	t.Cleanup(func() {
		_ = p.cmd.Process.Kill()
		<-p.exited
	})
	p.logged.wait(t, "serving initial configuration")
}

func (p *process) config(directives string) string {
	text := strings.Replace(p.caddyfile(directives), "admin off", "admin "+p.admin, 1)
	return strings.Replace(text, "output test", "output stderr", 1)
}

// reload replaces the process's configuration.
func (p *process) reload(t testing.TB, directives string) {
	t.Helper()
	response, err := http.Post("http://"+p.admin+"/load", "text/caddyfile", strings.NewReader(p.config(directives)))
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	http.DefaultClient.CloseIdleConnections()
	if response.StatusCode != http.StatusOK {
		t.Fatalf("reloading is answered with %s", response.Status)
	}
}

// terminate tells the process to leave, and waits until it has heard that.
func (p *process) terminate(t testing.TB) {
	t.Helper()
	if err := p.cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	p.logged.wait(t, "exiting; byeee!! 👋")
}

// leaves waits for the process's end.
func (p *process) leaves(t testing.TB) {
	t.Helper()
	select {
	case <-p.exited:
	case <-time.After(patience):
		t.Fatal("the process does not leave")
	}
	if p.code != 0 {
		t.Errorf("the process leaves with code %d", p.code)
	}
}
