// Copyright 2026 The caddy-a2a-guard Authors
// SPDX-License-Identifier: Apache-2.0

// Package house_test holds the source tree to its own rules: which package may
// import which, what the pure core may touch, and what every file looks like.
// It reads sources and the go command's package graph, and links none of them.
package house_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"go/ast"
	"go/parser"
	"go/token"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"strings"
	"sync"
	"testing"
)

const (
	// module is the path that all packages of the house begin with.
	module = "github.com/a2aguard/caddy-a2a-guard"
	// root is the module's folder, seen from this package's.
	root = "../.."
)

// sourceFile is a file of the tree.
type sourceFile struct {
	// path is relative to the module's root, with slashes.
	path string
	text []byte
	// syntax is the parsed file with its comments; nil unless it is Go.
	syntax *ast.File
}

func (f sourceFile) isGo() bool   { return f.syntax != nil }
func (f sourceFile) isTest() bool { return strings.HasSuffix(f.path, "_test.go") }

// positions locates syntax in every parsed file.
var positions = token.NewFileSet()

// readTree reads every text file of the tree once.
var readTree = sync.OnceValues(func() ([]sourceFile, error) {
	var files []sourceFile
	err := filepath.WalkDir(root, func(name string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case entry.IsDir() && isForeign(entry.Name()):
			return fs.SkipDir
		case !entry.Type().IsRegular():
			return nil
		}
		text, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		if bytes.IndexByte(text, 0) >= 0 { // a binary, such as a built program
			return nil
		}
		rel, err := filepath.Rel(root, name)
		if err != nil {
			return err
		}
		file := sourceFile{path: filepath.ToSlash(rel), text: text}
		if path.Ext(file.path) == ".go" {
			file.syntax, err = parser.ParseFile(positions, file.path, text, parser.ParseComments)
		}
		files = append(files, file)
		return err
	})
	return files, err
})

// isForeign tells the folders that git or a package manager fills.
func isForeign(folder string) bool { return folder == ".git" || folder == "node_modules" }

func tree(t *testing.T) []sourceFile {
	t.Helper()
	files, err := readTree()
	if err != nil {
		t.Fatalf("read the source tree: %v", err)
	}
	return files
}

// goPackage is what the go command says of a package.
type goPackage struct {
	ImportPath string
	Standard   bool
	// Imports are direct, Deps all that is linked. TestImports and
	// XTestImports are what the package's test files import.
	Imports, TestImports, XTestImports, Deps []string
}

// listPackages asks the go command for the house's packages, their test
// binaries (import paths that end in ".test") and all that these link.
var listPackages = sync.OnceValues(func() (map[string]goPackage, error) {
	fields := "-json=ImportPath,Standard,Imports,TestImports,XTestImports,Deps"
	// A package that does not build (-e) is the compiler's business.
	list := exec.Command("go", "list", "-e", "-deps", "-test", fields, "./...")
	list.Dir = root
	out, err := list.Output()
	if exit, ok := errors.AsType[*exec.ExitError](err); ok {
		return nil, errors.New(string(exit.Stderr))
	} else if err != nil {
		return nil, err
	}
	packages := make(map[string]goPackage)
	for decoder := json.NewDecoder(bytes.NewReader(out)); ; {
		var pkg goPackage
		if err := decoder.Decode(&pkg); err == io.EOF {
			return packages, nil
		} else if err != nil {
			return nil, err
		}
		packages[pkg.ImportPath] = pkg
	}
})

// house returns the packages of this module by their folder ("guard/sse", "."
// for main), without test binaries.
func house(t *testing.T) map[string]goPackage {
	t.Helper()
	packages := graph(t)
	own := make(map[string]goPackage)
	for importPath, pkg := range packages {
		folder, ok := folderOf(importPath)
		// A space stands in the names of packages rebuilt for a test binary.
		if ok && !strings.Contains(importPath, " ") && !strings.HasSuffix(importPath, ".test") {
			own[folder] = pkg
		}
	}
	return own
}

// graph returns every package that the house and its tests link, by import path.
func graph(t *testing.T) map[string]goPackage {
	t.Helper()
	packages, err := listPackages()
	if err != nil {
		t.Fatalf("go list: %v", err)
	}
	return packages
}

// folderOf turns an import path of the house into its folder.
func folderOf(importPath string) (folder string, own bool) {
	if importPath == module {
		return ".", true
	}
	return strings.CutPrefix(importPath, module+"/")
}
