package filelog

import (
	"context"
	"errors"

	"github.com/planlock/planlock/checkpoint"
	"github.com/planlock/planlock/checkpoint/record"
)

// OpenJournal opens the log at path as Open does, and the journal in it as
// checkpoint.OpenJournal does: do gets each record that is there. Closing
// the journal closes the log; after an error nothing is open.
func OpenJournal(ctx context.Context, path, name string, do func(record.Record) error) (*checkpoint.Journal, error) {
	log, err := Open(ctx, path)
	if err != nil {
		return nil, err
	}
	journal, err := checkpoint.OpenJournal(ctx, log, name, nil, do)
	if err != nil {
		return nil, errors.Join(err, log.Close())
	}
	return journal, nil
}
