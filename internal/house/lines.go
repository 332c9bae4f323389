package main

import (
	"go/scanner"
	"go/token"
	"strings"
)

const (
	columns = 120 // of a line
	tab     = 4   // columns of a tab
)

// lines counts those of a file.
type lines struct {
	code, comment int // a line with both is code
	all           int
	wide          []int // numbers of the lines that are too wide, and not for the sake of a literal
}

// countLines counts the lines of a file of Go.
func countLines(text []byte) lines {
	fset := token.NewFileSet()
	f := fset.AddFile("", -1, len(text))
	var s scanner.Scanner
	s.Init(f, text, nil, scanner.ScanComments)
	count := strings.Count(string(text), "\n") + 1
	code, comment, literal := make([]bool, count+2), make([]bool, count+2), make([]bool, count+2)
	inOutput := false // of an example
	for {
		pos, tok, lit := s.Scan()
		if tok == token.EOF {
			break
		}
		if tok == token.SEMICOLON && lit != ";" {
			continue // the scanner put it there
		}
		inOutput = tok == token.COMMENT && (inOutput || strings.HasPrefix(lit, "// Output:"))
		first := f.Line(pos)
		last := first + strings.Count(lit, "\n")
		for i := first; i <= last; i++ {
			if tok == token.COMMENT {
				comment[i] = true
			} else {
				code[i] = true
			}
		}
		if tok == token.STRING || tok == token.COMMENT && inOutput {
			end := f.Offset(pos) + len(lit)
			for i := first; i <= last; i++ { // what an example prints is as long as it is
				literal[i] = literal[i] || crosses(text, f.LineStart(i), f, pos, end)
			}
		}
	}
	var l lines
	for i, line := range strings.Split(string(text), "\n") {
		switch n := i + 1; {
		case code[n]:
			l.code++
		case comment[n]:
			l.comment++
		}
		if width(line) > columns && !literal[i+1] {
			l.wide = append(l.wide, i+1)
		}
	}
	l.all = count
	return l
}

// crosses tells whether a literal is what makes a line too wide: it begins
// before the last column and ends behind it.
func crosses(text []byte, start token.Pos, f *token.File, pos token.Pos, end int) bool {
	from := f.Offset(start)
	rest, _, _ := strings.Cut(string(text[from:]), "\n")
	end = min(end, from+len(rest))
	return end > from && width(string(text[from:end])) > columns &&
		width(string(text[from:max(from, f.Offset(pos))])) < columns
}

// width is how many columns a line takes.
func width(line string) int {
	n := 0
	for _, r := range line {
		if r == '\t' {
			n += tab
		} else {
			n++
		}
	}
	return n
}
