// Copyright 2026 The caddy-a2a-guard Authors
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// variant is one of the two programs that are compared.
type variant struct{ name, directive string }

var variants = [2]variant{{name: "bare"}, {name: "guarded", directive: "a2a_guard"}}

// caddyfile takes a folder, the directive and the agent's address. The listener
// is inherited: nobody can take its port in between.
const caddyfile = `{
	admin unix/%[1]s/admin.sock
	persist_config off
	auto_https off
	storage file_system %[1]s
	log {
		output discard
	}
}

http:// {
	bind fd/3
	%[2]s
	reverse_proxy %[3]s
}
`

const (
	startLimit = 20 * time.Second
	stopLimit  = 5 * time.Second
	saidLimit  = 4 << 10
)

// proxy is a running proxy process.
type proxy struct {
	variant
	address string // host:port
	process *exec.Cmd
	said    tail
	ended   chan struct{}
	admin   *http.Client
}

// build compiles the project's own program into a folder.
func build(ctx context.Context, folder string) (binary string, err error) {
	root, err := exec.CommandContext(ctx, "go", "list", "-m", "-f", "{{.Dir}}").Output()
	if err != nil {
		return "", fmt.Errorf("looking for the module: %w; run this inside it, or give -binary", err)
	}
	binary = filepath.Join(folder, "caddy-a2a-guard")
	command := exec.CommandContext(ctx, "go", "build", "-o", binary, ".")
	command.Dir = strings.TrimSpace(string(root))
	if out, err := command.CombinedOutput(); err != nil {
		return "", fmt.Errorf("building the proxy: %w\n%s", err, out)
	}
	return binary, nil
}

// startProxy starts a variant in front of an agent and waits until it answers.
func startProxy(ctx context.Context, v variant, binary, folder, agent string) (*proxy, error) {
	folder, err := os.MkdirTemp(folder, v.name)
	if err != nil {
		return nil, fmt.Errorf("making a folder for a proxy: %w", err)
	}
	config := filepath.Join(folder, "Caddyfile")
	if err := os.WriteFile(config, fmt.Appendf(nil, caddyfile, folder, v.directive, agent), 0o600); err != nil {
		return nil, fmt.Errorf("writing a proxy's Caddyfile: %w", err)
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, fmt.Errorf("opening a proxy's port: %w", err)
	}
	defer func() { _ = listener.Close() }()
	inherited, err := listener.(*net.TCPListener).File()
	if err != nil {
		return nil, fmt.Errorf("opening a proxy's port: %w", err)
	}
	defer func() { _ = inherited.Close() }()

	p := &proxy{
		variant: v,
		address: listener.Addr().String(),
		process: exec.Command(binary, "run", "--config", config, "--adapter", "caddyfile"),
		ended:   make(chan struct{}),
		admin: &http.Client{Transport: &http.Transport{
			DisableKeepAlives: true,
			DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
				return new(net.Dialer).DialContext(ctx, "unix", filepath.Join(folder, "admin.sock"))
			},
		}},
	}
	p.process.Env = append(os.Environ(), "XDG_CONFIG_HOME="+folder, "XDG_DATA_HOME="+folder)
	p.process.ExtraFiles = []*os.File{inherited}
	p.process.Stderr = &p.said
	if err := p.process.Start(); err != nil {
		return nil, fmt.Errorf("starting a proxy: %w", err)
	}
	go func() {
		defer close(p.ended)
		_ = p.process.Wait() // how it ended is told by what it said
	}()
	if err := p.await(ctx); err != nil {
		p.stop()
		return nil, fmt.Errorf("starting the %s proxy: %w\n%s", v.name, err, p.said.text)
	}
	return p, nil
}

// await waits until the proxy has loaded its configuration.
func (p *proxy) await(ctx context.Context) error {
	ctx, cancel := context.WithTimeoutCause(ctx, startLimit, fmt.Errorf("not ready after %v", startLimit))
	defer cancel()
	for {
		if p.ask(ctx, "/config/apps/http", io.Discard) == nil {
			return nil
		}
		select {
		case <-p.ended:
			return errors.New("it ended")
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-time.After(20 * time.Millisecond):
		}
	}
}

func (p *proxy) stop() {
	_ = p.process.Process.Signal(syscall.SIGTERM) // it may have ended
	select {
	case <-p.ended:
		return
	case <-time.After(stopLimit):
	}
	_ = p.process.Process.Kill()
	<-p.ended
}

// ask gets something from the proxy's admin endpoint.
func (p *proxy) ask(ctx context.Context, path string, to io.Writer) error {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://localhost"+path, nil)
	if err != nil {
		return err
	}
	res, err := p.admin.Do(req)
	if err != nil {
		return err
	}
	defer res.Body.Close()
	if _, err := io.Copy(to, res.Body); err != nil {
		return err
	}
	if res.StatusCode != http.StatusOK {
		return fmt.Errorf("the admin endpoint answers %s to %s", res.Status, path)
	}
	return nil
}

// collect runs the proxy's garbage collector and returns what Go then holds for
// live objects and stacks, in bytes.
func (p *proxy) collect(ctx context.Context) (live int64, err error) {
	var text bytes.Buffer
	if err := p.ask(ctx, "/debug/pprof/heap?gc=1&debug=1", &text); err != nil {
		return 0, fmt.Errorf("collecting a proxy's garbage: %w", err)
	}
	for _, name := range [...]string{"HeapAlloc", "Stack"} {
		_, rest, found := strings.Cut(text.String(), "\n# "+name+" = ")
		number, _, _ := strings.Cut(rest, "\n")
		number, _, _ = strings.Cut(number, " ")
		n, err := strconv.ParseInt(number, 10, 64)
		if !found || err != nil {
			return 0, fmt.Errorf("the proxy's heap profile does not tell %s", name)
		}
		live += n
	}
	return live, nil
}

func (p *proxy) cpu() (time.Duration, error) { return cpuTime(p.process.Process.Pid) }

func (p *proxy) memory() (int64, error) { return residentMemory(p.process.Process.Pid) }

// tail keeps the end of what is written to it.
type tail struct{ text []byte }

func (t *tail) Write(p []byte) (int, error) {
	t.text = append(t.text, p...)
	t.text = t.text[max(len(t.text)-saidLimit, 0):]
	return len(p), nil
}
