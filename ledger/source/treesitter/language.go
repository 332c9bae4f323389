package treesitter

import (
	"bytes"
	"context"
	"crypto/sha256"
	"fmt"
	"path"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/planlock/planlock/ledger/source"
)

// Languages are those that the package reads: Rust, Java,
// C#, C and C++.
func Languages() []source.Language { return []source.Language{rust, java, csharp, c, cplusplus} }

// A language reads files by a grammar.
type language struct {
	name       string
	extensions []string
	grammar    grammar
	// read looks through a tree that was parsed.
	read func(r *reading)
	// places are the files that a symbol may be of.
	places func(symbol string) []string
	// alone are nodes below which the grammar may take for broken what is not.
	alone func(node) bool
	// unsure says why the grammar may take a text for broken that is not; "" where
	// it does not: then what does not parse is a fault. Nil: it never does.
	unsure func(text []byte) string
	// clean takes out what the grammar cannot have, in the place of which there are
	// blanks then; again, where it did not parse, more of it.
	clean func(text []byte, again bool) ([]byte, []macro)
}

var _ source.Language = (*language)(nil)

// Name is what people call the language.
func (l *language) Name() string { return l.name }

// Reads reports whether a path has an extension of the language.
func (l *language) Reads(p string) bool { return slices.Contains(l.extensions, path.Ext(p)) }

// Places are the files that a symbol may be of.
func (l *language) Places(symbol string) []string { return l.places(symbol) }

// Read parses files, one after another.
func (l *language) Read(ctx context.Context, files []source.Input) ([]source.File, error) {
	p, err := l.grammar.parser(ctx)
	if err != nil {
		return nil, err
	}
	out := make([]source.File, len(files))
	for i, f := range files {
		if err := context.Cause(ctx); err != nil {
			return nil, err
		}
		out[i] = l.file(ctx, p, f)
	}
	return out, nil
}

// file reads a file. Its Unread says why that could not be done.
func (l *language) file(ctx context.Context, p *parser, f source.Input) source.File {
	text := bytes.TrimPrefix(f.Content, []byte("\ufeff"))
	if !utf8.Valid(text) || bytes.IndexByte(text, 0) >= 0 {
		return source.File{Path: f.Path, Unread: "it is not UTF-8"}
	}
	if len(text) > source.Max {
		return source.File{Path: f.Path, Unread: fmt.Sprintf("it is larger than %d bytes", source.Max)}
	}
	t, macros, err := l.parse(ctx, p, text)
	if err != nil {
		return source.File{Path: f.Path, Unread: err.Error()}
	}
	r := &reading{tree: t, macros: macros, file: source.File{Path: f.Path}}
	l.faults(r)
	l.read(r)
	slices.Sort(r.file.Surface.Undecided)
	slices.Sort(r.file.Surface.Unsaid)
	return r.file
}

// parse parses a text, or what is left of it where that parses better.
func (l *language) parse(ctx context.Context, p *parser, text []byte) (*tree, []macro, error) {
	if l.clean == nil {
		t, err := p.parse(ctx, text)
		return t, nil, err
	}
	cleaned, _ := l.clean(text, false)
	t, err := p.parse(ctx, cleaned)
	if err != nil {
		return nil, nil, err
	}
	t.text = text
	broken := len(t.errors(maxErrors, l.alone))
	if broken == 0 {
		return t, nil, nil
	}
	cleaned, macros := l.clean(text, true)
	better, err := p.parse(ctx, cleaned)
	if err != nil || len(better.errors(maxErrors, l.alone)) >= broken {
		return t, nil, nil //nolint:nilerr // the first one stands
	}
	better.text = text
	return better, macros, nil
}

// maxErrors is how many places are counted that do not parse.
const maxErrors = 1000

// maxFaults is how many places of a file are named that do not parse.
const maxFaults = 10

// faults are where the file does not parse.
func (l *language) faults(r *reading) {
	for _, n := range r.tree.errors(maxFaults, l.alone) {
		line := n.line()
		why := "unexpected text"
		if n.missing() {
			why = fmt.Sprintf("%q is missing", n.kind())
		} else if s := strings.Fields(n.source()); len(s) > 0 {
			why = fmt.Sprintf("unexpected %q", short(s[0]))
		}
		why = fmt.Sprintf("%s (%s)", why, l.grammar.version)
		if l.unsure != nil && l.unsure(r.text) != "" {
			r.file.Partly = fmt.Sprintf("line %d was not understood: %s; %s", line, why, l.unsure(r.text))
			return
		}
		r.file.Faults = append(r.file.Faults, source.Fault{Line: line, Why: why})
	}
}

