// Copyright 2026 The caddy-a2a-guard Authors
// SPDX-License-Identifier: Apache-2.0

package test

import (
	"bytes"
	"encoding/json"
	"flag"
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/caddyserver/caddy/v2"

	"github.com/a2aguard/caddy-a2a-guard/caddymodule"
)

// update writes what Caddyfiles adapt to into testdata/adapt, to be read before
// it is committed.
var update = flag.Bool("update", false, "rewrite testdata/adapt")

// dashes divide a Caddyfile from what it adapts to: JSON, or an error.
const dashes = "----------\n"

func TestCaddyfilesAdapt(t *testing.T) {
	files, err := filepath.Glob("testdata/adapt/*.caddyfiletest")
	if err != nil || len(files) == 0 {
		t.Fatalf("%d files, %v", len(files), err)
	}
	for _, file := range files {
		name := strings.TrimSuffix(filepath.Base(file), ".caddyfiletest")
		t.Run(name, func(t *testing.T) {
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			caddyfile, want, found := strings.Cut(string(text), dashes)
			if !found {
				t.Fatalf("%s lacks the line of dashes", file)
			}
			got := adapted(t, caddyfile)
			if *update {
				if err := os.WriteFile(file, []byte(caddyfile+dashes+got), 0o600); err != nil {
					t.Fatal(err)
				}
				return
			}
			if got != want {
				t.Errorf("adapts to\n%s\nnot\n%s", got, want)
			}
			if isError := strings.HasPrefix(name, "error_"); isError == strings.HasPrefix(got, "{") {
				t.Errorf("adapts to %s", got)
			}
		})
	}
}

// adapted is what a Caddyfile adapts to, be it an error.
func adapted(t *testing.T, caddyfile string) string {
	t.Helper()
	config, err := adapt(caddyfile)
	if err != nil {
		return err.Error() + "\n"
	}
	var indented bytes.Buffer
	if err := json.Indent(&indented, config, "", "\t"); err != nil {
		t.Fatal(err)
	}
	var whole caddy.Config
	if err := caddy.StrictUnmarshalJSON(config, &whole); err != nil {
		t.Fatal(err)
	}
	if err := caddy.Validate(&whole); err != nil {
		t.Errorf("the configuration is not valid: %v", err)
	}
	for _, handler := range guards(t, config) {
		roundTrip(t, handler)
	}
	return indented.String() + "\n"
}

// guards finds the guards in a configuration.
func guards(t *testing.T, config []byte) (found []map[string]any) {
	t.Helper()
	var root any
	if err := json.Unmarshal(config, &root); err != nil {
		t.Fatal(err)
	}
	var look func(any)
	look = func(v any) {
		switch v := v.(type) {
		case []any:
			for _, e := range v {
				look(e)
			}
		case map[string]any:
			if v["handler"] == "a2a_guard" {
				found = append(found, v)
			}
			for _, key := range slices.Sorted(maps.Keys(v)) {
				look(v[key])
			}
		}
	}
	look(root)
	return found
}

// roundTrip reads a guard's JSON, writes it again and wants the same.
func roundTrip(t *testing.T, handler map[string]any) {
	t.Helper()
	delete(handler, "handler")
	in, err := json.Marshal(handler)
	if err != nil {
		t.Fatal(err)
	}
	var h caddymodule.Handler
	if err := caddy.StrictUnmarshalJSON(in, &h); err != nil {
		t.Fatal(err)
	}
	out, err := json.Marshal(&h)
	if err != nil {
		t.Fatal(err)
	}
	var again map[string]any
	if err := json.Unmarshal(out, &again); err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(handler, again) {
		t.Errorf("%s comes back as %s", in, out)
	}
}

func TestTheGuardStandsBeforeTheProxyByItself(t *testing.T) {
	config, err := adapt(":8080 {\nreverse_proxy 127.0.0.1:9999\na2a_guard\nrespond /health ok\nencode gzip\ntracing\n}")
	if err != nil {
		t.Fatal(err)
	}
	var root struct {
		Apps struct {
			HTTP struct {
				Servers map[string]struct {
					Routes []struct {
						Handle []struct{ Handler string }
					}
				}
			}
		}
	}
	if err := json.Unmarshal(config, &root); err != nil {
		t.Fatal(err)
	}
	var order []string
	for _, route := range root.Apps.HTTP.Servers["srv0"].Routes {
		for _, h := range route.Handle {
			order = append(order, h.Handler)
		}
	}
	want := []string{"tracing", "encode", "static_response", "a2a_guard", "reverse_proxy"}
	if !slices.Equal(order, want) {
		t.Errorf("the handlers stand in the order %q, not %q", order, want)
	}
}

