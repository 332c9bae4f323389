package spec

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

func fileMissing(j *judged, report reporter) {
	if j.toml == nil {
		report(j.markdown, 0, "", "", "the parameters, parameters_NAME.toml, are missing",
			"put parameters_NAME.toml beside it: a goal, and for each task and step its id, critical_flag, mode and max_retries")
	}
	if j.markdown == nil {
		report(j.toml, 0, "", "", "the Markdown half, spec_NAME.md, is missing",
			"put spec_NAME.md beside it: a section ## Goal, and for each task ### Task [id]: title with its steps")
	}
}

func notTOML(j *judged, report reporter) {
	if j.toml == nil {
		return
	}
	for _, f := range j.toml.faults {
		hint := "write the value as TOML: text in quotes, numbers, true, false, lists in [ ]; nothing behind this place was read"
		if !f.fatal {
			hint = "mend this value, or keep one of the two keys"
		}
		report(j.toml, f.at, "", "", "not TOML: "+f.text, hint)
	}
}

func tooDense(j *judged, report reporter) {
	if j.markdown == nil {
		return
	}
	for _, f := range j.markdown.faults {
		report(j.markdown, f.at, "", "", f.text, "write sentences, or split the file")
	}
}

func notUTF8(j *judged, report reporter) {
	if j.markdown == nil {
		return
	}
	if at := firstInvalid(j.markdown.file.Source()); at >= 0 {
		report(j.markdown, at, "", "", "the text is not UTF-8", "save the file as UTF-8")
	}
}

func goalMissing(j *judged, report reporter) {
	j.each(func(h *half) {
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
			hint = "add  [goal]  with  description = \"…\", the goal as the Markdown states it"
			if n := h.root.Find("goal"); n != nil {
				at = n.At
			}
		}
		report(h, at, "", "", "no goal is stated", hint)
	})
}

func goalMultiple(j *judged, report reporter) {
	j.each(func(h *half) {
		seen := 0
		for _, g := range h.goals {
			if g.text == "" {
				continue
			}
			if seen++; seen > 1 {
				report(h, g.at, "", "", fmt.Sprintf("this is goal number %d: %q", seen, shorten(g.text)),
					"keep one goal; make the other one a task, or a plan of its own")
			}
		}
	})
}

func (j *judged) goals() (m, t said, ok bool) {
	if !j.both() {
		return said{}, said{}, false
	}
	m, t = j.m.goal(), j.t.goal()
	return m, t, m.ok && t.ok
}

func goalMismatch(j *judged, report reporter) {
	if m, t, ok := j.goals(); ok && !sameText(m.text, t.text) {
		report(j.t, t.at, "", "", fmt.Sprintf("the goal is another one than in the Markdown, which says %q",
			shorten(m.text)),
			"decide on one of the two, and write it in both files")
	}
}

func goalPunctuation(j *judged, report reporter) {
	if m, t, ok := j.goals(); ok && sameText(m.text, t.text) && spaced(m.text) != spaced(t.text) {
		report(j.t, t.at, "", "", "the goal differs from the one in the Markdown by its final period",
			"end both the same way")
	}
}

func goalVague(j *judged, report reporter) {
	h := j.main()
	if h == nil {
		h = j.m
	}
	if h == nil {
		return
	}
	g := h.goal()
	words := wordsOf(g.text)
	placeholder := strings.HasPrefix(g.text, "[") && strings.HasSuffix(g.text, "]")
	if g.ok && (len(words) < 3 || placeholder) {
		report(h, g.at, "", "", fmt.Sprintf("the goal says too little: %q", shorten(g.text)),
			"say in a sentence what is there when the goal is reached, and for whom")
	}
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
