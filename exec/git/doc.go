// Package git commits what a run accepted to the repository of its workspace,
// through the program git: it is a [commit.Committer] for exec.Controller.
//
// Nothing of a repository is obeyed that was not so when the run began: hooks,
// configuration, attributes, and the programs that these name, are digested
// ([Committer.Settings]), and the run commits nothing once one of them moved.
//
// A commit is built in an index of its own, so that what is staged, and the
// stash, stay as they are; the index of the work tree follows it then, as it
// follows "git commit PATH…". It holds what the steps delivered,
// and nothing else: a path that git does not hold as the step found it, because
// somebody changed it and did not commit that, is left out and named. HEAD
// moves at the very end, from exactly the commit that it was at; until then a
// crash leaves nothing but objects that no ref names. Trailers of the message
// say which run and steps it is of, so that it is found again after a crash.
//
// See docs/git.md.
package git
