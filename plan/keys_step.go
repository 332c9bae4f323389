package plan

func (s *Step) visit(v Visitor) {
	v.Text(Key{Name: "id", Doc: "names the step within its task", ID: true}, &s.ID)
	v.Text(Key{Name: "description", Doc: "what the step does"}, &s.Description)
	v.Text(Key{Name: "run", Doc: "a shell command"}, &s.Run)
	v.Text(Key{Name: "prompt", Doc: "what an agent is asked"}, &s.Prompt)
	v.Text(Key{Name: "expected_output", Doc: "in words, what it must have brought about"}, &s.ExpectedOutput)
	s.visitShared(v)
	optional(v, Key{Name: "test_intent", Doc: "on a step that writes a test: what for, and who makes it pass"}, &s.TestIntent,
		(*TestIntent).visit)
	list(v, Key{Name: "backups", Doc: "other ways to do the step, in order"}, &s.Backups, (*Backup).visit)
}

// visitShared tells the keys that [defaults] may say for all steps.
func (s *Step) visitShared(v Visitor) {
	v.Text(Key{Name: "executor", Doc: "who carries it out; the host's default if not said"}, &s.Executor)
	optional(v, Key{Name: "expect", Doc: "what the command must answer"}, &s.Expect, (*Expect).visit)
	typed(v, Key{Name: "mode", Doc: "who is asked, and when", Words: modes}, &s.Mode)
	v.Flag(Key{Name: "critical_flag", Doc: "whether a failure matters to the whole run, true if not said"}, &s.Critical)
	v.Duration(Key{Name: "timeout", Doc: "after so long the step is ended"}, &s.Timeout)
	v.Number(Key{Name: "max_retries", Doc: "how often the method may be tried again", Max: 1000}, &s.MaxRetries)
	typed(v, Key{Name: "on_failure", Doc: "what follows a failure", Words: failures}, &s.OnFailure)
	typed(v, Key{Name: "rollback", Doc: "whether the step can be undone", Words: rollbacks}, &s.Rollback)
	v.Text(Key{Name: "compensate", Doc: "the command that undoes a compensatable step"}, &s.Compensate)
	typed(v, Key{Name: "semantic_change", Doc: "what the step does to behaviour", Words: semanticChanges}, &s.SemanticChange)
	v.Texts(Key{Name: "requirements", Doc: "ids of the requirements that it serves", ID: true, Set: true}, &s.Requirements)
	v.Texts(Key{Name: "components", Doc: "keys of [components] that it concerns", Set: true}, &s.Components)
	v.Texts(Key{Name: "constraints", Doc: "keys of [constraints] that bind it", Set: true}, &s.Constraints)
	flag(v, Key{Name: "tdd", Doc: "whether its test comes first"}, &s.TDD)
	optional(v, Key{Name: "artifacts", Doc: "what changes; {} means nothing"}, &s.Artifacts, (*Artifacts).visit)
	optional(v, Key{Name: "limits", Doc: "how much may change, and where"}, &s.Limits, (*Limits).visit)
	optional(v, Key{Name: "access", Doc: "what it reads and writes, needed only to run beside other steps"}, &s.Access,
		(*Access).visit)
	list(v, Key{Name: "preconditions", Doc: "checks that must hold before", Inline: true}, &s.Preconditions, (*Check).visit)
	list(v, Key{Name: "postconditions", Doc: "checks that must hold after", Inline: true}, &s.Postconditions, (*Check).visit)
	v.Texts(Key{Name: "evidence", Doc: "what shows that it was done"}, &s.Evidence)
}

func (e *Expect) visit(v Visitor) {
	v.Number(Key{Name: "exit", Doc: "the exit status, 0 if not said", Max: 255}, &e.Exit)
	v.Text(Key{Name: "stdout_contains", Doc: "text that standard output must contain"}, &e.StdoutContains)
	v.Text(Key{Name: "stdout_matches", Doc: "a regular expression (RE2) that must match standard output"}, &e.StdoutMatches)
}

func (a *Artifacts) visit(v Visitor) {
	v.Texts(Key{Name: "create", Doc: "files that the step creates: paths, or globs that must match at least one", Set: true}, &a.Create)
	v.Texts(Key{Name: "modify", Doc: "files that the step modifies", Set: true}, &a.Modify)
	v.Texts(Key{Name: "delete", Doc: "files that the step deletes", Set: true}, &a.Delete)
	v.Texts(Key{Name: "symbols_add", Doc: "Go symbols that appear, as in \"server.Limiter.Allow\"; [] means none",
		Set: true}, &a.SymbolsAdd)
	v.Texts(Key{Name: "symbols_remove", Doc: "Go symbols that disappear; [] means none", Set: true}, &a.SymbolsRemove)
}

func (l *Limits) visit(v Visitor) {
	v.Number(Key{Name: "max_files", Doc: "at most so many files may change", Max: many}, &l.MaxFiles)
	v.Number(Key{Name: "max_lines", Doc: "at most so many lines may be added and removed together", Max: many}, &l.MaxLines)
	v.Texts(Key{Name: "modules", Doc: "the folders in which changes may happen", Set: true}, &l.Modules)
}

func (a *Access) visit(v Visitor) {
	v.Texts(Key{Name: "reads", Doc: "paths or globs that the step reads", Set: true}, &a.Reads)
	v.Texts(Key{Name: "writes", Doc: "paths or globs that the step writes", Set: true}, &a.Writes)
	v.Texts(Key{Name: "symbols", Doc: "symbols that the step owns while it runs", Set: true}, &a.Symbols)
}

func (t *TestIntent) visit(v Visitor) {
	v.Text(Key{Name: "behavior", Doc: "what the test shows"}, &t.Behavior)
	v.Text(Key{Name: "invariant", Doc: "the id of the invariant that it guards"}, &t.Invariant)
	v.Text(Key{Name: "failure_means", Doc: "what a failure of it means"}, &t.FailureMeans)
	v.Text(Key{Name: "test", Doc: "the command that runs it: fails after this step, passes after fixed_by"}, &t.Test)
	typed(v, Key{Name: "fixed_by", Doc: "the address of the later step that makes it pass", ID: true}, &t.FixedBy)
}

func (b *Backup) visit(v Visitor) {
	v.Text(Key{Name: "id", Doc: "names the backup within its step", ID: true}, &b.ID)
	v.Text(Key{Name: "description", Doc: "what it does differently"}, &b.Description)
	v.Text(Key{Name: "run", Doc: "a shell command"}, &b.Run)
	v.Text(Key{Name: "prompt", Doc: "what an agent is asked"}, &b.Prompt)
	v.Text(Key{Name: "executor", Doc: "who carries it out; the step's executor if not said"}, &b.Executor)
	v.Text(Key{Name: "trigger_condition", Doc: "when it is used, as in \"primary_failure\""}, &b.TriggerCondition)
	v.Text(Key{Name: "execution_method", Doc: "how it is carried out"}, &b.ExecutionMethod)
	v.Text(Key{Name: "tool_path", Doc: "the program of a tool"}, &b.ToolPath)
	v.Texts(Key{Name: "tool_args", Doc: "its arguments"}, &b.ToolArgs)
}
