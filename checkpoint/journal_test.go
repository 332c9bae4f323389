package checkpoint_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/planlock/planlock/checkpoint"
	"github.com/planlock/planlock/checkpoint/filelog"
	"github.com/planlock/planlock/checkpoint/record"
)

func clock() func() time.Time {
	now := time.Date(2026, 1, 2, 3, 4, 5, 6, time.UTC)
	return func() time.Time { now = now.Add(time.Second); return now }
}

var facts = [][]record.Fact{
	{{Type: "run.started", Data: json.RawMessage(`{ "plan": "x", "n": 9007199254740993 }`)}},
	{{Type: "step.started", Step: "1.1", Attempt: 1}, {Type: "note", Step: "1.1", Data: json.RawMessage(`"é\u0000<"`)}},
	{{Type: "step.done", Step: "1.1", Attempt: 1, Data: json.RawMessage(`[1, 2]`)}},
}

// fill opens a journal on log and appends facts; it returns the records.
func fill(t testing.TB, log checkpoint.Log) (*checkpoint.Journal, []record.Record) {
	t.Helper()
	j, err := checkpoint.OpenJournal(context.Background(), log, "run", clock(), nil)
	must(t, err)
	var all []record.Record
	for i, batch := range facts {
		add := j.Append
		if i == 1 {
			add = j.Write
		}
		records, err := add(context.Background(), batch...)
		must(t, err)
		all = append(all, records...)
	}
	return j, all
}

func records(j *checkpoint.Journal) (all []record.Record, err error) {
	for r, err := range j.Records(context.Background()) {
		if err != nil {
			return all, err
		}
		all = append(all, r)
	}
	return all, nil
}

func TestJournalKeepsFacts(t *testing.T) {
	path := filepath.Join(t.TempDir(), "runs", "run", "journal")
	log, err := filelog.Open(t.Context(), path)
	must(t, err)
	j, want := fill(t, log)
	head := j.Head()
	must(t, j.Close())
	log, err = filelog.Open(t.Context(), path)
	must(t, err)
	j, err = checkpoint.OpenJournal(t.Context(), log, "run", clock(), nil)
	must(t, err)
	defer j.Close()
	got, err := records(j)
	must(t, err)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if j.Head() != head || head.Seq != 4 || head.Hash != want[3].Hash || want[1].Prev != want[0].Hash {
		t.Errorf("head is %v, was %v", j.Head(), head)
	}
	if string(got[0].Data) != `{"plan":"x","n":9007199254740993}` {
		t.Errorf("data is %s", got[0].Data)
	}
	for _, bad := range []record.Fact{{}, {Type: "x", Attempt: -1}, {Type: "x", Data: json.RawMessage(`{`)}} {
		if _, err := j.Append(t.Context(), record.Fact{Type: "good"}, bad); err == nil {
			t.Errorf("%+v was appended", bad)
		}
	}
	if j.Head() != head {
		t.Errorf("a refused batch moved the head to %v", j.Head())
	}
}

// Every bit of a journal's file, flipped, is found, or changes nothing; every
// cut yields a journal that is shorter by whole batches, which Extends tells.
func TestJournalFileDamaged(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "journal")
	log, err := filelog.Open(t.Context(), path)
	must(t, err)
	j, want := fill(t, log)
	head := j.Head()
	must(t, j.Close(), os.Remove(path+".head")) // whoever cuts the one can remove the other
	good, err := os.ReadFile(path)
	must(t, err)
	open := func(b []byte) ([]record.Record, error, error) {
		must(t, os.WriteFile(path, b, 0o644))
		log, err := filelog.Read(t.Context(), path)
		if err != nil {
			return nil, err, nil
		}
		j, err := checkpoint.OpenJournal(t.Context(), log, "run", clock(), nil)
		if err != nil {
			return nil, errors.Join(err, log.Close()), nil
		}
		defer j.Close()
		got, err := records(j)
		return got, err, j.Extends(t.Context(), head)
	}
	step := 1
	if testing.Short() {
		step = 13
	}
	for i := 0; i < len(good)*8; i += step {
		b := bytes.Clone(good)
		b[i/8] ^= 1 << (i % 8)
		if got, err, _ := open(b); err == nil {
			t.Fatalf("bit %d of byte %d flipped: %d records and no error", i%8, i/8, len(got))
		}
	}
	for n := 0; n < len(good); n += step {
		got, err, extends := open(good[:n])
		var corrupt *record.CorruptError
		if err != nil {
			if !errors.As(err, &corrupt) {
				t.Fatalf("cut at %d: %v", n, err)
			}
			continue
		}
		if !errors.As(extends, &corrupt) {
			t.Fatalf("cut at %d: Extends says %v", n, extends)
		}
		if len(got) != 0 && len(got) != 1 && len(got) != 3 {
			t.Fatalf("cut at %d: %d records, which is a part of a batch", n, len(got))
		}
		if diff := cmp.Diff(want[:len(got)], append([]record.Record{}, got...)); diff != "" && len(got) > 0 {
			t.Fatalf("cut at %d (-want +got):\n%s", n, diff)
		}
	}
	if _, err, extends := open(good); err != nil || extends != nil {
		t.Fatalf("undamaged: %v, %v", err, extends)
	}
}

