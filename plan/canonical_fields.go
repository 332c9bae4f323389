package plan

import "github.com/planlock/planlock/ledger"

// The fields of each record, by name. A test holds that none is forgotten, and that the names are in order.

func (e *encoder) plan(p *Plan) {
	e.mark('{')
	records(e, "assumptions", p.Assumptions, func(e *encoder, a *Assumption) {
		record(e, "check", a.Check, encodeCheck)
		e.text("id", a.ID)
		e.text("text", a.Text)
	})
	part(e, "completion_criteria", &p.Completion, encodeCompletion)
	part(e, "envelope", &p.Envelope, encodeEnvelope)
	part(e, "error_propagation", &p.ErrorPropagation, encodePropagation)
	part(e, "execution", &p.Execution, func(e *encoder, x *Execution) {
		e.text("default_mode", string(x.DefaultMode))
		e.settings("extra", x.Extra)
	})
	e.text("goal", p.Goal)
	records(e, "invariants", p.Invariants, encodeInvariant)
	part(e, "ledger", &p.Scope, func(e *encoder, s *ledger.Scope) {
		e.set("ignore", s.Ignore)
		e.set("stamps", s.Stamps)
		e.set("track", s.Track)
	})
	part(e, "meta", &p.Meta, func(e *encoder, m *Meta) {
		e.settings("extra", m.Extra)
		e.text("goal_descriptor", m.Name)
		e.text("version", m.Version)
	})
	records(e, "non_goals", p.NonGoals, func(e *encoder, n *NonGoal) {
		e.text("id", n.ID)
		e.set("paths", n.Paths)
		e.set("symbols", n.Symbols)
		e.text("text", n.Text)
	})
	e.text("profile", string(p.Profile))
	records(e, "requirements", p.Requirements, func(e *encoder, r *Requirement) {
		e.text("id", r.ID)
		e.text("text", r.Text)
	})
	part(e, "sandbox", &p.Sandbox, encodeSandbox)
	e.number("schema", p.Schema)
	e.settings("settings", p.Settings)
	records(e, "speclets", p.Speclets, encodeSpeclet)
	records(e, "tasks", p.Tasks, encodeTask)
	e.mark('}')
}

func encodeInvariant(e *encoder, i *Invariant) {
	record(e, "check", i.Check, encodeCheck)
	e.maybeFlag("critical", &i.Critical)
	e.text("id", i.ID)
	e.text("text", i.Text)
}

func encodeSpeclet(e *encoder, s *Speclet) {
	e.set("depends_on", s.DependsOn)
	e.text("description", s.Description)
	e.text("id", s.ID)
	e.maybeFlag("parallel_allowed", s.ParallelAllowed)
	e.set("tasks", s.Tasks)
}

func encodeCompletion(e *encoder, c *Completion) {
	e.texts("acceptance_criteria", c.AcceptanceCriteria)
	records(e, "checks", c.Checks, encodeCheck)
	e.settings("flags", c.Flags)
}

func encodeEnvelope(e *encoder, v *EnvelopeSpec) {
	e.set("config", v.Config)
	e.set("context", v.Context)
	e.text("model", v.Model)
	e.texts("prompt_template", v.PromptTemplate)
	e.set("tools", v.Tools)
}

func encodeSandbox(e *encoder, s *Sandbox) {
	e.text("cpu", s.CPU)
	e.set("env", s.Env)
	e.text("level", s.Level)
	e.text("memory", s.Memory)
	e.maybeFlag("network", s.Network)
	e.text("output", s.Output)
	e.set("writable", s.Writable)
}

func encodePropagation(e *encoder, x *ErrorPropagation) {
	e.maybeFlag("dependency_tracking", x.DependencyTracking)
	e.maybeFlag("enabled", x.Enabled)
	e.settings("extra", x.Extra)
	e.number("failure_threshold", x.FailureThreshold)
	e.text("propagation_strategy", string(x.Strategy))
	e.maybeFlag("read_prior_steps", x.ReadPriorSteps)
}

