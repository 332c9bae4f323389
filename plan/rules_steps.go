package plan

import (
	"fmt"
	"slices"
	"strings"

	"github.com/planlock/planlock/internal/lazyre"
)

// addMethod is what a step, or a backup, without a method is told.
const addMethod = `add  run = "go generate ./..."  for a command, or  prompt = "Write the limiter"  for an agent`

// stepRules are those of what a step says of itself: what it is for, how it is
// done, tried again and undone, and how its outcome is checked.
func stepRules() []rule {
	return []rule{
		{code: "step-no-purpose", severity: Error, why: "A step says what it is for.",
			step: func(_ *inspection, s *stepPart, tell tell) {
				if s.Description == "" && s.ExpectedOutput == "" {
					tell("", fmt.Sprintf("step %s does not say what it is for", s.address),
						`add  description = "What the step does"`)
				}
			}},
		{code: "method-missing", severity: Error, why: "Under strict a step says how it is done.",
			step: lacking(func(_ *inspection, s *stepPart) bool { return !s.HasMethod() },
				"", "the step does not say how it is done",
				addMethod)},
		{code: "method-is-description", severity: Warning,
			why: "Under observe a step without a method is carried out by its description.",
			step: func(x *inspection, s *stepPart, tell tell) {
				if !x.strict && !s.HasMethod() {
					tell("", "the step has no method; the executor is given its description", addMethod)
				}
			}},
		{code: "method-twice", severity: Error, said: true, why: "A step has one method; other ways are backups.",
			step: func(_ *inspection, s *stepPart, tell tell) {
				if s.Run != "" && s.Prompt != "" {
					tell("prompt", "a step has one method: run or prompt", "move the other to  [[tasks.steps.backups]]")
				}
				if s.Tool != "" && s.Run+s.Prompt != "" {
					tell("tool", "a step has one method: a tool, run or prompt", "move the other to  [[tasks.steps.backups]]")
				}
				for k, b := range s.Backups {
					if b.Run != "" && b.Prompt != "" {
						tell(fmt.Sprintf("backups[%d].prompt", k), "a backup has one method: run or prompt",
							"make two backups of it")
					}
					if b.ToolPath+b.Tool != "" && b.Run+b.Prompt != "" || b.ToolPath != "" && b.Tool != "" {
						tell(fmt.Sprintf("backups[%d].%s", k, toolKey(b)), "a backup has one method: a tool, run or prompt",
							"make two backups of it")
					}
				}
			}},
		{code: "tool-invalid", severity: Error, said: true, why: "A step that is a call of a tool names the tool behind its server, with arguments that JSON has.",
			step: toolFaults},
		{code: "tool-server-unknown", severity: Warning, said: true,
			why:  "A step calls a tool of a server that a file configures, as a run begins with no other.",
			step: unknownServers},
		{code: "backup-no-method", severity: Error, why: "A backup says how it is done.",
			step: func(_ *inspection, s *stepPart, tell tell) {
				for k, b := range s.Backups {
					if b.Run == "" && b.Prompt == "" && b.ToolPath+b.Tool == "" && b.Description == "" {
						tell(fmt.Sprintf("backups[%d]", k), "the backup does not say how it is done", addMethod)
					}
				}
			}},
		{code: "backup-is-retry", severity: Warning,
			why: "A backup is a genuinely different way; to try the same again is what max_retries is for.",
			step: func(_ *inspection, s *stepPart, tell tell) {
				for k, b := range s.Backups {
					one := b.Run == "" || b.Prompt == ""
					same := b.Run == s.Run && b.Run != "" || b.Prompt == s.Prompt && b.Prompt != ""
					if one && same && (b.Executor == "" || b.Executor == s.Executor) {
						tell(fmt.Sprintf("backups[%d]", k), "the backup does the same as the step",
							"a backup is another way; to try again, use  max_retries")
					}
				}
			}},
		{code: "executor-unknown", severity: Error, cause: true,
			why: "A step is carried out by an executor that the host has.",
			step: func(x *inspection, s *stepPart, tell tell) {
				x.executor("executor", s.Executor, tell)
				for k, b := range s.Backups {
					x.executor(fmt.Sprintf("backups[%d].executor", k), b.Executor, tell)
				}
			}},
		{code: "on-failure-missing", severity: Error, why: "Under strict each step says what follows a failure.",
			step: lacking(func(x *inspection, s *stepPart) bool {
				return s.OnFailure == "" && x.silent(s, "on_failure")
			},
				"", "step %s does not say what follows a failure",
				`add  on_failure = "block"  or put it once under [defaults]`)},
		{code: "adjustable-unused", severity: Warning,
			why: "Arguments are adjusted in a command. A step that has none, or arguments whose names are none, has nothing to adjust.",
			step: func(_ *inspection, s *stepPart, tell tell) {
				if len(s.Adjustable) > 0 && s.Run == "" {
					tell("adjustable",
						fmt.Sprintf("step %s has no command whose arguments could be adjusted", s.address),
						"leave adjustable out: an advisor may write another prompt in any case")
				}
				for _, name := range s.Adjustable {
					if !argumentName.MatchString(name) {
						tell("adjustable", fmt.Sprintf("%q is no name of an argument", name),
							`write the name without dashes and value:  adjustable = ["seed"]`)
					}
				}
			}},
		{code: "retries-missing", severity: Warning, cause: true, mended: "max_retries",
			why: `on_failure = "retry" needs a number of times. Without one it is once under preset contract, else what ` +
				"the preset says.",
			step: func(_ *inspection, s *stepPart, tell tell) {
				switch {
				case s.OnFailure != Retry || s.Retries() != 0:
				case s.MaxRetries != nil:
					tell("on_failure", `on_failure is "retry" and max_retries is 0: it is not tried again`,
						"write  max_retries = 2")
				default:
					tell("on_failure", `on_failure is "retry" without max_retries: it is tried again once under `+
						"preset contract, else as often as the preset says", "add  max_retries = 2")
				}
			}},
		{code: "retries-unused", severity: Warning, said: true, why: "max_retries counts where on_failure is retry.",
			step: func(_ *inspection, s *stepPart, tell tell) {
				if s.Retries() > 0 && s.OnFailure != Retry {
					tell("max_retries", fmt.Sprintf(`max_retries = %d does nothing: on_failure is not "retry"`, s.Retries()),
						`add  on_failure = "retry"`)
				}
			}},
		{code: "rollback-missing", severity: Error, why: "Under strict each step says whether it can be undone.",
			step: lacking(func(x *inspection, s *stepPart) bool { return s.Rollback == "" && x.silent(s, "rollback") },
				"", "step %s does not say whether it can be undone",
				`add  rollback = "reversible"  or put it once under [defaults]`)},
		{code: "compensate-missing", severity: Error, said: true, cause: true, mended: "compensate",
			why: "A compensatable step names the command that undoes it.",
			step: func(_ *inspection, s *stepPart, tell tell) {
				if s.Rollback == Compensatable && s.Compensate == "" {
					tell("rollback", "nothing says how the step is undone",
						`add  compensate = "make undo"  with the command that undoes it`)
				}
			}},
		{code: "compensate-unused", severity: Warning, said: true, why: "Only a compensatable step is compensated.",
			step: func(_ *inspection, s *stepPart, tell tell) {
				if s.Rollback != Compensatable && s.Rollback != "" && s.Compensate != "" {
					tell("compensate", fmt.Sprintf("a step that is %s is not compensated", s.Rollback),
						`write  rollback = "compensatable", or take compensate out`)
				}
			}},
		{code: "acknowledgement-needed", severity: Note,
			why: "A step that cannot be undone, or that changes or breaks behaviour, is accepted by a person when " +
				"the plan is locked, and so are folders outside of the workspace that commands may write, " +
				"and a level of the sandbox that lets them write anywhere.",
			plan: func(x *inspection, tell tell) {
				if x.plan.Sandbox.loose() {
					tell("sandbox.level", x.plan.Sandbox.looseness(), "a person accepts  "+LevelCode+"  when the plan is locked")
				}
				if folders := x.plan.Sandbox.Writable; len(folders) > 0 {
					tell("sandbox.writable", "commands of steps may write outside of the workspace: "+strings.Join(folders, ", "),
						"a person accepts  "+WritableCode+"  when the plan is locked")
				}
			},
			step: func(_ *inspection, s *stepPart, tell tell) {
				if s.Rollback == Irreversible {
					tell("rollback", fmt.Sprintf("step %s cannot be undone", s.address),
						fmt.Sprintf("a person accepts  irreversible:%s  when the plan is locked", s.address))
				}
				if s.SemanticChange == Modifying || s.SemanticChange == Breaking {
					tell("semantic_change", fmt.Sprintf("step %s is %s", s.address, s.SemanticChange),
						fmt.Sprintf("a person accepts  %s:%s  when the plan is locked", s.SemanticChange, s.address))
				}
			}},
		{code: "outcome-missing", severity: Error,
			why: "Under strict a step that changes nothing has a postcondition: otherwise nothing tells that it ran.",
			step: lacking(func(_ *inspection, s *stepPart) bool {
				return s.Artifacts != nil && !s.changesFiles() && len(s.Postconditions) == 0
			},
				"", "step %s has neither an artifact nor a postcondition",
				`add  postconditions = [{ kind = "go_build", package = "./..." }]  or another check`)},
		{code: "check-missing", severity: Error, said: true,
			why: "Under strict there is something that each step's outcome is checked against.",
			step: lacking(func(_ *inspection, s *stepPart) bool { return !s.checkable() && !s.changesPublic() },
				"", "there is nothing to check the outcome of step %s against",
				"add expect, a postcondition, a test_intent, or expected_output for a reviewer")},
		{code: "public-surface-unspecified", severity: Error,
			why: "Under strict a step that changes public symbols says how they behave: in words, by a test or another " +
				"command, by what it prints, or, for each that it adds, by a surface or by a check that names it; a step that is modifying " +
				"or breaking and modifies source files may change some in place, and has a surface, or a check of a symbol or a text, " +
				"at least. That a file is there or compiles, or that the command of the step ended well, says nothing of that.",
			step: lacking(func(x *inspection, s *stepPart) bool {
				return s.changesPublic() && (!s.checkable() || x.plan.unspoken(s.Step))
			},
				"artifacts", "step %s changes public symbols, and nothing says how they behave",
				"add expected_output, expect with what is printed, a test_intent, [[surfaces]], or a postcondition that runs a test or names the symbol")},
		{code: "test-intent-no-test", severity: Error, said: true, why: "A test intent names the command that runs the test.",
			step: func(_ *inspection, s *stepPart, tell tell) {
				if s.TestIntent != nil && s.TestIntent.Test == "" {
					tell("test_intent", "the test intent names no test",
						`add  test = "go test ./..."  or the command that runs the test`)
				}
			}},
		{code: "test-intent-no-behavior", severity: Warning,
			why: "A test intent says which behaviour the test shows; failure_means and invariant may say more.",
			step: func(_ *inspection, s *stepPart, tell tell) {
				if s.TestIntent != nil && s.TestIntent.Behavior == "" {
					tell("test_intent", "nothing says what the test is to show",
						"add  behavior  with what is so when the test passes")
				}
			}},
	}
}

