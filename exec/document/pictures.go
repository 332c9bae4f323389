package document

import (
	"fmt"
	"strings"

	"github.com/planlock/planlock/exec/history"
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

	mostCards = 400 // what is more is no picture any more
	mostRows  = 600 // of steps; else the cards say how many steps are done

	longestAddress = 12 // of a step; what is longer is cut
	longestTitle   = 60 // no line of a picture has room for more
)

// A graph is the picture of the plan: a card per task, a column per stage, an
// arrow per dependency.
type graph struct {
	Width, Height int
	Cards         []*card
	Arrows        []arrow
	Text          string // the same in words
	Many          string // why there is no picture; "" where there is one
}

// A card is a task in the picture of dependencies, with its steps as lines.
// Positions are in pixels.
type card struct {
	X, Y, W, H int
	Edge       int // length of the coloured edge
	TitleX     int // of the titles of steps, within the card
	TitleW     int
	Class      string
	Mark       string
	Title      string // bounded
	Full       string
	Rows       []cardLine
	Done       string // how many steps are, where they have no rows
	DoneY      int
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
	g := &graph{Text: graphText(rep, columns)}
	if len(ids) > mostCards {
		g.Many = fmt.Sprintf("The plan has %d tasks, too many for a picture.", len(ids))
		return g
	}
	whole := len(rep.steps) <= mostRows
	cards := make(map[string]*card, len(ids))
	x := graphEdge
	for _, column := range columns {
		y := graphEdge
		for _, id := range column {
			c := newCard(tasks[id], x, y, whole)
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

// newCard lays a task out at a place, with its steps, or how many are done. The
// page cuts what does not fit into a line; the whole of it is in its title.
func newCard(t *task, x, y int, whole bool) *card {
	c := &card{X: x, Y: y, W: cardWidth, Class: t.Class(), Mark: mark(t.Class()),
		Title: safetext.Clip(t.ID+"  "+t.Title, longestTitle),
		Full:  safetext.Escape(fmt.Sprintf("task %s: %s, %s", t.ID, t.Title, t.Status))}
	y += cardHead
	c.TitleX = 36 + addressWidth(t.Steps) + 8
	c.TitleW = cardWidth - 8 - c.TitleX
	steps := t.Steps
	if !whole {
		steps = nil
		done := len(only(t.Steps, func(s *step) bool { return s.Status == history.Completed }))
		c.Done, c.DoneY = fmt.Sprintf("%d of %s", done, count(len(t.Steps), "step", "steps")), y
		y += cardRow
	}
	for _, s := range steps {
		c.Rows = append(c.Rows, cardLine{Y: y, Class: string(s.Status), Mark: s.mark(),
			Address: safetext.Clip(string(s.Address), longestAddress),
			Title:   safetext.Clip(s.Title, longestTitle), Link: anchor(s),
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
