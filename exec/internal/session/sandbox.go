package session

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"github.com/planlock/planlock/checkpoint/layer"
	"github.com/planlock/planlock/internal/process"
	"github.com/planlock/planlock/ledger/git"
	"github.com/planlock/planlock/plan"
)

// Sandbox is what the plan asks for, as far as the host lets it.
func (s *Session) Sandbox() (process.Sandbox, int64, error) {
	box, output, err := process.FromPlan(s.Plan.Sandbox)
	if err != nil {
		return box, 0, fmt.Errorf("exec: %w", err)
	}
	if s.NoSandbox {
		box.Level, box.NoNetwork = process.None, false
	}
	box.Workspace, box.Hidden = s.Work.Dir, slices.Clone(s.Secrets)
	for _, of := range s.Needs {
		box.Hidden = append(box.Hidden, of.Own()...)
	}
	box.Protect = append(append(box.Protect, s.Work.Scanner.Scope.Own...), git.Elsewhere(s.Work.Root)...)
	if view := s.view(); view != nil {
		box.Workspace, box.View = view.At, view
	} else if s.Work.Layered() {
		box.Protect = append(box.Protect, s.aroundClone()...)
	}
	return box, output, nil
}

// view shows commands the clone at the path of the workspace; nil where they
// work in the workspace, or where this machine cannot show it.
func (s *Session) view() *layer.View {
	if !s.Work.Layered() {
		return nil
	}
	if at := s.shows(); at != "" {
		return &layer.View{At: at, From: s.Work.Dir}
	}
	return nil
}

// shows is the path at which commands can be shown a clone; "" where this
// machine cannot.
func (s *Session) shows() string {
	at, err := filepath.EvalSymlinks(s.Work.Root)
	if err != nil || !process.ReachBind() {
		return ""
	}
	return at
}

// Overlays says at which path commands are shown overlays of a clone, and how.
// They are not where the plan asks for the clone itself.
func (s *Session) Overlays() (at string, can process.Overlay) {
	if s.Plan == nil || s.Plan.Sandbox.Layer == plan.Clone {
		return "", can
	}
	if at = s.shows(); at != "" {
		can = process.ReachOverlay(filepath.Dir(s.Home.Path("runs")))
	}
	return at, can
}

// Layer says where steps work, for the envelope; "" if that is the workspace.
func (s *Session) Layer() string {
	switch {
	case s.InPlace():
		return ""
	case s.shows() == "":
		return "; steps work in a clone elsewhere"
	}
	return "; steps work in a clone"
}

// InPlace reports whether steps work in the workspace itself, as the run does,
// or would.
func (s *Session) InPlace() bool {
	if s.Rec.Run.Head.Seq > 0 {
		return !s.Rec.Run.Started.Layered()
	}
	return s.Plan.Sandbox.Layer == plan.InPlace && !s.Isolate
}

// aroundClone is what of the controller's own lies around the clone of an
// isolated run, and must not be written by what runs in it.
func (s *Session) aroundClone() []string {
	protect := []string{filepath.Join(s.Work.Root, ".git")}
	// Down the way to the clone, everything that is not on it.
	for at := s.Work.Dir; at != s.Work.Root; at = filepath.Dir(at) {
		entries, err := os.ReadDir(filepath.Dir(at))
		if err != nil || filepath.Dir(at) == s.Work.Root {
			break
		}
		for _, entry := range entries {
			if path := filepath.Join(filepath.Dir(at), entry.Name()); path != at {
				protect = append(protect, path)
			}
		}
	}
	return protect
}

// Runner runs commands for a step, or such as judge where step is nil.
func (s *Session) Runner(step *plan.Step) *Runner {
	box, output, err := s.Sandbox()
	if step != nil && step.Access != nil && step.Access.Writes != nil {
		box.Writes = step.Access.Writes
	}
	r := &Runner{err: err, env: s.Plan.Sandbox.Env, dir: s.Work.Dir, layers: s.Work.Layers, wrote: s.Work.Disturb,
		judge: step == nil, own: s.Scratch, inner: process.Runner{
			Dir:         box.Workspace,
			Shell:       s.Shell,
			Sandbox:     box,
			OutputLimit: output,
		}}
	if step != nil && s.Rec != nil && step.Repeats(s.Rec.Run.Started.Deterministic) {
		r.Fresh()
	}
	return r
}
