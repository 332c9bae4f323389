package method

import "strings"

// A command is one simple command of a shell text: its words without their
// quotes, and where its output goes.
type command struct {
	words   []string
	outputs []string // files behind > and >>
}

// commands are the simple commands of a shell text, as far as words and quotes
// say. Nothing is expanded: a patch with expansions is refused before.
func commands(run string) []command {
	r := reader{text: run}
	var all []command
	var c command
	output := false
	for {
		word, operator, more := r.next()
		if word != "" {
			if output {
				c.outputs = append(c.outputs, word)
			} else {
				c.words = append(c.words, word)
			}
			output = false
		}
		switch {
		case operator == ">":
			output = true
		case operator != "" || !more:
			if len(c.words)+len(c.outputs) > 0 {
				all = append(all, c)
			}
			c, output = command{}, false
		}
		if !more {
			return all
		}
	}
}

// A reader reads words and operators of a shell text.
type reader struct {
	text string
	at   int
}

// next is the next word, "" if there is none, and the operator behind it: ">"
// where output goes into the word that follows, "" behind a blank, else one that
// ends a command. more is false at the end of the text.
func (r *reader) next() (word, operator string, more bool) {
	var b strings.Builder
	var quote byte
	for ; r.at < len(r.text); r.at++ {
		c := r.text[r.at]
		switch {
		case quote != 0 && c == quote:
			quote = 0
		case quote != 0:
			b.WriteByte(c)
		case c == '\'' || c == '"':
			quote = c
		case c == '\\' && r.at+1 < len(r.text):
			r.at++
			b.WriteByte(r.text[r.at])
		case c == ' ' || c == '\t':
			if b.Len() > 0 {
				r.at++
				return b.String(), "", true
			}
		case c == '>':
			r.redirect(&b)
			return b.String(), ">", true
		case strings.IndexByte(";&|\n()<{}", c) >= 0:
			r.at++
			return b.String(), string(c), true
		default:
			b.WriteByte(c)
		}
	}
	return b.String(), "", false
}

// redirect passes over ">", ">>" and ">|", and drops a number in front, which is
// no word of the command. What is behind ">&" is no file.
func (r *reader) redirect(word *strings.Builder) {
	if strings.Trim(word.String(), "0123456789") == "" {
		word.Reset()
	}
	for r.at++; r.at < len(r.text) && strings.IndexByte(">|", r.text[r.at]) >= 0; r.at++ {
	}
	if r.at < len(r.text) && r.text[r.at] == '&' {
		for r.at++; r.at < len(r.text) && strings.IndexByte("0123456789-", r.text[r.at]) >= 0; r.at++ {
		}
	}
}
