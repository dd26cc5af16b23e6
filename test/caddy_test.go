// Copyright 2026 The caddy-a2a-guard Authors
// SPDX-License-Identifier: Apache-2.0

// Package test holds the guard as a black box: the real Caddy with its standard
// modules, real sockets, and agents that do what a test says.
package test

import (
	"bytes"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"fmt"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/caddyserver/caddy/v2"
	"github.com/caddyserver/caddy/v2/caddyconfig"
	_ "github.com/caddyserver/caddy/v2/modules/standard"
	"go.uber.org/goleak"

	_ "github.com/a2aguard/caddy-a2a-guard/caddymodule"
)

// patience is how long a test waits for what must happen. Nothing ever takes
// that long, unless the machine is very busy.
const patience = 20 * time.Second

// folder holds what Caddy and the tests write.
var folder string

func TestMain(m *testing.M) { os.Exit(run(m)) }

func run(m *testing.M) int {
	var err error
	if folder, err = os.MkdirTemp("", "a2a-guard-test-"); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer func() { _ = os.RemoveAll(folder) }()
	for _, name := range []string{"XDG_CONFIG_HOME", "XDG_DATA_HOME"} {
		if err := os.Setenv(name, folder); err != nil {
			fmt.Fprintln(os.Stderr, err)
			return 1
		}
	}
	if err := writeCertificate(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	code := m.Run()
	if err := leaks(); code == 0 && err != nil {
		fmt.Fprintln(os.Stderr, err)
		code = 1
	}
	return code
}

// leaks waits for the goroutines' end: connections linger for a while.
func leaks(options ...goleak.Option) error {
	for limit := time.Now().Add(patience); ; {
		err := goleak.Find(options...)
		if err == nil || time.Now().After(limit) {
			return err
		}
	}
}

// server is the Caddy that runs in this process. There is only one at a time.
type server struct {
	plain, secure string // host:port for clear text and for TLS
	globals       string
}

// option changes a server before it starts.
type option func(*server)

// globals adds lines to the Caddyfile's global options.
func globals(lines ...string) option {
	return func(s *server) { s.globals += strings.Join(lines, "\n\t") }
}

// serve runs Caddy with a site of the directives, in clear text and with TLS,
// until the test ends.
func serve(t testing.TB, directives string, options ...option) *server {
	t.Helper()
	s := &server{plain: freeAddress(t), secure: freeAddress(t)}
	for _, set := range options {
		set(s)
	}
	logged.clear()
	s.load(t, directives)
	t.Cleanup(func() {
		if err := caddy.Stop(); err != nil {
			t.Errorf("stopping Caddy: %v", err)
		}
	})
	return s
}

// load replaces the running configuration.
func (s *server) load(t testing.TB, directives string) {
	t.Helper()
	if err := s.tryLoad(directives); err != nil {
		t.Fatal(err)
	}
}

func (s *server) tryLoad(directives string) error {
	config, err := adapt(s.caddyfile(directives))
	if err != nil {
		return err
	}
	if err := caddy.Load(config, true); err != nil {
		return err
	}
	s.awaitSuccession()
	return nil
}

// awaitSuccession waits until no earlier configuration takes connections: Caddy
// returns from a load a moment before. Each configuration has sockets of its own.
func (s *server) awaitSuccession() {
	for _, address := range []string{s.plain, s.secure} {
		number, err := strconv.Atoi(port(address))
		if err != nil {
			panic(err)
		}
		listening := fmt.Appendf(nil, "0100007F:%04X 00000000:0000 0A", number)
		for limit := time.Now().Add(patience); time.Now().Before(limit); {
			sockets, err := os.ReadFile("/proc/net/tcp")
			if err != nil || bytes.Count(sockets, listening) <= 1 { // no error but where there is no such file
				break
			}
		}
	}
}

// adapt turns a Caddyfile into JSON.
func adapt(caddyfile string) ([]byte, error) {
	config, _, err := caddyconfig.GetAdapter("caddyfile").Adapt([]byte(caddyfile), map[string]any{"filename": "Caddyfile"})
	return config, err
}

func (s *server) caddyfile(directives string) string {
	return fmt.Sprintf(`{
	admin off
	persist_config off
	auto_https off
	default_bind 127.0.0.1
	storage_clean_interval off
	log {
		output test
		format json
		level DEBUG
	}
	%s
}
(site) {
	%s
}
http://:%s {
	import site
}
https://127.0.0.1:%s {
	tls %q %q
	import site
}
`, s.globals, directives, port(s.plain), port(s.secure), certFile(), keyFile())
}

func port(address string) string {
	_, port, err := net.SplitHostPort(address)
	if err != nil {
		panic(err)
	}
	return port
}

// freeAddress is an address of the loopback interface that nobody listens at, and
// that nobody else was given.
func freeAddress(t testing.TB) string {
	t.Helper()
	for {
		listener, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		address := listener.Addr().String()
		listener.Close()
		if _, taken := givenAddresses.LoadOrStore(address, true); !taken {
			return address
		}
	}
}

var givenAddresses sync.Map

func certFile() string { return filepath.Join(folder, "cert.pem") }
func keyFile() string  { return filepath.Join(folder, "key.pem") }

// writeCertificate makes the certificate of all servers.
func writeCertificate() error {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return err
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1),
		Subject:      pkix.Name{CommonName: "a2a-guard test"},
		NotBefore:    time.Now().Add(-time.Hour),
		NotAfter:     time.Now().Add(24 * time.Hour),
		IPAddresses:  []net.IP{net.IPv4(127, 0, 0, 1)},
	}
	cert, err := x509.CreateCertificate(rand.Reader, template, template, key.Public(), key)
	if err != nil {
		return err
	}
	private, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		return err
	}
	for _, file := range []struct {
		name string
		pem.Block
	}{
		{certFile(), pem.Block{Type: "CERTIFICATE", Bytes: cert}},
		{keyFile(), pem.Block{Type: "PRIVATE KEY", Bytes: private}},
	} {
		if err := os.WriteFile(file.name, pem.EncodeToMemory(&file.Block), 0o600); err != nil {
			return err
		}
	}
	return nil
}
