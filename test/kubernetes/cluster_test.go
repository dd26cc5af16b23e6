// Copyright 2026 The caddy-a2a-guard Authors
// SPDX-License-Identifier: Apache-2.0

//go:build cluster

package kubernetes

import (
	"path"
	"path/filepath"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// TestAnAPIServerTakesEveryOverlay applies each overlay as a user does, and has the
// API server admit the pod that its Deployment would make.
func TestAnAPIServerTakesEveryOverlay(t *testing.T) {
	server := startAPIServer(t)
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
