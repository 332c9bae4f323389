package testfirst

import (
	"path"
	"slices"
	"strings"

	"github.com/planlock/planlock/internal/lazyre"
	"github.com/planlock/planlock/ledger"
	"github.com/planlock/planlock/plan"
)

// Apart tells the work of a step from what steers a check: tests and what lies
// beside them, programs that the check starts, and all that is no ordinary file of
// source code, data or prose: settings, manifests, scripts, installed packages,
// links and folders in which nothing changed; tests come last. A file that was
// removed is told by its name like any other. Folders that went, and those of what
// is told, are on neither side. Where files only went, these steer a check that has
// programs run and does not name them. What the command of a check only looks at, or names
// as an argument, is work.
func Apart(c plan.Check, changes []ledger.Change) (work, steers []ledger.Change) {
	steering := steering(c)
	holding := folders(changes)
	var tests []ledger.Change
	for _, change := range changes {
		switch folder := change.Kind() == ledger.Dir; {
		case folder && (change.After == nil || holding[change.Path]):
		case !steering(change):
			work = append(work, change)
		case isTest(change.Path):
			tests = append(tests, change)
		default:
			steers = append(steers, change)
		}
	}
	if Runs(c) && onlyGone(c.Run, work) {
		work, steers = nil, append(steers, work...)
	}
	return work, append(steers, tests...)
}

// onlyGone reports whether all that was done is that files went which a command does
// not name: a test may have failed for one, or be left out without it.
func onlyGone(command string, work []ledger.Change) bool {
	names := arguments(command)
	return len(work) > 0 && !slices.ContainsFunc(work, func(change ledger.Change) bool {
		return change.After != nil || slices.ContainsFunc(names, func(name string) bool {
			return isAt(change.Path, name) || name != "." && strings.HasPrefix(change.Path, name+"/")
		})
	})
}

// folders are those that hold what was left by changes.
func folders(changes []ledger.Change) map[string]bool {
	holding := map[string]bool{}
	for _, change := range changes {
		if change.After == nil || change.Kind() == ledger.Dir {
			continue
		}
		for folder := path.Dir(change.Path); folder != "." && !holding[folder]; folder = path.Dir(folder) {
			holding[folder] = true
		}
	}
	return holding
}

// Runs reports whether a check has programs run that may be of the tree.
func Runs(c plan.Check) bool {
	return c.Kind == "go_test" || c.Kind == "command" && !OnlyLooks(c.Run)
}

// steering tells the changes that steer a check. A program whose output the plan
// expects is what is looked at.
func steering(c plan.Check) func(ledger.Change) bool {
	is := func(file string, names []string) bool {
		return slices.ContainsFunc(names, func(name string) bool { return isAt(file, name) })
	}
	scripts := scripts(c.Run)
	switch {
	case !runsCode(c):
		return func(ledger.Change) bool { return false }
	case c.Kind == "command" && OnlyLooks(c.Run):
		return func(change ledger.Change) bool { return is(change.Path, scripts) }
	case !Runs(c):
		return func(change ledger.Change) bool { return isTest(change.Path) || besideTests(change.Path) }
	}
	given, programs := arguments(c.Run), programs(c.Run)
	said, started := begins(c.Run)
	started = append(started, scripts...)
	if c.StdoutContains != "" {
		given, programs, started = append(given, started...), nil, nil
	}
	started = append(started, said...)
	return func(change ledger.Change) bool {
		file, kind := change.Path, change.Kind()
		return isTest(file) || besideTests(file) || is(file, started) || is(path.Dir(file), programs) ||
			kind == ledger.Link || kind == ledger.Dir || !ordinary(file) && !is(file, given)
	}
}

// runsCode reports whether a check may run code of the tree.
func runsCode(c plan.Check) bool {
	return !slices.Contains([]string{"file_absent", "file_contains", "symbol_exists", "symbol_absent", "go_build",
		"go_vet", "go_api_compatible"}, c.Kind)
}

// OnlyLooks reports whether a command runs nothing but programs that run nothing
// of what they are given.
func OnlyLooks(command string) bool {
	found := false
	for _, call := range calls(command) {
		switch name := call[0]; {
		case name == "!", name == "cd", name == "true", name == "false", name == "echo":
		case !looks(name):
			return false
		}
		found = true
	}
	return found
}

// arguments are the words of a command that a program looks at, or is given
// without an option before them.
func arguments(command string) (words []string) {
	for _, call := range calls(command) {
		for i, w := range call {
			if i > 0 && (looks(call[0]) || !strings.HasPrefix(call[i-1], "-")) {
				words = append(words, path.Clean(w))
			}
		}
	}
	return words
}

// scripts are the files that say what programs do which only look, as of grep -f,
// and those of go run.
func scripts(command string) (files []string) {
	for _, call := range calls(command) {
		if call[0] == "go" && len(call) > 2 && call[1] == "run" {
			for _, w := range call[2:] {
				if strings.HasSuffix(w, ".go") {
					files = append(files, path.Clean(w))
				}
			}
			continue
		}
		if !slices.Contains([]string{"grep", "egrep", "fgrep", "rg", "sed", "awk", "jq"}, call[0]) {
			continue
		}
		for i, w := range call {
			switch file, long := strings.CutPrefix(w, "--file="); {
			case long:
				files = append(files, path.Clean(file))
			case i+1 < len(call) && (w == "--file" || w == "--from-file" || fromFile.MatchString(w)):
				files = append(files, path.Clean(call[i+1]))
			}
		}
	}
	return files
}

// fromFile are short options with -f as the last.
var fromFile = lazyre.New(`^-[A-Za-z]*f$`)

