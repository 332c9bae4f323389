package plan

import (
	"fmt"
	"strings"

	"github.com/planlock/planlock/ledger"
	"github.com/planlock/planlock/plan/internal/hidden"
)

// CheckError carries the diagnostics (errors and all) for which a plan was
// refused.
type CheckError struct {
	Diagnostics []Diagnostic
	Answers     []Answer
}

func (e *CheckError) Error() string {
	var b strings.Builder
	errors := 0
	for _, d := range e.Diagnostics {
		if d.Severity == Error {
			errors++
			fmt.Fprintf(&b, "\n  %s", d)
		}
	}
	for _, a := range e.Answers {
		if !a.Yes {
			fmt.Fprintf(&b, "\n  self-check: no: %s", hidden.Escape(a.Text))
		}
	}
	return fmt.Sprintf("plan: refused with %s:%s", count(errors, "error"), b.String())
}

func count(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

// LockError says that something is not what was locked.
type LockError struct {
	What      string // "plan", "envelope", "base tree", "lock file"
	Want, Got ledger.Digest
	Err       error // what kept it from being read, if that is the reason
}

func (e *LockError) Error() string {
	switch {
	case e.Err != nil:
		return fmt.Sprintf("plan: the %s is not what was locked: %v", e.What, e.Err)
	case e.Got == "":
		return fmt.Sprintf("plan: the %s is not what was locked: it was %s and is not there any more", e.What, e.Want)
	}
	return fmt.Sprintf("plan: the %s is not what was locked: it was %s and is %s; lock the plan again, or bring back what was locked", e.What, e.Want, e.Got)
}

func (e *LockError) Unwrap() error { return e.Err }

// A SizeError refuses a plan by its size, before it is read.
type SizeError struct {
	Name      string
	Size, Max int64
}

func (e *SizeError) Error() string {
	return fmt.Sprintf("plan: %q has %d bytes, more than the %d that a plan may have: split it up", e.Name, e.Size,
		e.Max)
}
