package outline

import "strings"

// A Fence is the code fence that the lines of a text stand in; the zero value
// is none.
type Fence struct {
	mark   byte
	length int
	quoted bool // behind >, so that it ends with the quote
}

// Next goes to the next line, and reports whether that is code: in a fence, or
// one of its marks.
func (f *Fence) Next(line string) bool {
	code, _ := f.Opens(line)
	return code
}

// Opens goes to the next line, and says besides at which byte of it a fence
// begins; -1: none does.
func (f *Fence) Opens(line string) (code bool, at int) {
	if f.quoted && !strings.HasPrefix(strings.TrimLeft(line, " "), ">") {
		*f = Fence{}
	}
	if f.length > 0 {
		if strings.IndexByte(line, f.mark) >= 0 {
			if r := fenceOf(line, true); r.mark == f.mark && r.length >= f.length && strings.TrimSpace(r.rest) == "" {
				*f = Fence{}
			}
		}
		return true, -1
	}
	if !strings.Contains(line, "```") && !strings.Contains(line, "~~~") {
		return false, -1
	}
	r := fenceOf(line, false)
	if r.length < 3 || r.mark == '`' && strings.Contains(r.rest, "`") {
		return false, -1
	}
	*f = r.Fence
	return true, r.at
}

// A run is the backticks or tildes that a line begins with, and what stands
// behind them.
type run struct {
	Fence
	at   int
	rest string
}

// fenceOf finds the run behind blanks and quote marks and, unless it is to
// close a fence, behind list marks.
func fenceOf(line string, closing bool) run {
	r := run{}
	for r.at < len(line) {
		c := line[r.at]
		next := r.at+1 < len(line) && (line[r.at+1] == ' ' || line[r.at+1] == '\t')
		if c == '>' {
			r.quoted = true
		} else if c != ' ' && c != '\t' && (closing || !next || c != '-' && c != '*' && c != '+') {
			break
		}
		r.at++
	}
	if r.at == len(line) || line[r.at] != '`' && line[r.at] != '~' {
		return run{}
	}
	r.mark = line[r.at]
	for r.at+r.length < len(line) && line[r.at+r.length] == r.mark {
		r.length++
	}
	r.rest = line[r.at+r.length:]
	return r
}

// FenceWord is the first word behind the mark of a fence, as in "bash", and
// whether the line is such a mark.
func FenceWord(line string) (string, bool) {
	r := fenceOf(strings.TrimSpace(line), true)
	if r.length < 3 {
		return "", false
	}
	word, _, _ := strings.Cut(strings.TrimSpace(r.rest), " ")
	return word, true
}
