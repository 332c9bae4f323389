package document

import (
	"fmt"
	"strings"

	"github.com/planlock/planlock/exec/safetext"
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

type cardLine struct {
	Y           int
	Class, Mark string
	Address     string
	Title, Full string
	Link        string
}

type arrow struct {
	Path  string
	Label string
}

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

func newCard(t *task, x, y int) *card {
	c := &card{X: x, Y: y, W: cardWidth, Class: t.Status, Mark: mark(t.Status),
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
