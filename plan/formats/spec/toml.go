package spec

import (
	"errors"
	"strconv"

	"github.com/pelletier/go-toml/v2/unstable"

	"github.com/planlock/planlock/plan"
)

// Kinds of nodes, named as in [plan.Value].
const (
	kindString   = "string"
	kindInteger  = "integer"
	kindFloat    = "float"
	kindBoolean  = "boolean"
	kindDatetime = "datetime"
	kindArray    = "array"
	kindTable    = "table"
)

// A node is one value of a TOML file. It stands where its key does, a table where its header does.
type node struct {
	kind    string
	text    string // of a scalar
	raw     string // of a number, as written
	at      int
	list    []*node
	members []member
	index   map[string]int // of the members, once there are many
	listed  bool           // the array behind [[name]]
	closed  bool           // was written as a value, or has its header: nothing may reopen it
}

type member struct {
	name  string
	value *node
}

// find returns the value of a key; a nil node has none.
func (n *node) find(name string) *node {
	if n == nil {
		return nil
	}
	if n.index != nil {
		if i, ok := n.index[name]; ok {
			return n.members[i].value
		}
		return nil
	}
	for _, m := range n.members {
		if m.name == name {
			return m.value
		}
	}
	return nil
}

func (n *node) add(name string, value *node) {
	n.members = append(n.members, member{name, value})
	if n.index != nil {
		n.index[name] = len(n.members) - 1
	} else if len(n.members) > 8 {
		n.index = make(map[string]int, 32)
		for i, m := range n.members {
			n.index[m.name] = i
		}
	}
}

// A fault is what keeps a TOML file from being one.
type fault struct {
	at    int
	text  string
	fatal bool // nothing behind it was read
}

// A grower makes the tree of a TOML file. It goes on behind keys that stand twice.
type grower struct {
	text   []byte
	parser unstable.Parser
	root   *node
	into   *node // the table that keys go to; nil behind a header that was refused
	faults []fault
}

// readTOML reads a whole file; of one that is no TOML it returns what stands before the fault.
func readTOML(text []byte) (*node, []fault) {
	g := &grower{text: text, root: &node{kind: kindTable}}
	g.into = g.root
	if at := firstInvalid(text); at >= 0 {
		return g.root, []fault{{at, "the text is not UTF-8", true}}
	}
	if at, why := tooMuch(text); why != "" {
		return g.root, []fault{{at, why, true}}
	}
	g.parser.Reset(text)
	tables := 0
	for g.parser.NextExpression() {
		e := g.parser.Expression()
		if e.Kind != unstable.KeyValue {
			if tables++; tables > 1000+len(text)/leastTable {
				at := g.headerAt(e)
				g.faults = append(g.faults, fault{at, "the file has more tables than a plan of its size", true})
				return g.root, g.faults
			}
		}
		switch e.Kind {
		case unstable.KeyValue:
			if g.into != nil {
				g.keyValue(g.into, e)
			}
		case unstable.Table:
			g.into = g.header(e, false)
		case unstable.ArrayTable:
			g.into = g.header(e, true)
		}
	}
	if err := g.parser.Error(); err != nil {
		g.syntax(err)
	}
	return g.root, g.faults
}

// leastTable is how many bytes a table has on average at least, with its header. A file of smaller ones is no plan, and its
// tree would be much larger than itself.
const leastTable = 32

// headerAt is the offset of a header.
func (g *grower) headerAt(e *unstable.Node) int {
	if parts := e.Key(); parts.Next() {
		return g.bracket(int(parts.Node().Raw.Offset))
	}
	return 0
}

func (g *grower) syntax(err error) {
	at, why := len(g.text), err.Error()
	var parse *unstable.ParserError
	if errors.As(err, &parse) {
		why = parse.Message
		if i := cap(g.text) - cap(parse.Highlight); i >= 0 && i <= len(g.text) {
			at = i
		}
	}
	g.faults = append(g.faults, fault{at, why, true})
}

// maxFaults is how many keys that stand twice are reported.
const maxFaults = 100

func (g *grower) refuse(at int, why string) {
	if len(g.faults) < maxFaults {
		g.faults = append(g.faults, fault{at, why, false})
	}
}

