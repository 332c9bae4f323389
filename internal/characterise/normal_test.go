package characterise

import (
	"encoding/json"
	"fmt"
	"html"
	"maps"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"
)

// A normaliser takes out of a text what differs between two runs of one
// scenario, and what the names inside of the library are.
type normaliser struct {
	paths *strings.Replacer
	runs  map[string]string // by id
}

// masks are replaced in this order.
var masks = []struct {
	pattern *regexp.Regexp
	by      string
}{
	{regexp.MustCompile(`sha256:[0-9a-f]{6,64}`), "DIGEST"},
	{regexp.MustCompile(`\b[0-9a-f]{12,64}\b`), "DIGEST"},
	{regexp.MustCompile(`\b20\d\d-\d\d-\d\d[T ]\d\d:\d\d:\d\d(\.\d+)?(Z| UTC|[+-]\d\d:\d\d)?`), "TIME"},
	{regexp.MustCompile(`\b(chk-)?20\d{6}-\d{6}(-\d+)?\b`), "${1}TIME"}, // the number says which of a second it is
	{regexp.MustCompile(`20\d\d-\d\d-\d\d`), "DATE"},
	{regexp.MustCompile(`\b\d\d:\d\d:\d\d(\.\d+)?\b`), "TIME"},
	{regexp.MustCompile(`\b\d+(\.\d+)? ?(ns|µs|ms|s|min|h)\b( \d+ ?(min|s)\b)*`), "TOOK"},
	{regexp.MustCompile(`(?m)(_minutes: )\d+$`), "${1}0"},
	{regexp.MustCompile(`\.planlock-\d+-`), ".planlock-N-"},
	{regexp.MustCompile(`\bcontents of \d+ bytes`), "contents"},
	{regexp.MustCompile(`\b\d+ records`), "N records"}, // some are of facts that users do not see
	{regexp.MustCompile(`\bprocess \d+ \("planlock"\) of user "[^"]*" on host "[^"]*"`), "process N of somebody"},
	// What an error says first is the package that it comes from.
	{regexp.MustCompile(`\b(plan|native|formats|spec|phase|intake|tasklist|planfile|gate|panel|standard|ledger|scan|checkpoint|record|folder|filelog|` +
		`exec|engine|attempt|history|ask|recovery|advice|document|view|shell|program|sandbox|process): `), ""},
}

var (
	ulid  = regexp.MustCompile(`\b01[0-9A-HJKMNP-TV-Z]{8,24}\b`)
	gaps  = regexp.MustCompile(`(\S)[ \t]{2,}`)
	space = regexp.MustCompile(`[ \t]+\n`)
)

// text normalises what people read. How wide a column is depends on how long
// something took.
func (n normaliser) text(s string) string {
	s = cut.ReplaceAllString(n.mask(unfold(s)), "…")
	s = columns.ReplaceAllString(gaps.ReplaceAllString(s, "$1  "), "$2 ")
	return space.ReplaceAllString(s, "\n")
}

// cut is the end of what was cut to a width.
var cut = regexp.MustCompile(`\S?.{0,9}…`)

// begins are the words that a line begins with which was not folded.
var begins = regexp.MustCompile(`^([^\w"'(\[]|expected$|happened$|hint:|planlock$|\d+(\.\d+)*$)`)

// column is where lines of text are folded.
const column = 100

// unfold puts lines together that were folded at a column, since where that is
// depends on names that are taken out.
func unfold(text string) string {
	var b strings.Builder
	length, before, list := 0, 0, strings.Split(text, "\n")
	for i, line := range list {
		word := strings.TrimLeft(line, " ")
		first, _, _ := strings.Cut(word, " ")
		indent := len(line) - len(word)
		indented := indent > 0 && word != "" && indent >= before && !begins.MatchString(first)
		before = indent
		switch {
		case i == 0:
		case indented && length <= column && length+1+utf8.RuneCountInString(first) > column:
			b.WriteString(" ")
			length = utf8.RuneCountInString(line)
			b.WriteString(word)
			continue
		default:
			b.WriteString("\n")
		}
		length = utf8.RuneCountInString(line)
		b.WriteString(line)
	}
	return b.String()
}

