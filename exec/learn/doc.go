// Package learn remembers what worked, without ever changing a run.
//
// A [Book] takes candidates from the history of finished runs, and only from
// there: against this cause, that helped; this step works like this. It leaves
// out what must not be learned from: steps where a person overrode a refusal,
// runs without their sandbox, and outcomes that are known to be wrong.
//
// A book keeps candidates in quarantine, where nothing uses them. Each
// further run that shows the same confirms one; each run that met the same
// cause in a step that does the same (runs the same programs on the same kinds of
// files, whatever it is called) also tries it in shadow: would it have been right? When it has been
// confirmed often enough for its kind, it can be promoted, by somebody, with a
// reason. What was promoted can be revoked. A book is a hash-chained journal,
// so all of it has an order, a time and an author, and nobody changes it
// unnoticed.
//
//	book, err := learn.Open(ctx, log, nil)
//	err = book.Take(ctx, p, run)       // a finished run's plan and history, into quarantine
//	for e := range book.Entries() {
//		if e.Ready() {
//			err = book.Promote(ctx, e.ID, "anna", "seen in three projects")
//		}
//	}
//	memory := book.Memory()            // what may be used
//
// [Memory] is a value: what a host took for a run stays as it was. It speaks
// only through an advisor ([Memory.Remembered] feeds advice.Builtin) and
// through [Memory.Recommend] for whoever plans next, and [Memory.Hints] for
// whoever carries out steps. It has no way to rungs, retries, thresholds or gates:
// no package that decides about those imports this one.
//
// [Episodes] are the memory of one run: what was found out about its failures.
// They end with it.
package learn