// What somebody who can write the log may do to its records is found.
func TestJournalTampered(t *testing.T) {
	var l checkpoint.MemoryLog
	j, want := fill(t, &l)
	head := j.Head()
	var raw [][]byte
	for r, err := range l.Replay(t.Context()) {
		must(t, err)
		raw = append(raw, r)
	}
	for _, c := range []struct {
		name string
		raw  [][]byte
		seq  uint64 // first that is wrong; 0: only Extends can tell
	}{
		{"swapped", [][]byte{raw[0], raw[2], raw[1], raw[3]}, 2},
		{"repeated", [][]byte{raw[0], raw[1], raw[1], raw[2], raw[3]}, 3},
		{"removed", [][]byte{raw[0], raw[2], raw[3]}, 2},
		{"removed first", raw[1:], 1},
		{"inserted", [][]byte{raw[0], []byte("{}"), raw[1]}, 2},
		{"cut", raw[:3], 0},
		{"emptied", nil, 0},
		{"cut inside", [][]byte{raw[0], raw[1][:len(raw[1])-1]}, 2},
	} {
		t.Run(c.name, func(t *testing.T) {
			l := &checkpoint.MemoryLog{}
			must(t, l.Append(t.Context(), c.raw))
			var corrupt *record.CorruptError
			_, err := checkpoint.OpenJournal(t.Context(), l, "run", nil, nil)
			if c.seq > 0 {
				if !errors.As(err, &corrupt) || corrupt.Seq != c.seq || corrupt.Name != "run" {
					t.Fatalf("error is %v, want record %d", err, c.seq)
				}
				return
			}
			must(t, err)
			j, err := checkpoint.OpenJournal(t.Context(), l, "run", clock(), nil)
			must(t, err)
			if err := j.Extends(t.Context(), head); !errors.As(err, &corrupt) {
				t.Errorf("Extends: %v", err)
			}
		})
	}
	t.Run("another run", func(t *testing.T) {
		var corrupt *record.CorruptError
		if _, err := checkpoint.OpenJournal(t.Context(), &l, "other", nil, nil); !errors.As(err, &corrupt) ||
			corrupt.Seq != 1 {
			t.Errorf("error is %v", err)
		}
	})
	t.Run("rewritten with a new chain", func(t *testing.T) {
		l := &checkpoint.MemoryLog{}
		j, err := checkpoint.OpenJournal(t.Context(), l, "run", clock(), nil)
		must(t, err)
		for _, r := range want {
			r.Fact.Step = "9.9"
			_, err := j.Append(t.Context(), r.Fact)
			must(t, err)
		}
		var corrupt *record.CorruptError
		if err := j.Extends(t.Context(), head); !errors.As(err, &corrupt) {
			t.Errorf("Extends: %v", err)
		}
	})
	t.Run("continued", func(t *testing.T) {
		for _, r := range want {
			must(t, j.Extends(t.Context(), record.Head{Seq: r.Seq, Hash: r.Hash}))
		}
		must(t, j.Extends(t.Context(), record.Head{}))
	})
}

func TestJournalConcurrent(t *testing.T) {
	log, err := filelog.Open(t.Context(), filepath.Join(t.TempDir(), "journal"))
	must(t, err)
	j, err := checkpoint.OpenJournal(t.Context(), log, "run", nil, nil)
	must(t, err)
	defer j.Close()
	done := make(chan error)
	for w := range 4 {
		go func() {
			for i := range 10 {
				pair, err := j.Append(context.Background(), record.Fact{Type: "a", Attempt: i},
					record.Fact{Type: fmt.Sprint(w)})
				if err == nil && pair[1].Prev != pair[0].Hash {
					err = errors.New("a batch was torn apart")
				}
				if err != nil {
					done <- err
					return
				}
			}
			_, err := records(j)
			done <- err
		}()
	}
	for range 4 {
		must(t, <-done)
	}
	got, err := records(j)
	must(t, err)
	if len(got) != 80 || !slices.IsSortedFunc(got, func(a, b record.Record) int { return int(a.Seq) - int(b.Seq) }) {
		t.Errorf("%d records", len(got))
	}
}

// What opens a journal and reads it at once sees what Records gives, each
// record verified before it is seen.
func TestOpenJournalTells(t *testing.T) {
	log := new(checkpoint.MemoryLog)
	_, want := fill(t, log)
	var got []record.Record
	keep := func(r record.Record) error { got = append(got, r); return nil }
	j, err := checkpoint.OpenJournal(t.Context(), log, "run", clock(), keep)
	must(t, err)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if got, want := j.Head(), (record.Head{Seq: want[len(want)-1].Seq, Hash: want[len(want)-1].Hash}); got != want {
		t.Errorf("it ends at %v, want %v", got, want)
	}
	got = nil
	var corrupt *record.CorruptError
	if _, err := checkpoint.OpenJournal(t.Context(), log, "another run", clock(), keep); !errors.As(err,
		&corrupt) || len(got) > 0 {
		t.Errorf("of another run %d records are given, and then %v", len(got), err)
	}
	enough := errors.New("enough")
	seen := 0
	if _, err := checkpoint.OpenJournal(t.Context(), log, "run", clock(),
		func(record.Record) error { seen++; return enough }); !errors.Is(err, enough) || seen != 1 {
		t.Errorf("after %d records: %v", seen, err)
	}
}
