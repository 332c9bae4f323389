// Package session is a run that a controller has in hand: what is known of it,
// and the means that whatever goes on with it shares.
//
// A [Session] is made by the controller and handed to the parts of the engine,
// each of which does one kind of thing that the decider wants: what a run is
// bound to, what is asked of persons, an attempt, a restore. It says nothing of
// its own about what comes next.
package session
