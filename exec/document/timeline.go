package document

import (
	"fmt"
	"strings"
	"time"

	"github.com/planlock/planlock/internal/safetext"
)

// Sizes of the timeline. Places along the axis are in per cent of it, since the
// axis is as wide as the reader's screen allows.
const (
	axisWidth  = 780 // pixels of an axis on a wide screen, where labels are measured
	letter     = 7.5 // pixels of a letter in the label of a bar
	labelEdge  = 10  // pixels of a label besides its letters
	signWidth  = 20  // pixels of a bar that has room for its sign
	mostBegun  = 400 // steps with a row; the latest ones
	mostOfStep = 40  // bars of a step; the latest ones
)

// A timeline is the picture of the run: a row per step that began, a bar per
// attempt, a band per group, a bar per question.
type timeline struct {
	Ticks  []tick
	Rows   []*timeRow
	Groups bool
	Text   string
}

// A band lies behind the bars of a group in a row, from the first bar of the
// group to the last.
type band struct {
	X, W float64
	Full string
}

// A tick is a mark of the time axis.
type tick struct {
	X     float64
	Label string
}

// A timeRow is the row of a step in the timeline, and the bars in it.
type timeRow struct {
	Class, Mark    string
	Address, Title string
	Full, Link     string
	Bands          []band
	Bars           []bar
	groups         []int
}

// Text says the row in words, for whoever does not see it.
func (r *timeRow) Text() string {
	return strings.Join(each(r.Bars, func(b bar) string { return b.Full }), "; ")
}

// A bar is a time in the row of a step.
type bar struct {
	X, W        float64
	Class       string
	Sign, Label string // "" where there is no room
	Full        string
}

// newTimeline lays out what happened when, a row for each step that began or
// was asked about.
func newTimeline(rep *Model) *timeline {
	whole := max(time.Duration(rep.Duration), time.Millisecond)
	t := &timeline{Groups: len(rep.Groups) > 0, Ticks: ticks(whole)}
	at := func(s stamp) float64 {
		share := float64(s.Sub(rep.Started.Time)) / float64(whole)
		return 100 * min(max(share, 0), 1)
	}
	begun := only(rep.steps, func(s *step) bool {
		return len(s.Attempts) > 0 || len(s.Questions) > 0 || !s.Started.IsZero()
	})
	t.Text = fmt.Sprintf("%s over %s; every attempt and question is listed with its times in the details of its step.",
		count(len(begun), "step", "steps"), rep.Duration)
	if more := len(begun) - mostBegun; more > 0 {
		t.Text = fmt.Sprintf("The latest %d of %s", mostBegun, t.Text)
		begun = begun[more:]
	}
	bands := make([]band, len(rep.Groups))
	for _, s := range begun {
		t.Rows = append(t.Rows, newTimeRow(rep, s, at, bands))
	}
	for _, r := range t.Rows {
		for _, g := range r.groups {
			b := bands[g]
			b.X, b.W = round(b.X), round(b.W)
			r.Bands = append(r.Bands, b)
		}
	}
	return t
}

// newTimeRow lays out the row of a step, and widens the bands of groups that it
// took part in; at is where a time stands on the axis.
func newTimeRow(rep *Model, s *step, at func(stamp) float64, bands []band) *timeRow {
	row := &timeRow{Class: string(s.Status), Mark: s.mark(), Link: anchor(s),
		Address: safetext.Clip(string(s.Address), longestAddress),
		Title:   safetext.Clip(s.Title, longestTitle),
		Full:    safetext.Escape(fmt.Sprintf("step %s: %s, %s, %s", s.Address, s.Title, s.Status, s.Duration))}
	for _, q := range s.Questions {
		end := rep.latest
		switch {
		case q.Answer != nil:
			end = q.Answer.At
		case !s.Ended.IsZero():
			end = s.Ended
		}
		row.add(at(q.Asked), at(end), "question", "?", "",
			fmt.Sprintf("question %s: %s (%s)", q.ID, q.What, between(q.Asked, end)))
	}
	for i, a := range s.Attempts {
		if len(s.Attempts)-i > mostOfStep {
			continue
		}
		end, label, sign := a.Ended, a.Method, mark(a.Outcome)
		took := a.Duration
		if end.IsZero() && a.Outcome == lost {
			end = a.Started // nobody knows how long it ran
		} else if end.IsZero() {
			end = rep.latest
			took = atWork(rep.of, a.Started, end)
		}
		if i > 0 && a.Method == s.Attempts[i-1].Method && a.past == s.Attempts[i-1].past {
			label = "retry"
		}
		full := fmt.Sprintf("attempt %d, %s, %s, %s, from %s", a.Number, a.Method, a.Outcome, took, a.Started.clock())
		if a.Ended.IsZero() && a.Outcome == lost {
			full = fmt.Sprintf("attempt %d, %s, %s, from %s", a.Number, a.Method, a.Outcome, a.Started.clock())
		}
		from, to := at(a.Started), at(end)
		if l := a.Lane; l != nil {
			full += fmt.Sprintf(", in lane %d of group %d: %s", l.Number, l.Group, l.said())
			if a.Outcome != undone && a.Outcome != lost {
				sign = mark(string(l.State))
			}
			row.join(bands, l.Group-1, from, to, rep.Groups[l.Group-1].String())
		}
		row.add(from, to, a.Outcome, sign, label, full)
	}
	return row
}

