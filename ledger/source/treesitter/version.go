package treesitter

import "context"

// ParserVersion is that of the grammar.
func (l *language) ParserVersion(context.Context) (string, error) { return l.grammar.version, nil }
