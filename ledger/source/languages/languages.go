// Package languages lists the languages that planlock reads by itself. A host
// that wants all of them gives [All] to its controller, or nothing; one that
// brings its own appends it, or puts it first.
package languages

import (
	"github.com/planlock/planlock/ledger/source"
	"github.com/planlock/planlock/ledger/source/golang"
)

// All are the languages that are read on this machine. The slice is the caller's
// own.
func All() []source.Language { return []source.Language{golang.Language{}} }