// lacking makes a rule of something that strict asks every step for. A %s in
// the message is the step's address.
func lacking(what func(*inspection, *stepPart) bool, key, message, hint string) func(*inspection, *stepPart, tell) {
	return func(x *inspection, s *stepPart, tell tell) {
		if x.strict && what(x, s) {
			hint := hint
			if x.draft.foreign() {
				hint += elsewhere
			}
			tell(key, strings.ReplaceAll(message, "%s", string(s.address)), hint)
		}
	}
}

// elsewhere is where a step says what its own format may have no word for.
const elsewhere = ", in a native plan (convert it to one) or the parameters of a SPEC pair; or take the profile scoped, which records it"

// executor reports a name that no executor of the host has.
func (x *inspection) executor(key, name string, tell tell) {
	if name == "" || x.options.Executors == nil || slices.Contains(x.options.Executors, name) {
		return
	}
	hint := "none is here by a name"
	if len(x.options.Executors) > 0 {
		hint = "here by name: " + strings.Join(x.options.Executors, ", ")
	}
	tell(key, fmt.Sprintf("there is no executor %q", name), hint+"; bring this one, or name another")
}

// checkable reports whether something can be checked against what the step
// brought about.
func (s *Step) checkable() bool {
	return s.Expect != nil || len(s.Postconditions) > 0 || s.TestIntent != nil && s.TestIntent.Test != "" ||
		s.ExpectedOutput != ""
}

