package plan

import (
	"math"
)

// SchemaVersion is the version of the native format, as in schema = 1.
const SchemaVersion = 1

// many bounds numbers that have no bound of their own.
const many = math.MaxInt32

// The words that keys may have.
var (
	layers          = words(Overlay, Clone, InPlace)
	modes           = words(Silent, Collaborative, Dynamic, Education)
	failures        = words(Block, Retry, Ask)
	rollbacks       = words(Reversible, Compensatable, Irreversible)
	semanticChanges = words(Preserving, Extending, Modifying, Breaking)
	propagations    = words(HaltOnCritical, ContinueAndLog, CollaborativeReview)
)

// words are the texts of constants, as a key lists them.
func words[S ~string](list ...S) []string {
	texts := make([]string, len(list))
	for i, s := range list {
		texts[i] = string(s)
	}
	return texts
}

// Visit tells a visitor the keys at the top of a plan.
func (p *Plan) Visit(v Visitor) {
	number(v, Key{Name: "schema", Doc: "the version of the format: 1", Min: SchemaVersion, Max: SchemaVersion},
		&p.Schema)
	typed(v, Key{Name: "profile", Doc: "what complete means", Words: words(Strict, Scoped, Observe),
		Default: string(Strict)}, &p.Profile)
	part(v, Key{Name: "meta", Doc: "names the plan"}, p.Meta.visit)
	v.Table(Key{Name: "goal", Doc: "the goal, exactly one"}, Table{Part: true, Thin: true, Visit: func(v Visitor) {
		v.Text(Key{Name: "description", Doc: "the one sentence the plan exists for", Older: "statement", means: prose},
			&p.Goal)
	}})
	list(v, Key{Name: "requirements", Doc: "what the user asked for"}, &p.Requirements, (*Requirement).visit)
	list(v, Key{Name: "assumptions", Doc: "what is taken for granted"}, &p.Assumptions, (*Assumption).visit)
	list(v, Key{Name: "invariants", Doc: "what holds throughout"}, &p.Invariants, (*Invariant).visit)
	list(v, Key{Name: "non_goals", Doc: "what must not be touched; [] means nothing"}, &p.NonGoals, (*NonGoal).visit)
	list(v, Key{Name: "surfaces", Doc: "what public symbols promise; under strict all of it, and of each that steps add"},
		&p.Surfaces, (*Surface).visit)
	list(v, Key{Name: "gates", Doc: "gates that the plan asks for besides those of the host"}, &p.Gates,
		(*GateUse).visit)
	part(v, Key{Name: "defaults", Doc: "what steps inherit"}, new(Step).visitShared)
	list(v, Key{Name: "speclets", Doc: "groups of tasks"}, &p.Speclets, (*Speclet).Visit)
	list(v, Key{Name: "tasks", Doc: "the tasks, in order", means: own}, &p.Tasks, (*Task).Visit)
	part(v, Key{Name: "completion_criteria", Doc: "when the whole is done"}, p.Completion.Visit)
	part(v, Key{Name: "ledger", Doc: "what is accounted"}, func(v Visitor) {
		s := &p.Scope
		v.Texts(Key{Name: "ignore", Doc: "globs of what is not accounted, nor held against non-goals", Set: true,
			means: glob}, &s.Ignore)
		v.Texts(Key{Name: "stamps", Doc: "globs of what is watched by names only, and not restored", Set: true,
			means: glob}, &s.Stamps)
		v.Texts(Key{Name: "track", Doc: "globs of what is watched, but not restored", Set: true, means: glob}, &s.Track)
	})
	part(v, Key{Name: "envelope", Doc: "what the outcome depends on"}, p.Envelope.visit)
	part(v, Key{Name: "sandbox", Doc: "how far steps are locked in"}, p.Sandbox.visit)
	part(v, Key{Name: "execution", Doc: "how the run goes"}, p.Execution.visit)
	part(v, Key{Name: "error_propagation", Doc: "what a failure means for later steps"}, p.ErrorPropagation.visit)
	v.FreeTables(Key{Name: "settings", Doc: "free: part of the plan; key-idle tells what nothing acts on",
		Words: freeNames()}, &p.Settings)
}

