package review

import (
	"fmt"
	"path"
	"strings"

	"github.com/planlock/planlock/internal/jsontree"
)

// interpreter is the program that carries out an entry, with a blank behind it; ""
// where the entry is a program itself.
func interpreter(entry string) string {
	switch path.Ext(entry) {
	case ".py":
		return "python3 "
	case ".sh":
		return "sh "
	case ".js", ".mjs":
		return "node "
	case ".rb":
		return "ruby "
	case ".go":
		return "go run "
	}
	return ""
}

// Interpreted reports whether a program carries out the entry, as its ending asks
// for, so that the entry needs not be executable.
func (j Job) Interpreted() bool { return interpreter(j.Entry) != "" }

// Command is the job as a shell command: the entry, by the program that its
// ending asks for, with each argument as --name value. An argument that is true
// is --name alone, one that is false or null is left out, and a list is its items.
// An entry that is no path within the workspace, and arguments that are no object
// of such values, are errors.
func (j Job) Command() (string, error) {
	entry := path.Clean(j.Entry)
	if j.Entry == "" || path.IsAbs(entry) || strings.HasPrefix(entry, "..") || strings.HasPrefix(entry, "-") {
		return "", fmt.Errorf("review: job %q: the entry %q is no path within the workspace", j.ID, j.Entry)
	}
	program := interpreter(entry)
	if program == "" && !strings.Contains(entry, "/") {
		entry = "./" + entry
	}
	command := program + word(entry)
	if j.Args == "" {
		return command, nil
	}
	args, err := jsontree.ParseStrict(j.Args)
	if err != nil {
		return "", fmt.Errorf("review: job %q: its arguments: %w", j.ID, err)
	}
	if args.Kind() != jsontree.Object {
		return "", fmt.Errorf("review: job %q: its arguments are no object", j.ID)
	}
	for arg := range args.Each {
		words, ok := argument(arg)
		if !ok {
			return "", fmt.Errorf("review: job %q: the argument %q cannot be written in a command", j.ID, arg.Key())
		}
		command += words
	}
	return command, nil
}

// argument is how a member of an object of arguments is written.
func argument(arg jsontree.Value) (words string, ok bool) {
	name := arg.Key()
	if name == "" || strings.Trim(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_") != "" ||
		name[0] == '-' {
		return "", false
	}
	words = " --" + name
	switch {
	case arg.Raw() == "false" || arg.Kind() == jsontree.Null:
		return "", true
	case arg.Kind() == jsontree.Bool:
		return words, true
	case arg.Kind() == jsontree.Array:
		for item := range arg.Each {
			text, ok := scalar(item)
			if !ok {
				return "", false
			}
			words += " " + text
		}
		return words, true
	}
	text, ok := scalar(arg)
	return words + " " + text, ok
}

// scalar is a text or a number as a word of a command.
func scalar(v jsontree.Value) (string, bool) {
	switch v.Kind() {
	case jsontree.String:
		return word(v.Text()), !strings.ContainsRune(v.Text(), 0)
	case jsontree.Number:
		return v.Raw(), true
	}
	return "", false
}

// word is a text as one word for a shell.
func word(text string) string {
	if text != "" && strings.Trim(text, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_./:,@%+=") == "" {
		return text
	}
	return "'" + strings.ReplaceAll(text, "'", `'\''`) + "'"
}
