// Copyright 2026 The caddy-a2a-guard Authors
// SPDX-License-Identifier: Apache-2.0

//go:build cluster

package kubernetes

import (
	"os"
	"path"
	"path/filepath"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// TestAnAPIServerTakesEveryOverlay applies the chart and each overlay as a user does,
// and has the API server admit the pod that an overlay's Deployment would make.
func TestAnAPIServerTakesEveryOverlay(t *testing.T) {
	server := startAPIServer(t)
	for _, name := range values {
		t.Run("chart with "+name, func(t *testing.T) {
			manifest, err := template(valuesOf(t, name))
			if err != nil {
				t.Fatal(err)
			}
			file := filepath.Join(t.TempDir(), "chart.yaml")
			if err := os.WriteFile(file, native(manifest), 0o600); err != nil {
				t.Fatal(err)
			}
			server.namespace(t, "chart-"+name)
			if said := server.kubectl(t, "apply", "--server-side", "--namespace", "chart-"+name, "-f", file); strings.Contains(said, "Warning") {
				t.Errorf("the API server warns:\n%s", said)
			}
		})
	}
	for _, overlay := range overlays {
		t.Run(overlay, func(t *testing.T) {
			namespace := path.Base(overlay)
			server.namespace(t, namespace)
			folder := filepath.Join(examples, overlay)
			for _, again := range []bool{false, true} {
				said := server.kubectl(t, "apply", "--server-side", "--namespace", namespace, "-k", folder)
				t.Log(said)
				if strings.Contains(said, "Warning") {
					t.Errorf("again %v: the API server warns:\n%s", again, said)
				}
			}
			template := podOf(t, overlay)
			pod := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: "pod", Labels: template.Labels}, Spec: template.Spec}
			dry := metav1.CreateOptions{DryRun: []string{metav1.DryRunAll}}
			if _, err := server.CoreV1().Pods(namespace).Create(t.Context(), pod, dry); err != nil {
				t.Errorf("the pod is not admitted: %v", err)
			}
			pod.Spec.Containers[0].SecurityContext = nil
			if _, err := server.CoreV1().Pods(namespace).Create(t.Context(), pod, dry); err == nil || !strings.Contains(err.Error(), "PodSecurity") {
				t.Errorf("a pod without a security context is answered with %v", err)
			}
		})
	}
}
