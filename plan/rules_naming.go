package plan

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"unicode"

	"github.com/planlock/planlock/internal/safetext"
	"github.com/planlock/planlock/ledger"
	"github.com/planlock/planlock/ledger/source"
)

// namingRules are those of ids, and of all texts of a meaning, wherever they
// stand.
func namingRules() []rule {
	return []rule{
		{code: "id-missing", severity: Error, why: "What has no id cannot be referred to.",
			plan: planNames(idMissing), task: taskNames(idMissing), step: stepNames(idMissing)},
		{code: "id-invalid", severity: Error, why: "Ids stand in addresses, codes and file names.",
			plan: planNames(idInvalid), task: taskNames(idInvalid), step: stepNames(idInvalid)},
		{code: "requirement-duplicate-id", severity: Error, said: true, why: "An id names one thing.", plan: twice("requirement")},
		{code: "assumption-duplicate-id", severity: Error, said: true, why: "An id names one thing.", plan: twice("assumption")},
		{code: "invariant-duplicate-id", severity: Error, said: true, why: "An id names one thing.", plan: twice("invariant")},
		{code: "non-goal-duplicate-id", severity: Error, said: true, why: "An id names one thing.", plan: twice("non-goal")},
		{code: "speclet-duplicate-id", severity: Error, why: "An id names one speclet.", plan: twice("speclet")},
		{code: "task-duplicate-id", severity: Error, why: "An id names one task.",
			task: func(x *inspection, t *taskPart, tell tell) {
				if x.tasks[t.ID] != t.index && t.ID != "" {
					tell("id", fmt.Sprintf("there are two tasks %q", t.ID), "give each an id of its own")
				}
			}},
		{code: "step-duplicate-id", severity: Error, why: "An id names one step of its task.",
			step: func(x *inspection, s *stepPart, tell tell) {
				if first := x.steps[s.address]; first != s.at && s.ID != "" && first.task == s.at.task {
					tell("id", fmt.Sprintf("task %q has two steps %q", s.task.ID, s.ID), "give each an id of its own")
				}
			}},
		{code: "backup-duplicate-id", severity: Error, why: "An id names one backup of its step.",
			step: func(_ *inspection, s *stepPart, tell tell) {
				for _, n := range again(namesOfStep(s), "backup") {
					tell(n.key+".id", fmt.Sprintf("the step has two backups %q", n.id), "give each an id of its own")
				}
			}},
		{code: "address-ambiguous", severity: Error, why: "Two steps of different tasks have the same address TASK.STEP.",
			step: func(x *inspection, s *stepPart, tell tell) {
				first := x.steps[s.address]
				if s.ID != "" && first.task != s.at.task && x.plan.Tasks[first.task].ID != s.task.ID {
					tell("id", fmt.Sprintf("the address %s is that of two steps", s.address),
						"choose ids without a point in them")
				}
			}},
		{code: "text-missing", severity: Warning,
			why: "A requirement, invariant, assumption, non-goal or task is told by its text.",
			plan: planNames(func(n name, tell tell) {
				if n.kind != "speclet" && strings.TrimSpace(n.text) == "" {
					tell(n.key, fmt.Sprintf("%s %q has no text", n.kind, n.id), `add  text = "What it means, in one sentence"`)
				}
			}),
			task: func(_ *inspection, t *taskPart, tell tell) {
				if t.Description == "" && t.Title == "" {
					tell("", fmt.Sprintf("task %q has no description", t.ID), `add  description = "What the task brings about"`)
				}
			}},
		everyText(rule{code: "text-hidden", severity: Warning,
			why: "A text for people holds characters that are not seen, or that turn the direction of writing."},
			[]meaning{prose}, unseen("the text has a character that is not seen, or turns the others: ",
				"take it out, or type the text again")),
		everyText(rule{code: "command-hidden", severity: Error, cause: true,
			why: "A command holds a control character, one without width, or one that turns the direction of " +
				"writing: what a person reads is not what runs."},
			[]meaning{command}, unseen("the command has a character that is not seen: ",
				"take it out, or type the command again")),
		everyText(rule{code: "path-invalid", severity: Error, cause: true,
			why: "Paths and globs are relative to the workspace and never lead out of it: no .., no leading /, " +
				"no backslash, no blank at an end, nothing unseen."},
			[]meaning{glob, module}, func(path string) (message, hint string) {
				if why := pathFault(path); why != "" {
					return "not a path in the workspace: " + why, "paths are relative to the workspace, with / between names"
				}
				return "", ""
			}),
		everyText(rule{code: "symbol-invalid", severity: Error, said: true, cause: true,
			why: "A symbol is the place where it is declared, a point, and its name: FOLDER.Name and FOLDER.Type.Method in Go, " +
				"package.module.Class.method in Python, src/file.Class.method in TypeScript, crate::module::Type::method in " +
				"Rust, package.Class.method in Java and C#, namespace::Class::method and ::name in C++ and C (docs/languages.md)."},
			[]meaning{symbol}, func(name string) (message, hint string) {
				if _, last, ok := source.Cut(name); !ok || !isIdentifier(last) ||
					safetext.Hidden(name) >= 0 || strings.Contains(name, "..") || strings.HasPrefix(name, "/") {
					return fmt.Sprintf("%q is not a symbol", name),
						`a symbol is its place and its name, as in "server.Limiter.Allow" in Go ` +
							`(".Name" in the root), "package.module.Class.method" in Python, ` +
							`"src/file.Class.method" in TypeScript, "crate::module::Type::method" in Rust, ` +
							`"package.Class.method" in Java and C#, and "namespace::Class::method" and "::name" in C++ and C`
				}
				return "", ""
			}),
		everyText(rule{code: "regexp-invalid", severity: Error, said: true, cause: true,
			why: "A regular expression follows the syntax of RE2."},
			[]meaning{regex}, func(text string) (message, hint string) {
				if _, err := regexp.Compile(text); err != nil {
					return fmt.Sprintf("%q is no regular expression: %v", text, err), "the syntax is that of RE2"
				}
				return "", ""
			}),
	}
}

