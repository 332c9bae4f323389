// Package probe looks at all that an envelope names, and digests it.
//
//	prober := new(probe.Prober)
//	locked, err := prober.Compute(ctx, spec)
//	…
//	now, err := prober.Compute(ctx, spec)
//	for _, move := range locked.Moves(now) {
//		fmt.Println(move) // tool git moved from "git version 2.39.5" (sha256 0f3c…) to …
//	}
//
// A [Prober] reads a file again only when its stamps have moved.
//
// Looking is bounded: a program that is asked for its version has no input, a
// small environment, a folder that is not the workspace, and a few seconds.
// What a workspace names never leads out of it, and FIFOs are not waited for.
// All that cannot be read is reported at once.
//
// # What is not promised
//
// A program is digested as the file that its name leads to; libraries and
// interpreters behind it are not. Where a file's stamps (size, times, inode)
// can be restored by whoever changes its content, a Prober that has seen it
// does not see the change; a new one does.
package probe
