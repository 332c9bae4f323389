// Package gatetest helps authors of gates to test them.
//
// [Pass] builds the pass of a step that turned one folder into another: it
// writes both to temporary folders, scans and compares them with the ledger,
// and fills in all that a controller would. [Judge] asks a gate, as a panel
// with the built-in checks does. [Runner] answers commands from a script.
// [Run] checks that a gate obeys the rules of gate.Gate: it is noticed if it
// ignores its context, keeps the pass, or leaves a goroutine. [RunCheck] does
// the same for kinds of checks.
//
// What a pass has follows from its phase, here as in a controller: Output and
// Account are there during and after an attempt, however little it did, and nil
// in planning, before and final; Task and Step are nil in planning and final.
// One rule of the kit asks the gate about a pass that has no more than that.
//
//	func TestNoKeys(t *testing.T) {
//		pass := gatetest.Pass(t, gatetest.Files{}, gatetest.Files{"ca.pem": "secret"})
//		if j := gatetest.Judge(t.Context(), noKeys, pass); j.Verdict.Result != gate.Fail {
//			t.Errorf("got %s, want fail", j.Verdict.Result)
//		}
//		gatetest.Run(t, noKeys)
//	}
//
// The package needs the standard library and planlock alone. It promises
// nothing about how a gate performs.
package gatetest