// everyText makes a rule of what is wrong with a text, "" if nothing is, for
// all texts that have one of the meanings.
func everyText(r rule, of []meaning, wrong func(text string) (message, hint string)) rule {
	judge := func(texts []text, tell tell) {
		for i := range texts {
			t := &texts[i]
			if !slices.Contains(of, t.means) || t.means == module && t.text == "." {
				continue
			}
			if message, hint := wrong(t.text); message != "" {
				tell(t.key(), message, hint)
			}
		}
	}
	r.plan = func(x *inspection, tell tell) { judge(x.texts, tell) }
	r.task = func(_ *inspection, t *taskPart, tell tell) { judge(t.texts, tell) }
	r.step = func(_ *inspection, s *stepPart, tell tell) { judge(s.texts, tell) }
	return r
}

// unseen finds what people cannot see in a text, and shows it escaped.
func unseen(message, hint string) func(string) (string, string) {
	return func(text string) (string, string) {
		if i := safetext.HiddenInLines(text); i >= 0 {
			return message + safetext.Escape(text[i:min(len(text), i+4)]), hint
		}
		return "", ""
	}
}

// pathFault says why a text is no path or glob in the workspace, or "".
func pathFault(path string) string {
	if err := ledger.CheckPattern(path); err != nil {
		return strings.TrimPrefix(err.Error(), ledger.ErrPattern.Error()+": ")
	}
	return ""
}

// A name is something that has an id, and mostly a text.
type name struct{ kind, key, id, text string }

// namesOf lists what has an id in the tables above the tasks.
func namesOf(p *Plan) []name {
	return slices.Concat(
		names("requirement", "requirements", p.Requirements,
			func(r Requirement) (id, text string) { return r.ID, r.Text }),
		names("assumption", "assumptions", p.Assumptions, func(a Assumption) (id, text string) { return a.ID, a.Text }),
		names("invariant", "invariants", p.Invariants, func(i Invariant) (id, text string) { return i.ID, i.Text }),
		names("non-goal", "non_goals", p.NonGoals, func(n NonGoal) (id, text string) { return n.ID, n.Text }),
		names("speclet", "speclets", p.Speclets, func(s Speclet) (id, text string) { return s.ID, s.Description }))
}

