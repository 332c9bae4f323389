package exec

import (
	"runtime/debug"
	"strings"
	"sync"

	"github.com/planlock/planlock/exec/document"
	"github.com/planlock/planlock/exec/history"
	"github.com/planlock/planlock/exec/internal/flow"
	"github.com/planlock/planlock/plan"
)

// A Report is what was done, at any point of a run. It is the reader's own: the
// controller does not touch it any more.
type Report struct {
	Run  *history.Run // empty, or nil in the zero value, if nothing began; Run.Started.Run is its id
	Plan *plan.Plan   // nil if there was none
}

// Status is how the run stands; "" if nothing began.
func (r *Report) Status() history.Status {
	if r.Run == nil {
		return ""
	}
	return r.Run.Status
}

// String is the report as text for people. What can be done next is said in
// plain English; document.New spells it for a program.
func (r *Report) String() string {
	if r.Plan == nil || r.Run == nil || r.Run.Head.Seq == 0 {
		return "nothing was done\n"
	}
	var text strings.Builder
	model, err := document.New(r.Plan, r.Run, nil)
	if err == nil {
		err = document.Text(&text, model)
	}
	if err != nil {
		return "the report cannot be drawn: " + err.Error() + "\n"
	}
	return text.String()
}

// Next is what to do now, the likeliest first; nil if nothing began.
func (r *Report) Next() []flow.Suggestion {
	if r.Run == nil {
		return nil
	}
	return flow.Next(r.Run)
}

// Version is the version of planlock that the program was built with, as far as
// the build tells: a release, or "devel".
func Version() string { return version() }

// version is looked up once: it cannot change.
var version = sync.OnceValue(func() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return "devel"
	}
	const module = "github.com/planlock/planlock"
	version := ""
	if info.Main.Path == module {
		version = info.Main.Version
	}
	for _, dep := range info.Deps {
		if dep.Path == module {
			version = dep.Version
		}
	}
	if version == "" || version == "(devel)" {
		return "devel"
	}
	return version
})
