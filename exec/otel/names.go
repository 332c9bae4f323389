package otel

// Scope is the name of the tracer and of the meter.
const Scope = "github.com/planlock/planlock/exec/otel"

// Names of spans, from the outermost to the innermost.
const (
	SpanRun     = "planlock.run"
	SpanTask    = "planlock.task"
	SpanStep    = "planlock.step"
	SpanAttempt = "planlock.attempt"
	SpanGate    = "planlock.gate"
)

// Attributes of spans and of metrics. A span has those of what it is about, and
// the run; a metric has none that tells one run or step from another.
const (
	AttrRun         = "planlock.run.id"
	AttrPlan        = "planlock.plan.digest"
	AttrFormat      = "planlock.plan.format"
	AttrProfile     = "planlock.plan.profile"
	AttrStatus      = "planlock.status"      // of a run, task or step: how it ended
	AttrResumptions = "planlock.resumptions" // of a run: how often it was taken up again
	AttrQuestions   = "planlock.questions"   // of a run: how often a person was asked
	AttrTask        = "planlock.task.id"
	AttrStep        = "planlock.step.address"
	AttrCritical    = "planlock.step.critical"
	AttrAttempts    = "planlock.step.attempts"
	AttrAttempt     = "planlock.attempt.number"
	AttrMethod      = "planlock.attempt.method"
	AttrExecutor    = "planlock.attempt.executor" // a program's is the last part of its path; "default"
	AttrOutcome     = "planlock.attempt.outcome"  // "accepted", or the class of its failure
	AttrExit        = "planlock.attempt.exit"
	AttrLane        = "planlock.attempt.lane" // it ran at the same time as other steps
	AttrTokens      = "planlock.tokens"
	AttrCost        = "planlock.cost.usd"
	AttrCalls       = "planlock.calls"
	AttrGate        = "planlock.gate.name"
	AttrLevel       = "planlock.gate.level"
	AttrPhase       = "planlock.gate.phase"
	AttrVerdict     = "planlock.gate.verdict" // "pass", "partial", "fail", "idle", "undecided"
	AttrFindings    = "planlock.gate.findings"
	AttrRecovery    = "planlock.recovery.rung" // of a link to the attempt before, and of the metric
)

// Names of metrics. Durations are histograms of seconds, all others are sums.
const (
	MetricRuns            = "planlock.runs"
	MetricRunDuration     = "planlock.run.duration"
	MetricSteps           = "planlock.steps"
	MetricStepDuration    = "planlock.step.duration"
	MetricAttempts        = "planlock.attempts"
	MetricAttemptDuration = "planlock.attempt.duration"
	MetricGates           = "planlock.gates"
	MetricGateDuration    = "planlock.gate.duration"
	MetricRecoveries      = "planlock.recoveries"
	MetricQuestions       = "planlock.questions"
	MetricTokens          = "planlock.tokens"
	MetricCost            = "planlock.cost"
)