// A reading is a file that is being looked through.
type reading struct {
	*tree
	file source.File
	// imports are what names mean that the file imports by name: a text that is
	// spelled the same means another type where that changes.
	imports map[string]string
	macros  []macro // that were taken out
	// many is how often each name was declared.
	many map[string]int
}

// maxVariants is how often a file may declare a name: each of its declarations is
// held against each of those of another time.
const maxVariants = 200

// symbol adds a symbol: what the file declares.
func (r *reading) symbol(name string, n node, text string) {
	r.file.Symbols = append(r.file.Symbols, source.Symbol{Name: name, Line: n.line(), Text: text})
}

// offer adds a declaration: what others can use.
func (r *reading) offer(name string, n node, d source.Decl) {
	if r.many == nil {
		r.many = map[string]int{}
	}
	if r.many[name]++; r.many[name] > maxVariants {
		r.undecided(fmt.Sprintf("it declares %s more than %d times", name, maxVariants))
		return
	}
	d.Path, d.Line = r.file.Path, n.line()
	d.Text, d.Value = short(r.meaning(d.Text)), short(d.Value)
	for name, m := range d.Members { // in any order
		m.Text, m.Value = short(r.meaning(m.Text)), short(m.Value)
		d.Members[name] = m
	}
	r.file.Surface.Add(name, d)
}

// meaning is a text in which names that are imported are spelled as what they
// mean.
func (r *reading) meaning(text string) string {
	if len(r.imports) == 0 || text == "" {
		return text
	}
	var b strings.Builder
	letter := func(c byte) bool {
		return c == '_' || c >= '0' && c <= '9' || c|0x20 >= 'a' && c|0x20 <= 'z' || c >= utf8.RuneSelf
	}
	for i := 0; i < len(text); {
		end := i
		for end < len(text) && letter(text[end]) {
			end++
		}
		switch full, ok := r.imports[text[i:end]]; {
		case end == i:
			b.WriteByte(text[i])
			end++
		case ok && (i == 0 || text[i-1] != '.' && text[i-1] != ':' && text[i-1] != '\''):
			b.WriteString(full)
		default:
			b.WriteString(text[i:end])
		}
		i = end
	}
	return b.String()
}

// undecided adds a reason why nobody can say what the file offers.
func (r *reading) undecided(why string) {
	if s := &r.file.Surface; !slices.Contains(s.Undecided, why) {
		s.Undecided = append(s.Undecided, why)
	}
}

// unsaid adds what offers more than it says: where it changes nobody can say what
// that means.
func (r *reading) unsaid(what string) {
	s := &r.file.Surface
	s.Unsaid = append(s.Unsaid, short(what))
}

// maxSpelled is how long a text may be that is held against another, and shown; a
// longer one is shown by its begin and its digest.
const maxSpelled = 200

// short is a text, or where it is long its begin and its digest.
func short(text string) string {
	if len(text) <= maxSpelled {
		return text
	}
	begin := strings.ToValidUTF8(text[:40], "")
	return fmt.Sprintf("%s... %x", begin, sha256.Sum256([]byte(text)))[:len(begin)+4+12]
}

// A build is a condition under which a declaration is there; "" for none.
type build string

func (b build) String() string {
	if b == "" {
		return "always"
	}
	return "if " + string(b)
}

// CoveredBy is whether one of others is always there: which of two conditions is
// the wider one is not asked.
func (b build) CoveredBy(others []source.Builds) bool {
	return slices.Contains(others, source.Builds(build("")))
}

// when is where all of some conditions hold.
func when(conditions ...string) source.Builds {
	conditions = slices.DeleteFunc(conditions, func(c string) bool { return c == "" })
	return build(strings.Join(conditions, " and "))
}

// within are patterns of a file in any folder, as deep as that.
func within(deepest int, file string) []string {
	var all []string
	for n := range deepest + 1 {
		all = append(all, strings.Repeat("*/", n)+file)
	}
	return all
}
