package history

import (
	"fmt"
	"strings"

	"github.com/planlock/planlock/plan"
)

// A ControlResult is what a check says of a tree that lacks the work.
type ControlResult string

// What a check says of such a tree. One that could not be decided there has
// told nothing: it took too long, it crashed, what it runs was not found, or it
// ran no test.
const (
	ControlFailed    ControlResult = "failed"    // it does not hold there
	ControlHolds     ControlResult = "holds"     // it holds there, too
	ControlUndecided ControlResult = "undecided" // nobody knows
)

// A Control is a negative control: what a check that holds after the work says
// of trees that lack it. A check that cannot fail proves nothing.
type Control struct {
	Check string `json:"check"`
	// Before is the tree before the work, Emptied the one after it with nothing
	// in the files that it wrote; "" where there is no such file, or where Before
	// has said already that the check tells nothing.
	Before  ControlResult `json:"before"`
	Emptied ControlResult `json:"emptied,omitempty"`
	// Withheld is the tree after the work with Own as it was before it; "" where
	// Own names nothing, or where Before has said already that the check tells
	// nothing. Where the check holds there, Emptied is without Own, too.
	Withheld ControlResult `json:"withheld,omitempty"`
	// Keeps says that the work was to keep what holds, as a refactoring is.
	Keeps bool `json:"keeps,omitempty"`
	// Own are files that the check runs, or that say what it runs, and that the
	// work itself wrote or removed; a few of them.
	Own []string `json:"own,omitempty"`
	// Steps are others that the check speaks for: those that wrote it, or that
	// serve the requirement whose check it is.
	Steps []plan.Address `json:"steps,omitempty"`
	// Lost are steps that the check proved, and proves no more: Own is what later steps
	// wrote or removed, and Withheld the final tree with that as these steps left it.
	Lost []plan.Address `json:"lost,omitempty"`
	Why  string         `json:"why,omitempty"` // it was not decided
}

// Tells reports whether the check tells the work from its absence.
func (c *Control) Tells() bool {
	if c.Keeps && c.Before == ControlHolds {
		return c.Emptied == ControlFailed
	}
	return c.Before == ControlFailed && (c.Emptied == "" || c.Emptied == ControlFailed)
}

// MayTell reports whether the tree before leaves it open that the check tells
// the work from its absence.
func (c *Control) MayTell() bool {
	return c.Before == ControlFailed || c.Keeps && c.Before == ControlHolds
}

// Proves reports whether the check tells the work from its absence, by nothing
// that the work itself has it run.
func (c *Control) Proves() bool {
	return c.Tells() && (len(c.Own) == 0 || c.Withheld == ControlHolds)
}

// String says what the control showed.
func (c *Control) String() string {
	switch {
	case len(c.Lost) > 0:
		return fmt.Sprintf("%s held after it, and at the end does not without what later steps wrote or removed of what "+
			"it runs: %s", c.Check, strings.Join(c.Own, ", "))
	case !c.Tells() && c.Why != "":
		return fmt.Sprintf("%s holds, and nobody knows whether it would without the work: %s", c.Check, c.Why)
	case !c.Tells() && c.Before == ControlFailed && c.Withheld == ControlFailed:
		return fmt.Sprintf("%s holds also with nothing in the files that the step wrote, and not without what it wrote "+
			"or removed of what it runs: %s", c.Check, strings.Join(c.Own, ", "))
	case !c.Tells() && c.Before == ControlFailed:
		return fmt.Sprintf("%s holds also with nothing in the files that the step wrote: let the plan check what is in them",
			c.Check)
	case !c.Tells():
		return fmt.Sprintf("%s holds, and did without the work", c.Check)
	case !c.Proves():
		return fmt.Sprintf("%s holds, and not without what the work wrote or removed of what it runs: %s", c.Check,
			strings.Join(c.Own, ", "))
	}
	return fmt.Sprintf("%s holds, and not without the work", c.Check)
}

// Controlled are the negative controls of an attempt, or of the run as a whole.
type Controlled struct {
	Controls []Control `json:"controls"`
}

// Of is what the controls of a check of its own showed, by its text; nil if there were none.
func (f *Controlled) Of(check string) *Control {
	if f == nil {
		return nil
	}
	for i := range f.Controls {
		if f.Controls[i].Check == check && len(f.Controls[i].Lost) == 0 {
			return &f.Controls[i]
		}
	}
	return nil
}

// Unproved says why a check that holds at the end proves nothing; "" if it proves
// something.
func (f *Controlled) Unproved(check plan.Check) string {
	switch c := f.Of(check.String()); {
	case check.Kind == "file_exists":
		return check.String() + " holds of any file, an empty one too; file_contains, or a command that reads it, says more"
	case check.LooksInside() && !check.CanProve():
		return check.String() + " says no more than that it compiles; a test says more"
	case c == nil:
		return check.String() + " was held against no tree that lacks the work"
	case !c.Tells(), !c.Proves() && len(c.Steps) == 0:
		return c.String()
	}
	return ""
}

func (*Controlled) Type() string { return "controlled" }

func (f *Controlled) String() string {
	var said []string
	for i := range f.Controls {
		said = append(said, f.Controls[i].String())
	}
	return sprint("%s: %s", count(len(said), "check"), strings.Join(said, "; "))
}
