// Package advice is what advisors are asked and what they say: research before
// a task, reflection after a failure, another approach, the feasibility of a
// pattern.
//
// An [Advisor] proposes and never acts. The controller asks it with a [Case],
// which is all that is known, and writes the [Advice] into the journal. What it
// proposes for a step is a [Patch] of the method, which the controller applies
// only where the ladder wants it, where the advisor is confident enough, and
// where the patch asks for no more than the plan allows. A patch has no words
// for paths, limits, the sandbox, the network or gates, so it cannot widen
// them.
//
//	a, err := advice.Reflector{}.Advise(ctx, advice.Case{
//		Kind: advice.Reflection, Point: advice.Execution, Step: step, Failure: failure, Attempts: attempts,
//	})
//	fmt.Println(a.RootCause, a.Confidence)
//
// The advisors of this package need no model and no network. [Reflector] goes
// through stages: it collects signals, normalises them, mines them for known
// errors, finds the root cause, writes a note, builds a patch where it knows
// one, and scores the risk. [Researcher] reads what the workspace has to say.
// [Pivoter] proposes other approaches by kind of failure. [Feasibility] weighs
// a plan against the pattern that it was made from. A host plugs in better
// ones, [Func] makes one of a function, and [Sequence] asks several.
//
// Advisors may be called concurrently, and must honour their context.
//
// Not promised: that the built-in ones are clever. They are sure of what
// messages say, and say how sure they are.
package advice
