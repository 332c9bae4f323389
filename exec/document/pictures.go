package document

import (
	"fmt"
	"strings"
	"time"

	"github.com/planlock/planlock/internal/safetext"
)

// Sizes of the picture of the graph, in pixels.
const (
	cardWidth  = 250
	cardHead   = 40
	cardRow    = 24
	cardFoot   = 10
	columnGap  = 70
	cardGap    = 26
	graphEdge  = 14
	manyAtOnce = 4 // cards side by side where there is only one stage

	longestAddress = 12 // of a step; what is longer is cut
)

// A graph is the picture of the plan: a card per task, a column per stage, an
// arrow per dependency.
type graph struct {
	Width, Height int
	Cards         []*card
	Arrows        []arrow
	Text          string // the same in words
}

// A card is a task in the picture of dependencies, with its steps as lines.
// Positions are in pixels.
type card struct {
	X, Y, W, H int
	Edge       int // length of the coloured edge
	TitleX     int // of the titles of steps, within the card
	Class      string
	Mark       string
	Title      string // cut to fit
	Full       string
	Rows       []cardLine
}

// A cardLine is a step on the card of its task.
type cardLine struct {
	Y           int
	Class, Mark string
	Address     string
	Title, Full string
	Link        string
}

// An arrow leads from a task to one that depends on it, as the path of an SVG.
type arrow struct {
	Path  string
	Label string
}

// newGraph lays the tasks out in columns: each stands right of all that it
// depends on. Where nothing depends on anything they are dealt to several
// columns.
func newGraph(rep *Model) *graph {
	ids := each(rep.Tasks, func(t *task) string { return t.ID })
	columns := stages(ids, rep.edges)
	tasks := make(map[string]*task, len(rep.Tasks))
	for _, t := range rep.Tasks {
		tasks[t.ID] = t
	}
	gap := columnGap
	if len(columns) == 1 {
		columns, gap = deal(columns[0], manyAtOnce), cardGap
	}
	g := &graph{}
	cards := make(map[string]*card, len(ids))
	x := graphEdge
	for _, column := range columns {
		y := graphEdge
		for _, id := range column {
			c := newCard(tasks[id], x, y)
			cards[id] = c
			g.Cards = append(g.Cards, c)
			y += c.H + cardGap
		}
		g.Height = max(g.Height, y-cardGap+graphEdge)
		x += cardWidth + gap
	}
	g.Width = max(x-gap+graphEdge, cardWidth+2*graphEdge)
	for _, e := range rep.edges {
		g.Arrows = append(g.Arrows, newArrow(cards[e[0]], cards[e[1]], e))
	}
	g.Text = graphText(rep, columns)
	return g
}

// deal spreads ids over at most n columns, row by row.
func deal(ids []string, n int) [][]string {
	out := make([][]string, min(n, len(ids)))
	for i, id := range ids {
		out[i%len(out)] = append(out[i%len(out)], id)
	}
	return out
}

// newCard lays a task out at a place. What does not fit into a line is cut
// there, and whole in its title.
func newCard(t *task, x, y int) *card {
	c := &card{X: x, Y: y, W: cardWidth, Class: t.Class(), Mark: mark(t.Class()),
		Title: safetext.Clip(t.ID+"  "+t.Title, 25),
		Full:  safetext.Escape(fmt.Sprintf("task %s: %s, %s", t.ID, t.Title, t.Status))}
	y += cardHead
	addresses := addressWidth(t.Steps)
	c.TitleX = 36 + addresses + 8
	for _, s := range t.Steps {
		c.Rows = append(c.Rows, cardLine{Y: y, Class: string(s.Status), Mark: s.mark(),
			Address: safetext.Clip(string(s.Address), longestAddress),
			Title:   safetext.Clip(s.Title, letters(cardWidth-6-c.TitleX)), Link: anchor(s),
			Full: safetext.Escape(fmt.Sprintf("step %s: %s, %s", s.Address, s.Title, s.Status))})
		y += cardRow
	}
	c.H = y + cardFoot - c.Y
	c.Edge = c.H - 20
	return c
}

// addressWidth is the room that the addresses of steps need, in pixels.
func addressWidth(steps []*step) int {
	widest := 3
	for _, s := range steps {
		widest = max(widest, min(safetext.Width(safetext.Escape(string(s.Address))), longestAddress))
	}
	return widest*15/2 + 1
}

// letters is about how many letters fit into some pixels.
func letters(pixels int) int { return pixels * 2 / 13 }

