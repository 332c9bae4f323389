package mcp

import (
	"encoding/json"
	"maps"
	"net/url"
	"os"
	"slices"
	"strings"

	"github.com/planlock/planlock/internal/process/environ"
	"github.com/planlock/planlock/internal/process/output"
)

// secrets are what nobody is to read of what a server is given: the values of all
// variables that the file names for it, all of its headers, and what the file sets
// a variable with a secret name to. Each is looked for as programs write it into
// addresses and JSON, too.
func (c configured) secrets() output.Secrets {
	var hidden []string
	hide := func(name, value string) {
		forms := []string{value, url.PathEscape(value), url.QueryEscape(value)}
		if text, err := json.Marshal(value); err == nil {
			forms = append(forms, strings.Trim(string(text), `"`))
		}
		for _, form := range forms {
			hidden = append(hidden, strings.ReplaceAll(name, "=", "_")+"="+form)
		}
	}
	for _, text := range c.texts() {
		for _, m := range variable().FindAllStringSubmatch(text, -1) {
			if set, ok := os.LookupEnv(m[1]); ok {
				hide(m[1], set)
			} else if environ.Secret(m[1]) {
				hide(m[1], m[2])
			}
		}
	}
	slices.Sort(hidden) // where two have one value, the same name is shown each time
	for _, name := range slices.Sorted(maps.Keys(c.Env)) {
		if environ.Secret(name) {
			hide(name, expanded(c.Env[name]))
		}
	}
	for _, name := range slices.Sorted(maps.Keys(c.Headers)) {
		for _, word := range strings.Fields(expanded(c.Headers[name])) {
			hide(name, word)
		}
	}
	return output.SecretsOf(nil, hidden...)
}

// texts are all that a file says of a server and that may name variables.
func (c configured) texts() []string {
	all := append([]string{c.Command, c.Cwd, c.URL}, c.Args...)
	for _, values := range []map[string]string{c.Env, c.Headers} {
		for _, value := range values {
			all = append(all, value)
		}
	}
	return all
}
