package history_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/planlock/planlock/exec/history"
	"github.com/planlock/planlock/gate"
)

// TestExplained: each reason has what was found beneath it, and nothing twice.
func TestExplained(t *testing.T) {
	long := strings.Repeat("a line\n", 500) + "FAIL"
	found := func(expected, happened string) gate.Finding {
		return gate.Finding{Message: "the test failed", Expected: expected, Happened: happened}
	}
	tests := []struct {
		name string
		of   history.Attempt
		want []string
	}{
		{"did not fail", history.Attempt{Said: &history.AttemptEnded{Output: "fine"}}, []string{}},
		{"a command of a gate", history.Attempt{Failure: &history.AttemptFailed{
			Reasons:  []string{"gate x could not decide: late", "y: the test failed", "y: the test failed"},
			Findings: []gate.Finding{found("status 0", "status 1: got 2\nwant 3"), found("", "the test failed")}}},
			[]string{"gate x could not decide: late", "y: the test failed", "  expected: status 0",
				"  happened: status 1: got 2", "  | want 3", "y: the test failed"}},
		{"the executor", history.Attempt{Said: &history.AttemptEnded{Error: "exit status 1", Output: "one\ntwo\n"},
			Failure: &history.AttemptFailed{Reasons: []string{"shell: exit status 1"}}},
			[]string{"shell: exit status 1", "  | one", "  | two"}},
		{"the executor said all", history.Attempt{Said: &history.AttemptEnded{Error: "exit status 1", Output: "one\n"},
			Failure: &history.AttemptFailed{Reasons: []string{"shell: exit status 1: one"}}},
			[]string{"shell: exit status 1: one"}},
		{"a test that was written first", history.Attempt{Said: &history.AttemptEnded{Output: "written"},
			Cycles:  []history.Cycle{{Holds: true, Output: "red"}, {Output: "got 2"}},
			Failure: &history.AttemptFailed{Reasons: []string{"it fails"}}},
			[]string{"it fails", "  | got 2"}},
		{"much", history.Attempt{Said: &history.AttemptEnded{Error: "exit status 1", Output: long},
			Failure: &history.AttemptFailed{Reasons: []string{"exit status 1"}}},
			append(append([]string{"exit status 1", "  | …"}, strings.Split(strings.Repeat("  | a line\n", 29), "\n")[:29]...),
				"  | FAIL")},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got := []string{}
			for _, r := range tt.of.Explained() {
				got = append(got, r.Lines()...)
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// TestExplainedIsBounded however much was found.
func TestExplainedIsBounded(t *testing.T) {
	f := &history.AttemptFailed{}
	for range 200 {
		f.Reasons = append(f.Reasons, "no")
		f.Findings = append(f.Findings, gate.Finding{Message: "no", Happened: strings.Repeat("é", 4000)})
	}
	n := 0
	for _, r := range f.Explained() {
		n += len(strings.Join(r.Lines(), "\n"))
	}
	if n < 10_000 || n > 20_000 {
		t.Errorf("%d bytes", n)
	}
}
