// Copyright 2026 The caddy-a2a-guard Authors
// SPDX-License-Identifier: Apache-2.0

package kubernetes

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	"k8s.io/pod-security-admission/api"
	"k8s.io/pod-security-admission/policy"
)

func TestEveryOverlayIsAdmittedUnderRestrictedPodSecurity(t *testing.T) {
	evaluator, err := policy.NewEvaluator(policy.DefaultChecks())
	if err != nil {
		t.Fatal(err)
	}
	restricted := api.LevelVersion{Level: api.LevelRestricted, Version: api.LatestVersion()}
	for _, overlay := range overlays {
		t.Run(overlay, func(t *testing.T) {
			pod := podOf(t, overlay)
			for _, result := range evaluator.EvaluatePod(restricted, &pod.ObjectMeta, &pod.Spec) {
				if !result.Allowed {
					t.Errorf("%s: %s", result.ForbiddenReason, result.ForbiddenDetail)
				}
			}
			pod.Spec.Containers[0].SecurityContext = nil
			if allowed := !slices.ContainsFunc(evaluator.EvaluatePod(restricted, &pod.ObjectMeta, &pod.Spec), func(r policy.CheckResult) bool { return !r.Allowed }); allowed {
				t.Error("a container without a security context is admitted, too")
			}
		})
	}
}

// guardOf is the guard's container in a pod.
func guardOf(t *testing.T, pod *corev1.PodSpec) *corev1.Container {
	t.Helper()
	for _, containers := range [][]corev1.Container{pod.InitContainers, pod.Containers} {
		for i := range containers {
			if containers[i].Name == "a2a-guard" {
				return &containers[i]
			}
		}
	}
	t.Fatal("the pod has no guard")
	return nil
}

func TestTheServiceLeadsToTheGuardAndNothingElseIsOpen(t *testing.T) {
	for _, overlay := range overlays[1:] {
		t.Run(overlay, func(t *testing.T) {
			pod := podOf(t, overlay)
			guard := guardOf(t, &pod.Spec)
			for _, service := range objectsOf[*corev1.Service](t, overlay) {
				for _, port := range service.Spec.Ports {
					if !slices.ContainsFunc(guard.Ports, func(p corev1.ContainerPort) bool { return p.Name == port.TargetPort.StrVal }) {
						t.Errorf("port %s of the Service leads to %s, which the guard has not", port.Name, port.TargetPort.StrVal)
					}
				}
			}
			policies := objectsOf[*networkingv1.NetworkPolicy](t, overlay)
			if len(policies) != 1 {
				t.Fatalf("%d network policies", len(policies))
			}
			var open []string
			for _, rule := range policies[0].Spec.Ingress {
				for _, port := range rule.Ports {
					open = append(open, port.Port.StrVal)
				}
			}
			for _, name := range open {
				if !slices.ContainsFunc(guard.Ports, func(p corev1.ContainerPort) bool { return p.Name == name }) {
					t.Errorf("port %s is open, which the guard has not", name)
				}
			}
			for name, value := range policies[0].Spec.PodSelector.MatchLabels {
				if pod.Labels[name] != value {
					t.Errorf("the network policy is not for the pods, whose labels are %v", pod.Labels)
				}
			}
			if agent := pod.Spec.Containers[0]; !strings.Contains(strings.Join(agent.Args, " "), "127.0.0.1:9999") || len(agent.Ports) > 0 {
				t.Errorf("the agent has arguments %q and ports %v", agent.Args, agent.Ports)
			}
		})
	}
}

func TestTheGuardIsASidecarThatOutlivesTheAgent(t *testing.T) {
	for _, tt := range []struct {
		overlay string
		sidecar bool
		profile string
	}{
		{"overlays/guarded", true, "standard"},
		{"overlays/observe", true, "observe"},
		{"overlays/strict", true, "strict"},
		{"overlays/second-container", false, "standard"},
	} {
		t.Run(tt.overlay, func(t *testing.T) {
			pod := podOf(t, tt.overlay)
			guard := guardOf(t, &pod.Spec)
			if sidecar := guard.RestartPolicy != nil && *guard.RestartPolicy == corev1.ContainerRestartPolicyAlways; sidecar != tt.sidecar || sidecar != (len(pod.Spec.InitContainers) == 1) {
				t.Errorf("a sidecar: %v, with %d init containers", sidecar, len(pod.Spec.InitContainers))
			}
			env := make(map[string]string)
			for _, variable := range guard.Env {
				env[variable.Name] = variable.Value
			}
			if env["A2A_PROFILE"] != tt.profile {
				t.Errorf("the profile is %s", env["A2A_PROFILE"])
			}
			probes := fmt.Sprint(guard.StartupProbe.HTTPGet.Path, guard.LivenessProbe.HTTPGet.Path, guard.ReadinessProbe.HTTPGet.Path)
			if probes != "/livez/livez/readyz" {
				t.Errorf("the probes are %s", probes)
			}
			if tt.sidecar {
				return
			}
			if env["A2A_SHUTDOWN_DELAY"] == "" || env["A2A_DRAIN"] == "" || env["A2A_GRACE_PERIOD"] == "" {
				t.Errorf("the guard ends when the agent is asked to: %v", env)
			}
		})
	}
}
