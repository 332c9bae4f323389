// Package layer is where an attempt works: a private view of a workspace, of
// which only accepted work is delivered.
//
// Nobody's file is touched while a step works, so nothing has to be undone in
// the workspace: a layer whose attempt failed is dropped.
//
// A [Clone] is a copy of the workspace in a folder of the controller. It works
// everywhere, for programs and for code in this process, and costs one copy for
// a run and one scan of itself for a step. Commands see it by a [View] at the
// path of the workspace itself, where the system can show them one.
package layer
