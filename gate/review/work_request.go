package review

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/planlock/planlock/gate"
	"github.com/planlock/planlock/internal/lazyre"
	"github.com/planlock/planlock/ledger"
	"github.com/planlock/planlock/ledger/source"
)

// Bounds of what a reviewer of work is shown.
const (
	maxChanges = 1000      // paths
	maxDiff    = 64 << 10  // bytes of the diff of one path
	maxDiffs   = 512 << 10 // bytes of all of them
	maxShown   = 4 << 20   // bytes of the largest file that is compared
	maxOutput  = 32 << 10  // bytes of an executor's output, the tail kept
	maxSaid    = 20        // lines of one gate
)

// A Change is what became of a path since the task began.
type Change struct {
	Path    string    `json:"path"`
	Op      ledger.Op `json:"change"`
	Diff    string    `json:"diff,omitempty"`     // as of diff -u
	LeftOut string    `json:"left_out,omitempty"` // what of the diff is left out, and why
}

// An Output is what an executor said. It proves nothing.
type Output struct {
	Text    string `json:"text,omitempty"` // its end
	LeftOut int    `json:"left_out,omitempty"`
	Exit    int    `json:"exit"`
}

// Judged is what one gate said of the attempt.
type Judged struct {
	Gate   string     `json:"gate"`
	Phase  gate.Phase `json:"phase"`
	Result string     `json:"result"`         // pass, partial, fail or undecided
	Says   []string   `json:"says,omitempty"` // findings, or evidence where there are none
}

// request is what a reviewer is asked when a task is done. What changed is told
// since the task began, as it may have needed several steps.
func (s *subject) request(ctx context.Context) (Request, error) {
	pass, t := s.pass, s.pass.Task
	r := Request{About: AboutWork, Run: pass.RunID, Task: t.ID, Title: t.Title, Text: t.Description,
		Priority: t.Priority, Step: string(pass.Step.Address),
		Attempt: fmt.Sprintf("%s#%d", pass.Step.Address, pass.Attempt), Retry: max(pass.Attempt-1, 0),
		Acceptance: criteriaOf(pass), Feedback: pass.Feedback, Dir: pass.Dir, Path: pass.Path, Runner: pass.Runner,
		Output: outputOf(pass.Output), Judged: judgedBefore(pass.Judged)}
	if pass.Plan != nil {
		r.Goal = pass.Plan.Goal
		r.Surfaces = pass.Plan.PromisesOf(t)
	}
	if pass.After != nil {
		r.Digest = pass.After.Digest()
	}
	for i := range t.Steps {
		step := &t.Steps[i]
		if step.Address == pass.Step.Address {
			step = pass.Step // with what persons granted
		}
		shown := r.AddStep(step)
		shown.ExpectedOutput = step.ExpectedOutput
		if pass.Plan != nil {
			shown.Constraints = pass.Plan.Named("constraints", step.Constraints)
			shown.Components = pass.Plan.Named("components", step.Components)
		}
		if step.Artifacts != nil {
			declared := step.Artifacts.Declared()
			shown.Declared = &declared
		}
	}
	var err error
	r.Changes, err = s.shown(ctx)
	r.More = len(s.changes) - len(r.Changes)
	return r, err
}

// shown are the changes of a task with their text, as far as there is room.
func (s *subject) shown(ctx context.Context) ([]Change, error) {
	var list []Change
	room := maxDiffs
	for _, c := range s.changes[:min(len(s.changes), maxChanges)] {
		shown := Change{Path: c.Path, Op: c.Op}
		text, why, err := s.diff(ctx, c)
		if err != nil {
			return nil, fmt.Errorf("review: %s: %w", c.Path, err)
		}
		shown.Diff, shown.LeftOut = text, why
		if most := min(room, maxDiff); len(text) > most {
			shown.Diff = text[:strings.LastIndexByte(text[:most], '\n')+1]
			shown.LeftOut = fmt.Sprintf("%d bytes, for which there is no room", len(text)-len(shown.Diff))
		}
		room -= len(shown.Diff)
		list = append(list, shown)
	}
	return list, nil
}

