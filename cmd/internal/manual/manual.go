// Package manual draws the manual page of planlock, in the language of man.
package manual

import (
	_ "embed"
	"io"
	"strings"
	"text/template"

	"github.com/planlock/planlock/cmd/internal/usage"
)

//go:embed planlock.1.tmpl
var page string

// A Page is what the manual says that differs from one build to the next.
type Page struct {
	Version  string
	Common   []usage.Flag // of every command
	Commands []usage.Command
}

// Statuses are all exit statuses.
func (Page) Statuses() []usage.Status { return usage.Statuses() }

// Draw writes the page. The template is read here and not when the program
// starts, since hardly any call needs it.
func (p Page) Draw(w io.Writer) error {
	drawn, err := template.New("planlock").Funcs(template.FuncMap{"text": text, "word": word}).Parse(page)
	if err != nil {
		return err
	}
	return drawn.Execute(w, p)
}

// text is plain text as the language has it: nothing in it is a request.
func text(s string) string {
	s = strings.NewReplacer(`\`, `\e`, "-", `\-`, "\n", " ", "…", "...", "’", "'").Replace(s)
	if strings.HasPrefix(s, ".") || strings.HasPrefix(s, "'") {
		return `\&` + s
	}
	return s
}

// word is a text in the quotes that keep it one argument of a request.
func word(s string) string { return `"` + strings.ReplaceAll(text(s), `"`, `\(dq`) + `"` }
