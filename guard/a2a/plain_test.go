// Copyright 2026 The caddy-a2a-guard Authors
// SPDX-License-Identifier: Apache-2.0

package a2a

import "testing"

func TestPlainResponsesAreRead(t *testing.T) {
	const working = `{"state":"TASK_STATE_WORKING"}`
	tests := []struct {
		name    string
		dialect Dialect
		data    string
		want    string
	}{
		{"a Task", V10, `{"id":"t1","contextId":"c1","status":` + working + `,"artifacts":[{"artifactId":"a"}]}`,
			`task 0.3 task="t1" context="c1" status={"state":"TASK_STATE_WORKING"} state=working has="a" noversion result`},
		{"a wrapped Task", V10, `{"task":{"id":"t1","status":` + working + `}}`,
			`task 1.0 task="t1" status={"state":"TASK_STATE_WORKING"} state=working noversion result`},
		{"a status", V10, `{"statusUpdate":{"taskId":"t1","contextId":"c1","status":` + working + `}}`,
			`status 1.0 task="t1" context="c1" status={"state":"TASK_STATE_WORKING"} state=working noversion result`},
		{"a status of 0.3", V03, `{"statusUpdate":{"taskId":"t1","status":{"state":"TASK_STATE_CANCELLED"},"final":true}}`,
			`status 0.3 task="t1" status={"state":"TASK_STATE_CANCELLED"} final=true state=canceled noversion result`},
		{"a message of 0.3", V03, `{"message":{"messageId":"m1","taskId":"t1","role":"ROLE_AGENT","content":[{"text":"x"}]}}`,
			`message 0.3 task="t1" noversion result`},
		{"an artifact", V10, `{"artifactUpdate":{"taskId":"t1","artifact":{"artifactId":"a","parts":[{}]},"append":true,"lastChunk":true}}`,
			`artifact 1.0 task="t1" artifact="a" append=true noversion result last parts`},
		{"a kind", V03, `{"kind":"status-update","taskId":"t1","status":{"state":"working"},"final":false}`,
			`status 0.3 task="t1" status={"state":"working"} final=false state=working noversion result`},
		{"two payloads", V10, `{"task":{},"message":{}}`, `task 1.0 noversion result two`},
		{"a wrapper that names its kind", V10, `{"kind":"task","task":{}}`, `task 1.0 noversion result two`},
		{"a key twice", V10, `{"task":{"id":"a","id":"b"}}`, `task 1.0 task="b" noversion result duplicate`},
		{"an error", V10, `{"error":{"code":404,"status":"NOT_FOUND","message":"x"}}`,
			`error error={"code":404,"status":"NOT_FOUND","message":"x"} code=404 noversion`},
		{"an error of 0.3", V03, `{"code":-32001,"message":"x"}`, `error error={"code":-32001,"message":"x"} noversion`},
		{"an error that is a message alone", V03, `{"message":"x"}`, `error error={"message":"x"} noversion`},
		{"an envelope", V10, `{"jsonrpc":"2.0","id":1,"result":{"task":{"id":"t1"}}}`, `task 1.0 task="t1" bare result`},
		{"something else", V10, `{"id":5,"name":"x"}`, `unknown noversion result`},
		{"nothing", V10, `{}`, `unknown noversion result`},
	}
	var rr ResponseReader
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var r Response
			rr.For(REST, tt.dialect)
			if err := rr.Read([]byte(tt.data), &r); err != nil {
				t.Fatal(err)
			}
			if got := r.describe([]byte(tt.data)); got != tt.want || !r.Plain {
				t.Errorf("\n got %s\nwant %s", got, tt.want)
			}
		})
	}
}

func TestAPlainListIsRead(t *testing.T) {
	var rr ResponseReader
	var r Response
	rr.For(REST, V10)
	rr.Want(Wants{List: true})
	if err := rr.Read([]byte(`{"tasks":[{"id":"t1","status":{"state":"TASK_STATE_WORKING"}},{"id":"t2"}],"nextPageToken":""}`), &r); err != nil {
		t.Fatal(err)
	}
	if len(r.Tasks) != 2 || r.Tasks[0].TaskID.Text() != "t1" || r.Tasks[0].State != Working || !r.PageToken || !r.HasResult {
		t.Errorf("the list is read as %+v", r)
	}
	if err := rr.Read([]byte(`[{"id":"t1"}]`), &r); err == nil {
		t.Error("an array is read without an error")
	}
}

func TestAReaderOfAnotherBindingForgetsWhatItRead(t *testing.T) {
	const chunk = `{"artifactUpdate":{"taskId":"t1","artifact":{"artifactId":"a","parts":[{"text":"x"}]}}}`
	var rr ResponseReader
	var r Response
	for _, plain := range []bool{false, true, false} {
		rr.For(JSONRPC, V10)
		if plain {
			rr.For(REST, V10)
		}
		if err := rr.Read([]byte(chunk), &r); err != nil || r.Plain != plain || r.Bare == plain {
			t.Errorf("plain %v: %+v, %v", plain, r, err)
		}
	}
}

func FuzzPlainResponseReader(f *testing.F) {
	for _, seed := range []string{
		`{"task":{"id":"t1","status":{"state":"TASK_STATE_WORKING"},"artifacts":[{"artifactId":"a"}]}}`,
		`{"statusUpdate":{"taskId":"t1","final":true}}`, `{"error":{"code":1}}`, `{"message":"x"}`, `{"tasks":[{}]}`, `{"result":{},"task":{}}`,
	} {
		f.Add([]byte(seed))
	}
	var shared ResponseReader
	f.Fuzz(func(t *testing.T, data []byte) {
		for _, d := range []Dialect{V10, V03} {
			for _, list := range []bool{false, true} {
				var fresh ResponseReader
				var a, b Response
				shared.For(REST, d)
				fresh.For(REST, d)
				shared.Want(Wants{List: list})
				fresh.Want(Wants{List: list})
				errA, errB := shared.Read(data, &a), fresh.Read(data, &b)
				if (errA == nil) != (errB == nil) {
					t.Fatalf("a used reader says %v, a new one %v", errA, errB)
				}
				if errA == nil && a.describe(data) != b.describe(data) {
					t.Errorf("a used reader says %s, a new one %s", a.describe(data), b.describe(data))
				}
			}
		}
	})
}
