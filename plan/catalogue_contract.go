package plan

// orderCodes are those of references, cycles and coverage.
func orderCodes() []Code {
	return []Code{
		{"component-unknown", Error, "Where the plan has a table [components], steps name its keys.", `components = ["client"]`, `components = ["server"]`, false},
		{"constraint-unknown", Error, "Where the plan has a table [constraints], steps name its keys.",
			"constraints = [\"size\"]\n[constraints]\nspeed = \"10 per second\"\n", "constraints = [\"speed\"]\n[constraints]\nspeed = \"10 per second\"\n", false},
		{"order-cycle", Error, "Each graph is fine, but tasks and speclets together ask for an order that cannot be.",
			"[[speclets]]\nid = \"A\"\ntasks = [1]\ndepends_on = [\"B\"]\n[[speclets]]\nid = \"B\"\ntasks = [2]\n",
			"[[speclets]]\nid = \"A\"\ntasks = [1]\n[[speclets]]\nid = \"B\"\ntasks = [2]\ndepends_on = [\"A\"]\n", false},
		{"requirement-unknown", Error, "A step serves requirements that the plan has.", `requirements = ["R3"]`, `requirements = ["R2"]`, false},
		{"requirement-unmapped", Error, "Each requirement is served by a step.", "[[requirements]]\nid = \"R4\"\ntext = \"x\"\n", "", false},
		{"speclet-cycle", Error, "Speclets wait for each other, so none can begin.",
			"[[speclets]]\nid = \"A\"\ntasks = [1]\ndepends_on = [\"B\"]\n[[speclets]]\nid = \"B\"\ntasks = [2]\ndepends_on = [\"A\"]\n",
			"[[speclets]]\nid = \"A\"\ntasks = [1]\n[[speclets]]\nid = \"B\"\ntasks = [2]\ndepends_on = [\"A\"]\n", false},
		{"speclet-dep-unknown", Error, "A speclet depends on speclets that the plan has.",
			"[[speclets]]\nid = \"A\"\ntasks = [1, 2]\ndepends_on = [\"B\"]\n", "[[speclets]]\nid = \"A\"\ntasks = [1, 2]\n", false},
		{"speclet-task-unknown", Error, "A speclet groups tasks that the plan has.", "[[speclets]]\nid = \"A\"\ntasks = [1, 2, 3]\n", "[[speclets]]\nid = \"A\"\ntasks = [1, 2]\n", false},
		{"step-no-requirement", Error, "Under strict each step serves a requirement: otherwise nobody asked for it.",
			"  requirements = []\n  semantic_change = \"preserving\"", "  requirements = [\"R2\"]\n  semantic_change = \"preserving\"", false},
		{"task-cycle", Error, "Tasks wait for each other, so none can begin.", "depends_on = [2]", "depends_on = [1]", false},
		{"task-dep-unknown", Error, "A task depends on tasks that the plan has.", "depends_on = [7]", "depends_on = [1]", false},
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
			`artifacts = { modify = ["README.md"], delete = ["README.md"] }`, `artifacts = { modify = ["README.md"] }`, false},
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
			`test = "go test ./server -run Limit" }`, `test = "go test ./server -run Limit", fixed_by = "1.2" }`, false},
		{"fixed-by-not-later", Error, "The step that makes a test pass comes after the one that writes it.", `fixed_by = "1.1"`, `fixed_by = "1.2"`, false},
		{"fixed-by-unknown", Error, "The step that makes a test pass is one of the plan.", `fixed_by = "1.9"`, `fixed_by = "1.2"`, false},
		{"goal-missing", Error, "A plan exists for one sentence.", "[goal]\n", "[goal]\ndescription = \"Limit each client of the HTTP server to 10 requests per second\"\n", false},
		{"invariant-no-check", Warning, "Nobody can hold an invariant that nothing checks.", "[[invariants]]\nid = \"I2\"\ntext = \"x\"\n",
			"[[invariants]]\nid = \"I2\"\ntext = \"x\"\ncheck = { kind = \"go_vet\", package = \"./server\" }\n", false},
		{"invariants-undeclared", Error, "Under strict a plan that changes public symbols says what must hold, or  invariants = []  for nothing.",
			"", "[[invariants]]\nid = \"I1\"\ntext = \"The public API of package server does not break\"\ncheck = { kind = \"go_api_compatible\", package = \"./server\" }\n", false},
		{"limits-missing", Error, "Under strict a step that changes files says how many files and lines.", "limits = { max_files = 1 }", "limits = { max_files = 1, max_lines = 20 }", false},
		{"limits-too-small", Error, "A step cannot keep both its artifacts and its limits.", "max_files = 0", "max_files = 1", false},
		{"method-is-description", Warning, "Under observe a step without a method is carried out by its description.",
			"schema = 1\nprofile = \"observe\"\n[goal]\ndescription = \"g\"\n[[tasks]]\nid = 1\n[[tasks.steps]]\nid = 1\ndescription = \"d\"\n", "", true},
		{"method-missing", Error, "Under strict a step says how it is done.", "", "  run = \"cat fixtures/limit.md >> README.md\"\n", false},
		{"method-twice", Error, "A step has one method; other ways are backups.", "run = \"cat fixtures/limit.md >> README.md\"\nprompt = \"Write it\"", `run = "cat fixtures/limit.md >> README.md"`, false},
		{"no-steps", Error, "A task without steps does nothing.", "[[tasks]]\nid = 3\n", "[[tasks]]\nid = 3\n[[tasks.steps]]\nid = 1\n", false},
		{"no-tasks", Error, "A plan without tasks does nothing.", "schema = 1\n[goal]\ndescription = \"g\"\n", "", true},
		{"non-goal-no-scope", Warning, "A non-goal without paths or symbols is words; no machine can hold it.", "[[non_goals]]\nid = \"N2\"\ntext = \"x\"\n", "[[non_goals]]\nid = \"N2\"\ntext = \"x\"\npaths = [\"docs/**\"]\n", false},
		{"non-goals-undeclared", Error, "Under strict a plan says what must not be touched, or  non_goals = []  for nothing.",
			"", "[[non_goals]]\nid = \"N1\"\ntext = \"Do not modify auth\"\npaths = [\"internal/auth/**\"]\n", false},
		{"on-failure-missing", Error, "Under strict each step says what follows a failure.", "[defaults]\nexecutor = \"shell\"\n", "[defaults]\nexecutor = \"shell\"\non_failure = \"block\"\n", false},
		{"outcome-missing", Error, "Under strict a step that changes nothing has a postcondition: otherwise nothing tells that it ran.",
			"postconditions = []\n  artifacts = {}", "postconditions = [{ kind = \"file_contains\", path = \"README.md\", text = \"429\" }]\n  artifacts = { modify = [\"README.md\"] }", false},
		{"public-surface-unspecified", Error, "Under strict a step that changes public symbols says how they behave.",
			"\n  semantic_change = \"extending\"\n  artifacts = {", "\n  semantic_change = \"extending\"\n  expect = { exit = 0, stdout_matches = \"^$\" }\n  expected_output = \"Limiter.Allow says whether a client may go on\"\n  artifacts = {", false},
		{"retries-missing", Warning, "on_failure = \"retry\" needs a number of times.", "on_failure = \"retry\"\n  max_retries = 0", "on_failure = \"retry\"\n  max_retries = 2", false},
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
		{"check-argument-missing", Error, "A check has all arguments that its kind needs.", `{ kind = "file_exists" }`, `{ kind = "file_exists", path = "server/server.go" }`, false},
		{"check-argument-unknown", Error, "A check has no arguments but those of its kind.", `{ kind = "file_exists", path = "server/server.go", exit = 1 }`, `{ kind = "file_exists", path = "server/server.go" }`, false},
		{"check-kind-missing", Error, "A check says its kind.", `{ path = "server/server.go" }`, `{ kind = "file_exists", path = "server/server.go" }`, false},
		{"check-kind-unknown", Error, "The kind of a check is built in, or added by the host.", `{ kind = "file_exist", path = "server/server.go" }`, `{ kind = "file_exists", path = "server/server.go" }`, false},
		{"executor-unknown", Error, "A step is carried out by an executor that the host has.", `executor = "nobody"`, `executor = "shell"`, false},
		{"regexp-invalid", Error, "A regular expression follows the syntax of RE2.", `stdout_matches = "("`, `stdout_matches = "^$"`, false},
		{"sandbox-none", Warning, "Without a sandbox a step can write anywhere.", `level = "none"`, `level = "filesystem"`, false},
		{"sandbox-value", Error, "Sizes, times, variables and folders of the sandbox are spelled as documented.", `memory = "much"`, `memory = "2GiB"`, false},
		{"test-intent-no-test", Error, "A test intent names the command that runs the test.",
			`test_intent = { behavior = "429 over the limit", fixed_by = "1.2" }`, `test_intent = { behavior = "429 over the limit", test = "go test ./server -run Limit", fixed_by = "1.2" }`, false},
	}
}
