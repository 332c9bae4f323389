package cmd

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"testing"

	"github.com/planlock/planlock/exec"
	"github.com/planlock/planlock/exec/ask"
)

// settles is an escalator of a host that settles whatever is asked.
type settles struct{ asked int }

func (s *settles) Ask(_ context.Context, q ask.Question) (ask.Answer, error) {
	s.asked++
	a := ask.Answer{Question: q.ID, Run: q.Run, Attempt: q.Attempt, Choice: q.Choices[0].Key, By: "the host"}
	a.Acknowledged = q.Choices[0].Acknowledge
	return a, nil
}

// TestHostOfTheCommand runs the command as a host's own program would: with an
// executor and an escalator that planlock does not have.
func TestHostOfTheCommand(t *testing.T) {
	plans := inFolder(t, map[string]string{"01-01-PLAN.md": "---\nphase: 01\nplan: 01\n---\n<tasks>\n" +
		"<task type=\"checkpoint:human-verify\" gate=\"blocking\">\n<what-built>It</what-built>\n<how-to-verify>Look.</how-to-verify>\n</task>\n" +
		"<task type=\"auto\">\n<name>Write it</name>\n<action>Write.</action>\n</task>\n</tasks>\n"})
	person := &settles{}
	writes := exec.Func(func(_ context.Context, w exec.Work) (exec.Outcome, error) {
		return exec.Outcome{}, os.WriteFile(filepath.Join(w.Dir, "written"), []byte("x"), 0o644)
	})
	var out, errs bytes.Buffer
	work := inFolder(t, nil)
	status := run(With{Escalator: person, Executors: exec.Executors{"writer": writes}},
		[]string{"run", "--dir", work, "--executor", "writer", plans}, bytes.NewReader(nil), &out, &errs)
	if status != 0 || person.asked != 1 {
		t.Errorf("ended with %d after %d questions, want 0 after 1\n%s%s", status, person.asked, &out, &errs)
	}
	if _, err := os.Stat(filepath.Join(work, "written")); err != nil {
		t.Error(err)
	}
}
