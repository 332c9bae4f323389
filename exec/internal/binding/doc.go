// Package binding looks whether the world still holds what a run was locked to.
//
// A [Binding] is the plan, its lock file, the envelope with the agents in it,
// the repository and the tree. [Binding.Verify] is asked before anything is
// attempted, and refuses with all that moved; what was looked at holds until
// something disturbs it (guard.Seen). [Tools] are the tool servers that a
// plan cannot do without, and [Stands] says what of a step is there already.
package binding