func (g *grower) twice(name string, at int) {
	g.refuse(at, strconv.Quote(name)+" is there already")
}

// header finds or makes the table that [a.b] or [[a.b]] names.
func (g *grower) header(e *unstable.Node, repeat bool) *node {
	at, parts, start := g.root, e.Key(), -1
	for depth := 1; parts.Next(); depth++ {
		part := parts.Node()
		name, offset := string(part.Data), int(part.Raw.Offset)
		if start < 0 {
			start = g.bracket(offset)
		}
		switch {
		case depth > maxNesting:
			g.refuse(start, tooDeep)
			return nil
		case !parts.IsLast():
			at = g.enter(at, name, start, true)
		case repeat:
			return g.element(at, name, start)
		default:
			return g.table(at, name, start)
		}
		if at == nil {
			return nil
		}
	}
	return nil
}

// bracket finds the opening bracket of a header from its first name.
func (g *grower) bracket(offset int) int {
	for i := offset; i > 0; i-- {
		if g.text[i-1] == '[' {
			if i > 1 && g.text[i-2] == '[' {
				return i - 2
			}
			return i - 1
		}
	}
	return offset
}

func (g *grower) table(parent *node, name string, at int) *node {
	t := parent.find(name)
	switch {
	case t == nil:
		t = &node{kind: kindTable, at: at, closed: true}
		parent.add(name, t)
		return t
	case t.kind == kindTable && !t.closed:
		t.closed, t.at = true, at
		return t
	}
	g.twice(name, at)
	return nil
}

func (g *grower) element(parent *node, name string, at int) *node {
	array := parent.find(name)
	if array == nil {
		array = &node{kind: kindArray, at: at, listed: true}
		parent.add(name, array)
	}
	if !array.listed {
		g.twice(name, at)
		return nil
	}
	t := &node{kind: kindTable, at: at, closed: true}
	array.list = append(array.list, t)
	return t
}

// enter steps into a table on the way to another, or into the last of [[name]]; a header may pass through
// tables that have theirs, a dotted key may not.
func (g *grower) enter(parent *node, name string, at int, header bool) *node {
	t := parent.find(name)
	switch {
	case t == nil:
		t = &node{kind: kindTable, at: at}
		parent.add(name, t)
		return t
	case t.kind == kindTable && (header || !t.closed):
		return t
	case header && t.listed:
		return t.list[len(t.list)-1]
	}
	g.twice(name, at)
	return nil
}

func (g *grower) keyValue(table *node, e *unstable.Node) {
	parts := e.Key()
	for depth := 1; parts.Next(); depth++ {
		part := parts.Node()
		name, offset := string(part.Data), int(part.Raw.Offset)
		if depth > maxNesting {
			g.refuse(offset, tooDeep)
			return
		}
		if !parts.IsLast() {
			if table = g.enter(table, name, offset, false); table == nil {
				return
			}
			continue
		}
		if table.find(name) != nil {
			g.twice(name, offset)
			return
		}
		table.add(name, g.value(e.Value(), offset))
	}
}

func (g *grower) value(e *unstable.Node, at int) *node {
	n := &node{at: at, closed: true}
	switch e.Kind {
	case unstable.Array:
		n.kind = kindArray
		for items := e.Children(); items.Next(); {
			item := items.Node()
			place := at
			if item.Raw.Length > 0 {
				place = int(item.Raw.Offset)
			}
			n.list = append(n.list, g.value(item, place))
		}
	case unstable.InlineTable:
		n.kind = kindTable
		for items := e.Children(); items.Next(); {
			g.keyValue(n, items.Node())
		}
	default:
		var why string
		if n.kind, n.text, why = scalar(e.Kind, string(e.Data)); why != "" {
			g.refuse(at, why)
		}
		if n.kind == kindFloat {
			n.raw = string(e.Data)
		}
	}
	return n
}

// settingsOf flattens what is below n to leaves, each under its dotted key.
func settingsOf(to []plan.Setting, key string, n *node) []plan.Setting {
	if n.kind != kindTable || len(n.members) == 0 {
		return append(to, plan.Setting{Key: key, Value: n.value()})
	}
	for _, m := range n.members {
		to = settingsOf(to, key+"."+keyOf(m.name), m.value)
	}
	return to
}
