// Package checks decides the built-in kinds of checks, which every plan may
// use: files, commands, symbols, the go tool, variables and programs. [Kinds]
// lists them; a host's own come after them.
package checks

import "github.com/planlock/planlock/gate"

// Kinds returns the built-in kinds of checks. The slice is the caller's own.
func Kinds() []gate.Check {
	return []gate.Check{
		kind{"file_exists", fileExists, "`path`",
			"Something stands at the path; a link counts for what it leads to, and only within the workspace."},
		kind{"file_absent", fileAbsent, "`path`",
			"Nothing stands at the path, not even a link that leads nowhere."},
		kind{"file_changed", fileChanged, "`path`",
			"What stands at the path is not what stood there before the step; " +
				"before the run, where no step is judged."},
		kind{"file_contains", fileContains, "`path`, `text` or `matches`",
			"The file (of at most 64 MiB) holds the text, and something that matches the regular expression (RE2)."},
		kind{"command", shell, "`run`, `exit` (0), `stdout_contains`",
			"The shell command ends with the status, and its standard output contains the text."},
		kind{"symbol_exists", symbolExists, "`symbol`",
			"A source file that is looked for by its name declares the symbol, tests and files for other systems included. Of a language that nobody reads, and of a file that does not parse, nobody can say (docs/languages.md)."},
		kind{"symbol_absent", symbolAbsent, "`symbol`",
			"No source file declares the symbol; where nobody can say, it does not hold."},
		kind{"go_build", goBuild, "`package` (`.`)",
			"`go build` ends with status 0; nothing is kept of what it makes."},
		kind{"go_vet", goVet, "`package` (`.`)",
			"`go vet` ends with status 0."},
		kind{"go_test", goTest, "`package` (`.`), `run`",
			"`go test` ends with status 0, without the cache; where `run` picks tests, at least one runs."},
		kind{"go_api_compatible", apiCompatible, "`package` (`.`, may end in `/...`)",
			"What the package exported before the run it exports still, in the same form and in the same builds; additions are fine, save methods of interfaces that others may implement. Spellings are compared, no types are resolved; package main and test files export nothing."},
		kind{"env_set", envSet, "`name`",
			"The variable is set and not empty where the controller runs; its value is never shown."},
		kind{"tool_available", toolAvailable, "`name`, `version`",
			"The program is found. With `version`: what it prints for `--version` (or `version`) contains that number and not as a part of a longer one (`1.2` fits 1.2.7, not 1.25), or, for `>=1.25`, its first dotted number is at least that."},
	}
}
