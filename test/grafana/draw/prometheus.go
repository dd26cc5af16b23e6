// Copyright 2026 The caddy-a2a-guard Authors
// SPDX-License-Identifier: Apache-2.0

package draw

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Prometheus is a server's address, without a slash at its end.
type Prometheus string

// Series is one series of an answer.
type Series struct {
	Labels map[string]string
	Points []Point
}

// Point is a value at a time.
type Point struct {
	At    float64 // seconds since 1970
	Value float64
}

// Now asks for a query's value at this time.
func (p Prometheus) Now(ctx context.Context, expr string) ([]Series, error) {
	return p.ask(ctx, "query", url.Values{"query": {expr}})
}

// Between asks for a query's values between two times.
func (p Prometheus) Between(ctx context.Context, expr string, from, to time.Time, step time.Duration) ([]Series, error) {
	return p.ask(ctx, "query_range", url.Values{
		"query": {expr}, "step": {fmt.Sprint(step.Seconds())},
		"start": {fmt.Sprint(from.Unix())}, "end": {fmt.Sprint(to.Unix())},
	})
}

func (p Prometheus) ask(ctx context.Context, endpoint string, query url.Values) ([]Series, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, string(p)+"/api/v1/"+endpoint+"?"+query.Encode(), nil)
	if err != nil {
		return nil, err
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return nil, err
	}
	defer response.Body.Close()
	var answer struct {
		Error string
		Data  struct {
			Result []struct {
				Metric map[string]string
				Value  json.RawMessage
				Values []json.RawMessage
			}
		}
	}
	if err := json.NewDecoder(response.Body).Decode(&answer); err != nil {
		return nil, fmt.Errorf("%s: %w", query.Get("query"), err)
	}
	if answer.Error != "" {
		return nil, fmt.Errorf("%s: %s", query.Get("query"), answer.Error)
	}
	var all []Series
	for _, result := range answer.Data.Result {
		if result.Value != nil {
			result.Values = append(result.Values, result.Value)
		}
		s := Series{Labels: result.Metric}
		for _, raw := range result.Values {
			point, err := readPoint(raw)
			if err != nil {
				return nil, err
			}
			if !math.IsNaN(point.Value) && !math.IsInf(point.Value, 0) {
				s.Points = append(s.Points, point)
			}
		}
		if len(s.Points) > 0 {
			all = append(all, s)
		}
	}
	slices.SortFunc(all, func(a, b Series) int { return strings.Compare(fmt.Sprint(a.Labels), fmt.Sprint(b.Labels)) })
	return all, nil
}

// readPoint reads [1700000000.1, "0.5"].
func readPoint(raw json.RawMessage) (p Point, err error) {
	var value string
	if err := json.Unmarshal(raw, &[]any{&p.At, &value}); err != nil {
		return p, fmt.Errorf("%s: %w", raw, err)
	}
	p.Value, err = strconv.ParseFloat(value, 64)
	return p, err
}