// visit tells the keys of [meta]; it takes any others, too.
func (m *Meta) visit(v Visitor) {
	v.Text(Key{Name: "goal_descriptor", Doc: "the plan's short name"}, &m.Name)
	v.Text(Key{Name: "version", Doc: "the plan's version"}, &m.Version)
	v.Settings(Key{Name: "extra"}, &m.Extra)
}

// visit tells the keys of [[requirements]].
func (r *Requirement) visit(v Visitor) {
	v.Text(Key{Name: "id", Doc: "names the requirement", ID: true}, &r.ID)
	v.Text(Key{Name: "text", Doc: "what is required", means: prose}, &r.Text)
	optional(v, Key{Name: "check", Doc: "must hold at the end, and speaks for the steps that serve the requirement"},
		&r.Check, (*Check).visit)
}

// visit tells the keys of [[assumptions]].
func (a *Assumption) visit(v Visitor) {
	v.Text(Key{Name: "id", Doc: "names the assumption", ID: true}, &a.ID)
	v.Text(Key{Name: "text", Doc: "what is taken for granted", means: prose}, &a.Text)
	optional(v, Key{Name: "check", Doc: "how to find out"}, &a.Check, (*Check).visit)
}

// visit tells the keys of [[invariants]].
func (i *Invariant) visit(v Visitor) {
	v.Text(Key{Name: "id", Doc: "names the invariant", ID: true}, &i.ID)
	v.Text(Key{Name: "text", Doc: "what holds before, between and after steps", means: prose}, &i.Text)
	flag(v, Key{Name: "critical", Doc: "whether a breach ends the run, true if not said", Default: "true"}, &i.Critical)
	optional(v, Key{Name: "check", Doc: "how to find out"}, &i.Check, (*Check).visit)
}

// visit tells the keys of [[non_goals]].
func (n *NonGoal) visit(v Visitor) {
	v.Text(Key{Name: "id", Doc: "names the non-goal", ID: true}, &n.ID)
	v.Text(Key{Name: "text", Doc: "what must not be touched", means: prose}, &n.Text)
	v.Texts(Key{Name: "paths", Doc: "paths or globs that no step may change", Set: true, means: glob}, &n.Paths)
	v.Texts(Key{Name: "symbols", Doc: "symbols that no step may add or remove", Set: true, means: symbol}, &n.Symbols)
}

// visit tells the keys of [[gates]]: a name, and whatever arguments the gate
// takes.
func (g *GateUse) visit(v Visitor) {
	v.Text(Key{Name: "name", Doc: "the gate, built in or of the host; all other keys are its arguments", means: prose},
		&g.Name)
	v.Settings(Key{Name: "args"}, &g.Args)
}

// Visit tells the keys of [[speclets]].
func (s *Speclet) Visit(v Visitor) {
	v.Text(Key{Name: "id", Doc: "names the speclet", ID: true}, &s.ID)
	v.Text(Key{Name: "description", Doc: "what the group of tasks is for", means: prose}, &s.Description)
	v.Texts(Key{Name: "depends_on", Doc: "speclets that come before", ID: true, Set: true}, &s.DependsOn)
	v.Texts(Key{Name: "tasks", Doc: "ids of its tasks", ID: true, Set: true}, &s.Tasks)
	v.Flag(Key{Name: "parallel_allowed", Doc: "whether it may run beside others of its stage"}, &s.ParallelAllowed)
	v.Text(Key{Name: "wave", Doc: "speclets of one wave may run at once", ID: true}, &s.Wave)
}

