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
// Facts are only ever added to: a field keeps its name and its meaning, so that
// an old journal always folds. A Run is not safe for concurrent use while
// records are applied.
package history
