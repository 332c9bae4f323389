package plan

import (
	"fmt"
	"slices"
	"strings"

	"github.com/planlock/planlock/plan/internal/hidden"
)

// An Approval is the verdict of a planning gate, as far as the lock needs it.
type Approval struct {
	Gate    string
	Level   int    // a gate of level 2 that does not pass blocks the lock
	Verdict string // "pass", "partial" or "fail"
}

// An Acknowledgement is something a person must accept in so many words.
type Acknowledgement struct {
	Code string // "irreversible:2.1", "modifying:1.2", "breaking:3.1"; see also [DoneCode]
	Step Address
	Text string // what is accepted
}

// Acknowledgements lists what the plan needs acknowledged, in the order of its
// steps.
func (p *Plan) Acknowledgements() []Acknowledgement {
	var list []Acknowledgement
	for _, s := range p.Steps() {
		add := func(what, text string) {
			list = append(list, Acknowledgement{Code: what + ":" + string(s.Address), Step: s.Address,
				Text: fmt.Sprintf("step %s %s: %s", s.Address, text, s.Description)})
		}
		if s.Rollback == Irreversible {
			add("irreversible", "cannot be undone")
		}
		switch s.SemanticChange {
		case Modifying:
			add("modifying", "changes what existing code does")
		case Breaking:
			add("breaking", "breaks what others rely on")
		}
	}
	return list
}

// DoneCode is what acknowledges that a step's work is done already, so that a
// run leaves it out: "done:2.1". A lock accepts it for every step of the plan,
// and asks for it nowhere.
func DoneCode(a Address) string { return "done:" + string(a) }

// acknowledge compares what is needed with what was given.
func (p *Plan) acknowledge(given []string) error {
	e := &AckError{}
	needed := map[string]bool{}
	for _, a := range p.Acknowledgements() {
		needed[a.Code] = true
		if !slices.Contains(given, a.Code) {
			e.Missing = append(e.Missing, a)
		}
	}
	for _, s := range p.Steps() {
		needed[DoneCode(s.Address)] = true
	}
	for _, code := range given {
		if !needed[code] {
			e.Unknown = append(e.Unknown, code)
		}
	}
	if len(e.Missing)+len(e.Unknown) == 0 {
		return nil
	}
	return e
}

// AckError lists what was not acknowledged, and what was acknowledged though
// nothing asks for it.
type AckError struct {
	Missing []Acknowledgement
	Unknown []string
}

func (e *AckError) Error() string {
	var b strings.Builder
	b.WriteString("plan: ")
	if len(e.Missing) > 0 {
		b.WriteString("not acknowledged:")
		for _, a := range e.Missing {
			fmt.Fprintf(&b, "\n  --ack %s  %s", quoteCode(a.Code), hidden.Escape(a.Text))
		}
	}
	if len(e.Unknown) > 0 {
		if len(e.Missing) > 0 {
			b.WriteString("\n")
		}
		fmt.Fprintf(&b, "acknowledged, but nothing in the plan asks for it: %s", hidden.Escape(strings.Join(e.Unknown, ", ")))
	}
	return b.String()
}

// quoteCode spells a code so that it can be pasted behind --ack.
func quoteCode(code string) string {
	if strings.IndexFunc(code, func(r rune) bool { return !idRune(r) && r != ':' }) < 0 {
		return code
	}
	return "'" + strings.ReplaceAll(hidden.Escape(code), "'", `'\''`) + "'"
}
