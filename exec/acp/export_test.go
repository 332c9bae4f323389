package acp

import "time"

// Quick is an executor with bounds that a test can reach.
func Quick(e *Executor) *Executor {
	quick := usual
	quick.line, quick.bytes, quick.messages, quick.strange = 64<<10, 4<<20, 2000, 20
	quick.asks, quick.refused = 50, 10
	quick.answer, quick.open, quick.stop, quick.leave = 3*time.Second, 3*time.Second, 500*time.Millisecond, 2*time.Second
	e.bound = &quick
	return e
}
