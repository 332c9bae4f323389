package main

import (
	"testing"
	"testing/synctest"
	"time"
)

func TestStolen(t *testing.T) {
	before := parseStat("cpu  100 10 50 9000 700 1 2 30 4 0\ncpu0 1 1 1 1 1 1 1 1 1 1\n")
	if want := (processors{worked: 163, stolen: 30}); before != want {
		t.Fatalf("%+v, want %+v", before, want)
	}
	for _, c := range []struct {
		name, text string
		part       float64
		known      bool
	}{
		{"a quarter", "cpu  160 10 65 9900 800 1 2 55 4 0\n", 0.25, true},
		{"nothing was wanted", "cpu  100 10 50 9900 800 1 2 30 4 0\n", 0, false},
		{"nobody says it", "", 0, false},
	} {
		part, known := parseStat(c.text).stolenSince(before)
		if part != c.part || known != c.known {
			t.Errorf("%s: %v, %v; want %v, %v", c.name, part, known, c.part, c.known)
		}
	}
}

// A group that others disturbed is measured again while there is time, and what
// was measured last counts.
func TestMeter(t *testing.T) {
	for _, c := range []struct {
		name   string
		calm   time.Duration
		stolen []float64 // of a hundred that were wanted, in each turn
		turns  int
		shown  string
	}{
		{"quiet", time.Minute, []float64{4}, 1, "4%"},
		{"disturbed", time.Minute, []float64{40, 6, 5}, 3, "5%"},
		{"no time", 0, []float64{40, 0}, 1, "40%"},
		{"never quiet", 5 * time.Second, []float64{40, 30, 20, 10, 0}, 3, "20%"}, // a turn takes two seconds
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var now processors
				turns := 0
				m := &meter{until: time.Now().Add(c.calm), clock: func() processors { return now }}
				err := m.measure(func(all *table) error {
					now.stolen += c.stolen[turns]
					now.worked += 100 - c.stolen[turns]
					turns++
					*all = append(*all, row{goal: "some", ratio: float64(turns)})
					return nil
				})
				if err != nil || turns != c.turns || len(m.all) != 1 || m.all[0].ratio != float64(turns) ||
					m.all[0].stolen != c.shown {
					t.Errorf("%d turns, %+v, %v; want %d, and %s", turns, m.all, err, c.turns, c.shown)
				}
			})
		})
	}
}
