// Package ending ends a run: it asks the final gates about the tree as it is,
// delivers what an isolated run made, draws the documents and seals the
// journal.
//
// [Ending.End] writes how the run ended, and [Ending.Seal] that nothing more
// will be written. Both can be cut off and repeated.
package ending
