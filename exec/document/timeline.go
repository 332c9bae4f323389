package document

import (
	"fmt"
	"time"

	"github.com/planlock/planlock/exec/safetext"
)

// Sizes of the timeline, in pixels.
const (
	lineLabel  = 250
	lineWidth  = 780
	lineRow    = 28
	lineHead   = 34
	lineEdge   = 14
	barHeight  = 16
	narrowest  = 4
	labelWidth = 30 // of a bar that has room for a label
)

// A timeline is the picture of the run: a row per step that began, a bar per
// attempt, a band per question.
type timeline struct {
	Width, Height, Left, Right, Bottom int
	TitleX                             int
	Ticks                              []tick
	Rows                               []lineRowData
	Text                               string
}

type tick struct {
	X     float64
	Label string
}

type lineRowData struct {
	Y, TextY, BarY int
	Class, Mark    string
	Address, Title string
	Full, Link     string
	Odd            bool
	Bars           []bar
}

type bar struct {
	X, W         float64
	Class, Label string
	Full         string
	TextX        float64
}

func newTimeline(rep *Model) *timeline {
	t := &timeline{Left: lineEdge + lineLabel, Width: lineEdge*2 + lineLabel + lineWidth + 60}
	t.Right = t.Left + lineWidth
	t.TitleX = 34 + addressWidth(rep.steps) + 8
	whole := max(time.Duration(rep.Duration), time.Millisecond)
	at := func(s stamp) float64 {
		share := float64(s.Sub(rep.Started.Time)) / float64(whole)
		return float64(t.Left) + lineWidth*min(max(share, 0), 1)
	}
	y := lineHead
	for _, s := range rep.steps {
		if len(s.Attempts) == 0 && len(s.Questions) == 0 && s.Started.IsZero() {
			continue
		}
		t.Rows = append(t.Rows, newLineRow(rep, s, y, t.TitleX, at))
		y += lineRow
	}
	t.Bottom = y
	t.Height = y + lineEdge
	t.Ticks = ticks(whole, t.Left)
	t.Text = fmt.Sprintf("%s over %s; every attempt and question is listed with its times in the details of its step.",
		count(len(t.Rows), "step", "steps"), rep.Duration)
	return t
}

func newLineRow(rep *Model, s *step, y, titleX int, at func(stamp) float64) lineRowData {
	row := lineRowData{Y: y, TextY: y + lineRow/2 + 5, BarY: y + (lineRow-barHeight)/2,
		Odd:   (y-lineHead)/lineRow%2 == 1,
		Class: string(s.Status), Mark: s.mark(), Link: anchor(s),
		Address: safetext.Clip(string(s.Address), longestAddress),
		Title:   safetext.Clip(s.Title, letters(lineLabel-titleX)),
		Full:    safetext.Escape(fmt.Sprintf("step %s: %s, %s, %s", s.Address, s.Title, s.Status, s.Duration))}
	for _, q := range s.Questions {
		end := rep.latest
		switch {
		case q.Answer != nil:
			end = q.Answer.At
		case !s.Ended.IsZero():
			end = s.Ended
		}
		row.add(at(q.Asked), at(end), "question", "?",
			fmt.Sprintf("question %s: %s (%s)", q.ID, q.What, between(q.Asked, end)))
	}
	for i, a := range s.Attempts {
		end, label := a.Ended, a.Method
		took := a.Duration
		if end.IsZero() {
			end = rep.latest
			took = atWork(rep.of, a.Started, end)
		}
		if i > 0 && a.Method == s.Attempts[i-1].Method && a.RolledBack == s.Attempts[i-1].RolledBack {
			label = "retry"
		}
		row.add(at(a.Started), at(end), a.Outcome, label,
			fmt.Sprintf("attempt %d, %s, %s, %s, from %s", a.Number, a.Method, a.Outcome, took, a.Started.clock()))
	}
	return row
}

func (r *lineRowData) add(from, to float64, class, label, full string) {
	b := bar{X: round(from), W: round(max(to-from, narrowest)), Class: class, Full: safetext.Escape(full)}
	label = safetext.Clip(mark(class)+" "+label, int(b.W/7.5))
	if class == "question" {
		label = "?"
	}
	if b.W >= labelWidth {
		b.Label, b.TextX = label, round(b.X+5)
	}
	r.Bars = append(r.Bars, b)
}

// round keeps one place, so that the numbers of a picture are short.
func round(x float64) float64 { return float64(int(x*10+0.5)) / 10 }

// ticks divides the axis into four to ten round steps.
func ticks(whole time.Duration, left int) []tick {
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
		out = append(out, tick{round(float64(left) + lineWidth*float64(at)/float64(whole)), tickLabel(at, step)})
	}
	return out
}

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
