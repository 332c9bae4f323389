package attempt

import (
	"errors"
	"fmt"
	"slices"
	"syscall"

	"github.com/planlock/planlock/exec/history"
	"github.com/planlock/planlock/exec/internal/bound"
	"github.com/planlock/planlock/gate"
	"github.com/planlock/planlock/internal/code"
	"github.com/planlock/planlock/internal/process"
)

// A fault is why an attempt counts for nothing. Its class decides which rungs
// of the ladder may follow, so it says what is at fault rather than where that
// was noticed.
type fault struct{ history.AttemptFailed }

func faultf(class history.Class, format string, args ...any) *fault {
	return &fault{AttemptFailed: history.AttemptFailed{Class: class, Reasons: []string{fmt.Sprintf(format, args...)}}}
}

// bounded is a fault as the journal takes it.
func (f *fault) bounded() *history.AttemptFailed {
	short := f.AttemptFailed
	short.Reasons = bound.First(f.Reasons, bound.Lines)
	if len(f.Findings) > bound.Lines {
		short.Findings = append(f.Findings[:bound.Lines:bound.Lines], gate.Finding{
			Message: fmt.Sprintf("and %d more", len(f.Findings)-bound.Lines)})
	}
	return &short
}

// blocked is the fault that blocking judgements stand for.
func blocked(js []gate.Judgement) *fault {
	f := &fault{AttemptFailed: history.AttemptFailed{Class: history.GateFailed}}
	for _, j := range js {
		f.Reasons = append(f.Reasons, j.Reasons()...)
		switch {
		case j.Verdict != nil:
			f.Findings = append(f.Findings, j.Verdict.Findings...)
			if breach(j.Verdict.Findings) {
				f.Class = history.Breach
			}
		case f.Class == history.GateFailed && len(js) == 1:
			f.Class = history.Undecided
		}
	}
	if f.Class == history.GateFailed {
		f.Class = lacking(f.Findings)
	}
	return f
}

// lacking is the class of a failure of which all findings are of one kind.
func lacking(findings []gate.Finding) history.Class {
	only := func(code string) bool {
		return len(findings) > 0 && !slices.ContainsFunc(findings, func(f gate.Finding) bool { return f.Code != code })
	}
	switch {
	case only(code.ExpectedOutput):
		return history.SchemaMismatch
	case only(code.EvidenceMissing):
		return history.MissingEvidence
	case only(code.Unread):
		return history.Undecided
	}
	return history.GateFailed
}

// breach reports whether findings say that the step did something else than it
// declared.
func breach(findings []gate.Finding) bool {
	return slices.ContainsFunc(findings, func(f gate.Finding) bool { return code.Undeclared(f.Code) })
}

// noMemory reports whether err says that the executor ran out of memory.
func noMemory(err error) bool {
	return errors.Is(err, syscall.ENOMEM) || errors.Is(err, process.ErrOutOfMemory)
}

// noSpace reports whether err says that the disk is full.
func noSpace(err error) bool {
	return errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT)
}
