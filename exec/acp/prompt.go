package acp

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/planlock/planlock/exec"
	"github.com/planlock/planlock/exec/history"
)

// Prompt is what an agent is told of an attempt where nobody says it otherwise:
// the step, what it may change, and all that [exec.Work] tells besides.
func Prompt(w exec.Work) string {
	p := &prompt{}
	p.part("", "Carry out one step of a plan in the current folder, and nothing else. Nobody can answer questions.")
	p.part("Goal of the plan", w.Goal)
	if t := w.Task; t != nil {
		p.part("Task", strings.TrimSpace(t.Title+"\n"+t.Description))
		p.list("The task is done when", t.AcceptanceCriteria)
	}
	if s := w.Step; s != nil {
		p.part("Step "+string(s.Address), s.Description)
		p.part("How", cmp.Or(w.Method.Prompt, w.Method.Description))
		if w.Method.Run != "" {
			p.part("Command to run", w.Method.Run)
		}
		if w.Bound && (s.Artifacts != nil || w.Within != nil) {
			p.part("The step may", may(&w)+". Whatever else changes fails it.")
		} else if a := s.Artifacts; a != nil {
			p.part("The step is expected to", may(&w)+".")
		}
		if l := s.Limits; l != nil {
			if l.MaxFiles != nil {
				p.part("Files at most", fmt.Sprint(*l.MaxFiles))
			}
			if l.MaxLines != nil {
				p.part("Changed lines at most", fmt.Sprint(*l.MaxLines))
			}
		}
		p.part("Expected output, which your last message must have", s.ExpectedOutput)
	}
	var never []string
	for _, n := range w.NonGoals {
		never = append(never, strings.TrimSpace(n.Text+" "+strings.Join(slices.Concat(n.Paths, n.Symbols), ", ")))
	}
	p.list("Must not be touched", never)
	p.list("Constraints", w.Constraints)
	p.list("Components", w.Components)
	p.list("What the public symbols promise", w.Surfaces)
	p.list("Steps that are over", w.Earlier)
	p.list("Decided by people", w.Decisions)
	p.list("Found out before", w.Research)
	for _, source := range w.Sources {
		p.part("File "+source.Path, source.Text)
	}
	p.list("Hints", w.Hints)
	switch w.Phase {
	case history.Red:
		p.part("Phase", "write the test only; it must fail, since what it tests is not there yet")
	case history.Green:
		p.part("Phase", "make the test pass, and leave it as it is")
	case history.Refactor:
		p.part("Phase", "clean up the code; the test must pass still")
	}
	p.list("Is run afterwards", w.Tests)
	p.list("Earlier attempts failed, and were undone", w.Feedback)
	if w.Compress {
		p.part("", "Be brief: few tokens are left.")
	}
	return strings.TrimSpace(p.String()) + "\n"
}

// A prompt is text in parts.
type prompt struct{ strings.Builder }

// part is a part, if there is anything to say.
func (p *prompt) part(title, text string) {
	switch text = strings.TrimSpace(text); {
	case text == "":
	case title == "":
		fmt.Fprintf(p, "%s\n\n", text)
	case strings.Contains(text, "\n"):
		fmt.Fprintf(p, "%s:\n%s\n\n", title, text)
	default:
		fmt.Fprintf(p, "%s: %s\n\n", title, text)
	}
}

// list is a part of several texts.
func (p *prompt) list(title string, texts []string) {
	var b strings.Builder
	for _, text := range texts {
		b.WriteString("\n- " + strings.ReplaceAll(strings.TrimSpace(text), "\n", "\n  "))
	}
	if b.Len() > 0 {
		fmt.Fprintf(p, "%s:%s\n\n", title, b.String())
	}
}
