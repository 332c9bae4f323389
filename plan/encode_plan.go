package plan

import (
	"slices"
	"strconv"
)

// The order of the parts is that of docs/plan-format.md.
func (w *page) plan(p *Plan) {
	w.remark("")
	w.gap()
	w.line("schema = ", strconv.Itoa(schemaVersion))
	w.remark("profile")
	if p.Profile == Observe {
		w.line(`profile = "observe"`)
	}
	w.none(p)
	if m := &p.Meta; m.Name != "" || m.Version != "" || len(m.Extra) > 0 {
		w.header("meta", "[meta]")
		w.text("goal_descriptor", m.Name)
		w.text("version", m.Version)
		w.settings("meta", treeOf(m.Extra, metaKeys.names()), true)
	}
	if p.Goal != "" {
		w.header("goal", "[goal]")
		w.text("description", p.Goal)
	} else {
		w.section("goal")
	}
	w.premises(p)
	w.section("defaults")
	for i := range p.Speclets {
		w.speclet("speclets["+strconv.Itoa(i)+"]", &p.Speclets[i])
	}
	for i := range p.Tasks {
		w.task("tasks["+strconv.Itoa(i)+"]", &p.Tasks[i])
	}
	w.completion(&p.Completion)
	w.surroundings(p)
	for _, t := range treeOf(placed(p.Settings), nil).kids {
		if t.leaf != nil { // a table without keys
			w.header(t.name, "["+tomlKey(t.name)+"]")
			continue
		}
		w.settings(tomlKey(t.name), t, false)
	}
}

// none writes lists that say "none", which have no header.
func (w *page) none(p *Plan) {
	empty := func(key string, is bool) {
		if is {
			w.line(key, " = []")
		}
	}
	empty("requirements", p.Requirements != nil && len(p.Requirements) == 0)
	empty("assumptions", p.Assumptions != nil && len(p.Assumptions) == 0)
	empty("invariants", p.Invariants != nil && len(p.Invariants) == 0)
	empty("non_goals", p.NonGoals != nil && len(p.NonGoals) == 0)
	empty("speclets", p.Speclets != nil && len(p.Speclets) == 0)
	empty("tasks", p.Tasks != nil && len(p.Tasks) == 0)
}

func (w *page) premises(p *Plan) {
	w.section("requirements")
	for i, r := range p.Requirements {
		w.header("requirements["+strconv.Itoa(i)+"]", "[[requirements]]")
		w.ident("id", r.ID)
		w.text("text", r.Text)
	}
	w.section("assumptions")
	for i, a := range p.Assumptions {
		w.header("assumptions["+strconv.Itoa(i)+"]", "[[assumptions]]")
		w.ident("id", a.ID)
		w.text("text", a.Text)
		w.check("check", a.Check)
	}
	w.section("invariants")
	for i, v := range p.Invariants {
		w.header("invariants["+strconv.Itoa(i)+"]", "[[invariants]]")
		w.ident("id", v.ID)
		w.text("text", v.Text)
		if !v.Critical {
			w.field("critical", "false")
		}
		w.check("check", v.Check)
	}
	w.section("non_goals")
	for i, n := range p.NonGoals {
		w.header("non_goals["+strconv.Itoa(i)+"]", "[[non_goals]]")
		w.ident("id", n.ID)
		w.text("text", n.Text)
		w.texts("paths", n.Paths)
		w.texts("symbols", n.Symbols)
	}
}

func (w *page) speclet(path string, s *Speclet) {
	w.header(path, "[[speclets]]")
	w.ident("id", s.ID)
	w.text("description", s.Description)
	w.idents("depends_on", s.DependsOn)
	w.idents("tasks", s.Tasks)
	w.maybeFlag("parallel_allowed", s.ParallelAllowed)
}

