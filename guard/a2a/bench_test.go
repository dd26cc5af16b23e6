package a2a

import "testing"

var statusFrame = []byte(`{"jsonrpc":"2.0","id":"q1","result":{"statusUpdate":{"taskId":"0199a5d2-8f5b-7c11-9d4e-6f3c2b1a0e9d","contextId":"0199a5d2-8f5b-7c11-9d4e-6f3c2b1a0e9e","status":{"state":"TASK_STATE_WORKING","timestamp":"2026-11-02T10:00:00.123Z"}}}}`)

func BenchmarkResponseReader(b *testing.B) {
	var rr ResponseReader
	var r Response
	b.SetBytes(int64(len(statusFrame)))
	b.ReportAllocs()
	for b.Loop() {
		if err := rr.Read(statusFrame, &r); err != nil {
			b.Fatal(err)
		}
	}
	b.Logf("%+v", r.Event)
}
