package main

import (
	"fmt"
	"go/ast"
	"go/token"
	"regexp"
	"strings"
)

// command is how the command is called, in a literal.
var command = regexp.MustCompile(`\bplanlock (run|resume|lock|check|status|answer|amend|rollback|report|verify|gc|diff|log|new|convert|graph|` +
	`learn|choices|obsolete|tree|completion)\b`)

// spellings are the literals outside of the command that spell a call of it.
func (r *repository) spellings() []string {
	var list []string
	for _, p := range r.packages {
		if p.dir == "cmd" || strings.HasPrefix(p.dir, "cmd/") || strings.HasPrefix(p.dir, "examples") ||
			strings.HasPrefix(p.dir, "internal/characterise") {
			continue
		}
		for _, f := range p.files {
			ast.Inspect(f.ast, func(n ast.Node) bool {
				if l, ok := n.(*ast.BasicLit); ok && l.Kind == token.STRING && command.MatchString(l.Value) {
					at := r.fset.Position(l.Pos())
					list = append(list, fmt.Sprintf("%s:%d %s", at.Filename, at.Line, command.FindString(l.Value)))
				}
				return true
			})
		}
	}
	return list
}

func (r *repository) spelled() figure {
	list := r.spellings()
	return figure{"calls of the command in literals outside of cmd", fmt.Sprint(len(list)), "0", len(list) > 0, list}
}
