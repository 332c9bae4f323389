package history

import "sync"

// facts are all facts that a journal may hold. Whoever adds one adds a line
// here; see docs/journal-and-store.md.
func facts() []func() Fact {
	return []func() Fact{
		// the run
		fact[Started], fact[Resumed], fact[PolicyChanged], fact[Amended], fact[Paused], fact[Ended], fact[Delivered],
		fact[Sealed], fact[RolledBack],
		// how it is carried out
		fact[StrategySet], fact[PhaseOver], fact[Budget], fact[ModeSwitched], fact[Observed],
		// a step
		fact[StepStarted], fact[StepCompleted], fact[StepFailed], fact[StepSkipped], fact[StepBlocked], fact[Lesson],
		// an attempt
		fact[AttemptStarted], fact[AttemptEnded], fact[Telemetry], fact[Accounted], fact[Differs], fact[Cycle],
		fact[Judged], fact[AttemptFailed],
		// after a failure
		fact[RestoreBegun], fact[Restored], fact[Compensated], fact[Recovery], fact[Advised], fact[Patched],
		// people
		fact[Asked], fact[Answered], fact[Unanswered], fact[Addendum], fact[Remembered],
		// tasks
		fact[Compliance], fact[Approval], fact[Evidence], fact[EvidenceRetry], fact[TaskOver], fact[TaskOutcome],
	}
}

// fact makes an empty fact of a type.
func fact[T any, P interface {
	*T
	Fact
}]() Fact {
	return P(new(T))
}

// makers are the facts by their types.
var makers = sync.OnceValue(func() map[string]func() Fact {
	byType := map[string]func() Fact{}
	for _, empty := range facts() {
		byType[empty().Type()] = empty
	}
	return byType
})

// blank is an empty fact of a type, or nil if there is no such type.
func blank(name string) Fact {
	if empty := makers()[name]; empty != nil {
		return empty()
	}
	return nil
}

// Types are the names of all facts, in the order of the table: those of the
// run, of steps, of attempts and so on.
func Types() []string {
	var names []string
	for _, empty := range facts() {
		names = append(names, empty().Type())
	}
	return names
}
