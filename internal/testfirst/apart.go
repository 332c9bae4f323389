package testfirst

import (
	"path"
	"slices"
	"strings"

	"github.com/planlock/planlock/ledger"
	"github.com/planlock/planlock/plan"
)

// Apart tells the work of a step from what steers a check: tests, programs that
// the check starts, and all that is no ordinary file of source code, data or
// prose: settings, manifests, scripts, installed packages and links; tests come
// last. A file that was removed is told by its name like any other. Folders that
// went steer nothing, and are on neither side. What the command of a check only
// looks at, or names as an argument, is work.
func Apart(c plan.Check, changes []ledger.Change) (work, steers []ledger.Change) {
	steering := steering(c)
	var tests []ledger.Change
	for _, change := range changes {
		switch kind := change.Kind(); {
		case kind == ledger.Dir && change.After == nil:
		case kind == ledger.Dir, !steering(change):
			work = append(work, change)
		case isTest(change.Path):
			tests = append(tests, change)
		default:
			steers = append(steers, change)
		}
	}
	return work, append(steers, tests...)
}

// Runs reports whether a check has programs run that may be of the tree.
func Runs(c plan.Check) bool {
	return c.Kind == "go_test" || c.Kind == "command" && c.StdoutContains == "" && !OnlyLooks(c.Run)
}

// steering tells the changes of files that steer a check.
func steering(c plan.Check) func(ledger.Change) bool {
	switch {
	case !runsCode(c), c.Kind == "command" && OnlyLooks(c.Run):
		return func(ledger.Change) bool { return false }
	case !Runs(c):
		return func(change ledger.Change) bool { return isTest(change.Path) }
	}
	started, given := starts(c.Run), arguments(c.Run)
	is := func(file string, names []string) bool {
		return slices.ContainsFunc(names, func(name string) bool { return isAt(file, name) })
	}
	return func(change ledger.Change) bool {
		file := change.Path
		return isTest(file) || is(file, started) || change.Kind() == ledger.Link || !ordinary(file) && !is(file, given)
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
			!strings.Contains(folder, "/") && slices.Contains(tooling, base):
			return false
		}
	}
	base := strings.ToLower(path.Base(file))
	ext := path.Ext(base)
	switch {
	case strings.HasPrefix(base, "."), configures(base):
		return false
	case slices.Contains(data, ext):
		return strings.Contains(file, "/")
	}
	return slices.Contains(code, ext) || slices.Contains(prose, ext)
}

// configures reports whether a file is one that tools look for by its name.
func configures(base string) bool {
	stem, rest, _ := strings.Cut(base, ".")
	ext := path.Ext(base)
	switch {
	case slices.Contains(tools, base), strings.HasPrefix(base, "requirements") && ext == ".txt":
		return true
	case slices.Contains(data, ext) && (slices.Contains(manifests, stem) || strings.Contains(base, "config")):
		return true
	}
	return slices.ContainsFunc([]string{"config.", "conf.", "setup.", "gradle."}, func(kind string) bool {
		return strings.HasPrefix(rest, kind)
	})
}

// tooling are folders in the root with what is run, and not with what it is run for;
// two shadow modules of test programs.
var tooling = strings.Fields("ci hack script scripts pytest unittest")

// Names of files that tools look for, though they look like source code, prose or data.
var (
	tools = strings.Fields("setup.py noxfile.py fabfile.py dodo.py sitecustomize.py usercustomize.py pytest.py unittest.py " +
		"magefile.go gulpfile.js gruntfile.js jakefile.js setuptests.js setuptests.ts build.rs build.zig mix.exs " +
		"package.swift cmakelists.txt constraints.txt")
	manifests = strings.Fields("package package-lock composer deno project nx turbo lerna pom phpunit")
)

// Extensions of files by what they hold. Data in the root of the workspace may be
// what a tool looks for there.
var (
	code = strings.Fields(".go .py .pyi .js .mjs .cjs .jsx .ts .mts .cts .tsx .vue .svelte .astro .java .kt .kts .scala " +
		".groovy .clj .cs .fs .vb .c .h .cc .cpp .cxx .hh .hpp .m .mm .rs .rb .php .pl .pm .lua .swift .dart .ex .exs .erl " +
		".hs .ml .mli .elm .zig .nim .jl .r .sql .proto .graphql .sol .s .asm .f90 .pas .v .sv .vhd .lean .css .scss .less " +
		".html .tmpl .tpl .hbs .ejs .erb .jinja .j2 .mustache")
	prose = strings.Fields(".md .markdown .rst .adoc .txt .tex .csv .tsv .svg .png .jpg .jpeg .gif .webp .ico .pdf .woff2")
	data  = strings.Fields(".json .yaml .yml .xml .properties .po .ndjson .jsonl")
)
