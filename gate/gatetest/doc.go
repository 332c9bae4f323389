// Package gatetest helps authors of gates to test them.
//
// [Pass] builds the pass of a step that turned one folder into another: it writes both to temporary folders, scans
// and compares them with the ledger, and fills in all that a controller would. [Judge] asks a gate, as a panel with the built-in checks does.
// [Runner] answers commands from a script. [Conform] and [Run] check that a gate obeys the rules of gate.Gate.
//
//	func TestNoKeys(t *testing.T) {
//		pass := gatetest.Pass(t, gatetest.Files{}, gatetest.Files{"ca.pem": "secret"})
//		if j := gatetest.Judge(t.Context(), noKeys, pass); j.Verdict.Result != gate.Fail {
//			t.Errorf("got %s, want fail", j.Verdict.Result)
//		}
//		gatetest.Run(t, noKeys)
//	}
//
// The package needs the standard library and planlock alone. It promises nothing about how a gate performs.
package gatetest