func (w *page) task(path string, t *Task) {
	w.header(path, "[[tasks]]")
	w.ident("id", t.ID)
	w.text("title", t.Title)
	w.text("description", t.Description)
	w.text("kind", t.Kind)
	w.text("priority", t.Priority)
	w.idents("depends_on", t.DependsOn)
	w.duration("estimate", t.Estimate)
	w.number("complexity", t.Complexity, 1, 5)
	w.texts("acceptance_criteria", t.AcceptanceCriteria)
	w.flag("research_enabled", t.ResearchEnabled)
	w.texts("research_sources", t.ResearchSources)
	w.about("files")
	if t.Steps != nil && len(t.Steps) == 0 {
		w.line("steps = []")
	}
	w.indent = "  "
	for i := range t.Steps {
		w.step(path+".steps["+strconv.Itoa(i)+"]", &t.Steps[i])
	}
	w.indent = ""
}

func (w *page) step(path string, s *Step) {
	w.header(path, "[[tasks.steps]]")
	w.ident("id", s.ID)
	w.text("description", s.Description)
	w.text("run", s.Run)
	w.text("prompt", s.Prompt)
	w.text("executor", s.Executor)
	w.text("expected_output", s.ExpectedOutput)
	if e := s.Expect; e != nil {
		w.table("expect", new(inline).number("exit", e.Exit, 0, 255).text("stdout_contains", e.StdoutContains).text("stdout_matches", e.StdoutMatches))
	}
	choose(w, "mode", s.Mode, Silent, Collaborative, Dynamic, Education)
	w.maybeFlag("critical_flag", s.Critical)
	w.duration("timeout", s.Timeout)
	w.maybeNumber("max_retries", s.MaxRetries, 0, 1000)
	choose(w, "on_failure", s.OnFailure, Block, Retry, Ask)
	choose(w, "rollback", s.Rollback, Reversible, Compensatable, Irreversible)
	w.text("compensate", s.Compensate)
	choose(w, "semantic_change", s.SemanticChange, Preserving, Extending, Modifying, Breaking)
	w.idents("requirements", s.Requirements)
	w.texts("components", s.Components)
	w.texts("constraints", s.Constraints)
	w.flag("tdd", s.TDD)
	w.scope(s)
	w.checks("preconditions", s.Preconditions)
	w.checks("postconditions", s.Postconditions)
	w.texts("evidence", s.Evidence)
	if t := s.TestIntent; t != nil {
		w.table("test_intent", new(inline).text("behavior", t.Behavior).text("invariant", t.Invariant).
			text("failure_means", t.FailureMeans).text("test", t.Test).text("fixed_by", string(t.FixedBy)))
	}
	if s.Backups != nil && len(s.Backups) == 0 {
		w.line("backups = []")
	}
	w.indent += "  "
	for i := range s.Backups {
		w.backup(path+".backups["+strconv.Itoa(i)+"]", &s.Backups[i])
	}
	w.indent = w.indent[2:]
}

// scope writes what a step may change.
func (w *page) scope(s *Step) {
	if a := s.Artifacts; a != nil {
		w.table("artifacts", new(inline).texts("create", a.Create).texts("modify", a.Modify).texts("delete", a.Delete).
			texts("symbols_add", a.SymbolsAdd).texts("symbols_remove", a.SymbolsRemove))
	} else {
		w.about("artifacts")
	}
	if l := s.Limits; l != nil {
		w.table("limits", new(inline).number("max_files", l.MaxFiles, 0, many).number("max_lines", l.MaxLines, 0, many).texts("modules", l.Modules))
	} else {
		w.about("limits")
	}
	if a := s.Access; a != nil {
		w.table("access", new(inline).texts("reads", a.Reads).texts("writes", a.Writes).texts("symbols", a.Symbols))
	}
}

func (w *page) backup(path string, b *Backup) {
	w.header(path, "[[tasks.steps.backups]]")
	w.ident("id", b.ID)
	w.text("description", b.Description)
	w.text("run", b.Run)
	w.text("prompt", b.Prompt)
	w.text("executor", b.Executor)
	w.text("trigger_condition", b.TriggerCondition)
	w.text("execution_method", b.ExecutionMethod)
	w.text("tool_path", b.ToolPath)
	w.texts("tool_args", b.ToolArgs)
}

