// Copyright 2026 The caddy-a2a-guard Authors
// SPDX-License-Identifier: Apache-2.0

package orders

import (
	"net/http"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
)

// documented reads the table of faults from the package documentation.
func documented(t *testing.T) map[Fault][2]string {
	t.Helper()
	text, err := os.ReadFile("doc.go")
	if err != nil {
		t.Fatal(err)
	}
	table := make(map[Fault][2]string)
	for line := range strings.Lines(string(text)) {
		stream, unary, ok := strings.Cut(strings.TrimPrefix(line, "//\t"), "|")
		if name, sequence, named := strings.Cut(stream, " "); ok && named {
			table[Fault(name)] = [2]string{sequence, strings.TrimSpace(unary)}
		}
	}
	return table
}

func TestEveryFaultIsDocumentedDescribedAndImplementedOnce(t *testing.T) {
	table := documented(t)
	all := append(Faults(), None)
	if len(table) != len(all) {
		t.Errorf("the table has %d rows for %d faults", len(table), len(all))
	}
	for _, f := range all {
		if _, ok := table[f]; !ok {
			t.Errorf("%s is not in the table", f)
		}
		if parsed, err := ParseFault(string(f)); parsed != f || err != nil {
			t.Errorf("ParseFault(%q) = %q, %v", f, parsed, err)
		}
		if f != None && f.Description() == None.Description() {
			t.Errorf("%s has no description", f)
		}
		_, scripted := scripts[f]
		_, answered := answers[f]
		if scripted == answered {
			t.Errorf("%s: has a script: %t, has an answer: %t", f, scripted, answered)
		}
	}
	if _, err := ParseFault("no-such"); err == nil || !strings.Contains(err.Error(), "no-final") {
		t.Errorf("the error of an unknown fault does not list the known ones: %v", err)
	}
}

func TestEveryFaultStreamsWhatItsRowSays(t *testing.T) {
	for f, row := range documented(t) {
		t.Run(string(f), func(t *testing.T) {
			inBothVersions(t, func(t *testing.T, v version) {
				p := serve(t, Config{Stall: patience(f)})
				e := p.open(v.stream, messageParams("Where is BS-1042? fault="+string(f), ""))
				last := time.Now()
				for word := range strings.FieldsSeq(row[0]) {
					switch word {
					case "[", "]": // TestAnArtifactAtOnceAfterCompletedIsInTheSameWrite
						continue
					case "0.3s":
						last = time.Now()
						continue
					case "cancel", "open":
						if answer, _ := p.call(v.cancel, idParams(e.taskID)); answer != "T(CANCELED)" {
							t.Fatalf("the cancel answered %s", answer)
						}
						if word == "open" {
							e.expect("S(CANCELED) close")
						}
						continue
					}
					if v.name == "1.0" {
						word = strings.TrimSuffix(word, "!")
					}
					e.expect(word)
				}
				if f == LateArtifactDelayed && time.Since(last) < 200*time.Millisecond {
					t.Error("the late artifact was not late")
				}
			})
		})
	}
}

func TestEveryFaultAnswersTheUnaryCallAsItsRowSays(t *testing.T) {
	for f, row := range documented(t) {
		t.Run(string(f), func(t *testing.T) {
			inBothVersions(t, func(t *testing.T, v version) {
				config := Config{Fault: f, Stall: patience(f)}
				want := row[1]
				if want == "open" {
					config.Life = 100 * time.Millisecond // ends what would not end
					want = "T(WORKING)"
				}
				p := serve(t, config)
				var canceler sync.WaitGroup
				defer canceler.Wait()
				if f == CancelMidrun {
					canceler.Go(func() { cancelTheOnlyTask(p, v) })
				}
				begun := time.Now()
				answer, _ := p.call(v.send, messageParams("Where is BS-1042?", ""))
				if answer != want {
					t.Errorf("got %s, want %s", answer, want)
				}
				if took := time.Since(begun); took < config.Life {
					t.Errorf("answered after %s", took)
				}
			})
		})
	}
}

// patience is how long an agent with this fault stalls in these tests: for long
// if it waits for the test, else hardly.
func patience(f Fault) time.Duration {
	if f == CancelMidrun {
		return time.Minute
	}
	return 20 * time.Millisecond
}

// cancelTheOnlyTask cancels the task that the test cannot know yet.
func cancelTheOnlyTask(p *peer, v version) {
	var id string
	eventually(p.t, "a task", func() bool {
		p.agent.store.mu.Lock()
		defer p.agent.store.mu.Unlock()
		for id = range p.agent.store.jobs {
			return true
		}
		return false
	})
	p.call(v.cancel, idParams(id))
}

