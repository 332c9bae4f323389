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
//	a, err := advice.Builtin{}.Advise(ctx, advice.Case{
//		Kind: advice.Reflection, Point: advice.Execution, Step: step, Failure: failure, Attempts: attempts,
//	})
//	fmt.Println(a.RootCause, a.Confidence)
//
// [Builtin] gives every kind of advice, without any model or network. A host
// plugs in better advisors, [Func] makes one of a function, and [Sequence] asks
// several.
//
// Advisors may be called concurrently, and must honour their context.
//
// Not promised: that the built-in one is clever. It is sure of what messages
// say, and says how sure it is.
package advice
