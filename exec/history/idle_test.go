package history

import (
	"testing"
	"time"
)

func TestWorked(t *testing.T) {
	at := func(s int) time.Time { return time.Unix(1000+int64(s), 0) }
	r := &Run{Idle: []struct{ From, To time.Time }{{at(10), at(20)}, {at(30), at(35)}}}
	for name, c := range map[string]struct {
		from, to time.Time
		want     int // seconds
	}{
		"before":              {at(0), at(9), 9},
		"around one":          {at(0), at(25), 15},
		"around both":         {at(5), at(40), 20},
		"from within":         {at(15), at(25), 5},
		"to within":           {at(5), at(15), 5},
		"within":              {at(11), at(19), 0},
		"between":             {at(20), at(30), 10},
		"backwards":           {at(25), at(5), 0},
		"nobody knows since":  {time.Time{}, at(5), 0},
		"it is not over":      {at(5), time.Time{}, 0},
		"nothing lies within": {at(40), at(50), 10},
	} {
		if got := r.Worked(c.from, c.to); got != time.Duration(c.want)*time.Second {
			t.Errorf("%s: %s, want %d s", name, got, c.want)
		}
	}
}
