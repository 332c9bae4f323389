// Package characterise holds what users of the command see, whatever becomes of
// the code behind it.
//
// Its tests run scenarios, which lie in testdata/scenarios as archives of text:
// a script, and the files that it begins with. What the command prints, and
// every document of every run, is compared with testdata/recorded. A normaliser
// takes out what may differ between two runs (ids, times, digests, paths), and
// one table in facts_test.go says how the facts of a journal are called and
// which of their fields users see. So a fact or a field with another name is a
// change of one line, and everything else that differs is a change that users
// notice.
//
// The command is built from its folder and driven as a program, because its
// output lasts longer than any name of the library. After a change that is
// meant, the records are written anew, and the difference is read:
//
//	go test ./internal/characterise -update
//	git diff internal/characterise/testdata/recorded
//
// The corpus of plans of other tools does not belong to this repository. Of its
// runs only digests and counts are recorded, and where it is not there that
// part is skipped.
package characterise
