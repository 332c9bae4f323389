package plan

import (
	"slices"
	"sync"
)

// A Code is one kind of diagnostic: its stable name, how grave it is, why it
// exists, and a piece of a plan that draws it beside one that does not.
type Code struct {
	Code      string
	Severity  Severity
	Why       string
	Bad, Good string
	Whole     bool // Bad is a whole file
}

// Codes lists all diagnostics that reading and checking a native plan can
// yield, sorted by code.
func Codes() []Code { return slices.Clone(allCodes()) }

var allCodes = sync.OnceValue(func() []Code {
	list := slices.Concat(readingCodes(), namingCodes(), orderCodes(), contractCodes(), checkCodes())
	slices.SortFunc(list, func(a, b Code) int {
		if a.Code < b.Code {
			return -1
		}
		return 1
	})
	return list
})

var severities = sync.OnceValue(func() map[string]Severity {
	m := map[string]Severity{}
	for _, c := range allCodes() {
		m[c.Code] = c.Severity
	}
	return m
})

// severityOf never lets a code that is not in the catalogue pass for less than
// an error.
func severityOf(code string) Severity {
	if s, ok := severities()[code]; ok {
		return s
	}
	return Error
}

// readingCodes are those of a file that cannot be read as a plan, or not
// wholly.
func readingCodes() []Code {
	return []Code{
		{"defaults-too-large", Error, "Every step inherits [defaults]; a large one would be multiplied by the number of steps.", "", "", false},
		{"key-case", Error, "Keys are spelled exactly as documented. Another case would be read by some programs and skipped by others.",
			"[goal]\nDescription = ", "[goal]\ndescription = ", false},
		{"key-duplicate", Error, "A key, and a table that is no list, stands once; keys that differ in case only are one key for many readers.",
			"version = \"1.0\"\nversion = \"2.0\"", "version = \"1.0\"", false},
		{"key-unknown", Error, "A key that nobody knows would be a promise that nobody keeps.",
			"max_retris = 2", "max_retries = 2", false},
		{"not-a-plan", Error, "The file is something else. The hint says what is read.",
			"name = \"something else\"\n", "", true},
		{"placeholder-value", Warning, "The value stands for one that somebody meant to fill in. It would be taken as it is.",
			`description = "…"`, `description = "Write the failing test"`, false},
		{"schema-missing", Error, "The first line says which version of the format the plan is written in.",
			"[goal]\ndescription = \"g\"\n[[tasks]]\nid = 1\n", "", true},
		{"schema-unsupported", Error,
			"The plan is written in a version of the format that this program does not read.", "schema = 2", "schema = 1", false},
		{"toml-parse-error", Error, "The file is not TOML. What stands behind the place was not read.", "schema = \n", "", true},
		{"toml-too-deep", Error, "Values are nested deeper, or one value has more parts, than any plan needs.",
			"[constraints]\ndeep = [[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[1]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]\n",
			"[constraints]\ndeep = [[1]]\n", false},
		{"too-complex", Error, "Comparing all paths with all globs would take too long.", "", "", false},
		{"too-many", Error, "More than 1,000 errors were found, and the rest is left out. Warnings and notes never come to this: from the fifty-first of a code on they are told as one, which says how many there are.", "", "", false},
		{"utf8-invalid", Error, "The file is not UTF-8, so its text could be read in more than one way.", "schema = 1 # \xff\n", "", true},
		{"value-range", Error, "The value is none that the key can have: a number out of its range or beyond 2^53, not a number, a time that is negative, zero, or longer than a year.",
			`timeout = "-2m"`, `timeout = "2m"`, false},
		{"value-type", Error, "The value is of another kind than the key asks for.", `timeout = 120`,
			`timeout = "2m"`, false},
		{"value-unknown", Error, "The key takes one of a few words.", `rollback = "reversable"`, `rollback = "reversible"`, false},
	}
}

