package plan

// The kinds of values.
const (
	kindString  = "string"
	kindInteger = "integer"
	kindBoolean = "boolean"
	kindArray   = "array"
	kindTable   = "table"
)
