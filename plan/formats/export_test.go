package formats

import "github.com/planlock/planlock/plan"

// Detect is the format of a text alone.
func Detect(name string, text []byte) plan.Format {
	format, _ := detect(name, text)
	return format
}

// Unedited is what a native plan is converted to.
var Unedited = unedited