// namingCodes are those of ids, texts and paths.
func namingCodes() []Code {
	return []Code{
		{"address-ambiguous", Error, "Two steps of different tasks have the same address TASK.STEP.",
			"[[tasks]]\nid = \"T\"\n[[tasks.steps]]\nid = \"1.2\"\n[[tasks]]\nid = \"T.1\"\n[[tasks.steps]]\nid = 2\n",
			"[[tasks]]\nid = \"T\"\n[[tasks.steps]]\nid = \"1.2\"\n[[tasks]]\nid = \"U\"\n[[tasks.steps]]\nid = 2\n",
			false},
		{"assumption-duplicate-id", Error, "An id names one thing.",
			"[[assumptions]]\nid = \"A1\"\ntext = \"x\"\n[[assumptions]]\nid = \"A1\"\ntext = \"y\"\n",
			"[[assumptions]]\nid = \"A1\"\ntext = \"x\"\n[[assumptions]]\nid = \"A2\"\ntext = \"y\"\n", false},
		{"backup-duplicate-id", Error, "An id names one backup of its step.",
			"[[tasks.steps.backups]]\nid = 1\nrun = \"true\"\n[[tasks.steps.backups]]\nid = 1\nrun = \"false\"\n",
			"[[tasks.steps.backups]]\nid = 1\nrun = \"true\"\n[[tasks.steps.backups]]\nid = 2\nrun = \"false\"\n",
			false},
		{"command-hidden", Error, "A command holds a control character, one without width, or one that turns the direction of writing: what a person reads is not what runs.",
			`run = "cp fixtures/limit.go\u202e server/limit.go"`, `run = "cp fixtures/limit.go server/limit.go"`,
			false},
		{"id-invalid", Error, "Ids stand in addresses, codes and file names.", `id = "R 1"`, `id = "R1"`, false},
		{"id-missing", Error, "What has no id cannot be referred to.", `title = "Limit"`, "id = 1\ntitle = \"Limit\"",
			false},
		{"invariant-duplicate-id", Error, "An id names one thing.", "[[invariants]]\nid = \"I1\"\ntext = \"x\"\n", "[[invariants]]\nid = \"I2\"\ntext = \"x\"\n", false},
		{"non-goal-duplicate-id", Error, "An id names one thing.", "[[non_goals]]\nid = \"N1\"\ntext = \"x\"\n", "[[non_goals]]\nid = \"N2\"\ntext = \"x\"\n", false},
		{"path-invalid", Error, "Paths and globs are relative to the workspace and never lead out of it: no .., no leading /, no backslash, no blank at an end, nothing unseen.",
			`artifacts = { modify = ["../README.md"] }`, `artifacts = { modify = ["README.md"] }`, false},
		{"path-lookalike", Error, "Two paths of a step differ in case or Unicode form only, and are one file on some file systems.",
			`artifacts = { modify = ["README.md", "Readme.md"] }`, `artifacts = { modify = ["README.md"] }`, false},
		{"path-reserved", Error, "The plan, its lock, .git and .planlock are never a step's artifacts.",
			`artifacts = { modify = [".git/config"] }`, `artifacts = { modify = ["README.md"] }`, false},
		{"requirement-duplicate-id", Error, "An id names one thing.", `id = "R1"
text = "The limit is documented"`, `id = "R2"
text = "The limit is documented"`, false},
		{"speclet-duplicate-id", Error, "An id names one thing.",
			"[[speclets]]\nid = \"A\"\ntasks = [1]\n[[speclets]]\nid = \"A\"\ntasks = [2]\n", "[[speclets]]\nid = \"A\"\ntasks = [1]\n[[speclets]]\nid = \"B\"\ntasks = [2]\n", false},
		{"step-duplicate-id", Error, "An id names one step of its task.", "[[tasks.steps]]\nid = 1\n", "[[tasks.steps]]\nid = 2\n", false},
		{"symbol-invalid", Error, "A symbol is FOLDER.Name or FOLDER.Type.Method.", `symbols_add = ["TestLimit"]`, `symbols_add = ["server.TestLimit"]`, false},
		{"task-duplicate-id", Error, "An id names one task.", "[[tasks]]\nid = 2\n", "[[tasks]]\nid = 3\n", false},
		{"text-hidden", Warning, "A text for people holds characters that are not seen, or that turn the direction of writing.",
			`title = "Lim\u200bit"`, `title = "Limit"`, false},
		{"text-missing", Warning, "A requirement, invariant, assumption, non-goal or task is told by its text.",
			"[[requirements]]\nid = \"R3\"\n", "[[requirements]]\nid = \"R3\"\ntext = \"x\"\n", false},
	}
}

