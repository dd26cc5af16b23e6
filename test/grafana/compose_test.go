// Copyright 2026 The caddy-a2a-guard Authors
// SPDX-License-Identifier: Apache-2.0

package grafana

import (
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"
)

// compose is what is read of the compose file.
type compose struct {
	Services map[string]struct {
		Image   string
		Build   struct{ Context, Dockerfile, Target string }
		Volumes []string
	}
}

// readYAML reads a file of the compose folder.
func readYAML(t *testing.T, path string, into any) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(composeFolder, path))
	if err != nil {
		t.Fatal(err)
	}
	if err := yaml.Unmarshal(text, into); err != nil {
		t.Fatalf("%s: %v", path, err)
	}
}

func TestTheComposeFilesPartsFitTogether(t *testing.T) {
	var file compose
	readYAML(t, "compose.yaml", &file)
	mounted := make(map[string]bool)
	for name, service := range file.Services {
		if service.Image != "" && !regexp.MustCompile(`:v?\d+\.\d+\.\d+$`).MatchString(service.Image) {
			t.Errorf("%s: the image %s is not pinned", name, service.Image)
		}
		if service.Build.Dockerfile != "" {
			text, err := os.ReadFile(filepath.Join(composeFolder, service.Build.Context, service.Build.Dockerfile))
			if err != nil {
				t.Errorf("%s: %v", name, err)
			} else if !strings.Contains(string(text), " AS "+service.Build.Target+"\n") {
				t.Errorf("%s: the Dockerfile has no target %s", name, service.Build.Target)
			}
		}
		for _, volume := range service.Volumes {
			host, inside, _ := strings.Cut(volume, ":")
			inside = strings.TrimSuffix(inside, ":ro")
			if _, err := os.Stat(filepath.Join(composeFolder, host)); err != nil {
				t.Errorf("%s mounts what is not there: %v", name, err)
			}
			mounted[inside] = true
		}
	}

	var prometheus struct {
		RuleFiles     []string `yaml:"rule_files"`
		ScrapeConfigs []struct {
			StaticConfigs []struct{ Targets []string } `yaml:"static_configs"`
		} `yaml:"scrape_configs"`
	}
	readYAML(t, "prometheus.yml", &prometheus)
	for _, path := range prometheus.RuleFiles {
		if !mounted["/etc/prometheus/"+filepath.Dir(path)] {
			t.Errorf("Prometheus has no folder for %s", path)
		}
	}

	var sources struct {
		Datasources []struct {
			UID, URL string
			JSONData struct {
				ExemplarTraceIDDestinations []struct {
					DatasourceUID string `yaml:"datasourceUid"`
				} `yaml:"exemplarTraceIdDestinations"`
			} `yaml:"jsonData"`
		}
	}
	readYAML(t, "grafana/provisioning/datasources/datasources.yaml", &sources)
	var addresses, uids []string
	for _, source := range sources.Datasources {
		address, err := url.Parse(source.URL)
		if err != nil {
			t.Error(err)
			continue
		}
		addresses, uids = append(addresses, address.Host), append(uids, source.UID)
	}
	for _, source := range sources.Datasources {
		for _, destination := range source.JSONData.ExemplarTraceIDDestinations {
			if !slices.Contains(uids, destination.DatasourceUID) {
				t.Errorf("exemplars lead to %s, which is not there", destination.DatasourceUID)
			}
		}
	}

	var collector struct {
		Exporters map[string]struct{ Endpoint string }
	}
	readYAML(t, "collector.yaml", &collector)
	for _, exporter := range collector.Exporters {
		addresses = append(addresses, exporter.Endpoint)
	}
	addresses = append(addresses, prometheus.ScrapeConfigs[0].StaticConfigs[0].Targets...)
	for _, address := range addresses {
		if host, _, _ := strings.Cut(address, ":"); file.Services[host].Image == "" && file.Services[host].Build.Target == "" {
			t.Errorf("%s is no service of the compose file", address)
		}
	}

	var providers struct {
		Providers []struct{ Options struct{ Path string } }
	}
	readYAML(t, "grafana/provisioning/dashboards/dashboards.yaml", &providers)
	for _, provider := range providers.Providers {
		if !mounted[provider.Options.Path+"/dashboard.json"] {
			t.Errorf("Grafana finds no dashboard in %s", provider.Options.Path)
		}
	}
}

func TestPrometheusTakesItsConfiguration(t *testing.T) {
	promtool := tool(t, "promtool", "it comes with Prometheus")
	path := scrapeConfig(t, t.TempDir(), "127.0.0.1:2020")
	if out, err := exec.Command(promtool, "check", "config", path).CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}

func TestDockerComposeTakesTheFile(t *testing.T) {
	command := exec.Command("docker", "compose", "config", "--quiet")
	if exec.Command("docker", "compose", "version").Run() != nil {
		command = exec.Command(tool(t, "docker-compose", "https://docs.docker.com/compose"), "config", "--quiet")
	}
	command.Dir = composeFolder
	if out, err := command.CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}
