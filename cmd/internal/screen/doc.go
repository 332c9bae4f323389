// Package screen shows people how a run goes and where it stands.
//
// A [Progress] is told events, one at a time, and draws two things of them:
// lines that stay, one for each step that is over and for what went wrong on
// the way, and on a terminal a region below them that is redrawn. Everything
// that it says is in the journal as well, so that nothing is lost where nobody
// looks.
//
// Text of plans and programs is clipped and escaped here, at the last moment:
// whoever hands it over need not know where it is shown. Widths are counted as
// a terminal shows them, wide and combining characters too.
package screen
