// Package views writes the documents of a run into its folder of views, each
// of them whole or not at all.
//
// Documents are drawn from the journal and nothing else, so their digests can
// stand in it, and whoever deletes one can have it drawn again. [Views] are
// those of the run in hand; [Write] serves whoever looks from outside.
package views