// orderCodes are those of references, cycles and coverage.
func orderCodes() []Code {
	return []Code{
		{"component-unknown", Error, "Where the plan has a table [components], steps name its keys.", `components = ["client"]`, `components = ["server"]`, false},
		{"constraint-unknown", Error, "Where the plan has a table [constraints], steps name its keys.",
			"constraints = [\"size\"]\n[constraints]\nspeed = \"10 per second\"\n", "constraints = [\"speed\"]\n[constraints]\nspeed = \"10 per second\"\n", false},
		{"order-cycle", Error, "Each graph is fine, but tasks and speclets together ask for an order that cannot be.",
			"[[speclets]]\nid = \"A\"\ntasks = [1]\ndepends_on = [\"B\"]\n[[speclets]]\nid = \"B\"\ntasks = [2]\n",
			"[[speclets]]\nid = \"A\"\ntasks = [1]\n[[speclets]]\nid = \"B\"\ntasks = [2]\ndepends_on = [\"A\"]\n",
			false},
		{"requirement-unknown", Error, "A step serves requirements that the plan has.", `requirements = ["R3"]`, `requirements = ["R2"]`, false},
		{"requirement-unmapped", Error, "Each requirement is served by a step.", "[[requirements]]\nid = \"R4\"\ntext = \"x\"\n", "", false},
		{"speclet-cycle", Error, "Speclets wait for each other, so none can begin.",
			"[[speclets]]\nid = \"A\"\ntasks = [1]\ndepends_on = [\"B\"]\n[[speclets]]\nid = \"B\"\ntasks = [2]\ndepends_on = [\"A\"]\n",
			"[[speclets]]\nid = \"A\"\ntasks = [1]\n[[speclets]]\nid = \"B\"\ntasks = [2]\ndepends_on = [\"A\"]\n",
			false},
		{"speclet-dep-unknown", Error, "A speclet depends on speclets that the plan has.",
			"[[speclets]]\nid = \"A\"\ntasks = [1, 2]\ndepends_on = [\"B\"]\n", "[[speclets]]\nid = \"A\"\ntasks = [1, 2]\n", false},
		{"speclet-task-unknown", Error, "A speclet groups tasks that the plan has.", "[[speclets]]\nid = \"A\"\ntasks = [1, 2, 3]\n", "[[speclets]]\nid = \"A\"\ntasks = [1, 2]\n", false},
		{"step-no-requirement", Error, "Under strict each step serves a requirement: otherwise nobody asked for it.",
			"  requirements = []\n  semantic_change = \"preserving\"", "  requirements = [\"R2\"]\n  semantic_change = \"preserving\"", false},
		{"task-cycle", Error, "Tasks wait for each other, so none can begin.", "depends_on = [2]", "depends_on = [1]",
			false},
		{"task-dep-unknown", Error, "A task depends on tasks that the plan has.", "depends_on = [7]",
			"depends_on = [1]", false},
		{"task-in-several-speclets", Error, "A task belongs to one speclet.",
			"[[speclets]]\nid = \"A\"\ntasks = [1]\n[[speclets]]\nid = \"B\"\ntasks = [1, 2]\n", "[[speclets]]\nid = \"A\"\ntasks = [1]\n[[speclets]]\nid = \"B\"\ntasks = [2]\n", false},
		{"task-unassigned", Warning, "Where a plan has speclets, each task belongs to one.", "[[speclets]]\nid = \"A\"\ntasks = [1]\n", "[[speclets]]\nid = \"A\"\ntasks = [1, 2]\n", false},
	}
}

