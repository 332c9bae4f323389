package plan

import "time"

// The tables of the native format: what may stand in a plan, and what it means.

var checkKeys = newOpenTable(func(c *Check) *[]Setting { return &c.Extra }, func() []key[Check] {
	return []key[Check]{
		text("kind", "what is checked, as in \"file_exists\"", func(c *Check) *string { return &c.Kind }),
		text("path", "a file, relative to the workspace", func(c *Check) *string { return &c.Path }),
		text("text", "text that the file must contain", func(c *Check) *string { return &c.Text }),
		text("matches", "a regular expression (RE2) that must match the file", func(c *Check) *string { return &c.Matches }),
		text("run", "a shell command, or the tests to run", func(c *Check) *string { return &c.Run }),
		maybeNumber("exit", "the exit status that is expected, 0 if not said", 0, 255, func(c *Check) **int { return &c.Exit }),
		text("stdout_contains", "text that the command must print", func(c *Check) *string { return &c.StdoutContains }),
		text("symbol", "a symbol, as in \"server.Limiter.Allow\"", func(c *Check) *string { return &c.Symbol }),
		text("package", "a Go package, as in \"./server\"", func(c *Check) *string { return &c.Package }),
		text("name", "a variable of the environment, or a program", func(c *Check) *string { return &c.Name }),
		text("version", "text that the program's version must contain", func(c *Check) *string { return &c.Version }),
	}
})

var expectKeys = newTable(func() []key[Expect] {
	return []key[Expect]{
		maybeNumber("exit", "the exit status, 0 if not said", 0, 255, func(e *Expect) **int { return &e.Exit }),
		text("stdout_contains", "text that standard output must contain", func(e *Expect) *string { return &e.StdoutContains }),
		text("stdout_matches", "a regular expression (RE2) that must match standard output", func(e *Expect) *string { return &e.StdoutMatches }),
	}
})

var artifactKeys = newTable(func() []key[Artifacts] {
	return []key[Artifacts]{
		texts("create", "files that the step creates: paths, or globs that must match at least one", func(a *Artifacts) *[]string { return &a.Create }),
		texts("modify", "files that the step modifies", func(a *Artifacts) *[]string { return &a.Modify }),
		texts("delete", "files that the step deletes", func(a *Artifacts) *[]string { return &a.Delete }),
		texts("symbols_add", "Go symbols that appear, as in \"server.Limiter.Allow\"; [] means none", func(a *Artifacts) *[]string { return &a.SymbolsAdd }),
		texts("symbols_remove", "Go symbols that disappear; [] means none", func(a *Artifacts) *[]string { return &a.SymbolsRemove }),
	}
})

var limitKeys = newTable(func() []key[Limits] {
	return []key[Limits]{
		maybeNumber("max_files", "at most so many files may change", 0, many, func(l *Limits) **int { return &l.MaxFiles }),
		maybeNumber("max_lines", "at most so many lines may be added and removed together", 0, many, func(l *Limits) **int { return &l.MaxLines }),
		texts("modules", "the folders in which changes may happen", func(l *Limits) *[]string { return &l.Modules }),
	}
})

var accessKeys = newTable(func() []key[Access] {
	return []key[Access]{
		texts("reads", "paths or globs that the step reads", func(a *Access) *[]string { return &a.Reads }),
		texts("writes", "paths or globs that the step writes", func(a *Access) *[]string { return &a.Writes }),
		texts("symbols", "symbols that the step owns while it runs", func(a *Access) *[]string { return &a.Symbols }),
	}
})

var intentKeys = newTable(func() []key[TestIntent] {
	return []key[TestIntent]{
		text("behavior", "what the test shows", func(t *TestIntent) *string { return &t.Behavior }),
		text("invariant", "the id of the invariant that it guards", func(t *TestIntent) *string { return &t.Invariant }),
		text("failure_means", "what a failure of it means", func(t *TestIntent) *string { return &t.FailureMeans }),
		text("test", "the command that runs it: fails after this step, passes after fixed_by", func(t *TestIntent) *string { return &t.Test }),
		ident("fixed_by", "the address of the later step that makes it pass", func(t *TestIntent) *Address { return &t.FixedBy }),
	}
})

