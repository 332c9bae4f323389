package project

import (
	_ "embed"
	"fmt"
	"strings"
	"text/template"
)

//go:embed plan.toml.tmpl
var planText string

// Plan is a native plan of a first change in the project, test first where it is
// known how tests are named. It passes a check, and says in its own words what
// is still to be said.
func (p *Project) Plan() (string, error) {
	t, err := template.New("plan").Funcs(template.FuncMap{
		"list": func(names []string) string { return quoted(names) },
		"last": func(names []string) []string { return names[len(names)-1:] },
		"rest": func(names []string) []string { return names[:len(names)-1] },
	}).Parse(planText)
	if err != nil {
		return "", err
	}
	var b strings.Builder
	err = t.Execute(&b, p)
	return b.String(), err
}

// String says what was found, in one line.
func (p *Project) String() string {
	text := fmt.Sprintf("%s (%s), tested with  %s", p.Language, p.Marker, p.Test)
	if n := len(p.Packages); n > 0 {
		const shown = 5
		text += ", packages " + strings.Join(p.Packages[:min(n, shown)], ", ")
		if n > shown {
			text += fmt.Sprintf(" and %d more", n-shown)
		}
	}
	return text
}

// quoted is a list of TOML texts; names have nothing that would have to be
// escaped.
func quoted(names []string) string {
	if len(names) == 0 {
		return "[]"
	}
	return `["` + strings.Join(names, `", "`) + `"]`
}
