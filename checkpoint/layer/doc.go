// Package layer is where an attempt works: a private copy of a workspace, and
// views of that, of which only accepted work is delivered.
//
//	err := layer.Clone(ctx, workspace, clone)             // once for a run
//	over, err := layer.Over(clone, workspace, dir, trusted)
//
//	l, err := over.New("attempt")
//	view, err := l.View()                                 // what a command is shown
//	changes, err := l.Changes(ctx, base)                  // what it did
//	err = l.Merge(changes)                                // to be in the clone
//	err = l.Drop()                                        // or nowhere
//
//	err = over.Close()
//	err = layer.Discard(ctx, clone)
//
// Nobody's file is touched while a step works, so nothing has to be undone in
// the workspace. A clone works everywhere, for programs and for code in this
// process; commands see it by a [View] at the path of the workspace, where the
// system can show them one. An overlay on it is merged by the kernel, for
// commands only, and costs what is changed. docs/layers.md says what each
// promises, and what not.
//
// # How the upper folder of an overlay is read
//
// What lies in it is compared with what lies below, so that a file that was
// written as it was, or copied for its mode alone, is no change of content.
// Devices 0/0 stand for what was removed, and so do empty files with a note;
// folders with the note "opaque" hide what lies below, those with "redirect"
// were renamed, and all that they held has moved. Notes are attributes; commands
// cannot set those of their own overlay.
package layer
