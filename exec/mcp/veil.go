package mcp

import (
	"slices"
	"strings"

	"github.com/planlock/planlock/internal/process/environ"
)

// leastSecret is how many bytes a value needs to be taken for a secret; shorter
// ones stand in ordinary text too often.
const leastSecret = 8

// veil puts names in place of what nobody is to read of what a server is given:
// all of its headers, and of its variables those with secret names.
func (c configured) veil() *strings.Replacer {
	type secret struct{ value, name string }
	var all []secret
	add := func(name, value string) {
		if len(value) >= leastSecret {
			all = append(all, secret{value, "[" + name + "]"})
		}
	}
	for _, text := range c.texts() {
		for _, m := range variable().FindAllStringSubmatch(text, -1) {
			if environ.Secret(m[1]) {
				add(m[1], expanded(m[0]))
			}
		}
	}
	for name, value := range c.Env {
		if environ.Secret(name) {
			add(name, expanded(value))
		}
	}
	for name, value := range c.Headers {
		for _, m := range variable().FindAllStringSubmatch(value, -1) {
			add(m[1], expanded(m[0]))
		}
		for _, word := range strings.Fields(expanded(value)) {
			add(name, word)
		}
	}
	slices.SortStableFunc(all, func(a, b secret) int { return len(b.value) - len(a.value) }) // the longest first
	var pairs []string
	for _, s := range all {
		pairs = append(pairs, s.value, s.name)
	}
	return strings.NewReplacer(pairs...)
}

// texts are all that a file says of a server and that may name variables.
func (c configured) texts() []string {
	all := append([]string{c.Command, c.Cwd, c.URL}, c.Args...)
	for _, value := range c.Env {
		all = append(all, value)
	}
	return all
}