var backupKeys = newTable(func() []key[Backup] {
	return []key[Backup]{
		ident("id", "names the backup within its step", func(b *Backup) *string { return &b.ID }),
		text("description", "what it does differently", func(b *Backup) *string { return &b.Description }),
		text("run", "a shell command", func(b *Backup) *string { return &b.Run }),
		text("prompt", "what an agent is asked", func(b *Backup) *string { return &b.Prompt }),
		text("executor", "who carries it out; the step's executor if not said", func(b *Backup) *string { return &b.Executor }),
		text("trigger_condition", "when it is used, as in \"primary_failure\"", func(b *Backup) *string { return &b.TriggerCondition }),
		text("execution_method", "how it is carried out", func(b *Backup) *string { return &b.ExecutionMethod }),
		text("tool_path", "the program of a tool", func(b *Backup) *string { return &b.ToolPath }),
		texts("tool_args", "its arguments", func(b *Backup) *[]string { return &b.ToolArgs }),
	}
})

// ownStepKeys are what every step says for itself.
func ownStepKeys() []key[Step] {
	return []key[Step]{
		ident("id", "names the step within its task", func(s *Step) *string { return &s.ID }),
		text("description", "what the step does", func(s *Step) *string { return &s.Description }),
		text("run", "a shell command", func(s *Step) *string { return &s.Run }),
		text("prompt", "what an agent is asked", func(s *Step) *string { return &s.Prompt }),
		text("expected_output", "in words, what it must have brought about", func(s *Step) *string { return &s.ExpectedOutput }),
		maybeSub("test_intent", "on a step that writes a test: what for, and who makes it pass", intentKeys, func(s *Step) **TestIntent { return &s.TestIntent }),
		subs("backups", "other ways to do the step, in order", backupKeys, nil, func(s *Step) *[]Backup { return &s.Backups }),
	}
}

// sharedStepKeys are what [defaults] may say for all steps.
func sharedStepKeys() []key[Step] {
	return []key[Step]{
		text("executor", "who carries it out; the host's default if not said", func(s *Step) *string { return &s.Executor }),
		duration("timeout", "after so long the step is ended", func(s *Step) *time.Duration { return &s.Timeout }),
		maybeSub("expect", "what the command must answer", expectKeys, func(s *Step) **Expect { return &s.Expect }),
		maybeBoolean("critical_flag", "whether a failure matters to the whole run, true if not said", func(s *Step) **bool { return &s.Critical }),
		choice("mode", "who is asked, and when", func(s *Step) *Mode { return &s.Mode }, Silent, Collaborative, Dynamic, Education),
		maybeNumber("max_retries", "how often the method may be tried again", 0, 1000, func(s *Step) **int { return &s.MaxRetries }),
		choice("on_failure", "what follows a failure", func(s *Step) *OnFailure { return &s.OnFailure }, Block, Retry, Ask),
		choice("rollback", "whether the step can be undone", func(s *Step) *Rollback { return &s.Rollback }, Reversible, Compensatable, Irreversible),
		text("compensate", "the command that undoes a compensatable step", func(s *Step) *string { return &s.Compensate }),
		choice("semantic_change", "what the step does to behaviour", func(s *Step) *SemanticChange { return &s.SemanticChange }, Preserving, Extending, Modifying, Breaking),
		idents("requirements", "ids of the requirements that it serves", func(s *Step) *[]string { return &s.Requirements }),
		texts("components", "keys of [components] that it concerns", func(s *Step) *[]string { return &s.Components }),
		texts("constraints", "keys of [constraints] that bind it", func(s *Step) *[]string { return &s.Constraints }),
		subs("preconditions", "checks that must hold before", checkKeys, nil, func(s *Step) *[]Check { return &s.Preconditions }),
		subs("postconditions", "checks that must hold after", checkKeys, nil, func(s *Step) *[]Check { return &s.Postconditions }),
		texts("evidence", "what shows that it was done", func(s *Step) *[]string { return &s.Evidence }),
		boolean("tdd", "whether its test comes first", func(s *Step) *bool { return &s.TDD }),
		maybeSub("artifacts", "what changes; {} means nothing", artifactKeys, func(s *Step) **Artifacts { return &s.Artifacts }),
		maybeSub("limits", "how much may change, and where", limitKeys, func(s *Step) **Limits { return &s.Limits }),
		maybeSub("access", "what it reads and writes, needed only to run beside other steps", accessKeys, func(s *Step) **Access { return &s.Access }),
	}
}

