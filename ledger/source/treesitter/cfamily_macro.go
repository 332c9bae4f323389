package treesitter

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"github.com/planlock/planlock/internal/lazyre"
	"github.com/planlock/planlock/ledger/source"
)

// What is taken out before a file is parsed: what makes a header one of C for
// compilers of C++, and macros that stand where no grammar has anything.
var (
	linkage = lazyre.New(`(?m)^[ \t]*#[ \t]*if(?:def[ \t]+__cplusplus|[ \t]+defined[ \t(]*__cplusplus[ \t)]*)[^\n]*\n\s*(?:extern\s+"C"\s*\{?|[{}][^\n]*)\s*\n[ \t]*#[ \t]*endif[^\n]*`)
	lone    = lazyre.New(`(?m)^[ \t]*(_*[A-Z][A-Z0-9]*_[A-Z0-9_]+)[ \t]*\r?$`)
	before  = lazyre.New(`(?m)(?:^|[;{}\s])((?:_*[A-Z][A-Z0-9]*_[A-Z0-9_]+)(?:[ \t]*\([^()\n]*\))?)[ \t]+[A-Za-z_:~]`)
	behind  = lazyre.New(`\)\s*(?:(?:const|noexcept|override|final)\s+)*((?:_+[A-Za-z][A-Za-z0-9_]*|[A-Z][A-Z0-9_]+)(?:\s*\((?:[^()]|\([^()]*\))*\))?)\s*[;{]`)
	keyword = lazyre.New(`\b(?:class|struct)[ \t]+([A-Z][A-Z0-9_]*)[ \t]+[A-Za-z_]`)
)

// withoutMacros is a text in which macros are blanks, and where they were. First
// it is tried without taking out those that may be types.
func withoutMacros(text []byte, again bool) (cleaned []byte, macros []macro) {
	cleaned = slices.Clone(text)
	blank := func(from, to int) {
		for i := from; i < to; i++ {
			if cleaned[i] != '\n' && cleaned[i] != '\r' {
				cleaned[i] = ' '
			}
		}
	}
	for _, m := range linkage.FindAllStringSubmatchIndex(string(cleaned), -1) {
		blank(m[0], m[1])
	}
	if !again {
		return cleaned, nil
	}
	for _, re := range []*lazyre.Regexp{lone, keyword, before, before, behind, behind} {
		for _, m := range re.FindAllStringSubmatchIndex(string(cleaned), -1) {
			begin := bytes.LastIndexByte(cleaned[:m[2]], '\n') + 1
			if bytes.HasPrefix(bytes.TrimSpace(cleaned[begin:m[2]]), []byte("#")) {
				continue
			}
			macros = append(macros, macro{m[2], m[3], strings.Join(strings.Fields(string(text[m[2]:m[3]])), " ")})
			blank(m[2], m[3])
		}
	}
	slices.SortFunc(macros, func(a, b macro) int { return a.at - b.at })
	return cleaned, macros
}

// A macro is one that was taken out.
type macro struct {
	at, end int
	text    string
}

// macrosIn are the macros that were taken out of a declaration, and from in front
// of it.
func (s cScope) macrosIn(n node) string {
	start := n.start()
	for i := len(s.macros) - 1; i >= 0; i-- { // those that stand directly in front of it
		if m := s.macros[i]; m.end <= start && len(bytes.TrimSpace(s.text[m.end:start])) == 0 {
			start = m.at
		}
	}
	body := n.end()
	if b := n.field("body"); b.is() {
		body = b.start()
	}
	var all string
	for _, m := range s.macros {
		if m.at >= start && m.at < body {
			all += m.text + " "
		}
	}
	return all
}

func (s cScope) macro(n node, text string) {
	name := s.outer + n.field("name").source()
	value := n.field("value")
	s.symbol(name, n, strings.TrimRight(text, "\r\n"))
	if !s.header || n.kind() == "preproc_def" && !value.is() && s.when == "" {
		return
	}
	d := source.Decl{Kind: "macro", Value: strings.Join(strings.Fields(value.source()), " ")}
	if p := n.field("parameters"); p.is() {
		count := 0
		for range p.children() {
			count++
		}
		d.Text = fmt.Sprintf("of %d", count)
	}
	s.offer(name, n, d)
}
