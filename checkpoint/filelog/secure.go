package filelog

import (
	"fmt"
	"io"
	"path/filepath"

	"github.com/planlock/planlock/internal/disk"
)

// secure makes durable what an earlier writer may have left otherwise: the
// batches behind acknowledged, which is where its head says that it was synced.
// If that writer died because its sync failed, the system may hold these bytes
// for synced, and another sync would not save them; so they are written again.
// The same goes for the name of a log of which nothing was acknowledged.
func (l *Log) secure(f *disk.File, acknowledged logEnd) error {
	if acknowledged.records == 0 {
		if err := l.root.SyncFolder(filepath.Dir(l.path)); err != nil {
			return fmt.Errorf("checkpoint: open log: %w", err)
		}
	}
	from := max(acknowledged.offset, 0)
	if from >= l.end.offset {
		return nil
	}
	buf := make([]byte, min(l.end.offset-from, 1<<20))
	for from < l.end.offset {
		part := buf[:min(l.end.offset-from, int64(len(buf)))]
		if _, err := io.ReadFull(io.NewSectionReader(f, from, int64(len(part))), part); err != nil {
			return fmt.Errorf("checkpoint: read log: %w", err)
		}
		if _, err := f.WriteAt(part, from); err != nil {
			return fmt.Errorf("checkpoint: write log again: %w", err)
		}
		from += int64(len(part))
	}
	if err := l.f.Sync(); err != nil {
		return fmt.Errorf("checkpoint: write log again: %w", err)
	}
	return nil
}