// Visit tells the keys of [[tasks]]. Files have no key in a plan file: front
// ends of other formats read them, and a native plan says the same with
// artifacts.
func (t *Task) Visit(v Visitor) {
	v.Text(Key{Name: "id", Doc: "names the task", ID: true}, &t.ID)
	v.Text(Key{Name: "title", Doc: "its short name", means: prose}, &t.Title)
	v.Text(Key{Name: "description", Doc: "what the task achieves", means: prose}, &t.Description)
	v.Text(Key{Name: "kind", Doc: "what kind of work it is"}, &t.Kind)
	v.Text(Key{Name: "priority", Doc: "how urgent it is", ID: true}, &t.Priority)
	v.Texts(Key{Name: "depends_on", Doc: "tasks that come before", ID: true, Set: true}, &t.DependsOn)
	v.Text(Key{Name: "wave", Doc: "tasks of one wave and one speclet may run at once", ID: true}, &t.Wave)
	v.Duration(Key{Name: "estimate", Doc: "how long it may take"}, &t.Estimate)
	number(v, Key{Name: "complexity", Doc: "1 (simple) to 5 (hard)", Min: 1, Max: 5}, &t.Complexity)
	v.Texts(Key{Name: "acceptance_criteria", Doc: "when it is done"}, &t.AcceptanceCriteria)
	flag(v, Key{Name: "research_enabled", Doc: "whether research may come first"}, &t.ResearchEnabled)
	v.Texts(Key{Name: "research_sources", Doc: "where to look"}, &t.ResearchSources)
	v.Texts(Key{Name: "hints", Doc: "what may help; told to whoever carries it out or reviews it, and binds nobody"},
		&t.Hints)
	v.Texts(Key{Name: "files", Set: true, Unwritten: true}, &t.Files)
	v.Texts(Key{Name: "plan_files", Set: true, Unwritten: true}, &t.PlanFiles)
	list(v, Key{Name: "steps", Doc: "the steps, in order", means: own}, &t.Steps, (*Step).Visit)
}

// visit tells the keys of a check of any kind; which of them a kind takes is a
// matter of rules.
func (c *Check) visit(v Visitor) {
	v.Text(Key{Name: "kind", Doc: "what is checked, as in \"file_exists\""}, &c.Kind)
	v.Text(Key{Name: "path", Doc: "a file, relative to the workspace", means: glob}, &c.Path)
	v.Text(Key{Name: "text", Doc: "text that the file must contain", Verbatim: true}, &c.Text)
	v.Text(Key{Name: "matches", Doc: "a regular expression (RE2) that must match the file", means: regex}, &c.Matches)
	v.Text(Key{Name: "run", Doc: "a shell command, or the tests to run", means: command}, &c.Run)
	v.Number(Key{Name: "exit", Doc: "the exit status that is expected, 0 if not said", Max: 255}, &c.Exit)
	v.Text(Key{Name: "stdout_contains", Doc: "text that the command must print", Verbatim: true}, &c.StdoutContains)
	v.Text(Key{Name: "symbol", Doc: "a symbol, as in \"server.Limiter.Allow\"", means: symbol}, &c.Symbol)
	v.Text(Key{Name: "package", Doc: "a Go package, as in \"./server\""}, &c.Package)
	v.Text(Key{Name: "name", Doc: "a variable of the environment, or a program"}, &c.Name)
	v.Text(Key{Name: "version", Doc: "text that the program's version must contain"}, &c.Version)
	flag(v, Key{Name: "derived", Doc: "it was read from words that do not ask for a check, as in \"Create `x`\""},
		&c.Derived)
	v.Settings(Key{Name: "extra"}, &c.Extra)
}

// Visit tells the keys of [completion_criteria].
func (c *Completion) Visit(v Visitor) {
	v.Texts(Key{Name: "acceptance_criteria", Doc: "when the whole is done"}, &c.AcceptanceCriteria)
	list(v, Key{Name: "checks", Doc: "checks that must hold at the end", Inline: true}, &c.Checks, (*Check).visit)
	v.Settings(Key{Name: "flags"}, &c.Flags)
}

// visit tells the keys of [envelope]. The order of templates matters, as a
// prompt is made of them in turn; that of the other lists does not.
func (e *EnvelopeSpec) visit(v Visitor) {
	v.Text(Key{Name: "model", Doc: "the model that agents use"}, &e.Model)
	v.Texts(Key{Name: "prompt_template", Doc: "files", means: glob}, &e.PromptTemplate)
	v.Texts(Key{Name: "context", Doc: "globs of files that agents read", Set: true, means: glob}, &e.Context)
	v.Texts(Key{Name: "tools", Doc: "names of programs", Set: true}, &e.Tools)
	v.Texts(Key{Name: "config", Doc: "files", Set: true, means: glob}, &e.Config)
}

