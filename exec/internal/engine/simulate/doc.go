// Package simulate plays random histories of random plans against the decider,
// without a world.
//
// A [Game] makes a plan and a policy from a seed, and then acts as everything
// that a controller acts on: executors that succeed, fail, hang or are killed,
// gates, reviewers, advisors, persons who answer, refuse or leave, clocks, and
// crashes between any two facts. What comes of it is folded into the history,
// and the decider is asked again, until the run is sealed or waits for
// somebody. [Game.Play] checks after each decision that it was lawful, and says
// which law was broken.
//
// The same seed plays the same game.
package simulate
