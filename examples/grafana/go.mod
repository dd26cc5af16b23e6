module github.com/a2aguard/caddy-a2a-guard/examples/grafana

go 1.26.0

require github.com/grafana/grafana-foundation-sdk/go v0.0.22