func encodeTask(e *encoder, t *Task) {
	e.texts("acceptance_criteria", t.AcceptanceCriteria)
	e.number("complexity", t.Complexity)
	e.set("depends_on", t.DependsOn)
	e.text("description", t.Description)
	e.duration("estimate", t.Estimate)
	e.set("files", t.Files)
	e.text("id", t.ID)
	e.text("kind", t.Kind)
	e.text("priority", t.Priority)
	e.flag("research_enabled", t.ResearchEnabled)
	e.texts("research_sources", t.ResearchSources)
	records(e, "steps", t.Steps, encodeStep)
	e.text("title", t.Title)
}

func encodeStep(e *encoder, s *Step) {
	record(e, "access", s.Access, func(e *encoder, a *Access) {
		e.set("reads", a.Reads)
		e.set("symbols", a.Symbols)
		e.set("writes", a.Writes)
	})
	record(e, "artifacts", s.Artifacts, encodeArtifacts)
	records(e, "backups", s.Backups, encodeBackup)
	e.text("compensate", s.Compensate)
	e.set("components", s.Components)
	e.set("constraints", s.Constraints)
	e.maybeFlag("critical_flag", s.Critical)
	e.text("description", s.Description)
	e.texts("evidence", s.Evidence)
	e.text("executor", s.Executor)
	record(e, "expect", s.Expect, func(e *encoder, x *Expect) {
		e.maybeNumber("exit", x.Exit)
		e.text("stdout_contains", x.StdoutContains)
		e.text("stdout_matches", x.StdoutMatches)
	})
	e.text("expected_output", s.ExpectedOutput)
	e.text("id", s.ID)
	record(e, "limits", s.Limits, func(e *encoder, l *Limits) {
		e.maybeNumber("max_files", l.MaxFiles)
		e.maybeNumber("max_lines", l.MaxLines)
		e.set("modules", l.Modules)
	})
	e.maybeNumber("max_retries", s.MaxRetries)
	e.text("mode", string(s.Mode))
	e.text("on_failure", string(s.OnFailure))
	records(e, "postconditions", s.Postconditions, encodeCheck)
	records(e, "preconditions", s.Preconditions, encodeCheck)
	e.text("prompt", s.Prompt)
	e.set("requirements", s.Requirements)
	e.text("rollback", string(s.Rollback))
	e.text("run", s.Run)
	e.text("semantic_change", string(s.SemanticChange))
	e.flag("tdd", s.TDD)
	record(e, "test_intent", s.TestIntent, encodeIntent)
	e.duration("timeout", s.Timeout)
}

func encodeArtifacts(e *encoder, a *Artifacts) {
	e.set("create", a.Create)
	e.set("delete", a.Delete)
	e.set("modify", a.Modify)
	e.set("symbols_add", a.SymbolsAdd)
	e.set("symbols_remove", a.SymbolsRemove)
}

func encodeIntent(e *encoder, t *TestIntent) {
	e.text("behavior", t.Behavior)
	e.text("failure_means", t.FailureMeans)
	e.text("fixed_by", string(t.FixedBy))
	e.text("invariant", t.Invariant)
	e.text("test", t.Test)
}

func encodeBackup(e *encoder, b *Backup) {
	e.text("description", b.Description)
	e.text("execution_method", b.ExecutionMethod)
	e.text("executor", b.Executor)
	e.text("id", b.ID)
	e.text("prompt", b.Prompt)
	e.text("run", b.Run)
	e.texts("tool_args", b.ToolArgs)
	e.text("tool_path", b.ToolPath)
	e.text("trigger_condition", b.TriggerCondition)
}

func encodeCheck(e *encoder, c *Check) {
	e.maybeNumber("exit", c.Exit)
	e.settings("extra", c.Extra)
	e.text("kind", c.Kind)
	e.text("matches", c.Matches)
	e.text("name", c.Name)
	e.text("package", c.Package)
	e.text("path", c.Path)
	e.text("run", c.Run)
	e.text("stdout_contains", c.StdoutContains)
	e.text("symbol", c.Symbol)
	e.text("text", c.Text)
	e.text("version", c.Version)
}
