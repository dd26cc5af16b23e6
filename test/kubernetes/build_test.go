// Copyright 2026 The caddy-a2a-guard Authors
// SPDX-License-Identifier: Apache-2.0

package kubernetes

import (
	"bytes"
	"errors"
	"io"
	"path/filepath"
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/serializer"
	"k8s.io/apimachinery/pkg/util/yaml"
	"k8s.io/client-go/kubernetes/scheme"
	"sigs.k8s.io/kustomize/api/krusty"
	"sigs.k8s.io/kustomize/kyaml/filesys"
)

// examples is the folder that is held to Kubernetes.
const examples = "../../examples/kubernetes"

// overlays are all that a user can deploy.
var overlays = []string{"base", "overlays/guarded", "overlays/observe", "overlays/strict", "overlays/second-container"}

// build makes an overlay's manifests as kubectl apply -k does.
func build(t *testing.T, overlay string) []byte {
	t.Helper()
	made, err := krusty.MakeKustomizer(krusty.MakeDefaultOptions()).Run(filesys.MakeFsOnDisk(), filepath.Join(examples, overlay))
	if err != nil {
		t.Fatal(err)
	}
	text, err := made.AsYaml()
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// decode reads manifests into Kubernetes' own types. A field that they do not have is
// an error.
func decode(t *testing.T, text []byte) []runtime.Object {
	t.Helper()
	strict := serializer.NewCodecFactory(scheme.Scheme, serializer.EnableStrict).UniversalDeserializer()
	var objects []runtime.Object
	for documents := yaml.NewDocumentDecoder(io.NopCloser(bytes.NewReader(text))); ; {
		room := make([]byte, 1<<20)
		n, err := documents.Read(room)
		if errors.Is(err, io.EOF) {
			return objects
		}
		if err != nil {
			t.Fatal(err)
		}
		object, _, err := strict.Decode(room[:n], nil, nil)
		if err != nil {
			t.Fatalf("%v in\n%s", err, room[:n])
		}
		objects = append(objects, object)
	}
}

// objectsOf are an overlay's objects of one kind.
func objectsOf[T runtime.Object](t *testing.T, overlay string) (found []T) {
	t.Helper()
	for _, object := range decode(t, build(t, overlay)) {
		if of, ok := object.(T); ok {
			found = append(found, of)
		}
	}
	return found
}

// podOf is what the overlay's Deployment makes.
func podOf(t *testing.T, overlay string) *corev1.PodTemplateSpec {
	t.Helper()
	deployments := objectsOf[*appsv1.Deployment](t, overlay)
	if len(deployments) != 1 {
		t.Fatalf("%d deployments", len(deployments))
	}
	return &deployments[0].Spec.Template
}
