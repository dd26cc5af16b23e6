// Copyright 2026 The caddy-a2a-guard Authors
// SPDX-License-Identifier: Apache-2.0

package grafana

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"

	"github.com/a2aguard/caddy-a2a-guard/policy"
)

const rulesFolder = "../../examples/prometheus"

// tool finds a program of another project. On a user's machine its lack skips
// the test; in CI it fails it.
func tool(t *testing.T, name, source string) string {
	t.Helper()
	path, err := exec.LookPath(name)
	if err != nil {
		if os.Getenv("CI") == "true" {
			t.Fatalf("%s is missing: .ci/run installs it", name)
		}
		t.Skipf("needs %s (%s)", name, source)
	}
	return path
}

func TestRulesDoWhatTheirTestsSay(t *testing.T) {
	promtool := tool(t, "promtool", "it comes with Prometheus")
	for _, tests := range []string{"rules.test.yml", "rules.days.test.yml"} {
		t.Run(tests, func(t *testing.T) {
			t.Parallel()
			command := exec.Command(promtool, "test", "rules", tests)
			command.Dir = rulesFolder
			if out, err := command.CombinedOutput(); err != nil {
				t.Errorf("%v\n%s", err, out)
			}
		})
	}
}

// rule is an entry of a file of rules.
type rule struct {
	Alert, Record, Expr string
	Labels, Annotations map[string]string
}

// rules reads all entries of a file of rules.
func rules(t *testing.T, file string) []rule {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(rulesFolder, file))
	if err != nil {
		t.Fatal(err)
	}
	var content struct {
		Groups []struct{ Rules []rule }
	}
	if err := yaml.Unmarshal(text, &content); err != nil {
		t.Fatal(err)
	}
	var all []rule
	for _, group := range content.Groups {
		all = append(all, group.Rules...)
	}
	if len(all) == 0 {
		t.Fatalf("%s has no rules", file)
	}
	return all
}

func TestEveryAlertSaysWhatToDoAndIsSeenToFire(t *testing.T) {
	tests := ""
	for _, name := range []string{"rules.test.yml", "rules.days.test.yml"} {
		text, err := os.ReadFile(filepath.Join(rulesFolder, name))
		if err != nil {
			t.Fatal(err)
		}
		tests += string(text)
	}
	for _, alert := range rules(t, "alerts.rules.yml") {
		for _, annotation := range []string{"summary", "description", "runbook"} {
			if alert.Annotations[annotation] == "" {
				t.Errorf("%s has no %s", alert.Alert, annotation)
			}
		}
		if severity := alert.Labels["severity"]; severity != "page" && severity != "ticket" {
			t.Errorf("%s has the severity %q", alert.Alert, severity)
		}
		if !strings.Contains(tests, `alertname="`+alert.Alert+`",alertstate="firing"`) {
			t.Errorf("no test of the rules expects %s to fire", alert.Alert)
		}
	}
}

func TestAlertsNameRulesThatExist(t *testing.T) {
	known := make(map[string]bool)
	for _, rule := range policy.Rules() {
		known[rule.String()] = true
	}
	named := 0
	for _, alert := range rules(t, "alerts.rules.yml") {
		for _, match := range regexp.MustCompile(`rule(?:="| )([a-z]+(?:-[a-z]+)+)`).FindAllStringSubmatch(alert.Expr+alert.Annotations["runbook"], -1) {
			named++
			if !known[match[1]] {
				t.Errorf("%s: the guard has no rule %s", alert.Alert, match[1])
			}
		}
	}
	if named == 0 {
		t.Error("no alert names a rule")
	}
}
