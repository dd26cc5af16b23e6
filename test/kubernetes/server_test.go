// Copyright 2026 The caddy-a2a-guard Authors
// SPDX-License-Identifier: Apache-2.0

//go:build cluster

package kubernetes

import (
	"context"
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"encoding/pem"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/pod-security-admission/api"
)

// token is the administrator's.
const token = "administrator"

// patience is how long the API server may take to begin.
const patience = 2 * time.Minute

// apiServer is a real API server over a real etcd.
type apiServer struct {
	*kubernetes.Clientset
	url string
}

// startAPIServer starts both, until the test ends.
func startAPIServer(t *testing.T) *apiServer {
	t.Helper()
	folder := t.TempDir()
	etcd, peers, secure := freeAddress(t), freeAddress(t), freeAddress(t)
	run(t, "etcd", "--data-dir", filepath.Join(folder, "etcd"), "--unsafe-no-fsync", "--log-level", "error",
		"--listen-client-urls", "http://"+etcd, "--advertise-client-urls", "http://"+etcd, "--listen-peer-urls", "http://"+peers)
	key := filepath.Join(folder, "sa.key")
	writeKey(t, key)
	tokens := filepath.Join(folder, "tokens.csv")
	if err := os.WriteFile(tokens, []byte(token+",administrator,administrator,system:masters\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	_, port, _ := net.SplitHostPort(secure)
	run(t, "kube-apiserver", "--etcd-servers", "http://"+etcd, "--bind-address", "127.0.0.1", "--secure-port", port, "--advertise-address", "10.0.0.1",
		"--cert-dir", filepath.Join(folder, "certs"), "--service-cluster-ip-range", "10.96.0.0/16", "--authorization-mode", "RBAC", "--token-auth-file", tokens,
		"--service-account-issuer", "https://kubernetes.default.svc", "--service-account-key-file", key, "--service-account-signing-key-file", key,
		"--endpoint-reconciler-type", "none")
	s := &apiServer{url: "https://" + secure}
	var err error
	s.Clientset, err = kubernetes.NewForConfig(&rest.Config{Host: s.url, BearerToken: token, TLSClientConfig: rest.TLSClientConfig{Insecure: true}})
	if err != nil {
		t.Fatal(err)
	}
	for limit := time.Now().Add(patience); ; time.Sleep(100 * time.Millisecond) {
		answer, err := s.RESTClient().Get().AbsPath("/readyz").DoRaw(t.Context())
		if string(answer) == "ok" {
			return s
		}
		if time.Now().After(limit) {
			t.Fatalf("the API server is not ready: %s, %v", answer, err)
		}
	}
}

// namespace makes a namespace that admits restricted pods alone, with the account that
// a controller manager would have made.
func (s *apiServer) namespace(t *testing.T, name string) {
	t.Helper()
	_, err := s.CoreV1().Namespaces().Create(t.Context(), &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{
		Name: name, Labels: map[string]string{api.EnforceLevelLabel: string(api.LevelRestricted)},
	}}, metav1.CreateOptions{})
	if err != nil {
		t.Fatal(err)
	}
	_, err = s.CoreV1().ServiceAccounts(name).Create(t.Context(), &corev1.ServiceAccount{ObjectMeta: metav1.ObjectMeta{Name: "default"}}, metav1.CreateOptions{})
	if err != nil {
		t.Fatal(err)
	}
}

// kubectl runs kubectl and returns what it prints.
func (s *apiServer) kubectl(t *testing.T, args ...string) string {
	t.Helper()
	command := exec.Command("kubectl", append([]string{"--server", s.url, "--insecure-skip-tls-verify", "--token", token}, args...)...)
	out, err := command.CombinedOutput()
	if err != nil {
		t.Fatalf("kubectl %s: %v\n%s", strings.Join(args, " "), err, out)
	}
	return string(out)
}

// run runs a program until the test ends.
func run(t *testing.T, program string, args ...string) {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	command := exec.CommandContext(ctx, program, args...)
	log, err := os.Create(filepath.Join(t.TempDir(), program+".log"))
	if err != nil {
		t.Fatal(err)
	}
	command.Stdout, command.Stderr = log, log
	if err := command.Start(); err != nil {
		t.Fatalf("starting %s: %v", program, err)
	}
	t.Cleanup(func() {
		cancel()
		_ = command.Wait()
		if t.Failed() {
			text, _ := os.ReadFile(log.Name())
			t.Logf("%s said\n%s", program, text[max(0, len(text)-4000):])
		}
		_ = log.Close()
	})
}

func writeKey(t *testing.T, to string) {
	t.Helper()
	key, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		t.Fatal(err)
	}
	text := pem.EncodeToMemory(&pem.Block{Type: "RSA PRIVATE KEY", Bytes: x509.MarshalPKCS1PrivateKey(key)})
	if err := os.WriteFile(to, text, 0o600); err != nil {
		t.Fatal(err)
	}
}

func freeAddress(t *testing.T) string {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	return fmt.Sprint(listener.Addr())
}
