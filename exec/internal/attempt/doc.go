// Package attempt carries out one attempt of a step: it calls the executor,
// accounts for what that did, has it judged, and accepts the tree or undoes it.
//
// [Attempts] is the part of the engine that does so. An attempt under way is a
// trial; it has the executor work in one go or, where the test is written
// first, phase by phase. What stands in the way of accepting it is a fault:
// the first one that is found decides, in the order account, repository,
// bindings, executor, gates. The announcement of an attempt is in the journal
// before the executor is called, and its end goes there in one batch.
package attempt
