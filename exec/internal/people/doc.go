// Package people is what a run has to do with persons: it puts questions,
// remembers choices, and looks whether somebody wants the run to stop.
//
// A question is a fact before it is put, and its answer one before anything
// follows from it ([People.Put]); which facts follow is decided by the engine.
// A choice that is remembered answers the same question in later runs of the
// same plan. What somebody wants of a run from outside is a file in a folder,
// which is looked at while an attempt goes on ([Inbox.Watch]).
package people
