package gate

// What tests need of the bounds of a report.
const (
	MaxFindings = maxFindings
	MaxText     = maxText
	MaxReport   = maxReport
)
