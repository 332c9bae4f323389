package main

import (
	"context"
	"database/sql"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"hash/crc32"
	"iter"
	"os"
	"path/filepath"
	"strings"
	"time"

	_ "modernc.org/sqlite" // the peer

	"github.com/planlock/planlock/checkpoint"
	"github.com/planlock/planlock/checkpoint/filelog"
	"github.com/planlock/planlock/checkpoint/record"
)

const (
	goalFour   = "four journal records, durable / raw append + fsync of the same bytes"
	goalSQLite = "four journal records, durable / four rows, SQLite WAL FULL"
	goalFloor  = "the least: the same bytes over zeros + fdatasync / raw append + fsync"
	goalReplay = "journal replay and verification, records of 512 B per second"
)

// fact makes a record of 512 bytes: 119 of them are what surrounds the data.
func fact() record.Fact {
	return record.Fact{Type: "step.done", Step: "12.3", Attempt: 1,
		Data: json.RawMessage(`"` + strings.Repeat("x", 391) + `"`)}
}

// fourRecords measures one durable batch of four records of 512 bytes.
func (s settings) fourRecords(ctx context.Context, all *table) error {
	if !s.wants(goalFour, goalSQLite, goalFloor) {
		return nil
	}
	dir, err := s.folder("four")
	if err != nil {
		return err
	}
	log, err := filelog.Witness{Dir: filepath.Join(dir, "state")}.Open(ctx, filepath.Join(dir, "journal"))
	if err != nil {
		return err
	}
	j, err := checkpoint.OpenJournal(ctx, log, "limits", nil, nil)
	if err != nil {
		return err
	}
	defer j.Close() // nothing of it is needed
	raw, err := newAppender(filepath.Join(dir, "raw"), 4*512)
	if err != nil {
		return err
	}
	defer raw.f.Close()
	db, insert, err := database(filepath.Join(dir, "db"))
	if err != nil {
		return err
	}
	defer db.Close()
	floor, err := newFloor(filepath.Join(dir, "zeros"), 4*512, 40*s.rounds)
	if err != nil {
		return err
	}
	defer floor.f.Close()
	var ours, append4, sqlite, least []time.Duration
	f := fact()
	for range 40 * s.rounds {
		if err := timed(&append4, raw.append); err != nil {
			return err
		}
		if err := timed(&ours, func() error { _, err := j.Append(ctx, f, f, f, f); return err }); err != nil {
			return err
		}
		if err := timed(&least, floor.write); err != nil {
			return err
		}
		if err := timed(&sqlite, insert); err != nil {
			return err
		}
	}
	all.ratio(goalFour, "", ours, append4, 0.75)
	all.ratio(goalFloor, "", least, append4, 0)
	all.ratio(goalSQLite, "", ours, sqlite, 0)
	return nil
}

// An appender is the plainest way to make bytes durable: a file that grows, and
// a sync.
type appender struct {
	f     *os.File
	bytes []byte
}

func newAppender(path string, size int) (*appender, error) {
	f, err := os.Create(path)
	return &appender{f, []byte(strings.Repeat("x", size))}, err
}

func (a *appender) append() error {
	if _, err := a.f.Write(a.bytes); err != nil {
		return err
	}
	return a.f.Sync()
}

// A floor is the least that makes bytes durable: they are written over zeros
// that are on the disk already, and only data is synced.
type floor struct {
	f     *os.File
	bytes []byte
	at    int64
}

// newFloor makes room for n writes of size bytes.
func newFloor(path string, size, n int) (*floor, error) {
	f, err := os.Create(path)
	if err != nil {
		return nil, err
	}
	if _, err := f.Write(make([]byte, size*n)); err != nil {
		return nil, err
	}
	return &floor{f: f, bytes: []byte(strings.Repeat("x", size))}, f.Sync()
}

func (l *floor) write() error {
	if _, err := l.f.WriteAt(l.bytes, l.at); err != nil {
		return err
	}
	l.at += int64(len(l.bytes))
	return syncData(l.f)
}

// database opens SQLite as a journal would use it, and returns what inserts
// four rows in one transaction.
func database(path string) (*sql.DB, func() error, error) {
	db, err := sql.Open("sqlite", path+"?_pragma=journal_mode(WAL)&_pragma=synchronous(FULL)")
	if err != nil {
		return nil, nil, err
	}
	db.SetMaxOpenConns(1)
	if _, err := db.Exec("create table records (seq integer primary key, body blob)"); err != nil {
		return nil, nil, err
	}
	stmt, err := db.Prepare("insert into records (body) values (?)")
	if err != nil {
		return nil, nil, err
	}
	body := []byte(strings.Repeat("x", 512))
	return db, func() error {
		tx, err := db.Begin()
		if err != nil {
			return err
		}
		in := tx.Stmt(stmt)
		for range 4 {
			if _, err := in.Exec(body); err != nil {
				return fmt.Errorf("insert: %w", err)
			}
		}
		return tx.Commit()
	}, nil
}

// frames writes the batches that it is given into one file, without a sync for
// each; so a long log is made fast.
type frames struct{ out []byte }

func (l *frames) Append(_ context.Context, batch [][]byte) error {
	var payload []byte
	for _, r := range batch {
		payload = append(binary.BigEndian.AppendUint32(payload, uint32(len(r))), r...)
	}
	castagnoli := crc32.MakeTable(crc32.Castagnoli)
	start := len(l.out)
	l.out = append(l.out, "plfr"...)
	l.out = binary.BigEndian.AppendUint32(l.out, uint32(len(payload)))
	l.out = binary.BigEndian.AppendUint32(l.out, uint32(len(batch)))
	l.out = binary.BigEndian.AppendUint64(l.out, uint64(start))
	l.out = binary.BigEndian.AppendUint32(l.out, crc32.Checksum(payload, castagnoli))
	l.out = binary.BigEndian.AppendUint32(l.out, crc32.Checksum(l.out[start:], castagnoli))
	l.out = append(append(l.out, payload...), "\xff\xff\xff\xff"...)
	return nil
}

func (*frames) Replay(context.Context) iter.Seq2[[]byte, error] {
	return func(func([]byte, error) bool) {}
}

func (*frames) Close() error { return nil }

// replay measures how fast a journal in a file is read and verified: its
// frames, its chain, every record.
func (s settings) replay(ctx context.Context, all *table) error {
	if !s.wants(goalReplay) {
		return nil
	}
	log := &frames{out: binary.BigEndian.AppendUint32([]byte("planlock/log"), 1)}
	j, err := checkpoint.OpenJournal(ctx, log, "limits", nil, nil)
	if err != nil {
		return err
	}
	f := fact()
	for range s.records / 4 {
		if _, err := j.Append(ctx, f, f, f, f); err != nil {
			return err
		}
	}
	path := filepath.Join(s.work, "long-journal")
	if err := os.WriteFile(path, log.out, 0o644); err != nil {
		return err
	}
	log.out = nil
	var took []time.Duration
	for range max(3, s.rounds/3) {
		in, err := filelog.Read(ctx, path)
		if err != nil {
			return err
		}
		if err := timed(&took, func() error { _, err := checkpoint.OpenJournal(ctx, in, "limits", nil, nil); return err }); err != nil {
			return err
		}
		if err := in.Close(); err != nil {
			return err
		}
	}
	rate := float64(s.records/4*4) / median(took).Seconds()
	*all = append(*all, row{goal: goalReplay, ours: fmt.Sprintf("%.2f M/s", rate/1e6), target: "≥ 1 M/s", judged: true, met: rate >= 1e6})
	return nil
}