// contractCodes are those of what a plan and its steps must say.
func contractCodes() []Code {
	return []Code{
		{"acknowledgement-needed", Note, "A step that cannot be undone, or that changes or breaks behaviour, is accepted by a person when the plan is locked.",
			`semantic_change = "modifying"`, `semantic_change = "preserving"`, false},
		{"approval-failed", Error, "A planning gate of level 2 did not pass.", "", "", false},
		{"artifact-conflict", Error, "A path stands in one of create, modify and delete; a symbol is added or removed.",
			`artifacts = { modify = ["README.md"], delete = ["README.md"] }`,
			`artifacts = { modify = ["README.md"] }`, false},
		{"artifact-created-again", Warning, "What an earlier step creates is there, unless a step between the two deletes it: a later one that declares it as created will fail.",
			`artifacts = { create = ["server/limit_test.go"] }`, `artifacts = { modify = ["README.md"] }`, false},
		{"artifact-in-non-goal", Error, "A step declares what a non-goal protects.", `artifacts = { modify = ["internal/auth/token.go"] }`, `artifacts = { modify = ["README.md"] }`, false},
		{"artifact-outside-modules", Error, "A step declares a path outside the folders that it limits itself to.", `modules = ["client"]`, `modules = ["server"]`, false},
		{"artifact-twice", Warning, "A path stands once in its list.", `artifacts = { modify = ["README.md", "README.md"] }`, `artifacts = { modify = ["README.md"] }`, false},
		{"artifacts-missing", Error, "Under strict each step says what it changes. artifacts = {} says: nothing.",
			"\n  limits = { max_files = 1, max_lines = 20 }", "\n  artifacts = { modify = [\"README.md\"] }\n  limits = { max_files = 1, max_lines = 20 }", false},
		{"backup-is-retry", Warning, "A backup is a genuinely different way; to try the same again is what max_retries is for.",
			`run = "cp fixtures/limit.go server/limit.go" # the same again`, `run = "cp fixtures/limit_simple.go server/limit.go"`, false},
		{"backup-no-method", Error, "A backup says how it is done.", "[[tasks.steps.backups]]\nid = 1\n", "[[tasks.steps.backups]]\nid = 1\nrun = \"true\"\n", false},
		{"check-missing", Error, "Under strict there is something that each step's outcome is checked against.",
			"\n  artifacts = { modify = [\"README.md\"] }", "\n  postconditions = [{ kind = \"file_contains\", path = \"README.md\", text = \"429\" }]\n  artifacts = { modify = [\"README.md\"] }", false},
		{"compensate-missing", Error, "A compensatable step names the command that undoes it.", `rollback = "compensatable"`, `rollback = "reversible"`, false},
		{"compensate-unused", Warning, "Only a compensatable step is compensated.", "rollback = \"reversible\"\ncompensate = \"make undo\"", `rollback = "reversible"`, false},
		{"envelope-modified", Error, "What the outcome depends on must not move during the run.", `artifacts = { modify = ["go.mod"] }`, `artifacts = { modify = ["README.md"] }`, false},
		{"fixed-by-missing", Error, "A test that fails now is made to pass by a later step.",
			`test = "go test ./server -run Limit" }`, `test = "go test ./server -run Limit", fixed_by = "1.2" }`,
			false},
		{"fixed-by-not-later", Error, "The step that makes a test pass comes after the one that writes it.", `fixed_by = "1.1"`, `fixed_by = "1.2"`, false},
		{"fixed-by-unknown", Error, "The step that makes a test pass is one of the plan.", `fixed_by = "1.9"`, `fixed_by = "1.2"`, false},
		{"gate-argument-invalid", Error, "A gate says of each of its arguments what it may be.", "", "", false},
		{"gate-argument-unknown", Error,
			"An argument that the gate does not know would be a promise that nobody keeps.", "", "", false},
		{"gate-name-missing", Error, "Who asks for a gate says which.", "[[gates]]\nmax = 3\n", "[[gates]]\nname = \"linter\"\nmax = 3\n", false},
		{"gate-twice", Error, "A gate is asked for once, with all its arguments.", "[[gates]]\nname = \"linter\"\n[[gates]]\nname = \"linter\"\n",
			"[[gates]]\nname = \"linter\"\n", false},
		{"gate-unknown", Error, "A plan asks for gates that are built in, or that the host has.", "", "", false},
		{"goal-missing", Error, "A plan exists for one sentence.", "[goal]\n", "[goal]\ndescription = \"Limit each client of the HTTP server to 10 requests per second\"\n", false},
		{"invariant-no-check", Warning, "Nobody can hold an invariant that nothing checks.", "[[invariants]]\nid = \"I2\"\ntext = \"x\"\n",
			"[[invariants]]\nid = \"I2\"\ntext = \"x\"\ncheck = { kind = \"go_vet\", package = \"./server\" }\n",
			false},
		{"invariants-undeclared", Error, "Under strict a plan that changes public symbols says what must hold, or  invariants = []  for nothing.",
			"", "[[invariants]]\nid = \"I1\"\ntext = \"The public API of package server does not break\"\ncheck = { kind = \"go_api_compatible\", package = \"./server\" }\n", false},
		{"limits-missing", Error, "Under strict a step that changes files says how many files and lines.", "limits = { max_files = 1 }", "limits = { max_files = 1, max_lines = 20 }", false},
		{"limits-too-small", Error, "A step cannot keep both its artifacts and its limits.", "max_files = 0", "max_files = 1", false},
		{"log-path-invalid", Error, "The controller writes the progress log of [logging] output_file, over what stands there, and counts it as nobody's change. So it is a file in the workspace whose name begins with progress and ends in .json, and no glob, part of .git or .planlock, the plan, a declared artifact, part of the envelope, or protected by a non-goal. The notepad_path of [knowledge_capture] and the progress_file of [progress_tracking] are paths in the workspace.",
			"[logging]\noutput_file = \".git/config\"\n", "[logging]\noutput_file = \"progress_limits.json\"\n", false},
		{"method-is-description", Warning, "Under observe a step without a method is carried out by its description.",
			"schema = 1\nprofile = \"observe\"\n[goal]\ndescription = \"g\"\n[[tasks]]\nid = 1\n[[tasks.steps]]\nid = 1\ndescription = \"d\"\n", "", true},
		{"method-missing", Error, "Under strict a step says how it is done.", "", "  run = \"cat fixtures/limit.md >> README.md\"\n", false},
		{"method-twice", Error, "A step has one method; other ways are backups.", "run = \"cat fixtures/limit.md >> README.md\"\nprompt = \"Write it\"", `run = "cat fixtures/limit.md >> README.md"`, false},
		{"no-steps", Error, "A task without steps does nothing.", "[[tasks]]\nid = 3\n", "[[tasks]]\nid = 3\n[[tasks.steps]]\nid = 1\n", false},
		{"no-tasks", Error, "A plan without tasks does nothing.", "schema = 1\n[goal]\ndescription = \"g\"\n", "",
			true},
		{"non-goal-no-scope", Warning, "A non-goal without paths or symbols is words; no machine can hold it.", "[[non_goals]]\nid = \"N2\"\ntext = \"x\"\n", "[[non_goals]]\nid = \"N2\"\ntext = \"x\"\npaths = [\"docs/**\"]\n", false},
		{"non-goals-undeclared", Error, "Under strict a plan says what must not be touched, or  non_goals = []  for nothing.",
			"", "[[non_goals]]\nid = \"N1\"\ntext = \"Do not modify auth\"\npaths = [\"internal/auth/**\"]\n", false},
		{"on-failure-missing", Error, "Under strict each step says what follows a failure.", "[defaults]\nexecutor = \"shell\"\n", "[defaults]\nexecutor = \"shell\"\non_failure = \"block\"\n", false},
		{"outcome-missing", Error, "Under strict a step that changes nothing has a postcondition: otherwise nothing tells that it ran.",
			"postconditions = []\n  artifacts = {}", "postconditions = [{ kind = \"file_contains\", path = \"README.md\", text = \"429\" }]\n  artifacts = { modify = [\"README.md\"] }", false},
		{"public-surface-unspecified", Error, "Under strict a step that changes public symbols says how they behave.",
			"\n  semantic_change = \"extending\"\n  artifacts = {", "\n  semantic_change = \"extending\"\n  expect = { exit = 0, stdout_matches = \"^$\" }\n  expected_output = \"Limiter.Allow says whether a client may go on\"\n  artifacts = {", false},
		{"retries-missing", Warning, "on_failure = \"retry\" needs a number of times. Without one it is once under preset contract, else what the preset says.", "on_failure = \"retry\"\n  max_retries = 0", "on_failure = \"retry\"\n  max_retries = 2", false},
		{"rollback-missing", Error, "Under strict each step says whether it can be undone.", "", "rollback = \"reversible\"\n", false},
		{"semantic-change-missing", Error, "Under strict a step that changes files says what that does to behaviour.", "", "  semantic_change = \"preserving\"\n", false},
		{"step-no-purpose", Error, "A step says what it is for.", "[[tasks.steps]]\nid = 2\n", "[[tasks.steps]]\nid = 2\ndescription = \"d\"\n", false},
		{"symbols-not-declared", Warning, "Where a step changes Go files and says nothing about symbols, they are recorded and not accounted.",
			"    symbols_add = [\"server.TestLimit\"]\n", "    symbols_add = [\"server.TestLimit\"]\n    symbols_remove = []\n", false},
	}
}

