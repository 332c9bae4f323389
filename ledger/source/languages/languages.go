// Package languages lists the languages that planlock reads by itself. A host
// that wants all of them gives [All] to its controller, or nothing; one that
// brings its own appends it, or puts it first.
package languages

import (
	"github.com/planlock/planlock/ledger/source"
	"github.com/planlock/planlock/ledger/source/golang"
	"github.com/planlock/planlock/ledger/source/python"
	"github.com/planlock/planlock/ledger/source/typescript"
)

// All are the languages that are read on this machine: Go everywhere, Python
// where there is a python3, TypeScript and JavaScript where there are node and a
// typescript package. The slice is the caller's own.
func All() []source.Language {
	all := []source.Language{golang.Language{}}
	if l, ok := python.Find(); ok {
		all = append(all, l)
	}
	if p, ok := typescript.Find(); ok {
		all = append(all, p.Languages()...)
	}
	return all
}
