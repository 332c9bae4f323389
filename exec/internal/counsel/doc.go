// Package counsel asks advisors, and makes facts of what they say.
//
// An advisor proposes and never acts: what it says is bounded and recorded, and
// a patch of a method is checked for reaching further than the method did
// before the ladder may use it. A [Counsel] is asked after a failure
// ([Counsel.Advise]), about something that was rejected ([Counsel.ReflectOn]),
// and before a task begins ([Counsel.Foresee]).
package counsel
