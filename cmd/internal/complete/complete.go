// Package complete draws the scripts that have a shell complete what is typed
// behind planlock. Each shell has a template, which is given all commands.
package complete

import (
	"embed"
	"io"
	"strings"
	"text/template"
)

// A Command is one of planlock's, with what can be typed behind it.
type Command struct {
	Name, Does string
	First      string // what its first argument is: "run", "path", "word" or ""
	Words      string // those that it can be, where it is a word
	Flags      []Flag // in the order of their names
}

// A Flag is one of a command's.
type Flag struct {
	Name, Help  string
	Short       string // one letter, or ""
	Placeholder string // what it is set to, as in FOLDER; "" for a switch
}

// Spellings are the ways to type the flag.
func (f Flag) Spellings() []string {
	if f.Short == "" {
		return []string{"--" + f.Name}
	}
	return []string{"-" + f.Short, "--" + f.Name}
}

//go:embed *.tmpl
var scripts embed.FS

// Shells are those that have a script.
func Shells() []string { return []string{"bash", "zsh", "fish"} }

// Draw writes the script of a shell. Templates are read here and not when the
// program starts, since hardly any call needs them.
func Draw(w io.Writer, shell string, commands []Command) error {
	script, err := template.New("").Funcs(template.FuncMap{"quote": quote, "plain": plain}).ParseFS(scripts, shell+".tmpl")
	if err != nil {
		return err
	}
	return script.ExecuteTemplate(w, shell+".tmpl", commands)
}

// quote is a word of the script, made of parts.
func quote(parts ...string) string {
	return "'" + strings.ReplaceAll(strings.Join(parts, ""), "'", "’") + "'"
}

// plain is a text without the signs that zsh reads in the help of a flag.
func plain(text string) string {
	return strings.NewReplacer("[", "(", "]", ")", ":", " -").Replace(text)
}