// programs are the folders of those that a command has built and run.
func programs(command string) (folders []string) {
	for _, call := range calls(command) {
		switch text := strings.Join(call, " "); {
		case strings.HasPrefix(text, "go run "):
			for _, w := range call[2:] {
				if strings.HasPrefix(w, ".") && !strings.HasSuffix(w, ".go") {
					folders = append(folders, path.Clean(w))
					break
				}
			}
		case strings.HasPrefix(text, "cargo run ") && strings.Contains(text, "--bin"):
			folders = append(folders, "src/bin")
		}
	}
	return folders
}

// calls are the programs that a command line starts, with their arguments,
// without what is set for them.
func calls(command string) (all [][]string) {
	var call []string
	for _, w := range append(strings.Fields(separators().Replace(command)), ";") {
		switch {
		case w != ";" && (len(call) > 0 || w != "!" && !strings.Contains(w, "=")):
			call = append(call, w)
		case w == ";" && len(call) > 0:
			all, call = append(all, call), nil
		}
	}
	return all
}

// ordinary reports whether a file is source code, data or prose by what it is
// called, and where it lies: nothing that a program which runs tests reads by
// itself.
func ordinary(file string) bool {
	for folder := path.Dir(file); folder != "."; folder = path.Dir(folder) {
		switch base := path.Base(folder); {
		case strings.HasPrefix(base, "."):
			return false
		case slices.Contains([]string{"node_modules", "vendor", "venv", "site-packages"}, base),
			!strings.Contains(folder, "/") && (tooling.has(base) || python(file, base)):
			return false
		}
	}
	base := strings.ToLower(path.Base(file))
	ext := path.Ext(base)
	switch {
	case strings.HasPrefix(base, "."), configures(base), python(file, strings.TrimSuffix(file, ext)):
		return false
	case data.has(ext):
		return strings.Contains(file, "/")
	}
	return code.has(ext) || prose.has(ext)
}

// python reports whether a file is of a module in the root that shadows another.
func python(file, module string) bool {
	return path.Ext(file) == ".py" && shadows.has(module)
}

// configures reports whether a file is one that tools look for by its name.
func configures(base string) bool {
	stem, rest, _ := strings.Cut(base, ".")
	ext := path.Ext(base)
	switch {
	case tools.has(base), strings.HasPrefix(base, "requirements") && ext == ".txt",
		strings.HasPrefix(base, "vitest.workspace."):
		return true
	case data.has(ext) && (manifests.has(stem) || strings.Contains(base, "config")):
		return true
	}
	return slices.ContainsFunc([]string{"config.", "conf.", "setup.", "gradle."}, func(kind string) bool {
		return strings.HasPrefix(rest, kind)
	})
}

// besideTests reports whether a file lies where tests have what they compare with,
// or the code of their steps.
func besideTests(file string) bool {
	for folder := path.Dir(file); folder != "."; folder = path.Dir(folder) {
		switch path.Base(folder) {
		case "fixtures", "__fixtures__", "golden", "goldens", "snapshots", "step_definitions":
			return true
		case "steps":
			if path.Base(path.Dir(folder)) == "features" {
				return true
			}
		}
	}
	return strings.HasSuffix(file, ".feature") || strings.HasSuffix(file, ".golden") || strings.HasSuffix(file, ".snap")
}

// words are read when they are asked for, so that a program which asks for none
// does not begin by reading them.
type words string

func (all words) has(word string) bool { return slices.Contains(strings.Fields(string(all)), word) }

// tooling are folders in the root with what is run, and not with what it is run for;
// two shadow modules of test programs.
const tooling = words("ci hack script scripts pytest unittest")

// shadows are modules in the root that a test program finds before those which it
// comes with.
const shadows = words("argparse ast asyncio atexit codecs collections contextlib copyreg dataclasses difflib doctest " +
	"enum fnmatch functools genericpath getopt gettext glob importlib inspect io itertools json linecache locale logging " +
	"os pathlib pdb pickle pkgutil posixpath pprint pytest re reprlib runpy shlex shutil signal site subprocess sysconfig " +
	"tempfile textwrap threading tokenize traceback typing unittest warnings weakref")

// Names of files that tools look for, though they look like source code, prose or data.
const (
	tools = words("setup.py noxfile.py fabfile.py dodo.py sitecustomize.py usercustomize.py pytest.py unittest.py " +
		"magefile.go gulpfile.js gruntfile.js jakefile.js setuptests.js setuptests.ts build.rs build.zig mix.exs " +
		"package.swift cmakelists.txt constraints.txt")
	manifests = words("package package-lock composer deno project nx turbo lerna pom phpunit")
)

// Extensions of files by what they hold. Data in the root of the workspace may be
// what a tool looks for there.
const (
	code = words(".go .py .pyi .js .mjs .cjs .jsx .ts .mts .cts .tsx .vue .svelte .astro .java .kt .kts .scala " +
		".groovy .clj .cs .fs .vb .c .h .cc .cpp .cxx .hh .hpp .m .mm .rs .rb .php .pl .pm .lua .swift .dart .ex .exs .erl " +
		".hs .ml .mli .elm .zig .nim .jl .r .sql .proto .graphql .sol .s .asm .f90 .pas .v .sv .vhd .lean .css .scss .less " +
		".html .tmpl .tpl .hbs .ejs .erb .jinja .j2 .mustache")
	prose = words(".md .markdown .rst .adoc .txt .tex .csv .tsv .svg .png .jpg .jpeg .gif .webp .ico .pdf .woff2")
	data  = words(".json .yaml .yml .xml .properties .po .ndjson .jsonl")
)