// namesOfStep lists the step and its backups.
func namesOfStep(s *stepPart) []name {
	return append([]name{{kind: "step", id: s.ID}},
		names("backup", "backups", s.Backups, func(b Backup) (id, text string) { return b.ID, b.Description })...)
}

// names lists what has an id in one table of a plan.
func names[T any](kind, key string, list []T, of func(T) (id, text string)) []name {
	all := make([]name, len(list))
	for i, one := range list {
		id, text := of(one)
		all[i] = name{kind, fmt.Sprintf("%s[%d]", key, i), id, text}
	}
	return all
}

// planNames makes a rule about a plan of one about each name above its tasks.
func planNames(judge func(name, tell)) func(*inspection, tell) {
	return func(x *inspection, tell tell) {
		for _, n := range namesOf(x.plan) {
			judge(n, tell)
		}
	}
}

// taskNames makes a rule about a task of one about its name.
func taskNames(judge func(name, tell)) func(*inspection, *taskPart, tell) {
	return func(_ *inspection, t *taskPart, tell tell) { judge(name{kind: "task", id: t.ID}, tell) }
}

// stepNames makes a rule about a step of one about its name and those of its
// backups.
func stepNames(judge func(name, tell)) func(*inspection, *stepPart, tell) {
	return func(_ *inspection, s *stepPart, tell tell) {
		for _, n := range namesOfStep(s) {
			judge(n, tell)
		}
	}
}

// idKey is the key of the id.
func (n name) idKey() string { return strings.TrimPrefix(n.key+".id", ".") }

// idMissing tells a name without an id, with an id as people give them.
func idMissing(n name, tell tell) {
	if n.id != "" {
		return
	}
	example := strings.ToUpper(n.kind[:1]) + "1"
	if n.kind == "task" || n.kind == "step" || n.kind == "backup" {
		example = "1"
	}
	article := "a"
	if strings.IndexByte("aeiou", n.kind[0]) >= 0 {
		article = "an"
	}
	tell(n.idKey(), fmt.Sprintf("%s %s has no id", article, n.kind), fmt.Sprintf("add  id = %q", example))
}

// idInvalid tells an id that cannot stand in an address or in the name of a
// file.
func idInvalid(n name, tell tell) {
	if n.id != "" && !validID(n.id) {
		tell(n.idKey(), fmt.Sprintf("the id %q cannot be used", n.id), "an id has up to 128 letters, digits, and . _ -")
	}
}

// validID reports whether a text can be an id: letters and digits of any
// script, points, underlines and hyphens, at most 128 bytes. Blanks and
// separators of paths are none of them, so that an id is one word in messages
// and safe in names of files.
func validID(id string) bool {
	return id != "" && len(id) <= 128 && strings.IndexFunc(id, func(r rune) bool { return !idRune(r) }) < 0
}

// isIdentifier reports whether a name may be that of a declaration, in any
// language: a keyword of one is a name in another.
func isIdentifier(name string) bool {
	for i, r := range name {
		if r != '_' && r != '$' && !unicode.IsLetter(r) && (i == 0 || !unicode.IsDigit(r)) {
			return false
		}
	}
	return name != ""
}

// twice reports the names of a kind that others of it have before.
func twice(kind string) func(*inspection, tell) {
	return func(x *inspection, tell tell) {
		for _, n := range again(namesOf(x.plan), kind) {
			tell(n.key+".id", fmt.Sprintf("there are two %ss %q", kind, n.id), "give each an id of its own")
		}
	}
}

// again leaves of the names those of a kind whose id was there before.
func again(names []name, kind string) []name {
	seen := map[string]bool{}
	return slices.DeleteFunc(names, func(n name) bool {
		if n.kind != kind || n.id == "" {
			return true
		}
		first := !seen[n.id]
		seen[n.id] = true
		return first
	})
}
