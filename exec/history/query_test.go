package history_test

import (
	"errors"
	"iter"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/planlock/planlock/checkpoint/record"
	"github.com/planlock/planlock/exec/history"
)

// recorded has one record of each of some types.
func recorded(t testing.TB) []record.Record {
	t.Helper()
	var records []record.Record
	for i, f := range []struct {
		step    string
		attempt int
		fact    history.Fact
	}{
		{"", 0, &history.Started{Run: "r"}},
		{"1.1", 0, &history.StepStarted{Decision: "proceed"}},
		{"1.1", 1, &history.AttemptStarted{Method: "primary"}},
		{"1.1", 1, &history.AttemptFailed{Class: history.Crashed}},
		{"1.1", 1, &history.Recovery{Rung: "retry", Method: "primary"}},
		{"1.1", 2, &history.AttemptStarted{Method: "primary"}},
		{"2.1", 0, &history.StepStarted{Decision: "proceed"}},
	} {
		fact, err := history.Located{Where: history.Where{Attempt: f.attempt}, Fact: f.fact}.Encode()
		if err != nil {
			t.Fatal(err)
		}
		fact.Step = f.step
		records = append(records, record.Record{Seq: uint64(i + 1), Time: time.Unix(int64(i), 0), Fact: fact})
	}
	return records
}

func TestQuery(t *testing.T) {
	for _, tt := range []struct {
		name string
		q    history.Query
		want []uint64
	}{
		{"everything", history.Query{}, []uint64{1, 2, 3, 4, 5, 6, 7}},
		{"a step", history.Query{Step: "1.1"}, []uint64{2, 3, 4, 5, 6}},
		{"an attempt", history.Query{Step: "1.1", Attempt: 1}, []uint64{3, 4, 5}},
		{"types", history.Query{Types: []string{"attempt-started", "recovery"}}, []uint64{3, 5, 6}},
		{"since", history.Query{Since: time.Unix(5, 0)}, []uint64{6, 7}},
		{"until", history.Query{Until: time.Unix(1, 0)}, []uint64{1}},
		{"nothing", history.Query{Step: "9.9"}, nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var got []uint64
			for rec, err := range tt.q.Select(each(recorded(t))) {
				if err != nil {
					t.Fatal(err)
				}
				got = append(got, rec.Seq)
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// each yields the records of a slice.
func each(records []record.Record) iter.Seq2[record.Record, error] {
	return func(yield func(record.Record, error) bool) {
		for _, rec := range records {
			if !yield(rec, nil) {
				return
			}
		}
	}
}

var errCut = errors.New("cut")

// cut ends with an error after n records.
func cut(records []record.Record, n int) iter.Seq2[record.Record, error] {
	return func(yield func(record.Record, error) bool) {
		for _, rec := range records[:n] {
			if !yield(rec, nil) {
				return
			}
		}
		yield(record.Record{}, errCut)
	}
}

// TestErrorsEndQueries hands on the error that ends the records, after what
// came before it.
func TestErrorsEndQueries(t *testing.T) {
	n, last := 0, error(nil)
	for _, err := range (history.Query{}).Select(cut(recorded(t), 3)) {
		if last = err; err == nil {
			n++
		}
	}
	if n != 3 || !errors.Is(last, errCut) {
		t.Errorf("%d records, then %v", n, last)
	}
}

// TestQueriesStop stops where the reader does.
func TestQueriesStop(t *testing.T) {
	n := 0
	for range (history.Query{}).Select(each(recorded(t))) {
		n++
		break
	}
	if n != 1 {
		t.Errorf("%d, want 1", n)
	}
}