func TestAFaultLeavesTheTaskBehindLikeThis(t *testing.T) {
	tests := []struct {
		fault     Fault
		task      string
		artifacts []string
	}{
		{None, "T(COMPLETED)", []string{"report"}},
		{NoFinal, "T(WORKING)", []string{"report"}},
		{LateArtifact, "T(COMPLETED)", []string{"report", "receipt"}},
		{LateArtifactDelayed, "T(COMPLETED)", []string{"report", "receipt"}},
		{Raises, "T(FAILED)", nil},
		{UpdateBeforeTask, "T(COMPLETED)", []string{"report"}},
		{MessageInStream, "T(WORKING)", []string{"report"}},
		{MidFrame, "T(WORKING)", []string{"report"}},
		{TerminalOverwritten, "T(FAILED)", []string{"report"}},
	}
	for _, test := range tests {
		t.Run(string(test.fault), func(t *testing.T) {
			inBothVersions(t, func(t *testing.T, v version) {
				p := serve(t, Config{Fault: test.fault})
				e := p.open(v.stream, messageParams("BS-1042", ""))
				for word := ""; word != "close" && word != "abort"; {
					word = e.next()
				}
				answer, got := p.call(v.get, idParams(e.taskID))
				var ids []string
				for _, a := range got.payload().Artifacts {
					ids = append(ids, a.ArtifactID)
				}
				if answer != test.task || !slices.Equal(ids, test.artifacts) {
					t.Errorf("got %s with artifacts %q, want %s with %q", answer, ids, test.task, test.artifacts)
				}
			})
		})
	}
}

func TestACancelThatFailsLeavesTheTaskWorking(t *testing.T) {
	inBothVersions(t, func(t *testing.T, v version) {
		p := serve(t, Config{})
		_, got := p.call(v.send, messageParams("BS-1042 fault=cancel-fails", ""))
		if answer, _ := p.call(v.cancel, idParams(got.taskID())); answer != "E(-32603)" {
			t.Errorf("the cancel answered %s", answer)
		}
		if answer, _ := p.call(v.get, idParams(got.taskID())); answer != "T(WORKING)" {
			t.Errorf("the task is %s", answer)
		}
	})
}

func TestWithoutACancelTheUncancellableWorkCompletes(t *testing.T) {
	p := serve(t, Config{Fault: CancelMidrun, Stall: time.Millisecond})
	p.open("SendStreamingMessage", messageParams("BS-1042", "")).
		expect("T(SUBMITTED) S(WORKING) A1 A2 A3 S(COMPLETED) close")
}

func TestACancelBetweenTwoStepsIsMissedToo(t *testing.T) {
	inBothVersions(t, func(t *testing.T, v version) {
		p := serve(t, Config{Step: 50 * time.Millisecond, Stall: time.Minute})
		e := p.open(v.stream, messageParams("BS-1042 fault=cancel-midrun", ""))
		e.expect("T(SUBMITTED) S(WORKING) A1")
		if answer, _ := p.call(v.cancel, idParams(e.taskID)); answer != "T(CANCELED)" {
			t.Fatalf("the cancel answered %s", answer)
		}
		e.expect("S(CANCELED) A2 A3 close")
	})
}

// writeLog is a ResponseWriter that notes what is written at once.
type writeLog struct {
	http.ResponseWriter
	mu     *sync.Mutex
	writes *[]string
}

func (l writeLog) Write(b []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	*l.writes = append(*l.writes, string(b))
	return l.ResponseWriter.Write(b)
}

func (l writeLog) Unwrap() http.ResponseWriter { return l.ResponseWriter }

func TestAnArtifactAtOnceAfterCompletedIsInTheSameWrite(t *testing.T) {
	var mu sync.Mutex
	var writes []string
	p := serveThrough(t, Config{Fault: LateArtifact}, func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			next.ServeHTTP(writeLog{w, &mu, &writes}, r)
		})
	})
	p.open("SendStreamingMessage", messageParams("BS-1042", "")).
		expect("T(SUBMITTED) S(WORKING) A1 A2 A3 S(COMPLETED) R close")
	mu.Lock()
	defer mu.Unlock()
	last := writes[len(writes)-1]
	if len(writes) != 6 || !strings.Contains(last, "COMPLETED") || !strings.Contains(last, `"receipt"`) {
		t.Errorf("%d writes, the last one: %s", len(writes), last)
	}
}

func TestAMessageChoosesItsFaultOverTheDefault(t *testing.T) {
	p := serve(t, Config{Fault: HTML})
	for text, want := range map[string]string{
		"BS-1042":                    "200 text/html",
		"BS-1042 fault=none":         "T(COMPLETED)",
		"fault=raises BS-1042":       "E(-32603)",
		"BS-1042 fault=such":         "E(-32602)",
		"hello":                      "T(INPUT_REQUIRED)",
		"hello fault=error-500-text": "T(INPUT_REQUIRED)",
		"BS-9999":                    "T(INPUT_REQUIRED)",
	} {
		if answer, _ := p.call("SendMessage", messageParams(text, "")); answer != want {
			t.Errorf("%q got %s, want %s", text, answer, want)
		}
	}
}

func TestAnUnknownDefaultFaultPanics(t *testing.T) {
	defer func() {
		if recover() == nil {
			t.Error("New took it")
		}
	}()
	New(Config{Fault: "no-such"})
}