// newArrow leads from the right side of a card to the left side of another;
// where that would lead backwards, around both.
func newArrow(from, to *card, e [2]string) arrow {
	x1, y1 := from.X+from.W, from.Y+cardHead/2
	x2, y2 := to.X-7, to.Y+cardHead/2
	bend := max((x2-x1)/2, 30)
	return arrow{
		Path:  fmt.Sprintf("M%d %d C%d %d %d %d %d %d", x1, y1, x1+bend, y1, x2-bend, y2, x2, y2),
		Label: safetext.Escape(e[1] + " depends on " + e[0]),
	}
}

// graphText says the picture in words, for whoever does not see it.
func graphText(rep *Model, columns [][]string) string {
	var parts []string
	for _, e := range rep.edges {
		parts = append(parts, safetext.Escape(fmt.Sprintf("task %s depends on task %s", e[1], e[0])))
	}
	if len(parts) == 0 {
		return fmt.Sprintf("%s without dependencies.", count(len(rep.Tasks), "task", "tasks"))
	}
	return fmt.Sprintf("%s in %s: %s.", count(len(rep.Tasks), "task", "tasks"),
		count(len(columns), "stage", "stages"), strings.Join(parts, "; "))
}

// anchor is the id of a step's details in the page: letters, digits, "-" and
// "_" only, and one for each address.
func anchor(s *step) string {
	var b strings.Builder
	b.WriteString("step-")
	for _, c := range []byte(s.Address) {
		switch {
		case 'a' <= c && c <= 'z', 'A' <= c && c <= 'Z', '0' <= c && c <= '9':
			b.WriteByte(c)
		case c == '.':
			b.WriteByte('-')
		default:
			fmt.Fprintf(&b, "_%02x", c)
		}
	}
	return b.String()
}

// Anchor is the id of the step's details.
func (s *step) Anchor() string { return anchor(s) }

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
	Groups                             []*band
	Text                               string
}

// A band lies behind the bars of a group, from the first of them to the last.
type band struct {
	X, W float64
	Y, H int
	Full string
}

// A tick is a mark of the time axis.
type tick struct {
	X     float64
	Label string
}

// lineRowData is the row of a step in the timeline, and the bars in it.
type lineRowData struct {
	Y, TextY, BarY int
	Class, Mark    string
	Address, Title string
	Full, Link     string
	Odd            bool
	Bars           []bar
}

// A bar is a time in the row of a step. Positions are in pixels.
type bar struct {
	X, W         float64
	Class, Label string
	Full         string
	TextX        float64
	lane         *lane // nil: it is no attempt of a group
}

// newTimeline lays out what happened when, a row for each step that began or
// was asked about.
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
	t.Groups = bands(rep, t.Rows)
	t.Bottom = y
	t.Height = y + lineEdge
	t.Ticks = ticks(whole, t.Left)
	t.Text = fmt.Sprintf("%s over %s; every attempt and question is listed with its times in the details of its step.",
		count(len(t.Rows), "step", "steps"), rep.Duration)
	return t
}

// newLineRow lays out the row of a step; at is where a time stands on the axis.
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
		row.add(at(q.Asked), at(end), "question", "?", nil,
			fmt.Sprintf("question %s: %s (%s)", q.ID, q.What, between(q.Asked, end)))
	}
	for i, a := range s.Attempts {
		end, label := a.Ended, a.Method
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
		if l := a.Lane; l != nil {
			full += fmt.Sprintf(", in lane %d of group %d: %s", l.Number, l.Group, l.said())
		}
		row.add(at(a.Started), at(end), a.Outcome, label, a.Lane, full)
	}
	return row
}

// bands are those of the groups of a run.
func bands(rep *Model, rows []lineRowData) []*band {
	all := make([]*band, len(rep.Groups))
	for _, r := range rows {
		for _, b := range r.Bars {
			if b.lane == nil {
				continue
			}
			at := all[b.lane.Group-1]
			if at == nil {
				at = &band{X: b.X, Y: r.Y, Full: safetext.Escape(rep.Groups[b.lane.Group-1].String())}
				all[b.lane.Group-1] = at
			}
			at.W = max(at.X+at.W, b.X+b.W) - min(at.X, b.X)
			at.X, at.H = min(at.X, b.X), r.Y+lineRow-at.Y
		}
	}
	return only(all, func(b *band) bool { return b != nil })
}

// add puts a bar into the row, wide enough to be seen, and labelled where there
// is room.
func (r *lineRowData) add(from, to float64, class, label string, in *lane, full string) {
	b := bar{X: round(from), W: round(max(to-from, narrowest)), Class: class, Full: safetext.Escape(full), lane: in}
	sign := class
	if in != nil && class != undone && class != lost {
		sign = string(in.State)
	}
	label = safetext.Clip(mark(sign)+" "+label, int(b.W/7.5))
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
