// Package powercut is a disk whose power can go at any moment. A [Recorder]
// notes what is done to a folder while it is done there. From its trace,
// [Trace.At] gives for every moment what was not durable then, and [Cut.Build]
// makes a folder as it may look after a power cut at that moment.
//
//	rec, err := powercut.New(dir)
//	run(disk.With(ctx, disk.New(rec)), dir)
//	trace := rec.Trace()
//	for k := range trace.Len() + 1 {
//		cut := trace.At(k)
//		err := cut.Build(fresh, powercut.Everything) // lost is all that was not synced
//		recover(fresh)
//	}
//
// # The model
//
// It takes what POSIX leaves open as bad as it can be. Durable is
//
//   - what a file holds, and its length, after a sync of that file;
//   - its mode and times, after a full sync of it (a sync of data alone does not count);
//   - a name that came, went or moved, after a sync of the folder that holds it; of one that moved
//     between two folders, after a sync of both.
//
// All else is pending, and each pending operation is kept or lost by itself, in
// no order: a file can be there without its content or its content without its
// name; a file can have its old name, or a new one and nothing in it; the
// removal that came later can be kept and the one before lost. Of a write, any
// of its sectors of 512 bytes may be kept, and its length and time with or
// without them; what was never written reads as zeros. A sector that is kept is
// kept as the system had it at that moment, so with what earlier writes put
// beside it. A rename is one operation: never both names, never none.
//
// A sync of a file that fails leaves what was pending in it pending for ever: a
// later sync that succeeds does not save it, only writing it again does. After
// a sync of a folder that fails, the next one saves the names: they are in the
// file system's own journal, and one that cannot write that stops.
//
// What is done to the folder without the disk is not in the trace;
// [Recorder.Check] finds that out.
package powercut