// visit tells the keys of [sandbox].
func (s *Sandbox) visit(v Visitor) {
	v.Text(Key{Name: "level", Doc: "how far a step is locked in, filesystem if not said",
		Words: sandboxLevels}, &s.Level)
	typed(v, Key{Name: "layer", Doc: "where steps work, a copy that only accepted work leaves if not said, in an overlay where the machine has them",
		Words: layers}, &s.Layer)
	v.Flag(Key{Name: "network", Doc: "whether steps may use the network"}, &s.Network)
	v.Text(Key{Name: "cpu", Doc: "processor time of each process of a step, a duration"}, &s.CPU)
	v.Text(Key{Name: "memory", Doc: "memory of a step, as in \"2GiB\""}, &s.Memory)
	v.Text(Key{Name: "output", Doc: "output of a step that is kept, as in \"1MiB\""}, &s.Output)
	v.Text(Key{Name: "disk", Doc: "bytes of the files that a step may write, as in \"2GiB\""}, &s.Disk)
	v.Number(Key{Name: "gpu", Doc: "how many graphics processors a step needs, and sees; 0: none", Max: 1024}, &s.GPU)
	v.Texts(Key{Name: "env", Doc: "names of variables that are let through", Set: true}, &s.Env)
	v.Texts(Key{Name: "writable",
		Doc: "folders outside the workspace that steps may write to, and sockets there that they may use", Set: true},
		&s.Writable)
}

var sandboxLevels = []string{"none", "process", "filesystem", "strict"}

// visit tells the keys of [execution]. Those that the controller acts on
// besides the mode are settings, which the rule setting-invalid judges.
func (e *Execution) visit(v Visitor) {
	typed(v, Key{Name: "default_mode", Doc: "the mode of steps that say none", Older: "mode", Words: modes},
		&e.DefaultMode)
	v.Settings(Key{Name: "extra"}, &e.Extra)
}

// visit tells the keys of [error_propagation].
func (e *ErrorPropagation) visit(v Visitor) {
	v.Flag(Key{Name: "enabled", Doc: "whether earlier failures are looked at", Older: "propagation_enabled"},
		&e.Enabled)
	v.Flag(Key{Name: "read_prior_steps", Doc: "whether earlier outcomes are read"}, &e.ReadPriorSteps)
	v.Flag(Key{Name: "dependency_tracking", Doc: "false is taken for a breach of the articles, and asked about; what needs a step that failed is blocked all the same"},
		&e.DependencyTracking)
	typed(v, Key{Name: "propagation_strategy", Doc: "what an earlier failure means for later steps", Older: "strategy",
		Words: propagations}, &e.Strategy)
	number(v, Key{Name: "failure_threshold", Doc: "so many failed steps of one task, or in a row, and dynamic mode asks",
		Min: 1, Max: many},
		&e.FailureThreshold)
	v.Settings(Key{Name: "extra"}, &e.Extra)
}

// Visit tells the keys of a step: those of its own first, then those that
// [defaults] may say as well.
func (s *Step) Visit(v Visitor) {
	v.Text(Key{Name: "id", Doc: "names the step within its task", ID: true}, &s.ID)
	v.Text(Key{Name: "description", Doc: "what the step does", means: prose}, &s.Description)
	v.Text(Key{Name: "run", Doc: "a shell command", means: command}, &s.Run)
	v.Text(Key{Name: "prompt", Doc: "what an agent is asked", means: prose}, &s.Prompt)
	v.Text(Key{Name: "tool", Doc: "a tool of an MCP server, as in \"files.write_file\", which planlock calls itself"}, &s.Tool)
	optional(v, Key{Name: "tool_args", Doc: "its arguments, by name"}, &s.ToolArgs, (*Arguments).visit)
	v.Text(Key{Name: "expected_output", Doc: "in words, what it must have brought about", means: prose},
		&s.ExpectedOutput)
	v.Texts(Key{Name: "supersedes", Doc: "addresses of earlier steps whose postconditions need not hold any more",
		Set: true}, &s.Supersedes)
	s.visitShared(v)
	optional(v, Key{Name: "test_intent", Doc: "on a step that writes a test: what for, and who makes it pass"},
		&s.TestIntent,
		(*TestIntent).visit)
	list(v, Key{Name: "backups", Doc: "other ways to do the step, in order"}, &s.Backups, (*Backup).Visit)
}