// columns are the number, the time and the type of a record, which `planlock
// log` prints first, each in its column; the step and what the record says
// stay.
var columns = regexp.MustCompile(`(?m)^ *\d+  TIME  +(([0-9A-Za-z.]+(#\d+)?) )? *[a-z-]+  +`)

func (n normaliser) mask(s string) string {
	s = n.paths.Replace(s)
	for _, m := range masks {
		s = m.pattern.ReplaceAllString(s, m.by)
	}
	return ulid.ReplaceAllStringFunc(s, func(id string) string {
		if name, ok := n.runs[id]; ok {
			return name
		}
		return "ID"
	})
}

// stream normalises what a command prints, whatever that is.
func (n normaliser) stream(s string) string {
	if strings.HasPrefix(s, `{"seq":`) {
		if text, err := n.journal(s); err == nil {
			return text
		}
	}
	if strings.HasPrefix(s, "{") {
		return n.json(s)
	}
	if s = n.text(strings.TrimRight(s, "\n")); s != "" {
		s += "\n"
	}
	return s
}

// volatile are the keys of numbers that are measured, or follow from what is.
var volatile = regexp.MustCompile(`(_ms|_ns|_seconds|_minutes)$|^(size|seq|position|risk)$`)

// json normalises a document for programs. Keys are sorted; what is empty is
// left out; what fits on a line stands on one.
func (n normaliser) json(text string) string {
	dec := json.NewDecoder(strings.NewReader(text))
	dec.UseNumber()
	var b strings.Builder
	for dec.More() {
		var v any
		if err := dec.Decode(&v); err != nil {
			return b.String() + fmt.Sprintf("no JSON: %v\n", err)
		}
		write(&b, "", "", n.value(v))
	}
	return b.String()
}

func (n normaliser) value(v any) any {
	switch v := v.(type) {
	case string:
		return n.mask(v)
	case []any:
		var out []any
		var passed []string
		for _, e := range v {
			e := n.value(e)
			if o, ok := e.(map[string]any); ok && o["gate"] != nil && o["result"] == "pass" && o["findings"] == nil {
				passed = append(passed, fmt.Sprint(o["gate"], " ", o["phase"]))
				continue
			}
			out = append(out, e)
		}
		if passed != nil {
			out = append(out, "passed: "+strings.Join(passed, ", "))
		}
		return out
	case map[string]any:
		out := map[string]any{}
		for k, e := range v {
			e := n.value(e)
			if _, number := e.(json.Number); number && volatile.MatchString(k) || empty(e) {
				continue
			}
			out[n.mask(k)] = e
		}
		return plainly(out)
	}
	return v
}

// plainly leaves out what belongs to the machine: the versions of what a run
// depends on, and that of planlock.
func plainly(o map[string]any) map[string]any {
	if o["name"] != nil && o["digest"] != nil {
		delete(o, "text")
	}
	delete(o, "planlock")
	for k, v := range o {
		if v == "DIGEST" || v == "TIME" {
			delete(o, k)
		}
	}
	return o
}

func empty(v any) bool {
	switch v := v.(type) {
	case nil:
		return true
	case string:
		return v == ""
	case []any:
		return len(v) == 0
	case map[string]any:
		return len(v) == 0
	}
	return false
}

const width = 150

