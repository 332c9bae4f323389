package recovery

// What the tests of the package look at besides what it exports.
var (
	TriggeredInTest = triggered
	ClassOfInTest   = classOf
)
