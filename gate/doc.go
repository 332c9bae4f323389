// Package gate judges: what may look at a step, and what it says.
//
// # The idea
//
// A [Gate] is shown a [Pass], which holds everything it may look at, and
// reports what it objects to. What it reported becomes its [Verdict]: pass,
// partial or fail, with evidence and citations. If it cannot tell, it returns
// an error: "no" and "could not decide" are different answers, though both stop
// a step.
//
// A gate's [Level] says what its "no" stops: at level 0 ([Informs]) nothing, at
// level 1 ([BlocksStep]) the step, at level 2 ([BlocksApproval]) the approval of
// the plan as well. Its phases say when it is
// asked: in planning, before a step, during (as soon as the executor is back),
// after, and at the end of the run.
//
// Package panel asks gates: with time limits, panics caught and durations
// measured. What asking one came to is a [Judgement], which has a form in JSON.
// This package itself only holds what is said: no clock, no goroutine, no file.
//
// A [Check] decides one kind of check that plans may use, such as file_exists.
// Gates have checks decided by [Pass.Decide]. Package builtin lists the
// built-in gates, package checks the built-in kinds of checks, and a kit for
// tests is in gatetest.
//
// # A gate
//
//	var noKeys = gate.New(
//		gate.Info{Name: "nokeys", Doc: "No step may touch a key file.", Level: gate.BlocksStep,
//			Phases: []gate.Phase{gate.During}},
//		func(_ context.Context, pass *gate.Pass) error {
//			for _, c := range pass.Changes {
//				if strings.HasSuffix(c.Path, ".pem") {
//					pass.Reportf(c.Path, "a key file was %s", c.Op)
//				}
//			}
//			return nil // an error means "could not decide", never "no"
//		})
//
// # What is not promised
//
// Texts in findings may come from files and programs, and must be escaped
// before they are shown on a terminal. Nothing keeps a gate from writing to the
// workspace; gatetest finds those that do.
package gate
