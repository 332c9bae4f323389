package phase

import (
	"fmt"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/planlock/planlock/internal/lazyre"
	"github.com/planlock/planlock/plan"
	"github.com/planlock/planlock/plan/formats/internal/outline"
)

// maxMatter is how long a front matter may be to be given to the YAML reader.
const maxMatter = 64 << 10

// matter reads the front matter, and returns the line behind it.
func (r *reader) matter() int {
	t := r.t
	if len(t.Lines) == 0 || strings.TrimRight(t.Line(0), " \t") != "---" {
		return 0
	}
	end := 1
	for end < len(t.Lines) && strings.TrimRight(t.Line(end), " \t") != "---" {
		end++
	}
	if end >= len(t.Lines) {
		if len(t.Lines) > 1 && plainKey.MatchString(t.Line(1)) {
			r.report("front-matter-parse-error", plan.Warning, t.At(0), "the front matter does not end, and is not read",
				"write  ---  on a line of its own behind it")
		}
		return 0
	}
	t.Hide(0, end+1)
	text := t.Join(1, end)
	var err error
	if len(text) > maxMatter {
		err = fmt.Errorf("it has %d bytes, more than %d", len(text), maxMatter)
	} else if r.front, err = parseYAML(text, 1); err == nil && r.front.kind != 'm' && r.front.kind != 0 {
		err = fmt.Errorf("it is no list of keys and values")
	}
	if err != nil {
		at, why := yamlLine(err, 1)
		r.report("front-matter-parse-error", plan.Warning, r.t.At(min(at, end)), "the front matter is no YAML: "+why,
			"write texts with a backslash or a colon in single quotes; the rest was read line by line")
		r.front = readLines(t, 1, end)
	}
	return end + 1
}

// parseYAML reads YAML whose first line is the given one of the file. An empty
// text is a value that says nothing, and no fault.
func parseYAML(text string, line int) (v value, err error) {
	var doc yaml.Node
	if err := yaml.Unmarshal([]byte(text), &doc); err != nil {
		return value{}, err
	}
	if len(doc.Content) == 0 {
		return value{line: line}, nil
	}
	return fromNode(doc.Content[0], line-1, 0), nil
}

// fromNode takes over what the YAML reader found, to a depth that no plan
// needs. Scalars stay text as written, so that 01 and yes mean what stands
// there. Aliases are left out: with them, a short text can name a huge one.
func fromNode(n *yaml.Node, line, depth int) value {
	v := value{line: n.Line + line}
	if depth > 20 {
		return v
	}
	switch n.Kind {
	case yaml.ScalarNode:
		if n.Tag != "!!null" || n.Value != "" {
			v.kind, v.text = 's', n.Value
		}
	case yaml.SequenceNode:
		v.kind = 'l'
		for _, c := range n.Content {
			v.items = append(v.items, fromNode(c, line, depth+1))
		}
	case yaml.MappingNode:
		v.kind = 'm'
		for i := 0; i+1 < len(n.Content); i += 2 {
			m := fromNode(n.Content[i+1], line, depth+1)
			m.key, m.line = n.Content[i].Value, n.Content[i].Line+line
			v.items = append(v.items, m)
		}
	}
	return v
}

// yamlError is how an error of the YAML reader begins, with its line.
var yamlError = lazyre.New(`^yaml: (?:line (\d+): )?`)

// yamlLine takes the line out of an error of the YAML reader.
func yamlLine(err error, first int) (int, string) {
	text := strings.ReplaceAll(err.Error(), "\n", " ")
	m := yamlError.FindStringSubmatch(text)
	if m == nil {
		return first, text
	}
	at, why := first, text[len(m[0]):]
	if n, err := strconv.Atoi(m[1]); err == nil {
		at = first + n - 1
		if fromZero.MatchString(why) {
			at++
		}
	}
	return at, why
}

// fromZero is what the YAML reader says of lines that it counts from 0.
var fromZero = lazyre.New(`^did not find expected (?:key$|node content$|'-' indicator$|',' or|<)`)

// plainKey is a line "key: value", with what makes it an item of a list.
var plainKey = lazyre.New(`^( *)(- )?([A-Za-z_][\w -]*?):(?:[ \t]+(.*))?$`)

// readLines reads keys, lists and one level of maps below a key, without asking
// whether it is YAML.
func readLines(t *outline.Text, from, to int) value {
	root := value{kind: 'm', line: from}
	var top, sub *value
	for i := from; i < min(to, len(t.Lines)); i++ {
		line := strings.TrimRight(t.Line(i), " \t")
		trimmed := strings.TrimSpace(line)
		if trimmed == "" || trimmed[0] == '#' {
			continue
		}
		m := plainKey.FindStringSubmatch(line)
		switch {
		case m != nil && m[1] == "" && m[2] == "":
			root.items = append(root.items, scalarOrList(m[3], m[4], i))
			top, sub = &root.items[len(root.items)-1], nil
		case top == nil:
		case strings.HasPrefix(trimmed, "- "):
			to := top
			if sub != nil {
				to = sub
			}
			to.kind = 'l'
			to.items = append(to.items, listEntry(strings.TrimSpace(trimmed[2:]), i))
		case m != nil && len(m[1]) <= 2 && top.kind != 'l':
			top.kind = 'm'
			top.items = append(top.items, scalarOrList(m[3], m[4], i))
			sub = &top.items[len(top.items)-1]
		default: // a further key of an entry
			addTo(top, sub, m, i)
		}
	}
	return root
}

// addTo adds a key to the map that the last item of a list is.
func addTo(top, sub *value, m []string, line int) {
	to := top
	if sub != nil {
		to = sub
	}
	if m == nil || len(to.items) == 0 || to.items[len(to.items)-1].kind != 'm' {
		return
	}
	last := &to.items[len(to.items)-1]
	last.items = append(last.items, scalarOrList(m[3], m[4], line))
}

// listEntry is an item of a list: a map with one key so far, or a text.
func listEntry(text string, line int) value {
	if m := plainKey.FindStringSubmatch(text); m != nil && m[2] == "" {
		return value{kind: 'm', line: line, items: []value{scalarOrList(m[3], m[4], line)}}
	}
	return value{kind: 's', line: line, text: unquote(text)}
}

// scalarOrList is what stands behind a key: a text, or a list in brackets.
func scalarOrList(key, text string, line int) value {
	v := value{key: key, line: line}
	text = strings.TrimSpace(text)
	if inner, ok := strings.CutPrefix(text, "["); ok && strings.HasSuffix(inner, "]") {
		v.kind = 'l'
		for _, it := range splitCommas(strings.TrimSuffix(inner, "]")) {
			if it = unquote(it); it != "" {
				v.items = append(v.items, value{kind: 's', line: line, text: it})
			}
		}
	} else if text != "" {
		v.kind, v.text = 's', unquote(text)
	}
	return v
}

// unquote takes quotes off a text; without any, a remark behind it.
func unquote(text string) string {
	text = strings.TrimSpace(text)
	if len(text) >= 2 && (text[0] == '"' || text[0] == '\'') {
		if end := strings.IndexByte(text[1:], text[0]); end >= 0 {
			return text[1 : 1+end]
		}
	}
	if i := strings.Index(text, " #"); i >= 0 {
		text = strings.TrimSpace(text[:i])
	}
	return text
}
