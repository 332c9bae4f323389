package cause

import "github.com/planlock/planlock/exec/history"

// Of is what a failure comes from, as far as its lines and those of the attempts
// before it say.
func Of(f history.AttemptFailed, attempts []*history.Attempt) Cluster {
	return Root(f, len(attempts), Mine(Signals(f, attempts)))
}

// Root weighs clusters against what the failure's class says (stage R3). Where a
// message agrees with the class, another one wins only if it is surer: a test
// that failed as a module is missing lacks that.
func Root(f history.AttemptFailed, attempts int, clusters []Cluster) Cluster {
	e, sure, severity := byClass(f)
	best := Cluster{Error: e, Sure: sure, Severity: severity, Attempts: attempts}
	for _, other := range clusters {
		if other.Error == e {
			best = other
			best.Sure = surer(max(other.Sure, sure), 1, 0) // message and class agree
		}
	}
	if len(clusters) > 0 && clusters[0].Sure >= best.Sure && clusters[0].Error != e {
		return clusters[0]
	}
	return best
}
