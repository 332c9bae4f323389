// Package document draws a run for people and for other programs.
//
// A view is a document that is a pure function of two things: the plan, and the
// history folded from the journal. There is no clock, no environment and
// no chance in it: drawn twice it has the same bytes, so a view can be deleted
// and drawn again, and comparing bytes proves that nobody edited it.
//
//	run, err := history.Fold(records)
//	if err != nil {
//		return err
//	}
//	files, err := document.All(p, run)
//	if err != nil {
//		return err
//	}
//	for _, f := range files {
//		fmt.Println(f.Name, ledger.Sum(f.Content))
//	}
//
// [Progress] is the log that other tools read while and after a run; [Summary]
// is what a team files with its plan; [Text], [Markdown], [JSON] and [HTML]
// are one report in four shapes. Each can be drawn at any point of a run: while
// it runs, while it waits, and when it has ended.
//
// The seal of a run names the digests of its views, so it cannot be part of
// them: views of an ended run are the same before and after the seal. All times
// are those of the journal, in UTC, to the millisecond.
//
// Plans, paths and programs' outputs are written by strangers. Every view
// escapes them for the place where they stand: nothing in them can move a cursor,
// open a tag, start a heading or end a string.
//
// Not promised: the wording of the text, Markdown and HTML reports, which may
// become better. The keys of the JSON documents stay; keys may be added. All
// functions may be called concurrently as long as nobody changes the plan or the run.
package document
