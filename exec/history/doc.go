// Package history is what happened in a run: the facts that the controller
// writes into the journal, and the fold over them.
//
// The journal is the only truth about a run. Every record holds one fact of a
// type declared here; [Decode] turns a record back into it, and [Run.Apply]
// folds records, in order, into the state of the run. The controller itself
// knows nothing else: after a crash it folds the journal again and goes on.
//
//	run := &history.Run{}
//	for record, err := range journal.Records(ctx) {
//		if err != nil {
//			return err
//		}
//		if err := run.Apply(record); err != nil {
//			return err
//		}
//	}
//	fmt.Println(run.Status, run.Count(history.Completed))
//
// What a fact is and what it does to a run stand apart: a fact is data, its
// name and its line of text, and the fold (the files fold*.go) says where it may
// stand and what follows of it. [Run], [Step], [Attempt] and [Task] are what is
// known then, and answer what a controller asks between any two steps without
// going through the run once more.
//
// Facts are only ever added to: a field keeps its name and its meaning, so that
// an old journal always folds. A Run is not safe for concurrent use while
// records are applied.
package history
