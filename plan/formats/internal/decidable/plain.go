package decidable

import (
	"strings"

	"github.com/planlock/planlock/internal/lazyre"
	"github.com/planlock/planlock/plan/formats/internal/wordlist"
)

const (
	maxLine = 500      // bytes of a line that is looked at
	maxText = 64 << 10 // bytes of a text that is searched
)

const (
	// passing is how a sentence ends that says that a command succeeds.
	passing = `\s*(?:[–—-]+\s*)?(?i:must |should |to )?(?i:pass(?:es)?(?: \((?i:green)[^()]*\))?|succeeds?|build(?:s)? successfully|compiles?|works|exits (?:with )?(?:code )?0|(?:is|stays|remains?) green|reports? (?:no|zero|0) errors?|completes?(?: successfully)?)(?:\s+(?i:without errors?|cleanly|with (?:no|zero|0) errors))?`
	// remark is what may stand in brackets behind that, where nothing in it is a
	// condition, or asks for more.
	remark = `(?:\s*\(([^()]*)\))?`
	// running is how one begins that asks for a command to be run.
	running = `^(?:(?i:run|execute|verify|check that|verify with|command):?\s+)?`
)

var (
	// plainly is a line that says no more than that a command succeeds, without marks around the command.
	plainly = lazyre.New(running + `(.+?)(` + passing + remark + `\.?)?$`)
	// condition is a word of a remark that says when a command succeeds, or where.
	condition = lazyre.New(`(?i)\b(?:or|if|unless|except|but|when|while|after|before|once|until|otherwise|may|might|manual\w*|by hand|ci|staging|production)\b`)
	// variable is one that is set for a command.
	variable = lazyre.New(`^[A-Z_][A-Z0-9_]*=`)
	// expectation is a word that asks for more than that a command succeeds;
	// its status alone does not decide then.
	expectation = lazyre.New(`(?i)\b(?:should|expect\w*|must|returns?|outputs?|prints?|shows?|fails?|zero|none|no match\w*)\b|→|->|=>`)
)

// programs are those that plans name in running text. A line that begins with
// another word is a sentence.
var programs = wordlist.List{Text: `ansible-playbook ant bandit bash bats bazel biome black bun bundle bunx cargo cat clang cmake composer
	ctest curl deno diff docker docker-compose dotnet elixir eslint file find flake8 flutter forge gcc gem git go gofmt
	golangci-lint gradle gradlew grep head helm hugo isort java javac jest jq just kubectl ls make mix mocha mvn mypy nix node
	npm npx nx php phpstan phpunit pip pip3 playwright pnpm poetry prettier prisma psql pylint pyright pytest python python3 rake
	rg rspec rubocop ruby ruff rustc sbt sed sh shellcheck sqlite3 stack stat swift tail terraform test tox tsc tsx turbo uv
	uvx vite vitest wc xcodebuild yarn zig`}

// verbs are what such a program is told to do, and no words of a sentence.
var verbs = wordlist.List{Text: `audit bench build check ci clippy coverage doc docs e2e exec fmt format generate install lint list migrate pack
	package preview publish run spec start tap test tests tidy typecheck type-check validate verify version vet`}

// prose are words that stand in sentences and seldom in commands.
var prose = wordlist.List{Text: `a all an and any are as at be both by does each every exist exists file files for from has have if in into is it its
	new no not of on only or output page pages result results running sure than that the their then there this to was when where
	which while with without you your`}

// shellish is a sign of a command in one of its words.
var shellish = lazyre.New(`[-./:=@$*|&<>"'\\\[\]!+]|\d`)

// plainCommand is the command that a line without marks is, or begins with, and
// whether its success decides what the line says.
func plainCommand(line string) (run string, decides bool) {
	m := plainly.FindStringSubmatch(line)
	if m == nil || !known(m[1]) {
		return "", false
	}
	if !aside(m[3]) {
		return line, false
	}
	run = strings.TrimSpace(m[1])
	if end := strings.TrimSuffix(run, "."); !strings.HasSuffix(end, ".") && !strings.HasSuffix(end, " ") {
		run = end // of a sentence, and not "./..." or "."
	}
	fields := strings.Fields(run)
	if len(fields) == 1 {
		return run, m[2] != "" && strings.HasPrefix(run, "./")
	}
	signs, sentence := 0, false
	quoted, bare := byte(0), ""
	for _, field := range fields[1:] {
		if quoted == 0 {
			sentence = sentence || prose.Has(strings.ToLower(strings.Trim(field, ",.;:")))
			if verbs.Has(field) || shellish.MatchString(strings.TrimRight(field, ".,;:")) {
				signs++
			}
		}
		was := quoted
		if quoted = quotedAfter(field, quoted); was == 0 && quoted == 0 {
			bare += field + " "
		}
	}
	switch {
	case signs == 0:
		return "", false
	case sentence || expectation.MatchString(bare):
		return run, false
	}
	return run, true
}

// aside reports whether a remark leaves it to the status of a command whether what
// it stands behind is so.
func aside(remark string) bool {
	return !expectation.MatchString(remark) && !condition.MatchString(remark)
}

// quotedAfter is the mark of the quotation that is open behind a word; 0 for
// none.
func quotedAfter(word string, open byte) byte {
	for i := range len(word) {
		switch c := word[i]; {
		case open == 0 && (c == '"' || c == '\''):
			open = c
		case c == open:
			open = 0
		}
	}
	return open
}

// known reports whether a text begins with a program that plans name, behind
// variables that are set for it and a mark of negation.
func known(text string) bool {
	for field := range strings.FieldsSeq(text) {
		switch {
		case field == "!" || field == "[" && !strings.HasSuffix(text, "]"):
		case variable.MatchString(field):
		case field == "[" || field == "[[":
			return true
		default:
			return programs.Has(field) || strings.HasPrefix(field, "./") && len(field) > 2
		}
	}
	return false
}