// visitShared tells the keys that [defaults] may say for all steps.
func (s *Step) visitShared(v Visitor) {
	v.Text(Key{Name: "executor", Doc: "who carries it out; the host's default if not said"}, &s.Executor)
	optional(v, Key{Name: "expect", Doc: "what the command must answer"}, &s.Expect, (*Expect).visit)
	typed(v, Key{Name: "mode", Doc: "who is asked, and when", Words: modes}, &s.Mode)
	v.Flag(Key{Name: "critical_flag", Doc: "whether a failure matters to the whole run, true if not said"}, &s.Critical)
	v.Duration(Key{Name: "timeout",
		Doc: "after so long the step is ended; if not said, what the estimate of its task comes to, else 30m"},
		&s.Timeout)
	v.Number(Key{Name: "max_retries", Doc: "how often the method may be tried again; counts where on_failure is retry", Max: 1000}, &s.MaxRetries)
	typed(v, Key{Name: "on_failure", Doc: "what follows a failure", Words: failures}, &s.OnFailure)
	typed(v, Key{Name: "rollback", Doc: "whether the step can be undone", Words: rollbacks}, &s.Rollback)
	v.Text(Key{Name: "compensate", Doc: "the command that undoes a compensatable step", means: command}, &s.Compensate)
	typed(v, Key{Name: "semantic_change", Doc: "what the step does to behaviour", Words: semanticChanges},
		&s.SemanticChange)
	v.Flag(Key{Name: "deterministic", Doc: "whether it must do the same each time with the same inputs, and is executed twice to tell; if not said, as the run"},
		&s.Deterministic)
	v.Texts(Key{Name: "requirements", Doc: "ids of the requirements that it serves", ID: true, Set: true},
		&s.Requirements)
	v.Texts(Key{Name: "components", Doc: "keys of [components] that it concerns", Set: true}, &s.Components)
	v.Texts(Key{Name: "constraints", Doc: "keys of [constraints] that bind it", Set: true}, &s.Constraints)
	flag(v, Key{Name: "tdd", Doc: "whether its test comes first"}, &s.TDD)
	optional(v, Key{Name: "artifacts", Doc: "what changes; {} means nothing"}, &s.Artifacts, (*Artifacts).visit)
	optional(v, Key{Name: "limits", Doc: "how much may change, and where"}, &s.Limits, (*Limits).visit)
	optional(v, Key{Name: "access", Doc: "what it reads and writes, needed only to run beside other steps"}, &s.Access,
		(*Access).visit)
	v.Texts(Key{Name: "adjustable", Doc: "names of arguments of its command (--name) that an advisor may set to another value, or add",
		Set: true}, &s.Adjustable)
	list(v, Key{Name: "preconditions", Doc: "checks that must hold before", Inline: true}, &s.Preconditions,
		(*Check).visit)
	list(v, Key{Name: "postconditions", Doc: "checks that must hold after", Inline: true}, &s.Postconditions,
		(*Check).visit)
	v.Texts(Key{Name: "evidence", Doc: "what shows that it was done"}, &s.Evidence)
}

// visit tells the keys of what a command must answer.
func (e *Expect) visit(v Visitor) {
	v.Number(Key{Name: "exit", Doc: "the exit status, 0 if not said", Max: 255}, &e.Exit)
	v.Text(Key{Name: "stdout_contains", Doc: "text that standard output must contain", Verbatim: true}, &e.StdoutContains)
	v.Text(Key{Name: "stdout_matches", Doc: "a regular expression (RE2) that must match standard output", means: regex},
		&e.StdoutMatches)
}

// visit tells the keys of what a step changes. A list that is not said is not
// the same as one that is empty: nil symbols are recorded, [] are held to be
// none.
func (a *Artifacts) visit(v Visitor) {
	v.Texts(Key{Name: "create", Doc: "files that the step creates: paths, or globs that must match at least one",
		Set: true, means: glob}, &a.Create)
	v.Texts(Key{Name: "modify", Doc: "files that the step modifies", Set: true, means: glob}, &a.Modify)
	v.Texts(Key{Name: "delete", Doc: "files that the step deletes", Set: true, means: glob}, &a.Delete)
	v.Texts(Key{Name: "symbols_add", Doc: "Go symbols that appear, as in \"server.Limiter.Allow\"; [] means none",
		Set: true, means: symbol}, &a.SymbolsAdd)
	v.Texts(Key{Name: "symbols_remove", Doc: "Go symbols that disappear; [] means none", Set: true, means: symbol},
		&a.SymbolsRemove)
	list(v, Key{Name: "bears", Doc: "owners, special bits and attributes that created and modified files have at the end; all others are refused",
		Inline: true}, &a.Bears, (*Bearing).visit)
}

