package source

import (
	"context"

	"github.com/planlock/planlock/ledger"
)

// Compare says all that is known of changes, as [ledger.Diff] finds them: which
// symbols came and went, and how many lines. content opens what either of the
// two trees holds. Set against what was declared by [ledger.Reconcile], it is an
// account. An error means that a content could not be had.
//
// A symbol is a constant, variable, type, function or method of Go; init
// functions and blank names are none. Symbols are sorted by name. Test files
// count like others, and so do files that build constraints leave out. A symbol
// that moved between files of one folder is neither added nor removed. A folder
// has each name once, however many of its files or packages declare it: only the
// changed files are read, so a name that one of them lost is removed, even where
// an unchanged file for another system declares it too. Files that do not parse,
// on either side, or that are larger than 16 MiB, yield what could be read.
//
// Lines are those that each change added and removed, as diff counts them: all
// lines of a file that came or went, and of one that was modified the lines that
// differ. Binary contents count as zero lines, and so do folders, links and
// changes of mode alone. Contents of more than 32 MiB are not compared; all
// their lines count as replaced.
func Compare(ctx context.Context, changes []ledger.Change, content ledger.Content) (c ledger.Comparison, err error) {
	c.Changes = changes
	if c.Symbols, _, err = symbols(ctx, changes, content, content); err == nil {
		c.Lines, c.PerPath, err = countChanges(ctx, changes, content, content)
	}
	return c, err
}
