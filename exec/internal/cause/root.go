package cause

import "github.com/planlock/planlock/exec/history"

// Of is what a failure comes from, as far as its lines and those of the attempts
// before it say.
func Of(f history.AttemptFailed, attempts []*history.Attempt) Cluster {
	return Root(f, len(attempts), Mine(Signals(f, attempts)))
}

// Root weighs clusters against what the failure's class says (stage R3).
func Root(f history.AttemptFailed, attempts int, clusters []Cluster) Cluster {
	e, sure, severity := byClass(f)
	best := Cluster{Error: e, Sure: sure, Severity: severity, Attempts: attempts}
	for _, other := range clusters {
		if other.Error == best.Error {
			other.Sure = surer(max(other.Sure, best.Sure), 1, 0) // message and class agree
			return other
		}
	}
	if len(clusters) > 0 && clusters[0].Sure >= best.Sure {
		return clusters[0]
	}
	return best
}
