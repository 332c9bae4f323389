// Package planlock is the root of a library that executes plans as contracts.
//
// A plan is checked, ordered, hashed and locked before anything runs. Then each
// step is checkpointed, carried out by whatever the host plugs in, set against
// the files and symbols that it declared, judged by gates, and dropped if it did
// anything else. Steps that the plan declares independent are carried out at
// once, and judged and accepted one after another. What happened stands in one
// append-only journal, so that a run that crashed goes on, a person can be
// asked, and what happened can be proved.
//
// The packages, from the ground up:
//
//   - ledger: trees, diffs, declared against actual artifacts, symbols
//   - plan: the contract, its diagnostics, its digest and its lock
//   - envelope: named digests of what a run depends on
//   - checkpoint: contents, snapshots, restore, and the journal
//   - gate: who judges, and what a verdict is
//   - exec: the controller, with executors, escalations and views around it
//
// This package holds examples only. A program starts with native.ReadFile
// (package plan/native) and exec.Controller.
package planlock
