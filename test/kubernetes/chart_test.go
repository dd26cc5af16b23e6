// Copyright 2026 The caddy-a2a-guard Authors
// SPDX-License-Identifier: Apache-2.0

package kubernetes

import (
	"bytes"
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"helm.sh/helm/v3/pkg/action"
	"helm.sh/helm/v3/pkg/chart/loader"
	"helm.sh/helm/v3/pkg/chartutil"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/pod-security-admission/api"
	"k8s.io/pod-security-admission/policy"
	"sigs.k8s.io/yaml"
)

var update = flag.Bool("update", false, "write testdata anew, to be read before it is committed")

const chart = examples + "/chart"

// values are the files in testdata with values for the chart; none is its own.
var values = []string{"defaults", "everything"}

// valuesOf reads one of them.
func valuesOf(t *testing.T, name string) map[string]any {
	t.Helper()
	given := make(map[string]any)
	text, err := os.ReadFile(filepath.Join("testdata", name+".values.yaml"))
	if os.IsNotExist(err) {
		return given
	}
	if err == nil {
		err = yaml.Unmarshal(text, &given)
	}
	if err != nil {
		t.Fatal(err)
	}
	return given
}

// template renders the chart as helm template does.
func template(given map[string]any) (string, error) {
	loaded, err := loader.Load(chart)
	if err != nil {
		return "", err
	}
	install := action.NewInstall(new(action.Configuration))
	install.DryRun, install.ClientOnly, install.Replace = true, true, true
	install.ReleaseName, install.Namespace = "orders", "desk"
	install.KubeVersion = &chartutil.KubeVersion{Version: "v1.34.0", Major: "1", Minor: "34"}
	release, err := install.Run(loaded, given)
	if err != nil {
		return "", err
	}
	return release.Manifest, nil
}

// native leaves out what Kubernetes itself does not have.
func native(manifest string) []byte {
	documents := strings.Split(manifest, "\n---\n")
	documents = slices.DeleteFunc(documents, func(text string) bool { return strings.Contains(text, "monitoring.coreos.com/v1") })
	return []byte(strings.Join(documents, "\n---\n"))
}

func TestTheChartRendersWhatWasRead(t *testing.T) {
	for _, name := range values {
		t.Run(name, func(t *testing.T) {
			got, err := template(valuesOf(t, name))
			if err != nil {
				t.Fatal(err)
			}
			// What other folders' files hold is theirs to test.
			short := new(strings.Builder)
			for line := range strings.Lines(got) {
				if short.WriteString(line[:min(len(line), 200)]); len(line) > 200 {
					short.WriteString("...\n")
				}
			}
			golden := filepath.Join("testdata", name+".golden.yaml")
			if *update {
				if err := os.WriteFile(golden, []byte(short.String()), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(golden)
			if err != nil {
				t.Fatal(err)
			}
			if short.String() != string(want) {
				t.Errorf("the chart renders otherwise than %s; read the difference and run go test . -update", golden)
			}
		})
	}
}

func TestHelmHasNothingToSayAboutTheChart(t *testing.T) {
	for _, name := range values {
		result := action.NewLint().Run([]string{chart}, valuesOf(t, name))
		for _, message := range result.Messages {
			if !strings.Contains(message.Error(), "icon is recommended") {
				t.Errorf("%s: %s", name, message)
			}
		}
	}
}

func TestTheChartsPodIsAdmittedUnderRestrictedPodSecurity(t *testing.T) {
	evaluator, err := policy.NewEvaluator(policy.DefaultChecks())
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range values {
		t.Run(name, func(t *testing.T) {
			deployment := find[*appsv1.Deployment](t, name)
			pod := deployment.Spec.Template
			for _, result := range evaluator.EvaluatePod(api.LevelVersion{Level: api.LevelRestricted, Version: api.LatestVersion()}, &pod.ObjectMeta, &pod.Spec) {
				if !result.Allowed {
					t.Errorf("%s: %s", result.ForbiddenReason, result.ForbiddenDetail)
				}
			}
			if guard := guardOf(t, &pod.Spec); *guard.RestartPolicy != corev1.ContainerRestartPolicyAlways {
				t.Error("the guard is no sidecar")
			}
		})
	}
}

func TestCaddyTakesTheChartsCaddyfile(t *testing.T) {
	for _, name := range values {
		t.Run(name, func(t *testing.T) {
			text := find[*corev1.ConfigMap](t, name).Data["Caddyfile"]
			file := filepath.Join(t.TempDir(), "Caddyfile")
			if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
			command := exec.Command("go", "run", ".", "validate", "--config", file)
			command.Dir = "../.."
			if out, err := command.CombinedOutput(); err != nil {
				t.Errorf("%v\n%s\n%s", err, bytes.TrimSpace(out), text)
			}
		})
	}
}

func TestValuesThatCannotBeMeantAreRefused(t *testing.T) {
	for _, tt := range []struct{ values, want string }{
		{"replica: 3", "replica"},
		{"guard: {image: ''}", "image"},
		{"guard: {gracePeriod: soon}", "gracePeriod"},
		{"agent: {port: 70000}", "port"},
		{"service: {type: Cluster}", "type"},
	} {
		given := make(map[string]any)
		if err := yaml.Unmarshal([]byte(tt.values), &given); err != nil {
			t.Fatal(err)
		}
		if _, err := template(given); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: %v", tt.values, err)
		}
	}
}

// find is the first object of a kind that the chart makes of values.
func find[T runtime.Object](t *testing.T, name string) (found T) {
	t.Helper()
	manifest, err := template(valuesOf(t, name))
	if err != nil {
		t.Fatal(err)
	}
	for _, object := range decode(t, native(manifest)) {
		if of, ok := object.(T); ok {
			return of
		}
	}
	t.Fatalf("no %T", found)
	return found
}
