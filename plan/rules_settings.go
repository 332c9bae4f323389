package plan

import (
	"fmt"
	"path"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/planlock/planlock/internal/lazyre"
	"github.com/planlock/planlock/internal/safetext"
	"github.com/planlock/planlock/ledger"
	"github.com/planlock/planlock/plan/internal/paths"
)

// settingRules are those of the sandbox, of [execution], and of files that a
// plan asks for.
func settingRules() []rule {
	return []rule{
		{code: "sandbox-none", severity: Warning, said: true, why: "Without a sandbox a step can write anywhere.",
			plan: func(x *inspection, tell tell) {
				if x.plan.Sandbox.Level == "none" {
					tell("sandbox.level", "steps run without a sandbox", `take level out for "filesystem"`)
				}
			}},
		{code: "sandbox-value", severity: Error, said: true,
			why:  "Sizes, times, variables and folders of the sandbox are spelled as documented.",
			plan: func(x *inspection, tell tell) { sandboxValues(&x.plan.Sandbox, tell) }},
		{code: "setting-invalid", severity: Error,
			why: "What [execution] says of preset, strategy, complexity, test_first, deterministic, token_budget, " +
				"jobs, on_conflict, external, controls, unattended, escalation_threshold, reviewers and evidence is spelled as documented: a wish that cannot be understood " +
				"would silently be none.",
			plan: func(x *inspection, tell tell) { unclearWishes(x.plan, tell) }},
		{code: "step-once", severity: Warning, said: true, cause: true,
			why: "A deterministic run executes each step twice and compares what it did, and any run does so with steps that " +
				"are deterministic themselves. Where that cannot be done, nothing shows that the step does the same twice.",
			plan: executedOnce,
			step: func(x *inspection, s *stepPart, tell tell) {
				if why := x.plan.Once(s.Step, s.Prompt != ""); why != "" && s.Repeats(false) {
					tell("deterministic", "a second execution of the step cannot be compared: "+why, onceHint)
				}
			}},
		{code: "log-path-invalid", severity: Error, said: true,
			why: "The controller writes the progress log of [logging] output_file, and counts it as " +
				"nobody's change. So it is a file in the workspace whose name begins with progress and ends in .json, and no " +
				"glob, part of .git or .planlock, the plan, a declared artifact, part of the envelope, or protected by a " +
				"non-goal. The same holds of the notepad_path of [knowledge_capture], which it adds to where its name begins " +
				"with notepad and ends in .md. The progress_file of [progress_tracking] is a path in the workspace.",
			plan: logPaths},
	}
}

var (
	sizeText     = lazyre.New(`^[1-9][0-9]{0,14}(B|KB|MB|GB|TB|KiB|MiB|GiB|TiB)?$`)
	variableText = lazyre.New(`^[A-Za-z_][A-Za-z0-9_]*$`)
)

// sandboxValues judges what the sandbox is told. The controller reads the same
// values again, in the same way; here they are found before anything runs.
func sandboxValues(s *Sandbox, tell tell) {
	if d, err := time.ParseDuration(s.CPU); s.CPU != "" && (err != nil || d <= 0 || d > longest) {
		tell("sandbox.cpu", fmt.Sprintf("cpu = %q is not a time", s.CPU), `write it as "30s" or "5m"`)
	}
	for _, v := range []struct{ key, text string }{{"memory", s.Memory}, {"output", s.Output}, {"disk", s.Disk}} {
		if v.text != "" && !sizeText.MatchString(v.text) {
			tell("sandbox."+v.key, fmt.Sprintf("%s = %q is not a size", v.key, v.text),
				`write it as "512MiB" or "2GiB"`)
		}
	}
	for i, name := range s.Env {
		if !variableText.MatchString(name) {
			tell(fmt.Sprintf("sandbox.env[%d]", i), fmt.Sprintf("%q is not the name of a variable", name),
				"name variables, not values")
		}
	}
	for i, path := range s.Writable {
		if path == "" || safetext.Hidden(path) >= 0 || strings.TrimSpace(path) != path || hasDots(path) {
			tell(fmt.Sprintf("sandbox.writable[%d]", i), fmt.Sprintf("%q is not a folder", path),
				"name folders in full, without ..")
		} else if at := strings.TrimRight(path, `/`); at == "" || at == "~" {
			tell(fmt.Sprintf("sandbox.writable[%d]", i), fmt.Sprintf("%q is all that there is, or all that the user has", path),
				"name the folders in it that commands write")
		}
	}
}

