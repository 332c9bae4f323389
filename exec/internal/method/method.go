// Package method is how a step is done: its own way, a backup of the plan, or
// one of them with an advisor's patch.
//
// A [Method] is a value. [Find] finds one by its name; [Method.Patched] applies
// a patch and refuses one that would widen what the plan allows. Nothing here
// acts.
package method

import (
	"cmp"

	"github.com/planlock/planlock/exec/history"
	"github.com/planlock/planlock/exec/recovery"
	"github.com/planlock/planlock/plan"
)

// A Method is one way to do a step.
type Method struct {
	// ID is "primary", "backup_" and the backup's id, or "patch_" and a number.
	ID          string
	Description string
	// Run is a shell command, Prompt what an agent is told. One of them is
	// empty; both are where a tool is called.
	Run, Prompt string
	// Executor is the name of who carries it out; "" for the host's default.
	Executor string
	// Tool is the tool_path of a backup that is a program, with its arguments; or,
	// where Executor is [plan.ToolCaller], a tool of a server, with its arguments as
	// one JSON object, or each as NAME=VALUE.
	Tool     string
	ToolArgs []string
	// Env are variables for Run, and Feedback is told to whoever carries it
	// out. Both come from patches of advisors alone.
	Env      map[string]string
	Feedback []string
}

// Find finds a method of a step by its name. A name that the step does not have
// is its primary method.
func Find(step *plan.Step, s *history.Step, id string) Method {
	if p := s.Patch(id); p != nil && !p.Refused {
		return ofPatch(p)
	}
	for _, b := range step.Backups {
		if recovery.BackupName(b) == id {
			return Method{ID: id, Description: b.Description, Run: b.Run, Prompt: b.Prompt,
				Executor: b.By(step), Tool: cmp.Or(b.Tool, b.ToolPath), ToolArgs: b.ToolArgs}
		}
	}
	return Of(step)
}

// Approved finds a method of a step by its name. Where reviewers approved a
// patched draft, or jobs for a step that says no command, what was approved is
// what is done.
func Approved(run *history.Run, step *plan.Step, s *history.Step, id string) Method {
	if jobs := approvedJobs(run, s); id == recovery.Primary && len(jobs) > 0 {
		if m, err := OfJobs(step, jobs); err == nil { // else they would not have been approved
			if r := run.Task(s.Task).Approval().ReadyJob(); r != nil {
				m.Description += " from memory, as in run " + r.Latest()
			}
			return m
		}
	}
	if a := run.Task(s.Task).Approval(); id == recovery.Primary && a != nil && a.Status == history.ApprovedRetry &&
		a.Step == s.Address {
		if p := s.Patch(a.Patch); p != nil {
			id = p.ID
		}
	}
	return Find(step, s, id)
}

// Of is a step's own method.
func Of(step *plan.Step) Method {
	m := Method{ID: recovery.Primary, Description: step.Description, Run: step.Run, Prompt: step.Prompt,
		Executor: step.By(), Tool: step.Tool}
	if args, err := step.ToolArgs.JSON(); m.Tool != "" && err == nil { // else the plan was not locked
		m.ToolArgs = []string{string(args)}
	}
	return m
}

func ofPatch(p *history.Patched) Method {
	m := p.Method
	return Method{ID: p.ID, Description: m.Description, Run: m.Run, Prompt: m.Prompt, Executor: m.Executor,
		Tool: m.Tool, ToolArgs: m.ToolArgs, Env: m.Env, Feedback: m.Feedback}
}

// Current is the name of the method that a step tried last.
func Current(s *history.Step) string {
	if last := s.Last(); last != nil {
		return last.Method.Method
	}
	return recovery.Primary
}
