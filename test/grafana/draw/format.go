// Copyright 2026 The caddy-a2a-guard Authors
// SPDX-License-Identifier: Apache-2.0

package draw

import (
	"fmt"
	"math"
	"regexp"
	"strings"
)

// format writes a value in a Grafana unit.
func format(value float64, unit string, decimals *int) string {
	digits := func(v float64) string {
		if decimals != nil {
			return fmt.Sprintf("%.*f", *decimals, v)
		}
		if v == math.Trunc(v) {
			return fmt.Sprintf("%.0f", v)
		}
		return strings.TrimSuffix(fmt.Sprintf("%.3g", v), ".0")
	}
	scaled := func(base float64, units ...string) string {
		i, v := 0, value
		for ; i < len(units)-1 && math.Abs(v) >= base; i++ {
			v /= base
		}
		return digits(v) + units[i]
	}
	switch unit {
	case "percentunit":
		value *= 100
		return digits(value) + "%"
	case "s":
		switch v := math.Abs(value); {
		case v >= 60 || v == 0:
			return scaled(60, " s", " min", " h")
		case v >= 1:
			return digits(value) + " s"
		case v >= 1e-3:
			return digits(value*1e3) + " ms"
		default:
			return digits(value*1e6) + " µs"
		}
	case "decbytes":
		return scaled(1000, " B", " kB", " MB", " GB")
	case "opm":
		return scaled(1000, "", " K", " M") + "/min"
	default:
		return digits(value)
	}
}

// palette are the colours of series that have none of their own, after Grafana's
// classic palette.
var palette = []string{
	"#7EB26D", "#EAB839", "#6ED0E0", "#EF843C", "#E24D42", "#1F78C1", "#BA43A9", "#705DA0",
	"#508642", "#CCA300", "#447EBC", "#C15C17", "#890F02", "#0A437C", "#6D1F62", "#584477", "#B7DBAB", "#F4D598",
}

var named = map[string]string{
	"green": "#73BF69", "light-green": "#B5E3AF", "yellow": "#F2CC0C", "orange": "#FF9830", "dark-orange": "#FA6400",
	"light-orange": "#FFCB7D", "red": "#F2495C", "dark-red": "#C4162A", "blue": "#5794F2", "light-blue": "#8AB8FF", "purple": "#B877D9",
}

// color turns a name of Grafana's into a colour of CSS.
func color(name string) string {
	if hex, ok := named[name]; ok {
		return hex
	}
	return name
}

// judge finds the colour of a value.
func judge(value float64, steps []Step) string {
	found := ""
	for _, step := range steps {
		if step.Value == nil || value >= *step.Value {
			found = step.Color
		}
	}
	return color(found)
}

var place = regexp.MustCompile(`\{\{\s*(\w+)\s*\}\}`)

// legend fills a series' labels into a legend's template.
func legend(template string, labels map[string]string) string {
	return strings.TrimSpace(place.ReplaceAllStringFunc(template, func(name string) string {
		return labels[place.FindStringSubmatch(name)[1]]
	}))
}