// diff is the textual difference of one change, or why there is none; both ""
// where there is nothing to compare.
func (s *subject) diff(ctx context.Context, c ledger.Change) (text, why string, err error) {
	if !c.ChangesContent() || s.pass.Content == nil {
		return "", "", nil
	}
	var sides [2][]byte
	for i, e := range []*ledger.Entry{c.Before, c.After} {
		if e == nil || e.Kind != ledger.File {
			continue
		}
		if e.Size > maxShown {
			return "", fmt.Sprintf("the file is larger than %d bytes", maxShown), nil
		}
		content, err := s.pass.Content.Read(ctx, e)
		switch {
		case errors.Is(err, ledger.ErrContent):
			return "", "what the file held is not kept", nil
		case err != nil:
			return "", "", err
		}
		sides[i] = append([]byte{}, content...) // not nil: the file is there
	}
	return string(bytes.ToValidUTF8([]byte(source.Unified(c.Path, sides[0], sides[1], 3)), []byte("\uFFFD"))), "", nil
}

// outputOf is the end of what an executor said.
func outputOf(said *gate.Output) *Output {
	if said == nil {
		return nil
	}
	out := &Output{Exit: said.Exit, LeftOut: max(0, len(said.Text)-maxOutput)}
	out.Text = strings.ToValidUTF8(said.Text[out.LeftOut:], "")
	return out
}

// judgedBefore is what gates said of an attempt.
func judgedBefore(judged gate.Judgements) []Judged {
	var list []Judged
	for _, j := range judged {
		said := Judged{Gate: j.Gate, Phase: j.Phase, Result: "undecided", Says: j.Reasons()}
		if !j.Judged() {
			continue
		}
		if v := j.Verdict; v != nil {
			said.Result = string(v.Result)
			if v.Result == gate.Passed {
				said.Says = v.Evidence
			}
		}
		said.Says = clipAll(said.Says[:min(len(said.Says), maxSaid)])
		list = append(list, said)
	}
	return list
}

// workPrompt is the request about work as a text for a model.
func (r *Request) workPrompt(name string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "Verify task %s: %s\nIt is part of: %s\n\nCriteria:\n", r.Task, name, r.Goal)
	for i, c := range r.Acceptance {
		fmt.Fprintf(&b, "%d. %s\n", i+1, c)
	}
	list(&b, "\nWhat public symbols promise; a machine compares inputs, outputs and errors of Go functions, and nothing else:\n", r.Surfaces)
	for _, s := range r.Steps {
		list(&b, "\nWhat binds step "+s.Address+":\n", s.Constraints)
	}
	b.WriteString("\nChanged files:\n")
	for _, c := range r.Changes {
		fmt.Fprintf(&b, "- %s (%s)\n", c.Path, c.Op)
	}
	if r.More > 0 {
		fmt.Fprintf(&b, "- and %d more\n", r.More)
	}
	list(&b, "\nWhy earlier attempts failed:\n", r.Feedback)
	b.WriteString("\nWhat changed; what is there now has the number of its line before it:\n")
	for _, c := range r.Changes {
		fmt.Fprintf(&b, "\n%s", counted(c.Diff))
		if c.LeftOut != "" {
			fmt.Fprintf(&b, "(of %s is left out: %s)\n", c.Path, c.LeftOut)
		}
	}
	b.WriteString(`
Look for evidence of each criterion in the files, and whether anything that worked before is broken. Change nothing.
Cite lines that were changed, with what stands there. Leave out criteria that you cannot judge.
Answer with one JSON object and nothing else:
{"verdict": "pass" | "partial" | "fail",
 "criteria": [{"criterion": 1, "met": true, "citations": ["path/to/file:line: what stands there"]}],
 "findings": ["what is wrong, and where"]}
`)
	return b.String()
}

// hunk is the line with which a part of a diff begins.
var hunk = lazyre.New(`^@@ -\d+(?:,\d+)? \+(\d+)(?:,\d+)? @@`)

// counted is a diff in which each line that is there afterwards has its number,
// so that it can be cited.
func counted(diff string) string {
	var b strings.Builder
	number := 0 // of the next line; 0 above the first part
	for line := range strings.Lines(diff) {
		m := hunk.FindStringSubmatch(line)
		switch {
		case m != nil:
			number, _ = strconv.Atoi(m[1]) // digits
			b.WriteString(line)
		case number > 0 && (line[0] == '+' || line[0] == ' '):
			fmt.Fprintf(&b, "%6d %s", number, line)
			number++
		case number > 0:
			b.WriteString("       " + line)
		default:
			b.WriteString(line)
		}
	}
	return b.String()
}
