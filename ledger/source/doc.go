// Package source reads source files in the languages that somebody reads, and
// says what changed between two states of them.
//
// A [Language] is one that can be read: it turns files into what they declare
// ([File.Symbols]), what of it others can use ([File.Surface]) and where they do
// not parse ([File.Faults]). Go is in package golang; package languages lists
// all that there are. Which of them a host has is a value, the [Reader], which
// is handed to whoever needs it.
//
//	reader := &source.Reader{Languages: []source.Language{golang.Language{}}}
//	made, err := reader.Compare(ctx, ledger.Diff(before, after), store.Open)
//
// [Reader.Compare] says which symbols came and went and how many lines,
// [Differences] what became of two surfaces, [Unified] shows lines.
//
// # What nobody reads
//
// Whether a promise about a file is kept can be said only of one that somebody
// read. [File.Undecided] says why nobody can say: no reader for its language, a
// parser that took too long, a file that is too large or does not parse, a
// surface that only shows when the program runs. Who asks must never take that
// for a yes. [LanguageOf] knows more languages than anybody reads, so that a
// file of text is told from a program that was not read.
//
// Files are read through a [ledger.Content], each checked against its entry,
// and nothing is read but what is asked for.
package source
