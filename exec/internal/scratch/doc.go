// Package scratch has the folders in which commands of a run keep temporary
// files and caches, in place of those of the user.
//
// They lie outside of the workspace, are of one controller, and go with it.
// Commands of steps have one that lasts as long as the controller, and commands
// that judge have others: what a step leaves in its folder never gets to what
// judges it. A cache begins with what the user's cache holds, which is only
// read.
//
// An executor that needs a home has one here, which is out of sight for all
// commands but its own.
package scratch