var (
	defaultKeys = newTable(sharedStepKeys)
	stepKeys    = newTable(func() []key[Step] { return append(ownStepKeys(), sharedStepKeys()...) })
)

var requirementKeys = newTable(func() []key[Requirement] {
	return []key[Requirement]{
		ident("id", "names the requirement", func(r *Requirement) *string { return &r.ID }),
		text("text", "what is required", func(r *Requirement) *string { return &r.Text }),
	}
})

var assumptionKeys = newTable(func() []key[Assumption] {
	return []key[Assumption]{
		ident("id", "names the assumption", func(a *Assumption) *string { return &a.ID }),
		text("text", "what is taken for granted", func(a *Assumption) *string { return &a.Text }),
		maybeSub("check", "how to find out", checkKeys, func(a *Assumption) **Check { return &a.Check }),
	}
})

var invariantKeys = newTable(func() []key[Invariant] {
	return []key[Invariant]{
		ident("id", "names the invariant", func(i *Invariant) *string { return &i.ID }),
		text("text", "what holds before, between and after steps", func(i *Invariant) *string { return &i.Text }),
		maybeSub("check", "how to find out", checkKeys, func(i *Invariant) **Check { return &i.Check }),
		boolean("critical", "whether a breach ends the run, true if not said", func(i *Invariant) *bool { return &i.Critical }),
	}
})

var nonGoalKeys = newTable(func() []key[NonGoal] {
	return []key[NonGoal]{
		ident("id", "names the non-goal", func(n *NonGoal) *string { return &n.ID }),
		text("text", "what must not be touched", func(n *NonGoal) *string { return &n.Text }),
		texts("paths", "paths or globs that no step may change", func(n *NonGoal) *[]string { return &n.Paths }),
		texts("symbols", "symbols that no step may add or remove", func(n *NonGoal) *[]string { return &n.Symbols }),
	}
})

var specletKeys = newTable(func() []key[Speclet] {
	return []key[Speclet]{
		ident("id", "names the speclet", func(s *Speclet) *string { return &s.ID }),
		text("description", "what the group of tasks is for", func(s *Speclet) *string { return &s.Description }),
		idents("depends_on", "speclets that come before", func(s *Speclet) *[]string { return &s.DependsOn }),
		idents("tasks", "ids of its tasks", func(s *Speclet) *[]string { return &s.Tasks }),
		maybeBoolean("parallel_allowed", "whether it may run beside others", func(s *Speclet) **bool { return &s.ParallelAllowed }),
	}
})

var taskKeys = newTable(func() []key[Task] {
	return []key[Task]{
		ident("id", "names the task", func(t *Task) *string { return &t.ID }),
		text("description", "what the task achieves", func(t *Task) *string { return &t.Description }),
		text("title", "its short name", func(t *Task) *string { return &t.Title }),
		idents("depends_on", "tasks that come before", func(t *Task) *[]string { return &t.DependsOn }),
		boolean("research_enabled", "whether research may come first", func(t *Task) *bool { return &t.ResearchEnabled }),
		texts("research_sources", "where to look", func(t *Task) *[]string { return &t.ResearchSources }),
		duration("estimate", "how long it may take", func(t *Task) *time.Duration { return &t.Estimate }),
		texts("acceptance_criteria", "when it is done", func(t *Task) *[]string { return &t.AcceptanceCriteria }),
		number("complexity", "1 (simple) to 5 (hard)", 1, 5, func(t *Task) *int { return &t.Complexity }),
		ident("priority", "how urgent it is", func(t *Task) *string { return &t.Priority }),
		text("kind", "what kind of work it is", func(t *Task) *string { return &t.Kind }),
		stepsKey(),
	}
})

var metaKeys = newOpenTable(func(m *Meta) *[]Setting { return &m.Extra }, func() []key[Meta] {
	return []key[Meta]{
		text("goal_descriptor", "the plan's short name", func(m *Meta) *string { return &m.Name }),
		text("version", "the plan's version", func(m *Meta) *string { return &m.Version }),
	}
})

