// Package plan is the contract: its model, the reader of the native format,
// diagnostics, the graph, coverage, the canonical form with its digest, and the lock.
//
// A [Draft] is a plan that was read and may be edited. [Draft.Check] judges it and returns every
// [Diagnostic] with its place, a stable code and a hint; [Draft.SelfCheck] answers the ten
// questions that are asked before anything runs. [Plan.Graph] orders the steps, [Plan.Digest] names the
// plan's meaning.
//
// [Lock] is the only way from a draft to a [Locked], and only a Locked can run. It refuses a plan that has errors
// (*[CheckError]) or needs an acknowledgement that was not given (*[AckError]). [ReadLock] makes a Locked of a lock file;
// it recognises a file that was edited and a plan that means something else (*[LockError]).
//
//	draft, err := plan.ReadFile("plan.toml")
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
// Plans of other formats are read by the packages below this one and made into drafts with [Assemble]; package formats reads
// any of them. [Draft.Sides] are the halves of a SPEC pair.
//
// Any input up to the size cap is answered in time and memory in proportion to its length. Texts of plans
// are escaped in everything that this package formats for people.
//
// Not promised: a checksum in a lock file recognises edits, it is no signature; and a check judges what a plan
// declares, not whether its commands do what they say.
package plan