// visit tells the keys of what a file bears.
func (b *Bearing) visit(v Visitor) {
	v.Text(Key{Name: "path", Doc: "a file that the step creates or modifies", means: glob}, &b.Path)
	v.Number(Key{Name: "owner", Doc: "the number of its owner", Max: many}, &b.Owner)
	v.Number(Key{Name: "group", Doc: "the number of its group", Max: many}, &b.Group)
	flag(v, Key{Name: "setuid", Doc: "whether it runs with the rights of its owner"}, &b.SetUID)
	flag(v, Key{Name: "setgid", Doc: "whether it runs with those of its group, or a folder passes its group on"},
		&b.SetGID)
	flag(v, Key{Name: "sticky", Doc: "whether, of a folder, only owners remove what is in it"}, &b.Sticky)
	v.Texts(Key{Name: "attributes", Doc: "names of extended attributes, as in \"security.capability\"", Set: true},
		&b.Attributes)
}

// visit tells the keys of how much a step may change.
func (l *Limits) visit(v Visitor) {
	v.Number(Key{Name: "max_files", Doc: "at most so many files may change", Max: many}, &l.MaxFiles)
	v.Number(Key{Name: "max_lines", Doc: "at most so many lines may be added and removed together; a file that is no text has none", Max: many},
		&l.MaxLines)
	v.Texts(Key{Name: "modules", Doc: "the folders in which changes may happen, or globs of them; [] means none",
		Set: true, means: module}, &l.Modules)
}

// visit tells the keys of what a step reads and writes.
func (a *Access) visit(v Visitor) {
	v.Texts(Key{Name: "reads", Doc: "paths or globs that the step reads", Set: true, means: glob}, &a.Reads)
	v.Texts(Key{Name: "writes", Doc: "paths or globs that the step writes", Set: true, means: glob}, &a.Writes)
	v.Texts(Key{Name: "symbols", Doc: "symbols that the step owns while it runs", Set: true, means: symbol}, &a.Symbols)
}

// visit tells the keys of what a test is for.
func (t *TestIntent) visit(v Visitor) {
	v.Text(Key{Name: "behavior", Doc: "what the test shows"}, &t.Behavior)
	v.Text(Key{Name: "invariant", Doc: "the id of the invariant that it guards"}, &t.Invariant)
	v.Text(Key{Name: "failure_means", Doc: "what a failure of it means"}, &t.FailureMeans)
	v.Text(Key{Name: "test", Doc: "the command that runs it: fails after this step, passes after fixed_by",
		means: command}, &t.Test)
	typed(v, Key{Name: "fixed_by", Doc: "the address of the later step that makes it pass", ID: true}, &t.FixedBy)
}

// Visit tells the keys of [[tasks.steps.backups]].
func (b *Backup) Visit(v Visitor) {
	v.Text(Key{Name: "id", Doc: "names the backup within its step", ID: true}, &b.ID)
	v.Text(Key{Name: "description", Doc: "what it does differently", means: prose}, &b.Description)
	v.Text(Key{Name: "run", Doc: "a shell command", means: command}, &b.Run)
	v.Text(Key{Name: "prompt", Doc: "what an agent is asked", means: prose}, &b.Prompt)
	v.Text(Key{Name: "executor", Doc: "who carries it out; the step's executor if not said"}, &b.Executor)
	v.Text(Key{Name: "trigger_condition", Doc: "when it is used, as in \"primary_failure\""}, &b.TriggerCondition)
	v.Text(Key{Name: "execution_method", Doc: "how it is carried out"}, &b.ExecutionMethod)
	v.Text(Key{Name: "tool_path", Doc: "the program of a tool", means: command}, &b.ToolPath)
	v.Text(Key{Name: "tool", Doc: "a tool of an MCP server, as in \"files.write_file\", which planlock calls itself"}, &b.Tool)
	v.Texts(Key{Name: "tool_args", Doc: "arguments of the program; of a tool of a server each as \"name=value\""}, &b.ToolArgs)
}
