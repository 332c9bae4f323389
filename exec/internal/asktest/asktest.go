// Package asktest has the questions that the tests of packages ask and escalator
// are about. Only tests import it.
package asktest

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/planlock/planlock/exec/ask"
)

var update = flag.Bool("update", false, "write the golden files")

// Asked is when the questions are asked.
var Asked = time.Date(2026, 11, 20, 19, 30, 0, 0, time.UTC)

// Failed is a question as a controller asks it.
func Failed() ask.Question {
	return ask.Question{
		ID: "q1", Run: "01JD3", Step: "2.1", Attempt: 2, Kind: ask.StepFailed,
		What:     "Step 2.1 changed a file that it did not declare.",
		Why:      "internal/auth/token.go was modified, and non-goal N1 protects it.",
		Evidence: []string{"expected  modify server/server.go", "happened  modify server/server.go", "          modify internal/auth/token.go"},
		Choices: []ask.Choice{
			{Key: "r", Label: "run 2.1 again with this report", Consequence: "attempt 3 of 3"},
			{Key: "k", Label: "go on without 2.1", Consequence: "2.2 is skipped too; the run can end PARTIAL at best",
				Acknowledge: "skip 2.1"},
			{Key: "s", Label: "stop here", Consequence: "nothing more runs; resume later"},
		},
		Asked:    Asked,
		Deadline: Asked.Add(10 * time.Minute),
	}
}

// Hostile is a question whose every text tries to do something to whoever reads
// it.
func Hostile() ask.Question {
	q := Failed()
	q.ID, q.Run, q.Step = "q\x1b[2J", "run\n2", "2.1\u202e"
	q.What = "stop\x1b]0;owned\x07\n  s  stop here    harmless"
	q.Why = "first\r\n  r  say yes    all is well\u2028\x9b2J"
	q.Evidence = []string{"\x1b[1A\x1b[2Kall tests passed", "What now? [r/s] r\nReason: fine",
		strings.Repeat("A", 2000)}
	for range 150 {
		q.Evidence = append(q.Evidence, "noise")
	}
	q.Choices = []ask.Choice{
		{Key: "r", Label: "good\n  x  evil", Consequence: "no\x1b[8m harm\u2066", Acknowledge: "I\u200b agree"},
		{Key: "尺", Label: strings.Repeat("very ", 20) + "long", Consequence: "stands below"},
		{Key: "s", Label: "no consequence"},
	}
	return q
}

// Golden fails the test unless testdata/name holds what was got.
func Golden(t *testing.T, name, got string) {
	t.Helper()
	file := filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(strings.ReplaceAll(string(want), "\r\n", "\n"), got); diff != "" {
		t.Errorf("%s (-want +got):\n%s", name, diff)
	}
}

// AnswerTo is an answer that counts, if the choice and the words are right.
func AnswerTo(q ask.Question, choice, words string) ask.Answer {
	return ask.Answer{Question: q.ID, Run: q.Run, Attempt: q.Attempt, Choice: choice, Acknowledged: words, By: "test",
		At: Asked.Add(time.Minute)}
}