// tells reports whether it says what is printed, and not only how the command
// ends.
func (e *Expect) tells() bool { return e != nil && e.StdoutContains+e.StdoutMatches != "" }

// unspoken reports whether a step adds a public symbol, or may change one in
// place, of which neither words, tests (its own, or one that it is to fix) and
// commands nor a surface or a check of its own say how it behaves.
func (p *Plan) unspoken(s *Step) bool {
	runs := func(c Check) bool {
		return slices.Contains([]string{"command", "go_test", "go_api_compatible"}, c.Kind)
	}
	if s.Artifacts == nil || s.Expect.tells() || s.ExpectedOutput != "" || s.TestIntent != nil ||
		slices.ContainsFunc(s.Postconditions, runs) {
		return false
	}
	for _, o := range p.Steps() {
		if o.TestIntent != nil && o.TestIntent.FixedBy == s.Address {
			return false
		}
	}
	added := publicSymbols(&Artifacts{SymbolsAdd: s.Artifacts.SymbolsAdd})
	looks := func(c Check) bool { return c.Symbol+c.Text+c.Matches != "" }
	stays := func(f Surface) bool { return !slices.Contains(added, f.Symbol) }
	return slices.ContainsFunc(added, func(name string) bool { return !p.shows(s, name) }) ||
		s.redefines() && !slices.ContainsFunc(s.Postconditions, looks) && !slices.ContainsFunc(p.Surfaces, stays)
}

// shows reports whether a surface of the plan or a check of a step names a
// public symbol.
func (p *Plan) shows(s *Step, symbol string) bool {
	last := lastOf(symbol)
	last = last[strings.LastIndex(last, ".")+1:]
	return p.Surface(symbol) != nil || slices.ContainsFunc(s.Postconditions, func(c Check) bool {
		return strings.Contains(c.Symbol, last) || strings.Contains(c.Text, last) || strings.Contains(c.Matches, last)
	})
}

// argumentName is how the name of an argument of a command is written.
var argumentName = lazyre.New(`^[a-zA-Z][a-zA-Z0-9_-]*$`)
