package plan

// readingCodes are those of a file that cannot be read as a plan, or not wholly.
func readingCodes() []Code {
	return []Code{
		{"defaults-too-large", Error, "Every step inherits [defaults]; a large one would be multiplied by the number of steps.", "", "", false},
		{"key-case", Error, "Keys are spelled exactly as documented. Another case would be read by some programs and skipped by others.",
			"[goal]\nDescription = ", "[goal]\ndescription = ", false},
		{"key-duplicate", Error, "A key, and a table that is no list, stands once; keys that differ in case only are one key for many readers.",
			"version = \"1.0\"\nversion = \"2.0\"", "version = \"1.0\"", false},
		{"key-unknown", Error, "A key that nobody knows would be a promise that nobody keeps.",
			"max_retris = 2", "max_retries = 2", false},
		{"not-a-plan", Error, "The file is something else. The hint says what is read.", "name = \"something else\"\n", "", true},
		{"placeholder-value", Warning, "The value stands for one that somebody meant to fill in. It would be taken as it is.",
			`description = "…"`, `description = "Write the failing test"`, false},
		{"schema-missing", Error, "The first line says which version of the format the plan is written in.",
			"[goal]\ndescription = \"g\"\n[[tasks]]\nid = 1\n", "", true},
		{"schema-unsupported", Error, "The plan is written in a version of the format that this program does not read.", "schema = 2", "schema = 1", false},
		{"toml-parse-error", Error, "The file is not TOML. What stands behind the place was not read.", "schema = \n", "", true},
		{"toml-too-deep", Error, "Values are nested deeper, or one value has more parts, than any plan needs.",
			"[constraints]\ndeep = [[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[1]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]\n",
			"[constraints]\ndeep = [[1]]\n", false},
		{"too-complex", Error, "Comparing all paths with all globs would take too long.", "", "", false},
		{"too-many", Error, "More than 1,000 errors were found, and the rest is left out. Warnings and notes never come to this: from the fifty-first of a code on they are told as one, which says how many there are.", "", "", false},
		{"utf8-invalid", Error, "The file is not UTF-8, so its text could be read in more than one way.", "schema = 1 # \xff\n", "", true},
		{"value-range", Error, "The value is none that the key can have: a number out of its range or beyond 2^53, not a number, a time that is negative, zero, or longer than a year.",
			`timeout = "-2m"`, `timeout = "2m"`, false},
		{"value-type", Error, "The value is of another kind than the key asks for.", `timeout = 120`, `timeout = "2m"`, false},
		{"value-unknown", Error, "The key takes one of a few words.", `rollback = "reversable"`, `rollback = "reversible"`, false},
	}
}

// namingCodes are those of ids, texts and paths.
func namingCodes() []Code {
	return []Code{
		{"address-ambiguous", Error, "Two steps of different tasks have the same address TASK.STEP.",
			"[[tasks]]\nid = \"T\"\n[[tasks.steps]]\nid = \"1.2\"\n[[tasks]]\nid = \"T.1\"\n[[tasks.steps]]\nid = 2\n",
			"[[tasks]]\nid = \"T\"\n[[tasks.steps]]\nid = \"1.2\"\n[[tasks]]\nid = \"U\"\n[[tasks.steps]]\nid = 2\n", false},
		{"assumption-duplicate-id", Error, "An id names one thing.",
			"[[assumptions]]\nid = \"A1\"\ntext = \"x\"\n[[assumptions]]\nid = \"A1\"\ntext = \"y\"\n",
			"[[assumptions]]\nid = \"A1\"\ntext = \"x\"\n[[assumptions]]\nid = \"A2\"\ntext = \"y\"\n", false},
		{"backup-duplicate-id", Error, "An id names one backup of its step.",
			"[[tasks.steps.backups]]\nid = 1\nrun = \"true\"\n[[tasks.steps.backups]]\nid = 1\nrun = \"false\"\n",
			"[[tasks.steps.backups]]\nid = 1\nrun = \"true\"\n[[tasks.steps.backups]]\nid = 2\nrun = \"false\"\n", false},
		{"command-hidden", Error, "A command holds a control character, one without width, or one that turns the direction of writing: what a person reads is not what runs.",
			`run = "cp fixtures/limit.go\u202e server/limit.go"`, `run = "cp fixtures/limit.go server/limit.go"`, false},
		{"id-invalid", Error, "Ids stand in addresses, codes and file names.", `id = "R 1"`, `id = "R1"`, false},
		{"id-missing", Error, "What has no id cannot be referred to.", `title = "Limit"`, "id = 1\ntitle = \"Limit\"", false},
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
