// Package delivery brings accepted work into a workspace, path by path, and
// never over what somebody else did there. It is the only writer of a
// workspace: a [Place] is one that is held open, a [Delivery] is work that is
// staged in it, and what is not as expected is a [Conflict].
//
//	place, err := delivery.Open(ctx, dir)
//	d, err := place.Stage(ctx, "run-1.step-3", changes, open)
//	conflicts, err := d.Finish(ctx)
//
// Changes say what stood at each path when the work began (Before) and what is
// to stand there (After). With both exchanged, the same code takes a delivery
// back.
//
// # What is promised
//
//   - A path is old or new, never half, and never absent in between.
//   - What stands at a path and is not Before is not lost, also if it came in the moment of the delivery: what is
//     new is exchanged with what is there in one step, and then what came out is read. If that is something else, the
//     two are exchanged again, until nobody came between, and the path is a conflict. A deletion renames what is
//     there, looks, and puts it back.
//   - All other paths are delivered. A delivery is atomic for each path, not as a whole.
//   - What was delivered into a folder that somebody moved away before Finish returned is a conflict.
//   - When Finish returns without an error, what it did is durable.
//   - After a crash or a power cut, or an error, Stage and Finish are called again with the same name and changes,
//     and carry on: what is there already is left alone.
//   - Nothing leads out of the workspace: it is reached by a handle that is held since Open, and links on the way to a
//     path are not followed. Such a path is a conflict.
//   - Files that have several names get a new file at the path that was changed; the other names keep what they have.
//
// What came out stays in .planlock/trash for as long as its owner likes:
// somebody may have it open and still write to it. [Place.Findings] looks again
// and names what was written, and [Place.Empty] removes the rest.
//
// # What is not promised
//
// Owners, extended attributes and access lists are not delivered. Sockets and
// devices cannot be made.
//
// Where the system or the file system cannot exchange (anything but Linux and
// macOS, network file systems, FAT), a path is looked at and then replaced by a
// rename: who saves a new file there between the two, within microseconds,
// loses it. What is written to the old file is kept in the trash also there, if
// files can have two names.
//
// On another file system than that of the workspace (a mount in it), nothing is
// kept in the trash.
package delivery