// hasDots reports whether a path leads upwards anywhere, with either kind of
// slash: the folder is on the machine that runs the plan, whatever system the
// plan was written on.
func hasDots(path string) bool {
	return slices.Contains(strings.Split(strings.ReplaceAll(path, `\`, "/"), "/"), "..")
}

// A wish is a key of [execution] that the controller acts on.
type wish struct {
	key, want string
	can       func(Value) bool
}

// ExecutionKeys are the keys of [execution] that a controller acts on besides
// the mode. Beside a list of pending actions they stand without a table.
func ExecutionKeys() []string {
	var keys []string
	for _, w := range wishes() {
		keys = append(keys, w.key)
	}
	return keys
}

// wishes are what a plan can say about how it is carried out.
func wishes() []wish {
	text, texts := Argument{Kind: kindString}.Takes, Argument{Kind: kindArray}.Takes
	flag := Argument{Kind: kindBoolean}.Takes
	return []wish{
		{"preset", `one of "contract", "spec", "phase", "assistant" and "reflective"`,
			word("contract", "spec", "phase", "assistant", "reflective")},
		{"strategy", `"direct" or "orchestrated"`, word("direct", "orchestrated")},
		{"complexity", "a whole number from 1 to 5", whole(1, 5)},
		{"test_first", "true or false", flag},
		{"deterministic", "true or false", flag},
		{"token_budget", "a number of tokens; 0 for no limit", whole(0, 1<<62)},
		{"jobs", "a number of steps, from 1 to 64", whole(1, MaxJobs)},
		{"on_conflict", `"ask" or "sequential"`, word("ask", "sequential")},
		{"external", `"checkpoints" or "every-step"`, word("checkpoints", "every-step")},
		{"controls", `"on" or "off"`, word("on", "off")},
		{unattended, `"wait" or "refuse"`, word(wait, refuse)},
		{"escalation_threshold", "a number of failed steps, from 1", whole(1, 1<<31-1)},
		{"reviewers", "a list of names", func(v Value) bool { return text(v) || texts(v) }},
		{"evidence", "true or false", flag},
	}
}

// word wants one of some words.
func word(words ...string) func(Value) bool {
	return func(v Value) bool { return v.Kind == kindString && slices.Contains(words, v.Text) }
}

// whole wants an integer within bounds, both of them allowed.
func whole(least, most int64) func(Value) bool {
	return func(v Value) bool {
		n, err := strconv.ParseInt(v.Text, 10, 64)
		return v.Kind == kindInteger && err == nil && least <= n && n <= most
	}
}

// unclearWishes reports what a plan wants in a way that cannot be understood. A
// budget, a reviewer or a rule that silently is none would be found out too
// late.
func unclearWishes(p *Plan, tell tell) {
	complain := func(at, key, is, want string) {
		tell(at, fmt.Sprintf("%s is %s, and must be %s", key, is, want), "write "+want+", or take the key out")
	}
	for _, w := range wishes() {
		for _, s := range p.Execution.Extra {
			switch {
			case s.Key == w.key && !w.can(s.Value):
				complain("execution."+w.key, w.key, spelled(s.Value), w.want)
			case strings.HasPrefix(s.Key, w.key+"."):
				complain("execution."+s.Key, w.key, "a table", w.want)
			}
		}
	}
}

// spelled is a value as a person would name it.
func spelled(v Value) string {
	switch v.Kind {
	case kindString:
		if len(v.Text) > 100 {
			return "a long text"
		}
		return strconv.Quote(v.Text)
	case kindArray, kindTable:
		return "of the kind " + v.Kind
	case kindFloat:
		if text, ok := strings.CutSuffix(v.Text, "e+00"); ok && !strings.Contains(text, ".") {
			return text + ".0"
		} else if ok {
			return text
		}
	}
	return v.Text
}

// LogKey is where a plan asks for its progress log, and NotepadKey for its
// notepad, which the controller writes.
const (
	LogKey     = "logging.output_file"
	NotepadKey = "knowledge_capture.notepad_path"
)

// IsNotepad reports whether a file may be the notepad of a plan, by its name.
func IsNotepad(name string) bool {
	base := path.Base(name)
	return strings.HasPrefix(base, "notepad") && strings.HasSuffix(base, ".md")
}

// logPaths judges where a plan asks for files of its own. The controller
// overwrites the progress log and never counts it as a change, so it may not be
// anything that belongs to somebody else.
func logPaths(x *inspection, tell tell) {
	for _, s := range x.plan.Settings {
		switch s.Key {
		case LogKey, NotepadKey, "progress_tracking.progress_file":
		default:
			continue
		}
		if s.Value.Kind == kindString && s.Value.Text == "" {
			continue // asks for none
		}
		if why := x.logFault(s); why != "" {
			hint := `name a file of its own, as in "progress_NAME.json"`
			if s.Key == NotepadKey {
				hint = `name a file of its own, as in "notepad_NAME.md"`
			}
			tell(s.Key, fmt.Sprintf("%s cannot be %q: %s", s.Key, s.Value.Text, why), hint)
		}
	}
}

// logFault says why a setting names no file that may be written, or "".
func (x *inspection) logFault(s Setting) string {
	name := s.Value.Text
	if s.Value.Kind != kindString {
		return "it is not a text"
	}
	if why := pathFault(name); why != "" {
		return why
	}
	if ledger.Reserved(name) {
		return ".git and .planlock belong to others"
	}
	if s.Key != LogKey && !(s.Key == NotepadKey && IsNotepad(name)) {
		return "" // nobody writes it
	}
	switch base := path.Base(name); {
	case strings.ContainsAny(name, "*?{"):
		return "it is a glob"
	case s.Key == LogKey && (!strings.HasPrefix(base, "progress") || !strings.HasSuffix(base, ".json")):
		return `the progress log is a file whose name begins with "progress" and ends in ".json"`
	}
	for own := range x.own { // in any order: one is enough
		if paths.Fold(own) == paths.Fold(name) {
			return "the plan or its lock stands there"
		}
	}
	artifacts := x.declared(name)
	if !x.affords(func() string { return s.Key }, artifacts.Globs()+x.nonGoals.Globs()+x.envelope.Globs()) {
		return ""
	}
	if id, ok := x.nonGoals.Meets(name); ok {
		return fmt.Sprintf("it is protected by non-goal %q", id)
	}
	if part, ok := x.envelope.Meets(name); ok {
		return fmt.Sprintf("it is part of the envelope (%q)", part)
	}
	if a, ok := artifacts.Meets(name); ok {
		return fmt.Sprintf("step %s declares it as its artifact", a)
	}
	return ""
}

// onceHint is what to do about a step that cannot be executed twice.
const onceHint = "take deterministic out, have a command do the work in the workspace, or give agents network = false in [sandbox]"

// executedOnce tells, of a plan that asks for determinism, the steps that cannot
// be executed twice and say nothing of it themselves. Steps of which that is so for
// one reason are told together.
func executedOnce(x *inspection, tell tell) {
	wanted := slices.ContainsFunc(x.plan.Execution.Extra, func(s Setting) bool {
		return s.Key == "deterministic" && s.Value.Kind == kindBoolean && s.Value.Text == "true"
	})
	if !wanted {
		return
	}
	var whys []string
	steps := map[string][]string{}
	for _, s := range x.plan.Steps() {
		if why := x.plan.Once(s, s.Prompt != ""); why != "" && s.Deterministic == nil {
			if steps[why] == nil {
				whys = append(whys, why)
			}
			steps[why] = append(steps[why], string(s.Address))
		}
	}
	for _, why := range whys {
		tell("execution.deterministic", fmt.Sprintf("%s will not be compared with a second execution: %s: %s",
			count(len(steps[why]), "step"), few(steps[why]), why), onceHint)
	}
}
