package method

import (
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/planlock/planlock/ledger"
	"github.com/planlock/planlock/plan"
)

// A touch is what a command says that it does to a path.
type touch struct {
	path    string
	deletes bool // else it writes
}

func (t touch) String() string {
	if t.deletes {
		return "delete " + strconv.Quote(t.path)
	}
	return "write " + strconv.Quote(t.path)
}

// touches are the paths that a command names to be written or deleted, sorted:
// those that output is sent to, and the operands of the programs that are known
// to write or delete them. What other programs do is for the account of the
// attempt to say.
func touches(run string) []touch {
	var all []touch
	for _, c := range commands(run) {
		for _, to := range c.outputs {
			all = append(all, touch{path.Clean(to), false})
		}
		all = append(all, c.touches()...)
	}
	slices.SortFunc(all, func(a, b touch) int { return strings.Compare(a.String(), b.String()) })
	return slices.Compact(all)
}

// inFront are words behind which a command stands that is carried out, perhaps
// with flags and numbers of theirs between.
const inFront = " builtin command do elif else if ionice nice nohup setsid stdbuf then time timeout until while "

// program are the words of a command from its program on.
func (c command) program() []string {
	wrapped := false
	for i, w := range c.words {
		switch {
		case strings.Contains(w, "="): // a variable in front
		case slices.Contains(strings.Fields(inFront), path.Base(w)):
			wrapped = true
		case wrapped && (w == "" || strings.ContainsRune("-0123456789", rune(w[0]))):
		default:
			return c.words[i:]
		}
	}
	return nil
}

// touches are what the program of a command does to its operands.
func (c command) touches() []touch {
	words := c.program()
	if len(words) == 0 {
		return nil
	}
	operands, flags := split(words[1:])
	last := max(len(operands)-1, 0)
	switch path.Base(words[0]) {
	case "sh", "bash", "dash", "ksh", "zsh":
		if slices.Contains(flags, "-c") && len(operands) > 0 {
			return touches(operands[0])
		}
	case "rm", "rmdir", "unlink", "shred":
		return each(operands, true)
	case "mv":
		return append(each(operands[:last], true), each(operands[last:], false)...)
	case "cp", "install", "ln":
		return each(operands[last:], false)
	case "truncate", "touch", "mkdir", "tee":
		return each(operands, false)
	case "sed":
		if slices.ContainsFunc(flags, func(f string) bool { return strings.HasPrefix(f, "-i") || strings.HasPrefix(f, "--in-place") }) {
			return each(operands[min(1, len(operands)):], false)
		}
	case "dd":
		for _, o := range operands {
			if to, ok := strings.CutPrefix(o, "of="); ok {
				return []touch{{path.Clean(to), false}}
			}
		}
	case "find":
		exec := slices.IndexFunc(words, func(w string) bool { return strings.HasPrefix(w, "-exec") || strings.HasPrefix(w, "-ok") })
		if slices.Contains(flags, "-delete") {
			return each(operands, true)
		} else if exec > 0 && (command{words: append(slices.Clone(words[exec+1:]), "{}")}).touches() != nil {
			return each(operands[:1], true)
		}
	}
	return nil
}

// split tells operands from flags.
func split(words []string) (operands, flags []string) {
	for i, w := range words {
		switch {
		case w == "--":
			return append(operands, words[i+1:]...), flags
		case len(w) > 1 && w[0] == '-':
			flags = append(flags, w)
		default:
			operands = append(operands, w)
		}
	}
	return operands, flags
}

// each is one touch for each path.
func each(paths []string, deletes bool) []touch {
	var all []touch
	for _, p := range paths {
		all = append(all, touch{path.Clean(p), deletes})
	}
	return all
}

// allows reports whether a step declares that a path is touched so. A folder may
// be written if something in it may. Where a step declares nothing of the kind,
// what it reads is not written, and nothing is deleted.
func allows(s *plan.Step, t touch) bool {
	var written, deleted, read []string
	declares := false
	if a := s.Artifacts; a != nil {
		declares = true
		written, deleted = slices.Concat(a.Create, a.Modify), a.Delete
	}
	if a := s.Access; a != nil {
		declares = declares || a.Writes != nil
		written, read = append(written, a.Writes...), a.Reads
		deleted = append(slices.Clone(deleted), a.Writes...)
	}
	if t.deletes {
		return within(deleted, t.path)
	}
	if !declares {
		return !within(read, t.path)
	}
	return within(written, t.path) || slices.ContainsFunc(written, func(p string) bool {
		return t.path == "." || strings.HasPrefix(p, t.path+"/")
	})
}

// within reports whether a path is one of those that patterns stand for.
func within(patterns []string, p string) bool {
	return slices.ContainsFunc(patterns, func(pattern string) bool { return ledger.Match(pattern, p) })
}
