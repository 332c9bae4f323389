// Package exec carries out locked plans: it is the controller, with the ports
// through which a host plugs in whoever acts and whoever is asked.
//
// # The idea
//
// A step is a function from one tree to another. The controller takes a
// checkpoint, lets an [Executor] work in the workspace, looks at what changed,
// sets that against what the step declared, and has it judged by gates. If all
// of them agree, the new tree is accepted, durably, before the next step
// starts; else the checkpoint is restored and the recovery ladder decides what
// is tried next. Everything that happens is a fact in one journal, and the
// controller knows nothing but what stands there: going on after a crash is
// reading it again.
//
// # A short program
//
//	draft, err := native.ReadFile("plan.toml")
//	if err != nil {
//		return err
//	}
//	c := &exec.Controller{Dir: ".", Gates: builtin.Gates(), Executors: exec.Default(&shell.Executor{})}
//	locked, err := c.Lock(ctx, draft)
//	if err != nil {
//		return err
//	}
//	report, err := c.Run(ctx, locked)
//	fmt.Print(report)
//	return err
//
// # The main types
//
//   - [Controller] runs and resumes plans, and adds steps to a run that has not ended; besides its gates
//     and executors, zero fields work.
//   - [Executor] acts: package shell runs commands, package program drives any
//     program that speaks lines of JSON, [Func] is a Go function.
//   - [ask.Escalator] asks: package escalator has a terminal, a folder of questions,
//     and a file of rules; package ask has what is asked and answered.
//   - [advice.Advisor] proposes, where the ladder of the run's preset wants advice.
//   - Package event says what happens while it does, to Controller.Observe; [Report] is what came of it.
//     Package notify tells people of questions and ends.
//   - [Workspace] reads runs from outside: their history, views and proof;
//     [Workspace.Follow] shows one while it goes on, in any process.
//   - Package remote has attempts carried out by workers on other machines;
//     [Workspace.Rebuild] makes a workspace anew where only the stores are left.
//   - Package history holds the facts and the state of a run, package recovery
//     the ladder, package preset ready-made ones, package document the documents that are drawn from the journal.
//
// # What is promised
//
// A step that was reported complete stays complete, whatever happens to the
// process or the machine. A step that was not is undone exactly, and what it
// left is kept in the store. A completed step is never run twice; an attempt
// that was cut off is, from its checkpoint, unless the step is irreversible:
// then a person is asked. Two controllers never work in one workspace.
//
// # What is not
//
// Steps that run at once are never merged: where two changed the same, the work
// of both is dropped (docs/lanes.md). What an executor does outside of the
// workspace is undone only by the plan's own compensation. An executor in this
// process that ignores its context is waited for.
package exec
