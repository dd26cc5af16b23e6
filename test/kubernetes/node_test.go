// Copyright 2026 The caddy-a2a-guard Authors
// SPDX-License-Identifier: Apache-2.0

//go:build cluster

package kubernetes

import (
	"bytes"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/clientcmd"
	"k8s.io/pod-security-admission/api"
)

// cluster is the one that KUBECONFIG names, whose only node is this machine.
type cluster struct {
	*apiServer
	namespace, name string // of what is deployed
}

// deployOverlay deploys an overlay, until the test ends.
func deployOverlay(t *testing.T, overlay string) *cluster {
	t.Helper()
	return deploy(t, "order-desk", "-k", filepath.Join(examples, overlay))
}

// deployChart deploys the chart, until the test ends.
func deployChart(t *testing.T) *cluster {
	t.Helper()
	manifest, err := template(nil)
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "chart.yaml")
	if err := os.WriteFile(file, native(manifest), 0o600); err != nil {
		t.Fatal(err)
	}
	return deploy(t, "orders", "-f", file)
}

// deploy applies manifests in a namespace of their own, until the test ends.
func deploy(t *testing.T, name string, manifests ...string) *cluster {
	t.Helper()
	config, err := clientcmd.BuildConfigFromFlags("", os.Getenv("KUBECONFIG"))
	if err != nil {
		t.Fatal(err)
	}
	set, err := kubernetes.NewForConfig(config)
	if err != nil {
		t.Fatal(err)
	}
	c := &cluster{&apiServer{Clientset: set, url: config.Host}, fmt.Sprintf("a2a-%d", time.Now().UnixNano()), name}
	_, err = set.CoreV1().Namespaces().Create(t.Context(), &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{
		Name: c.namespace, Labels: map[string]string{api.EnforceLevelLabel: string(api.LevelRestricted)},
	}}, metav1.CreateOptions{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.run(t, "delete", "namespace", c.namespace) })
	c.run(t, append([]string{"apply", "--server-side"}, manifests...)...)
	c.rolledOut(t)
	c.awaitService(t)
	return c
}

// awaitService waits until the node's proxy has heard of the Service.
func (c *cluster) awaitService(t *testing.T) {
	t.Helper()
	for limit := time.Now().Add(patience); ; time.Sleep(50 * time.Millisecond) {
		answer, err := http.Get(c.service(t) + ".well-known/agent-card.json")
		if err == nil {
			answer.Body.Close()
			return
		}
		if time.Now().After(limit) {
			t.Fatal(err)
		}
	}
}

// run runs kubectl in the namespace.
func (c *cluster) run(t *testing.T, args ...string) string {
	t.Helper()
	out, err := exec.Command("kubectl", append([]string{"--namespace", c.namespace}, args...)...).CombinedOutput()
	if err != nil {
		t.Fatalf("kubectl %s: %v\n%s", strings.Join(args, " "), err, out)
	}
	return string(out)
}

func (c *cluster) rolledOut(t *testing.T) {
	t.Helper()
	c.run(t, "rollout", "status", "deployment/"+c.name, "--timeout=2m")
}

// pods are the running pods.
func (c *cluster) pods(t *testing.T) []corev1.Pod {
	t.Helper()
	list, err := c.CoreV1().Pods(c.namespace).List(t.Context(), metav1.ListOptions{})
	if err != nil {
		t.Fatal(err)
	}
	return list.Items
}

// service is where clients reach the agents.
func (c *cluster) service(t *testing.T) string {
	t.Helper()
	service, err := c.CoreV1().Services(c.namespace).Get(t.Context(), c.name, metav1.GetOptions{})
	if err != nil {
		t.Fatal(err)
	}
	return "http://" + service.Spec.ClusterIP + "/"
}

// processOf finds the process of a pod's container by its program.
func processOf(t *testing.T, pod *corev1.Pod, program string) int {
	t.Helper()
	entries, err := os.ReadDir("/proc")
	if err != nil {
		t.Fatal(err)
	}
	for _, entry := range entries {
		pid, err := strconv.Atoi(entry.Name())
		if err != nil {
			continue
		}
		command, _ := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", pid))
		group, _ := os.ReadFile(fmt.Sprintf("/proc/%d/cgroup", pid))
		if bytes.HasPrefix(command, []byte(program+"\x00")) && bytes.Contains(group, []byte(pod.UID)) {
			return pid
		}
	}
	t.Fatalf("pod %s has no process %s", pod.Name, program)
	return 0
}

// peakMemory is the most memory that a process has held, in MiB.
func peakMemory(t *testing.T, pid int) int {
	t.Helper()
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(status), "VmHWM:")
	kilobytes, err := strconv.Atoi(strings.Fields(rest)[0])
	if err != nil {
		t.Fatal(err)
	}
	return kilobytes >> 10
}

// cpuTime is the CPU time that a process has used.
func cpuTime(t *testing.T, pid int) time.Duration {
	t.Helper()
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		t.Fatal(err)
	}
	fields := strings.Fields(string(stat[bytes.LastIndexByte(stat, ')')+2:]))
	user, _ := strconv.Atoi(fields[11])
	system, _ := strconv.Atoi(fields[12])
	return time.Duration(user+system) * 10 * time.Millisecond
}

// ask asks the order desk for a stream with a fault, "none" for none.
func ask(t *testing.T, client *http.Client, url, fault string) (*http.Response, error) {
	t.Helper()
	body := fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"method":"SendStreamingMessage","params":{"message":{"messageId":"m1","role":"ROLE_USER","parts":[{"text":"BS-1042 fault=%s"}]}}}`, fault)
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, url, strings.NewReader(body))
	if err != nil {
		return nil, err
	}
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("A2A-Version", "1.0")
	return client.Do(r)
}
