// Copyright 2026 The caddy-a2a-guard Authors
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"github.com/grafana/grafana-foundation-sdk/go/cog"
	"github.com/grafana/grafana-foundation-sdk/go/common"
	"github.com/grafana/grafana-foundation-sdk/go/dashboard"
)

// source is the Prometheus that the reader has chosen.
var source = common.DataSourceRef{Type: new("prometheus"), Uid: new("${datasource}")}

// variables are the choices at the top of the dashboard. Namespace and pod are
// labels that service discovery in Kubernetes adds; elsewhere they are missing,
// which the value of All, ".*", matches too.
func variables() []cog.Builder[dashboard.VariableModel] {
	return []cog.Builder[dashboard.VariableModel]{
		dashboard.NewDatasourceVariableBuilder("datasource").Label("Prometheus").Type("prometheus"),
		choice("agent", "Agent", "a2a_guard_requests_total"),
		choice("namespace", "Namespace", `a2a_guard_requests_total{agent=~"$agent"}`),
		choice("pod", "Pod", `a2a_guard_requests_total{agent=~"$agent",namespace=~"$namespace"}`),
		choice("method", "Method", `a2a_guard_requests_total{agent=~"$agent"}`),
	}
}

// choice lets the reader take any number of the values that a label has in a
// metric.
func choice(name, label, metric string) cog.Builder[dashboard.VariableModel] {
	all := dashboard.StringOrArrayOfString{ArrayOfString: []string{"$__all"}}
	return dashboard.NewQueryVariableBuilder(name).
		Label(label).
		Datasource(source).
		Query(dashboard.StringOrMap{Map: map[string]any{
			"qryType": 1, // label values
			"query":   "label_values(" + metric + ", " + name + ")",
			"refId":   "PrometheusVariableQueryEditor-VariableQuery",
		}}).
		Definition("label_values(" + metric + ", " + name + ")").
		Refresh(dashboard.VariableRefreshOnTimeRangeChanged).
		Sort(dashboard.VariableSortAlphabeticalAsc).
		Multi(true).
		IncludeAll(true).
		AllValue(".*").
		Current(dashboard.VariableOption{Selected: new(true), Text: dashboard.StringOrArrayOfString{ArrayOfString: []string{"All"}}, Value: all})
}

// reloads marks when Caddy has taken a new configuration: the value of the
// metric is the time.
func reloads() cog.Builder[dashboard.AnnotationQuery] {
	return mark("Reloads", "blue", `caddy_config_last_reload_success_timestamp_seconds{namespace=~"$namespace",pod=~"$pod"} * 1000`,
		"new configuration")
}

// restarts marks when a guard has started.
func restarts() cog.Builder[dashboard.AnnotationQuery] {
	return mark("Starts", "purple", `(process_start_time_seconds{namespace=~"$namespace",pod=~"$pod"}`+
		` and on (instance) a2a_guard_tasks_tracked) * 1000`, "guard started")
}

func mark(name, color, expr, text string) cog.Builder[dashboard.AnnotationQuery] {
	return dashboard.NewAnnotationQueryBuilder().
		Name(name).
		Datasource(source).
		Enable(true).
		IconColor(color).
		Expr(expr).
		UseValueForTime(true).
		TitleFormat(name).
		TextFormat(text + " on {{instance}} {{pod}}")
}
