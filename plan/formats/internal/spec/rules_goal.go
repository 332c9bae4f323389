package spec

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// A plan of this kind is two files, one for people and one for machines. One
// alone does not say all that a run needs.
func fileMissing(j *judged, report reporter) {
	c := spot{judged: j, report: report}
	if j.toml == nil {
		c.in(j.markdown).tell(0, "put parameters_NAME.toml beside it: a goal, and for each task and step its id, "+
			"critical_flag, mode and max_retries", "the parameters, parameters_NAME.toml, are missing")
	}
	if j.markdown == nil {
		c.in(j.toml).tell(0, "put spec_NAME.md beside it: a section ## Goal, and for each task ### Task [id]: title "+
			"with its steps", "the Markdown half, spec_NAME.md, is missing")
	}
}

// The files as they are, also where they were not read to their end.

func markdownFile(j *judged) []*half { return some(j.markdown) }
func tomlFile(j *judged) []*half     { return some(j.toml) }

// The parameters are TOML, and every key stands once.
func notTOML(c spot) {
	for _, f := range c.h.faults {
		hint := "write the value as TOML: text in quotes, numbers, true, false, lists in [ ]; nothing behind this place was read"
		if !f.fatal {
			hint = "mend this value, or keep one of the two keys"
		}
		c.tell(f.at, hint, "not TOML: %s", f.text)
	}
}

// The Markdown is text for people: headings, items and paragraphs have 20 bytes
// on average at least. Behind the place where there are more, nothing is read.
func tooDense(c spot) {
	for _, f := range c.h.faults {
		c.tell(f.at, "write sentences, or split the file", "%s", f.text)
	}
}

// Both files are UTF-8.
func notUTF8(c spot) {
	if at := firstInvalid(c.h.file.Source()); at >= 0 {
		c.tell(at, "save the file as UTF-8", "the text is not UTF-8")
	}
}

// Each half states the goal: in Markdown below the heading Goal, in TOML as
// goal.description or goal.statement.
func goalMissing(c spot) {
	h := c.h
	if h.goal().ok {
		return
	}
	at, hint := 0, "add the section ## Goal with one sentence below it"
	if len(h.goals) > 0 {
		at = h.goals[0].at
	}
	if len(h.restated) > 0 {
		at, hint = h.restated[0].at, "put this sentence below a heading ## Goal"
	}
	if h.side == tomlSide {
		hint = `add  [goal]  with  description = "…", the goal as the Markdown states it`
		if n := h.root.Find("goal"); n != nil {
			at = n.At
		}
	}
	c.tell(at, hint, "no goal is stated")
}

// A plan has one goal. Two goals are two plans.
func goalMultiple(c spot) {
	seen := 0
	for _, g := range c.h.goals {
		if g.text == "" {
			continue
		}
		if seen++; seen > 1 {
			c.tell(g.at, "keep one goal; make the other one a task, or a plan of its own", "this is goal number %d: %q",
				seen, shorten(g.text))
		}
	}
}

// goals are what both halves state, where both do.
func (j *judged) goals() (m, t said, ok bool) {
	m, t = j.m.goal(), j.t.goal()
	return m, t, m.ok && t.ok
}

// Both halves state the same goal. Backquotes, bold face, blanks and a final period
// do not count.
func goalMismatch(c spot) {
	if m, t, ok := c.goals(); ok && !sameText(m.text, t.text) {
		c.tell(t.at, "decide on one of the two, and write it in both files",
			"the goal is another one than in the Markdown, which says %q", shorten(m.text))
	}
}

// The goals differ by a final period only.
func goalPunctuation(c spot) {
	if m, t, ok := c.goals(); ok && sameText(m.text, t.text) && spaced(m.text) != spaced(t.text) {
		c.tell(t.at, "end both the same way", "the goal differs from the one in the Markdown by its final period")
	}
}

// goalHalf is the main half, or the Markdown where that cannot be judged.
func goalHalf(j *judged) []*half {
	if h := mainHalf(j); h != nil {
		return h
	}
	return some(j.m)
}

// A goal says what is there in the end; one or two words, or a placeholder, do
// not.
func goalVague(c spot) {
	g := c.h.goal()
	if g.ok && (len(wordsOf(g.text)) < 3 || placeholder(g.text)) {
		c.tell(g.at, "say in a sentence what is there when the goal is reached, and for whom",
			"the goal says too little: %q", shorten(g.text))
	}
}

// placeholder reports whether a text stands for one that is still to come: all of
// it is in brackets, or it begins with TODO or the like, or has a TBD.
func placeholder(text string) bool {
	for _, around := range [...]string{"[]", "<>", "{}"} {
		if strings.HasPrefix(text, around[:1]) && strings.HasSuffix(text, around[1:]) {
			return true
		}
	}
	words := strings.FieldsFunc(text, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
	return len(words) > 0 && slices.Contains([]string{"TODO", "FIXME", "XXX"}, words[0]) ||
		slices.Contains(words, "TBD") || slices.Contains(words, "TBC")
}

// shorten cuts a text to what a message can hold.
func shorten(text string) string {
	text = strings.Join(strings.Fields(text), " ")
	if runes := []rune(text); len(runes) > 80 {
		return string(runes[:79]) + "…"
	}
	return text
}

// firstInvalid finds the first byte that is not UTF-8, or -1.
func firstInvalid(text string) int {
	if utf8.ValidString(text) {
		return -1
	}
	for i := 0; i < len(text); {
		r, size := utf8.DecodeRuneInString(text[i:])
		if r == utf8.RuneError && size == 1 {
			return i
		}
		i += size
	}
	return -1
}