// write writes a value behind a key, in one line if it fits.
func write(b *strings.Builder, indent, key string, v any) {
	if line := key + inline(v); len(indent)+len(line) <= width {
		b.WriteString(indent + line + "\n")
		return
	}
	switch v := v.(type) {
	case map[string]any:
		b.WriteString(indent + key + "{\n")
		var short string
		flush := func() {
			if short != "" {
				b.WriteString(indent + "  " + strings.TrimSuffix(short, " ") + "\n")
				short = ""
			}
		}
		for _, k := range slices.Sorted(maps.Keys(v)) {
			part := k + "=" + inline(v[k])
			if len(indent)+2+len(short)+len(part) > width {
				flush()
			}
			if len(part) > width/3 {
				flush()
				write(b, indent+"  ", k+"=", v[k])
				continue
			}
			short += part + " "
		}
		flush()
		b.WriteString(indent + "}\n")
	case []any:
		b.WriteString(indent + key + "[\n")
		var short string
		flush := func() {
			if short != "" {
				b.WriteString(indent + "  " + strings.TrimSuffix(short, " ") + "\n")
				short = ""
			}
		}
		for _, e := range v {
			part := inline(e)
			if len(indent)+2+len(short)+len(part) > width {
				flush()
			}
			if len(part) > width/2 {
				flush()
				write(b, indent+"  ", "", e)
				continue
			}
			short += part + ", "
		}
		flush()
		b.WriteString(indent + "]\n")
	default:
		b.WriteString(indent + key + inline(v) + "\n")
	}
}

func inline(v any) string {
	switch v := v.(type) {
	case map[string]any:
		var parts []string
		for _, k := range slices.Sorted(maps.Keys(v)) {
			parts = append(parts, k+"="+inline(v[k]))
		}
		return "{" + strings.Join(parts, " ") + "}"
	case []any:
		var parts []string
		for _, e := range v {
			parts = append(parts, inline(e))
		}
		return "[" + strings.Join(parts, ", ") + "]"
	case string:
		var b strings.Builder
		enc := json.NewEncoder(&b)
		enc.SetEscapeHTML(false)
		enc.Encode(v)
		return strings.TrimSuffix(b.String(), "\n")
	}
	return fmt.Sprint(v)
}

var (
	// The words in a picture are cut to the width of a bar, which is a time;
	// its titles say all of it.
	unseen = regexp.MustCompile(`(?s)<style.*?</style>|<head.*?</head>|<!--.*?-->|<text\b.*?</text>`)
	block  = regexp.MustCompile(`</?(p|div|section|article|h\d|li|ul|ol|tr|table|thead|tbody|details|summary|pre|header|footer|main|nav|dl|dt|svg|g|title)\b[^>]*>`)
	tag    = regexp.MustCompile(`<[^>]*>`)
	blank  = regexp.MustCompile(`\s*\n\s*`)
)

// page is the text of a page of HTML, a block on each line.
func (n normaliser) page(text string) string {
	text = unseen.ReplaceAllString(text, "")
	text = block.ReplaceAllString(text, "\n")
	text = html.UnescapeString(tag.ReplaceAllString(text, " "))
	text = blank.ReplaceAllString(strings.TrimSpace(text), "\n") + "\n"
	return merge(n.text(text), passedOnPage)
}

var (
	passedInText = regexp.MustCompile(`^\s*- ✓ gate (\S+) \((\w+), level \d\): pass$`)
	passedOnPage = regexp.MustCompile(`^✓\s+(\S+)\s+pass · (\w+) · level \d · TOOK$`)
)

// merge puts gates that passed, a line for each, on one line.
func merge(text string, passed *regexp.Regexp) string {
	var b strings.Builder
	var names []string
	flush := func() {
		if names != nil {
			b.WriteString("  ✓ gates: " + strings.Join(names, ", ") + "\n")
		}
		names = nil
	}
	for line := range strings.Lines(text) {
		if m := passed.FindStringSubmatch(strings.TrimSuffix(line, "\n")); m != nil {
			names = append(names, m[1]+" "+m[2])
			continue
		}
		flush()
		b.WriteString(line)
	}
	flush()
	return b.String()
}

// document normalises a document by what it is.
func (n normaliser) document(name, text string) string {
	switch {
	case strings.HasSuffix(name, ".json"), strings.HasSuffix(name, ".jsonl"):
		return n.json(text)
	case strings.HasSuffix(name, ".html"):
		return n.page(text)
	case strings.HasSuffix(name, ".md"):
		return merge(n.text(text), passedInText)
	}
	return n.text(text)
}