func (w *page) check(key string, c *Check) {
	if c == nil {
		w.about(key)
		return
	}
	w.about(key)
	w.line(key, " = ", w.inlineCheck(key, c))
}

// inlineCheck spells a check on one line, as lists of checks need it.
func (w *page) inlineCheck(key string, c *Check) string {
	t := new(inline).text("kind", c.Kind).text("path", c.Path).text("text", c.Text).text("matches", c.Matches).text("run", c.Run).
		number("exit", c.Exit, 0, 255).text("stdout_contains", c.StdoutContains).text("symbol", c.Symbol).text("package", c.Package).
		text("name", c.Name).text("version", c.Version).settings(c.Extra, checkKeys.names())
	for _, u := range t.unsaid {
		w.comment("decide: " + key + ": " + u)
	}
	return t.String()
}

func (w *page) checks(key string, list []Check) {
	if list == nil {
		w.about(key)
		return
	}
	items := make([]string, len(list))
	for i := range list {
		items[i] = w.inlineCheck(key, &list[i])
	}
	w.items(key, items)
}

func (w *page) completion(c *Completion) {
	const path = "completion_criteria"
	if c.AcceptanceCriteria == nil && c.Checks == nil && len(c.Flags) == 0 {
		w.section(path)
		return
	}
	w.header(path, "["+path+"]")
	w.texts("acceptance_criteria", c.AcceptanceCriteria)
	w.checks("checks", c.Checks)
	w.settings(path, treeOf(c.Flags, completionKeys.names()), true)
}

// surroundings writes what a run depends on and how it goes.
func (w *page) surroundings(p *Plan) {
	if s := &p.Scope; s.Ignore != nil || s.Stamps != nil || s.Track != nil {
		w.header("ledger", "[ledger]")
		w.texts("ignore", s.Ignore)
		w.texts("stamps", s.Stamps)
		w.texts("track", s.Track)
	}
	if e := &p.Envelope; e.Model != "" || e.PromptTemplate != nil || e.Context != nil || e.Tools != nil || e.Config != nil {
		w.header("envelope", "[envelope]")
		w.text("model", e.Model)
		w.texts("prompt_template", e.PromptTemplate)
		w.texts("context", e.Context)
		w.texts("tools", e.Tools)
		w.texts("config", e.Config)
	}
	w.sandbox(&p.Sandbox)
	if e := &p.Execution; e.DefaultMode != "" || len(e.Extra) > 0 {
		w.header("execution", "[execution]")
		choose(w, "default_mode", e.DefaultMode, Silent, Collaborative, Dynamic, Education)
		w.settings("execution", treeOf(e.Extra, executionKeys.names()), true)
	}
	e := &p.ErrorPropagation
	if e.Enabled == nil && e.ReadPriorSteps == nil && e.DependencyTracking == nil && e.Strategy == "" && e.FailureThreshold == 0 && len(e.Extra) == 0 {
		return
	}
	w.header("error_propagation", "[error_propagation]")
	w.maybeFlag("enabled", e.Enabled)
	w.maybeFlag("read_prior_steps", e.ReadPriorSteps)
	w.maybeFlag("dependency_tracking", e.DependencyTracking)
	choose(w, "propagation_strategy", e.Strategy, strategies...)
	w.number("failure_threshold", e.FailureThreshold, 1, many)
	w.settings("error_propagation", treeOf(e.Extra, propagationKeys.names()), true)
}

func (w *page) sandbox(s *Sandbox) {
	if s.Level == "" && s.Network == nil && s.CPU == "" && s.Memory == "" && s.Output == "" && s.Env == nil && s.Writable == nil {
		return
	}
	w.header("sandbox", "[sandbox]")
	choose(w, "level", s.Level, slices.Clone(sandboxLevels)...)
	w.maybeFlag("network", s.Network)
	w.text("cpu", s.CPU)
	w.text("memory", s.Memory)
	w.text("output", s.Output)
	w.texts("env", s.Env)
	w.texts("writable", s.Writable)
}

var sandboxLevels = []string{"none", "process", "filesystem", "strict"}
