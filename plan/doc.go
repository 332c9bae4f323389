// Package plan is the contract: its model, diagnostics, the graph, coverage,
// the canonical form with its digest, and the lock. It reads and writes
// nothing, asks no clock and draws nothing at random: package native reads and writes
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
// # Keys
//
// The keys of the format are declared once, by the methods that visit the model
// ([Plan.Visit], [Key]): the reader, the writer, the canonical form, the JSON
// schema and the hints for keys that are not known follow from them. A key says
// what its value means, too, so that a rule for all commands, paths or symbols
// of a plan finds them wherever they stand. Who adds a key adds a field to the
// model and a line to a visit method.
//
// # Rules
//
// What a native plan is checked for is a table. An entry has a code, how grave
// it is, why it is asked, and a function that is asked about the plan, a task or
// a step; it sees the plan and what an inspection found out about it as a whole,
// and nothing else. Rules know nothing of each other, and their order decides
// only which findings are left out where there are more than people read.
// [Codes] lists them; docs/diagnostics.md is drawn from the table.
//
// A plan of another format is judged by its front end, which knows what people
// write in it; this package only adds what a run could not cope with. The front
// end makes its draft with [Assemble]. [Draft.Sides] are the halves of a SPEC
// pair.
//
// # Values and ownership
//
// A [Draft] is its owner's: it may be edited, from one goroutine. [Lock] copies
// what it is given, so a [Locked] never changes and may be shared. Slices and
// maps that are handed in belong to this package from then on, unless a comment
// says that they are copied; what is handed out is the caller's, unless it says
// that it is the plan's own.
//
// Equal plans have equal digests, whatever they were read from: comments, and
// the order of keys and of sets, are no part of the meaning. The digest of a
// locked plan is what a run is bound to, so the encoding has a version, and does
// not change within one for what it can express already.
//
// Any input up to the size cap is answered in time and memory in proportion to
// its length. Texts of plans are escaped in everything that this package
// formats for people.
//
// Not promised: a check judges what a plan declares, not whether its commands
// do what they say.
package plan
