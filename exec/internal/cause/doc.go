// Package cause finds out what failures come from: it reads what was said of
// them, line by line, and says which known error that is, and how sure it is.
//
//	root := cause.Of(failure, attempts)
//	fmt.Println(root.Error, root.Sure)
//
// The stages that documents speak of: lines are gathered (R0) and cleaned of
// what differs from run to run (R1), errors are mined from them (R2), and the
// class of the failure is weighed against those (R3). All of it is a pure
// function of the history: no model, no network.
package cause
