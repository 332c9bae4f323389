// Package complete draws the scripts that have a shell complete what is typed
// behind planlock. Each shell has a template, which is given all commands.
package complete

import (
	"embed"
	"io"
	"slices"
	"strings"
	"text/template"

	"github.com/planlock/planlock/cmd/internal/usage"
)

//go:embed *.tmpl
var scripts embed.FS

// Shells are those that have a script.
func Shells() []string { return []string{"bash", "zsh", "fish", "powershell"} }

// Draw writes the script of a shell. Templates are read here and not when the
// program starts, since hardly any call needs them.
func Draw(w io.Writer, shell string, commands []usage.Command) error {
	script, err := template.New("").Funcs(template.FuncMap{"quote": quote, "double": double, "plain": plain,
		"join": strings.Join, "of": of, "settings": settings}).ParseFS(scripts, shell+".tmpl")
	if err != nil {
		return err
	}
	return script.ExecuteTemplate(w, shell+".tmpl", commands)
}

// of is what a flag is set to: one of its "words", a "run", a "folder", a "file",
// or some other "text"; "" for a switch.
func of(f usage.Flag) string {
	switch {
	case f.Placeholder == "":
		return ""
	case len(f.Values) > 0:
		return "words"
	case f.Placeholder == "RUN":
		return "run"
	case f.Placeholder == "FOLDER", f.Placeholder == "DIR":
		return "folder"
	case f.Placeholder == "FILE", f.Placeholder == "PATH":
		return "file"
	}
	return "text"
}

// settings are the flags of a command that are set to something, of one kind.
func settings(c usage.Command, kinds ...string) (flags []usage.Flag) {
	for _, f := range c.Flags {
		if slices.Contains(kinds, of(f)) {
			flags = append(flags, f)
		}
	}
	return flags
}

// quote is a word of the script, made of parts.
func quote(parts ...string) string {
	return "'" + strings.ReplaceAll(strings.Join(parts, ""), "'", "’") + "'"
}

// double is a word of a script that spells a quote in quotes by two.
func double(text string) string { return "'" + strings.ReplaceAll(text, "'", "''") + "'" }

// plain is a text without the signs that zsh reads in the help of a flag.
func plain(text string) string {
	return strings.NewReplacer("[", "(", "]", ")", ":", " -").Replace(text)
}
