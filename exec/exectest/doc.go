// Package exectest runs plans against a scripted executor, for the tests of
// hosts: their plans, gates, escalators and ladders.
//
// A test of a plan needs five lines:
//
//	func TestPlan(t *testing.T) {
//		run := exectest.Run(t, "plan.toml", exectest.Files{"go.mod": "module x\n"}, exectest.Script{
//			"1.1": exectest.Write("limit.go", "package x\n"),
//		})
//		run.Want(t, history.Achieved)
//	}
//
// The workspace is a temporary folder, the controller is the real one with its
// journal, checkpoints and gates; only the work itself is scripted. What a host
// wants to have otherwise it sets on [Bench.Controller].
//
// Hosts that write a port of their own try it against what it promises, with
// [RunExecutor], [RunEscalator], [RunAdvisor], [RunReviewer], [RunRung] and
// [RunGuard].
package exectest
