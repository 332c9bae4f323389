// Package layer is where an attempt works: a private view of a workspace, of
// which only accepted work is delivered.
//
//	engines, err := layer.Engines(ctx, workspace, state, layer.Demand{}, process.ReachViews)
//	engine, err := layer.Choose(engines)            // or says why there is none
//	err = engine.Sweep()                            // what a crash left
//	l, err := engine.New(ctx, "step-3.1")
//	view, err := l.View()                           // what the command is shown
//	difference, err := l.Changes(ctx, base)         // what it changed
//	judge, err := l.Above(ctx, "step-3.1-judge")    // where it is judged
//	err = l.Drop()
//	err = engine.Close()                            // when the run ends
//
// Nobody's file is touched while a step works, so nothing has to be undone in
// the workspace: a layer whose attempt failed is dropped.
//
// An overlay is merged by the kernel at the path of the workspace itself, for
// commands only; it costs what is changed. A clone is a copy of the workspace
// in a folder of the controller. It works everywhere, for programs and for code
// in this process, and costs one copy for a run and one scan of itself for a
// step. Commands see it by a [View] at the path of the workspace, where the
// system can show them one. docs/layers.md says what each promises, and what
// not.
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