var goalKeys = newTable(func() []key[Plan] {
	return []key[Plan]{
		text("description", "the one sentence the plan exists for", func(p *Plan) *string { return &p.Goal }),
		older(text("description", "", func(p *Plan) *string { return &p.Goal }), "statement"),
	}
})

var completionKeys = newOpenTable(func(c *Completion) *[]Setting { return &c.Flags }, func() []key[Completion] {
	return []key[Completion]{
		texts("acceptance_criteria", "when the whole is done", func(c *Completion) *[]string { return &c.AcceptanceCriteria }),
		subs("checks", "checks that must hold at the end", checkKeys, nil, func(c *Completion) *[]Check { return &c.Checks }),
	}
})

var envelopeKeys = newTable(func() []key[EnvelopeSpec] {
	return []key[EnvelopeSpec]{
		text("model", "the model that agents use", func(e *EnvelopeSpec) *string { return &e.Model }),
		texts("prompt_template", "files", func(e *EnvelopeSpec) *[]string { return &e.PromptTemplate }),
		texts("context", "globs of files that agents read", func(e *EnvelopeSpec) *[]string { return &e.Context }),
		texts("tools", "names of programs", func(e *EnvelopeSpec) *[]string { return &e.Tools }),
		texts("config", "files", func(e *EnvelopeSpec) *[]string { return &e.Config }),
	}
})

var sandboxKeys = newTable(func() []key[Sandbox] {
	return []key[Sandbox]{
		choice("level", "how far a step is locked in, filesystem if not said", func(s *Sandbox) *string { return &s.Level }, "none", "process", "filesystem", "strict"),
		maybeBoolean("network", "whether steps may use the network", func(s *Sandbox) **bool { return &s.Network }),
		text("cpu", "processor time of a step, a duration", func(s *Sandbox) *string { return &s.CPU }),
		text("memory", "memory of a step, as in \"2GiB\"", func(s *Sandbox) *string { return &s.Memory }),
		text("output", "output of a step that is kept, as in \"1MiB\"", func(s *Sandbox) *string { return &s.Output }),
		texts("env", "names of variables that are let through", func(s *Sandbox) *[]string { return &s.Env }),
		texts("writable", "folders outside the workspace that steps may write to", func(s *Sandbox) *[]string { return &s.Writable }),
	}
})

var executionKeys = newOpenTable(func(e *Execution) *[]Setting { return &e.Extra }, func() []key[Execution] {
	return []key[Execution]{
		choice("default_mode", "the mode of steps that say none", func(e *Execution) *Mode { return &e.DefaultMode }, Silent, Collaborative, Dynamic, Education),
		older(choice("default_mode", "", func(e *Execution) *Mode { return &e.DefaultMode }, Silent, Collaborative, Dynamic, Education), "mode"),
	}
})

var strategies = []Propagation{HaltOnCritical, ContinueAndLog, CollaborativeReview}

var propagationKeys = newOpenTable(func(e *ErrorPropagation) *[]Setting { return &e.Extra }, func() []key[ErrorPropagation] {
	return []key[ErrorPropagation]{
		maybeBoolean("enabled", "whether earlier failures are looked at", func(e *ErrorPropagation) **bool { return &e.Enabled }),
		maybeBoolean("read_prior_steps", "whether earlier outcomes are read", func(e *ErrorPropagation) **bool { return &e.ReadPriorSteps }),
		maybeBoolean("dependency_tracking", "whether a failure holds up what depends on it", func(e *ErrorPropagation) **bool { return &e.DependencyTracking }),
		choice("propagation_strategy", "what an earlier failure means for later steps", func(e *ErrorPropagation) *Propagation { return &e.Strategy }, strategies...),
		older(choice("propagation_strategy", "", func(e *ErrorPropagation) *Propagation { return &e.Strategy }, strategies...), "strategy"),
		older(maybeBoolean("enabled", "", func(e *ErrorPropagation) **bool { return &e.Enabled }), "propagation_enabled"),
		number("failure_threshold", "so many failures end the run", 1, many, func(e *ErrorPropagation) *int { return &e.FailureThreshold }),
	}
})
