// Package ask holds escalations: the questions that a run stops for, and the
// answers to them.
//
// A [Question] says what is blocked, why, what is known, and what can be
// chosen, each [Choice] with its consequence. An [Answer] belongs to one run,
// one question and one attempt; [Question.Check] says why another one does not
// count. No answer is a refusal; where none comes by a deadline, the question waits.
//
// A choice can be remembered, and answers the same question of the same plan
// then ([Precedent]); a person can ask for a question ([Request]).
//
// The package computes and does nothing else. Package escalator has the ways of
// getting an answer.
package ask