// checkCodes are those of checks, executors and the sandbox.
func checkCodes() []Code {
	return []Code{
		{"check-argument-missing", Error, "A check has all arguments that its kind needs.",
			`{ kind = "file_exists" }`, `{ kind = "file_exists", path = "server/server.go" }`, false},
		{"check-argument-unknown", Error, "A check has no arguments but those of its kind.", `{ kind = "file_exists", path = "server/server.go", exit = 1 }`, `{ kind = "file_exists", path = "server/server.go" }`, false},
		{"check-kind-missing", Error, "A check says its kind.", `{ path = "server/server.go" }`, `{ kind = "file_exists", path = "server/server.go" }`, false},
		{"check-kind-unknown", Error, "The kind of a check is built in, or added by the host.", `{ kind = "file_exist", path = "server/server.go" }`, `{ kind = "file_exists", path = "server/server.go" }`, false},
		{"executor-unknown", Error, "A step is carried out by an executor that the host has.", `executor = "nobody"`, `executor = "shell"`, false},
		{"regexp-invalid", Error, "A regular expression follows the syntax of RE2.", `stdout_matches = "("`, `stdout_matches = "^$"`, false},
		{"sandbox-none", Warning, "Without a sandbox a step can write anywhere.", `level = "none"`, `level = "filesystem"`, false},
		{"sandbox-value", Error, "Sizes, times, variables and folders of the sandbox are spelled as documented.", `memory = "much"`, `memory = "2GiB"`, false},
		{"setting-invalid", Error, "What [execution] says of preset, strategy, complexity, test_first, deterministic, token_budget, escalation_threshold, reviewers and evidence is spelled as documented: a wish that cannot be understood would silently be none.",
			"[execution]\ntoken_budget = \"much\"\n", "[execution]\ntoken_budget = 200000\n", false},
		{"test-intent-no-behavior", Warning, "A test intent says which behaviour the test shows; failure_means and invariant may say more.",
			`test_intent = { test = "go test ./server -run Limit", fixed_by = "1.2" }`, `test_intent = { behavior = "429 over the limit", test = "go test ./server -run Limit", fixed_by = "1.2" }`, false},
		{"test-intent-no-test", Error, "A test intent names the command that runs the test.",
			`test_intent = { behavior = "429 over the limit", fixed_by = "1.2" }`, `test_intent = { behavior = "429 over the limit", test = "go test ./server -run Limit", fixed_by = "1.2" }`, false},
	}
}
