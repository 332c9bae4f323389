// Package document draws a run for people and for other programs.
//
// A document is a pure function of two things: the plan, and the history folded
// from the journal. There is no clock, no environment and no chance in it:
// drawn twice it has the same bytes, so it can be deleted and drawn again, and
// comparing digests proves that nobody edited it.
//
//	model, err := document.New(p, run, nil)
//	if err != nil {
//		return err
//	}
//	for _, f := range document.Files(document.All(), model) {
//		if err := f.Draw(w); err != nil {
//			return err
//		}
//	}
//
// [New] computes a [Model] once; all documents draw from it, and [All] is the
// table of them: name, for whom, when, and how. Those for programs are the model
// or a part of it as JSON. Those for people are templates over it, in the folder
// templates: a template says where things stand, the functions of drawing.go
// what they are called, and what comes from elsewhere is escaped on the way. All
// are written as streams, so that what a document needs in memory does not grow
// with it. The page for browsers is a package of its own, html, because
// templates of HTML weigh more than all the rest. A host adds its own documents
// as rows.
//
// What can be done next is said in plain English in documents that are kept,
// whoever the host is, so that every program can draw them again and prove
// them. Only what is shown to somebody is spelled for them: that is the last
// argument of [New].
//
// The seal of a run names the digests of its documents, so it cannot be part of
// them: documents of an ended run are the same before and after the seal. All
// times are those of the journal, in UTC, to the millisecond.
//
// Plans, paths and programs' outputs are written by strangers. Every document
// escapes them for the place where they stand: nothing in them can move a
// cursor, open a tag, start a heading or end a string.
//
// Not promised: the wording of the text, Markdown and HTML reports, which may
// become better. The keys of the JSON documents stay; keys may be added. All
// functions may be called concurrently as long as nobody changes the plan or
// the run.
package document