// join notes that a bar of the row is part of a group.
func (r *timeRow) join(bands []band, group int, from, to float64, full string) {
	b := &bands[group]
	if b.Full == "" {
		*b = band{X: from, W: to - from, Full: safetext.Escape(full)}
	}
	end := max(b.X+b.W, to)
	b.X = min(b.X, from)
	b.W = end - b.X
	if n := len(r.groups); n == 0 || r.groups[n-1] != group {
		r.groups = append(r.groups, group)
	}
}

// add puts a bar into the row, with its sign and its label where there is room
// for the whole of them.
func (r *timeRow) add(from, to float64, class, sign, label, full string) {
	b := bar{X: round(from), W: round(to - from), Class: class, Full: safetext.Escape(full)}
	room := b.W * axisWidth / 100
	if room >= signWidth {
		b.Sign = sign
	}
	label = safetext.Escape(label)
	if room >= labelEdge+letter*float64(safetext.Width(sign+" "+label)) {
		b.Label = label
	}
	r.Bars = append(r.Bars, b)
}

// round keeps two places, so that the numbers of a picture are short.
func round(x float64) float64 { return float64(int(x*100+0.5)) / 100 }

// ticks divides the axis into four to ten round steps.
func ticks(whole time.Duration) []tick {
	step := time.Duration(0)
	for _, s := range []time.Duration{
		time.Millisecond, 2 * time.Millisecond, 5 * time.Millisecond, 10 * time.Millisecond, 20 * time.Millisecond,
		50 * time.Millisecond,
		100 * time.Millisecond, 200 * time.Millisecond, 500 * time.Millisecond,
		time.Second, 2 * time.Second, 5 * time.Second, 10 * time.Second, 15 * time.Second, 30 * time.Second,
		time.Minute, 2 * time.Minute, 5 * time.Minute, 10 * time.Minute, 15 * time.Minute, 30 * time.Minute,
		time.Hour, 2 * time.Hour, 4 * time.Hour, 8 * time.Hour, 12 * time.Hour, 24 * time.Hour, 48 * time.Hour,
		168 * time.Hour,
	} {
		if step = s; whole/s <= 8 {
			break
		}
	}
	for whole/step > 8 { // longer than two months
		step *= 2
	}
	var out []tick
	for at := time.Duration(0); at <= whole; at += step {
		out = append(out, tick{round(100 * float64(at) / float64(whole)), tickLabel(at, step)})
	}
	return out
}

// tickLabel is the time of a tick since the beginning, as fine as the distance
// of two ticks asks for.
func tickLabel(at, step time.Duration) string {
	switch {
	case at == 0:
		return "0"
	case step < time.Second:
		return fmt.Sprintf("%g s", at.Seconds())
	case step < time.Minute:
		return fmt.Sprintf("%d:%02d", int(at/time.Minute), int(at%time.Minute/time.Second))
	case step < 24*time.Hour:
		return fmt.Sprintf("%d h %02d", int(at/time.Hour), int(at%time.Hour/time.Minute))
	}
	return fmt.Sprintf("%d d", int(at/(24*time.Hour)))
}
