// Package plan is the contract: its model, diagnostics, the graph, coverage,
// the canonical form with its digest, and the lock. It reads and writes
// nothing, asks no clock and makes up no names: package native reads and writes
// the format of planlock, package formats any other, and package lockfile
// locks.
//
// A [Draft] is a plan that was read and may be edited. [Draft.Check] judges it
// and returns every [Diagnostic] with its place, a stable code and a hint;
// [Draft.SelfCheck] answers the ten questions that are asked before anything
// runs. [Plan.Graph] orders the steps, [Plan.Digest] names the plan's meaning.
//
// [Lock] is the only way from a draft to a [Locked], and only a Locked can run.
// It refuses a plan that has errors (*[CheckError]) or needs an acknowledgement
// that was not given (*[AckError]). A lock notices with [Locked.Verify] that
// the plan means something else than it did (*[LockError]).
//
//	draft, err := native.ReadFile("plan.toml")
//	if err != nil {
//		return err // not there, no permission, no regular file, too large
//	}
//	locked, err := plan.Lock(draft, plan.LockOptions{})
//	var refused *plan.CheckError
//	if errors.As(err, &refused) {
//		for _, d := range refused.Diagnostics {
//			d.Format(os.Stderr, draft) // with the line of the source, and a hint
//		}
//	}
//
// The keys of the format are declared once, by the methods that visit the model
// ([Plan.Visit], [Key]): the reader, the writer, the canonical form, the JSON
// schema and the hints for keys that are not known follow from them. A front
// end of another format makes its draft with [Assemble]. [Draft.Sides] are the
// halves of a SPEC pair.
//
// Any input up to the size cap is answered in time and memory in proportion to
// its length. Texts of plans are escaped in everything that this package
// formats for people.
//
// Not promised: a check judges what a plan declares, not whether its commands
// do what they say.
package plan