// jsonFields are the names of a struct's JSON members, those of its structs
// included as name.member.
func jsonFields(of reflect.Type) (names []string) {
	for field := range of.Fields() {
		name, _, _ := strings.Cut(field.Tag.Get("json"), ",")
		if name == "" {
			continue
		}
		if inner := field.Type; inner.Kind() == reflect.Pointer && inner.Elem().Kind() == reflect.Struct {
			for _, member := range jsonFields(inner.Elem()) {
				names = append(names, name+"."+member)
			}
			continue
		}
		names = append(names, name)
	}
	return names
}

func TestEveryJSONFieldHasAnOptionAndEveryOptionAField(t *testing.T) {
	var set []string
	for _, option := range documentedOptions(t) {
		block := option
		if outer, inner, nested := strings.Cut(option, " { "); nested {
			block = outer + " {\n" + strings.TrimSuffix(inner, " }") + "\n}"
		}
		config, err := adapt(":8080 {\n" + guarded(example(block)) + "\n}")
		if err != nil {
			t.Errorf("%s: %v", option, err)
			continue
		}
		handler := guards(t, config)[0]
		delete(handler, "handler")
		if len(handler) != 1 {
			t.Errorf("%s sets %v", option, handler)
		}
		for name, value := range handler {
			if members, ok := value.(map[string]any); ok && name != "rules" {
				for member := range members {
					set = append(set, name+"."+member)
				}
				continue
			}
			set = append(set, name)
		}
	}
	slices.Sort(set)
	fields := slices.Sorted(slices.Values(jsonFields(reflect.TypeFor[caddymodule.Handler]())))
	if !slices.Equal(set, fields) {
		t.Errorf("the options set\n%q, the fields are\n%q", set, fields)
	}
}

// example fills in the placeholders of an option's syntax.
func example(option string) string {
	option = strings.NewReplacer("<host|cidr>...", "hooks.internal", "<label>", "desk", "<id>", "late-artifact", "<path>", "/a2a",
		"<duration>", "7s", "<size>", "7MiB", "<placeholder>", "{http.auth.user.id}", "<url>", "https://agents.example.com",
		"<count>", "7", "<version>...", "1.0").Replace(option)
	option, _, _ = strings.Cut(option, "|")
	return option
}

// handlerSource parses the file that holds the options' documentation.
func handlerSource(t *testing.T, file string) *ast.File {
	t.Helper()
	parsed, err := parser.ParseFile(token.NewFileSet(), "../caddymodule/"+file, nil, parser.ParseComments)
	if err != nil {
		t.Fatal(err)
	}
	return parsed
}

// documentedOptions are the lines of the syntax in UnmarshalCaddyfile's
// documentation; an option in a block is "block { option }".
func documentedOptions(t *testing.T) (options []string) {
	t.Helper()
	var doc string
	for _, declaration := range handlerSource(t, "caddyfile.go").Decls {
		if f, ok := declaration.(*ast.FuncDecl); ok && f.Name.Name == "UnmarshalCaddyfile" {
			doc = f.Doc.Text()
		}
	}
	_, syntax, _ := strings.Cut(doc, "a2a_guard [<matcher>] {\n")
	block := ""
	for line := range strings.Lines(syntax) {
		line = strings.Join(strings.Fields(line), " ")
		outer, opens := strings.CutSuffix(line, " {")
		switch {
		case opens:
			block = outer
		case line == "}" && block == "":
			return options
		case line == "}":
			block = ""
		case block != "":
			options = append(options, block+" { "+line+" }")
		default:
			options = append(options, line)
		}
	}
	t.Fatalf("the syntax has no end: %q", syntax)
	return nil
}

func TestEveryJSONFieldIsDocumented(t *testing.T) {
	fields := 0
	ast.Inspect(handlerSource(t, "handler.go"), func(n ast.Node) bool {
		structure, ok := n.(*ast.StructType)
		if !ok {
			return true
		}
		for _, field := range structure.Fields.List {
			if field.Tag == nil || !strings.Contains(field.Tag.Value, "json:") {
				continue
			}
			fields++
			if doc := strings.TrimSpace(field.Doc.Text()); len(doc) < 20 || !strings.HasSuffix(doc, ".") {
				t.Errorf("%s is documented as %q", field.Names[0], doc)
			}
		}
		return true
	})
	if want := len(jsonFields(reflect.TypeFor[caddymodule.Handler]())) + 2; fields != want { // card and tasks themselves are two more
		t.Errorf("%d fields are looked at, not %d", fields, want)
	}
}
