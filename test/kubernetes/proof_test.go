// Copyright 2026 The caddy-a2a-guard Authors
// SPDX-License-Identifier: Apache-2.0

//go:build cluster

package kubernetes

import (
	"bufio"
	"io"
	"net"
	"net/http"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// TestTheGuardKeepsItsWordInACluster needs a cluster whose only node is this machine,
// with both images, and to be run where the pods' network is.
func TestTheGuardKeepsItsWordInACluster(t *testing.T) {
	c := deployOverlay(t, "overlays/guarded")
	t.Run("a client of the Service gets streams mended", func(t *testing.T) { c.mends(t) })
	t.Run("the agent's own port cannot be reached", func(t *testing.T) { c.hides(t) })
	t.Run("a crash of the agent ends its streams and takes the pod out", func(t *testing.T) { c.survives(t) })
	t.Run("a rolling update under fifty streams leaves none without an end", func(t *testing.T) { c.rolls(t) })
	t.Run("the guard keeps to its limits under load", func(t *testing.T) { c.works(t) })
}

// TestEveryVariantServesInACluster needs the same.
func TestEveryVariantServesInACluster(t *testing.T) {
	mended := map[string]string{"none": "TASK_STATE_COMPLETED", "no-final": "rule missing-final-status"}
	t.Run("observe", func(t *testing.T) {
		deployOverlay(t, "overlays/observe").serves(t, map[string]string{"none": "TASK_STATE_COMPLETED", "no-final": `"lastChunk":true`})
	})
	t.Run("strict", func(t *testing.T) { deployOverlay(t, "overlays/strict").serves(t, mended) })
	t.Run("second container", func(t *testing.T) { deployOverlay(t, "overlays/second-container").serves(t, mended) })
	t.Run("chart", func(t *testing.T) { deployChart(t).serves(t, mended) })
}

func (c *cluster) mends(t *testing.T) {
	c.serves(t, map[string]string{"none": "TASK_STATE_COMPLETED", "no-final": "rule missing-final-status", "mid-frame": "rule upstream-abort"})
}

// serves checks what the last event of a stream is, by the agent's fault.
func (c *cluster) serves(t *testing.T, wanted map[string]string) {
	t.Helper()
	for fault, want := range wanted {
		answer, err := ask(t, http.DefaultClient, c.service(t), fault)
		if err != nil {
			t.Fatal(err)
		}
		text, err := io.ReadAll(answer.Body)
		answer.Body.Close()
		if events := strings.Split(strings.TrimSpace(string(text)), "\n\n"); err != nil || !strings.Contains(events[len(events)-1], want) {
			t.Errorf("fault %s: the stream ends with %v and %s", fault, err, events[len(events)-1])
		}
	}
}

func (c *cluster) hides(t *testing.T) {
	for _, pod := range c.pods(t) {
		for port, open := range map[string]bool{"9999": false, "8080": true} {
			connection, err := net.DialTimeout("tcp", net.JoinHostPort(pod.Status.PodIP, port), 2*time.Second)
			if (err == nil) != open {
				t.Errorf("port %s of pod %s: %v", port, pod.Name, err)
			}
			if err == nil {
				connection.Close()
			}
		}
	}
}

func (c *cluster) survives(t *testing.T) {
	pod := c.pods(t)[0]
	watch, err := c.CoreV1().Pods(c.namespace).Watch(t.Context(), metav1.ListOptions{FieldSelector: "metadata.name=" + pod.Name, ResourceVersion: "0"})
	if err != nil {
		t.Fatal(err)
	}
	defer watch.Stop()
	answer, err := ask(t, http.DefaultClient, "http://"+net.JoinHostPort(pod.Status.PodIP, "8080")+"/", "never-returns")
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	lines := bufio.NewReader(answer.Body)
	if first, err := lines.ReadString('\n'); err != nil || !strings.Contains(first, "TASK_STATE_SUBMITTED") {
		t.Fatalf("the stream begins with %v and %s", err, first)
	}
	if err := syscall.Kill(processOf(t, &pod, "/a2a-order-desk"), syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	if rest, err := io.ReadAll(lines); err != nil || !strings.Contains(string(rest), "rule upstream-abort") {
		t.Errorf("the stream ends with %v and %s", err, rest)
	}
	var was []corev1.ConditionStatus
	for limit := time.After(patience); !slices.Equal(was, []corev1.ConditionStatus{"True", "False", "True"}); {
		select {
		case event, more := <-watch.ResultChan():
			if !more {
				t.Fatalf("nothing more is heard of the pod, which was ready: %v", was)
			}
			if seen, ok := event.Object.(*corev1.Pod); ok {
				if ready := readiness(seen); len(was) == 0 || was[len(was)-1] != ready {
					was = append(was, ready)
				}
			}
		case <-limit:
			t.Fatalf("the pod was ready: %v", was)
		}
	}
}

func readiness(pod *corev1.Pod) corev1.ConditionStatus {
	for _, condition := range pod.Status.Conditions {
		if condition.Type == corev1.PodReady {
			return condition.Status
		}
	}
	return corev1.ConditionUnknown
}

func (c *cluster) rolls(t *testing.T) {
	const streams = 50
	url := c.service(t)
	before := c.pods(t)
	var open sync.WaitGroup
	var begun sync.WaitGroup
	begun.Add(streams)
	for range streams {
		open.Go(func() {
			client := &http.Client{Transport: new(http.Transport)} // a connection of its own
			defer client.CloseIdleConnections()
			answer, err := ask(t, client, url, "never-returns")
			begun.Done()
			if err != nil {
				t.Error(err)
				return
			}
			defer answer.Body.Close()
			text, err := io.ReadAll(answer.Body)
			if events := strings.Split(strings.TrimSpace(string(text)), "\n\n"); err != nil || !strings.Contains(events[len(events)-1], `"error"`) {
				t.Errorf("a stream ends with %v and %s", err, events[len(events)-1])
			}
		})
	}
	begun.Wait()
	stop := make(chan struct{})
	calls := 0
	open.Go(func() {
		for {
			select {
			case <-stop:
				return
			case <-time.After(20 * time.Millisecond):
			}
			client := &http.Client{Transport: new(http.Transport)}
			answer, err := ask(t, client, url, "none")
			if err != nil {
				t.Errorf("call %d in the midst of the update: %v", calls, err)
				continue
			}
			text, err := io.ReadAll(answer.Body)
			answer.Body.Close()
			client.CloseIdleConnections()
			if calls++; err != nil || !strings.Contains(string(text), "TASK_STATE_COMPLETED") && !strings.Contains(string(text), "upstream-abort") {
				t.Errorf("call %d in the midst of the update: %v %s", calls, err, text)
			}
		}
	})
	start := time.Now()
	c.run(t, "rollout", "restart", "deployment/"+c.name)
	c.rolledOut(t)
	for _, pod := range before {
		c.run(t, "wait", "--for=delete", "pod/"+pod.Name, "--timeout=1m")
	}
	took := time.Since(start)
	close(stop)
	open.Wait()
	t.Logf("%d open streams and %d calls in %v, after which the last old pod was gone", streams, calls, took.Round(time.Second))
}

func (c *cluster) works(t *testing.T) {
	const workers, each = 16, 100
	url := c.service(t)
	pods := c.pods(t)
	var used time.Duration
	for i := range pods {
		used -= cpuTime(t, processOf(t, &pods[i], "/caddy-a2a-guard"))
	}
	start := time.Now()
	var all sync.WaitGroup
	for range workers {
		all.Go(func() {
			for range each {
				answer, err := ask(t, http.DefaultClient, url, "none")
				if err != nil {
					t.Error(err)
					return
				}
				_, err = io.Copy(io.Discard, answer.Body)
				answer.Body.Close()
				if err != nil {
					t.Error(err)
				}
			}
		})
	}
	all.Wait()
	for i := range pods {
		guard := processOf(t, &pods[i], "/caddy-a2a-guard")
		used += cpuTime(t, guard)
		limit := guardOf(t, &pods[i].Spec).Resources.Limits.Memory().Value() >> 20
		if peak := peakMemory(t, guard); int64(peak) > limit/2 {
			t.Errorf("the guard of %s has held %d MiB of %d", pods[i].Name, peak, limit)
		} else {
			t.Logf("the guard of %s has held %d MiB at most, of %d", pods[i].Name, peak, limit)
		}
	}
	t.Logf("%d streams of six events in %v took the guards %v of CPU time", workers*each, time.Since(start).Round(time.Millisecond), used)
}
