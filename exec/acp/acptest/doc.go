// Package acptest is an agent for tests, which does what a script says: it
// speaks the Agent Client Protocol and needs no model. It is the test's own
// program, started again:
//
//	func TestMain(m *testing.M) {
//		acptest.Main() // acts as the agent where it was started as one, and does not return
//		os.Exit(m.Run())
//	}
//
//	agent := acptest.Script{Turns: []acptest.Turn{{Acts: []acptest.Act{
//		{Say: "I write it down."},
//		{Write: "notes.txt", Text: "done\n", Ask: true},
//	}}}}.Executor(t)
//
// [Script.Program] writes the agent as a program into a folder, so that it is
// found under a name on PATH.
package acptest
