package gate_test

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/planlock/planlock/gate"
	"github.com/planlock/planlock/gate/panel"
	"github.com/planlock/planlock/internal/code"
)

// talk asks a gate that reports as it is told.
func talk(t *testing.T, judge func(pass *gate.Pass) error) gate.Judgement {
	t.Helper()
	g := gate.New(gate.Info{Name: "talker", Doc: "Talks.", Level: gate.BlocksStep, Phases: []gate.Phase{gate.After}},
		func(_ context.Context, pass *gate.Pass) error { return judge(pass) })
	return (&panel.Panel{Gates: []gate.Gate{g}}).Ask(t.Context(), &gate.Pass{}, gate.After)[0]
}

// size is how much a judgement adds to a journal.
func size(t *testing.T, j gate.Judgement) int {
	t.Helper()
	text, err := json.Marshal(j)
	if err != nil {
		t.Fatal(err)
	}
	return len(text)
}

// twice holds a judgement to being the same when it is read back and written
// again.
func twice(t *testing.T, j gate.Judgement) {
	t.Helper()
	first, err := json.Marshal(j)
	if err != nil {
		t.Fatal(err)
	}
	var again gate.Judgement
	if err := json.Unmarshal(first, &again); err != nil {
		t.Fatal(err)
	}
	if second, err := json.Marshal(again); err != nil || string(first) != string(second) {
		t.Errorf("%.200s became %.200s (%v)", first, second, err)
	}
}

func TestReportsAreBounded(t *testing.T) {
	const n = 100_000
	j := talk(t, func(pass *gate.Pass) error {
		for range n {
			pass.Reportf("a", "found")
			pass.Evidencef("seen")
			pass.Cite(gate.Citation{Path: "a"})
		}
		return nil
	})
	v := j.Verdict
	if len(v.Findings) != gate.MaxFindings+1 || len(v.Evidence) != gate.MaxFindings+2 ||
		len(v.Citations) != gate.MaxFindings || v.Result != gate.Fail {
		t.Fatalf("%s: %d findings, %d lines of evidence, %d citations", v.Result, len(v.Findings), len(v.Evidence),
			len(v.Citations))
	}
	if last := v.Findings[gate.MaxFindings]; last.Code != code.More || last.Message != "and 99800 more findings, which are left out" {
		t.Errorf("%+v", last)
	}
	if last := v.Evidence[gate.MaxFindings]; last != "and 99800 more lines of evidence, which are left out" {
		t.Error(last)
	}
}

func TestExactlyWhatFitsIsKept(t *testing.T) {
	j := talk(t, func(pass *gate.Pass) error {
		for range gate.MaxFindings {
			pass.Reportf("", "%s", strings.Repeat("x", gate.MaxText))
		}
		return nil
	})
	if len(j.Verdict.Findings) != gate.MaxFindings || len(j.Verdict.Findings[0].Message) != gate.MaxText {
		t.Errorf("%d findings", len(j.Verdict.Findings))
	}
}

// A finding that is left out still decides.
func TestWhatIsLeftOutCounts(t *testing.T) {
	j := talk(t, func(pass *gate.Pass) error {
		for range gate.MaxFindings {
			pass.Partialf("", "half")
		}
		pass.Reportf("", "no")
		return nil
	})
	if j.Verdict.Result != gate.Fail {
		t.Error(j.Verdict.Result)
	}
}

func TestTextsAreBounded(t *testing.T) {
	long := strings.Repeat("é", 10<<20)
	for name, judge := range map[string]func(*gate.Pass) error{
		"findings": func(pass *gate.Pass) error {
			for range 300 {
				pass.Report(gate.Finding{Code: long, Path: long, Message: long, Expected: long, Happened: long})
			}
			return nil
		},
		"evidence": func(pass *gate.Pass) error { pass.Evidencef("%s", long); return nil },
		"error":    func(*gate.Pass) error { return errors.New(long) },
		"panic":    func(*gate.Pass) error { panic(long) },
	} {
		t.Run(name, func(t *testing.T) {
			j := talk(t, judge)
			twice(t, j)
			if got := size(t, j); got > 2*gate.MaxReport {
				t.Errorf("%d bytes", got)
			}
			if j.Verdict == nil {
				return
			}
			for _, f := range j.Verdict.Findings {
				if len(f.Message) > gate.MaxText || !utf8.ValidString(f.Message) {
					t.Fatalf("%d bytes in a message", len(f.Message))
				}
			}
		})
	}
	twice(t, gate.Judgement{Gate: "talker", Err: &gate.TimeoutError{Name: "talker", Evidence: long}})
	j := talk(t, func(pass *gate.Pass) error { pass.Evidencef("%s", long); return nil })
	if text := j.Verdict.Evidence[0]; !strings.HasSuffix(text, " bytes more)") {
		t.Errorf("it does not say that it was cut: %q", text[len(text)-20:])
	}
}

// TestATimeoutNamesWhatIsKnownOfIt: no brackets stand around nothing.
func TestATimeoutNamesWhatIsKnownOfIt(t *testing.T) {
	for want, e := range map[string]gate.TimeoutError{
		`slow gave no answer within 1s`:                                     {Step: true},
		`gate: "slow" gave no answer within 1s`:                             {},
		`gate: "slow" gave no answer within 1s (dependency)`:                {Cause: gate.Dependency},
		`gate: "slow" gave no answer within 1s (dependency: git is silent)`: {Cause: gate.Dependency, Evidence: "git is silent"},
	} {
		e.Name, e.Limit = "slow", time.Second
		if got := e.Error(); got != want {
			t.Errorf("%s, want %s", got, want)
		}
	}
}
