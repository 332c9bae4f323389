package spec

import (
	"sync"

	"github.com/planlock/planlock/plan"
)

// A rule is one thing that a pair, or one half of it, is checked for.
type rule struct {
	code     string
	severity plan.Severity
	judge    func(*judged, reporter)
	why      string
}

// rules is the one table of them. docs/spec-rules.md is written from it, and
// testdata/rules.toml breaks each.
var rules = sync.OnceValue(func() []rule {
	return []rule{
		// The files as such.
		{"file-missing", plan.Error, fileMissing,
			"A plan of this kind is two files, one for people and one for machines. One alone does not say all " +
				"that a run needs."},
		{"toml-parse-error", plan.Error, halves(tomlFile, notTOML),
			"The parameters are TOML, and every key stands once."},
		{"markdown-too-dense", plan.Error, halves(markdownFile, tooDense),
			"The Markdown is text for people: headings, items and paragraphs have 20 bytes on average at least. " +
				"Behind the place where there are more, nothing is read."},
		{"utf8-invalid", plan.Warning, halves(markdownFile, notUTF8),
			"Both files are UTF-8."},

		// The goal.
		{"goal-missing", plan.Error, halves(anyHalf, goalMissing),
			"Each half states the goal: in Markdown below the heading Goal, in TOML as goal.description or " +
				"goal.statement."},
		{"goal-multiple", plan.Error, halves(anyHalf, goalMultiple),
			"A plan has one goal. Two goals are two plans."},
		{"goal-mismatch", plan.Error, pairs(goalMismatch),
			"Both halves state the same goal. Backquotes, blanks and a final period do not count."},
		{"goal-punctuation-differs", plan.Note, pairs(goalPunctuation),
			"The goals differ by a final period only."},
		{"goal-vague", plan.Warning, halves(goalHalf, goalVague),
			"A goal says what is there in the end; one or two words, or a placeholder, do not."},

		// What software that is built needs.
		{"stack-incomplete", plan.Error, halves(software, stackIncomplete),
			"A goal with the whole word build, create, develop, system, application or app builds software. Then the parameters say with what, " +
				"for whom and how it is delivered: [software_stack] with deployment_type and primary_language, [user_interface], [deployment], and " +
				"[completion_criteria]. An interface that is required has interface_type, target_users and skill_level; a desktop_app or web_app has " +
				"target_platform, installation_type and startup_method."},
		{"completion-thin", plan.Warning, halves(software, completionThin),
			"What is built is complete by criteria: a list acceptance_criteria, or at least three flags that " +
				"are true."},
		{"delivery-unsaid", plan.Warning, halves(software, deliveryUnsaid),
			"What is built for others says how it reaches them: a desktop_app has software_stack.packaging_method; where an interface is required, " +
				"completion_criteria.interface_complete says when it is complete; where the goal names an API or " +
				"something external, completion_criteria.production_ready."},

		// Tasks.
		{"no-tasks", plan.Error, halves(anyHalf, noTasks),
			"A goal without a task is a wish: each half has at least one."},
		{"task-duplicate-id", plan.Error, halves(anyHalf, taskDuplicate),
			"An id names one task of its half."},
		{"id-missing", plan.Warning, idMissing,
			"Tasks and steps have ids; without one they are called by their place, which changes when another " +
				"is put before."},
		{"task-no-description", plan.Error, tasks(anyHalf, taskNoDescription),
			"A task says what it is: in Markdown behind its number, in TOML as description or name."},
		{"task-no-steps", plan.Error, tasks(anyHalf, taskNoSteps),
			"A task without a step has nothing to carry out."},
		{"task-count-large", plan.Warning, halves(mainHalf, taskCountLarge),
			"More than 20 tasks are more than a person keeps in view."},

		// What a step says of critical, mode and retries.
		{"critical-flag-missing", plan.Error, flagMissing,
			"Each step says whether the goal fails with it: critical_flag, true or false, on the step or for " +
				"all of them on the task."},
		{"mode-missing", plan.Warning, lacking("its mode", `mode = "silent"`, modeUnsaid),
			"Each step says whether a person is asked: mode, on the step or for all of them on the task."},
		{"mode-invalid", plan.Error, steps(mainHalf, modeInvalid),
			"A mode is silent, collaborative, dynamic or education."},
		{"mode-not-silent-or-collaborative", plan.Warning, steps(parameters, modeOther),
			"Steps are silent or collaborative by the letter of the format; dynamic and education are " +
				"understood as well."},
		{"retries-missing", plan.Warning, lacking("how often it may be tried again", "max_retries = 2", retriesUnsaid),
			"Each step says how often it may be tried again: max_retries, on the step or for all of them on the task."},
		{"retries-negative", plan.Error, steps(parameters, retriesNegative),
			"max_retries is a whole number from 0."},

		// Steps and backups.
		{"step-duplicate-id", plan.Error, tasks(anyHalf, stepDuplicate),
			"An id names one step of its task. Step 2.3 of task 2 is its step 3."},
		{"step-no-action", plan.Error, steps(anyHalf, stepNoAction),
			"A step says what is done: in Markdown behind its number, in TOML as description or action."},
		{"step-no-expected-output", plan.Warning, steps(mainHalf, stepNoOutput),
			"A step says what can be seen when it is done."},
		{"critical-step-no-backup", plan.Warning, steps(mainHalf, criticalNoBackup),
			"Where the goal fails with a step, there is another way to do it."},
		{"backup-only-retry", plan.Warning, steps(mainHalf, backupOnlyRetry),
			"A backup is another way to do the step. Doing the same again is what max_retries is for."},
		{"backup-no-description", plan.Warning, steps(anyHalf, backupEmpty),
			"A backup says what it does differently."},
		{"backup-duplicate-id", plan.Warning, steps(anyHalf, backupDuplicate),
			"An id names one backup of its step."},

		// How many steps are critical, and totals.
		{"critical-balance-all", plan.Warning, tasks(mainHalf, balanceAll),
			"If every step of a task is critical, the flag tells nothing."},
		{"critical-balance-none", plan.Warning, tasks(mainHalf, balanceNone),
			"If no step of a task is critical, the goal may fail unseen. A task with one step is exempt."},
		{"critical-balance", plan.Note, halves(mainHalf, balanceWhole),
			"Of all steps, 40 to 60 % are critical in a plan that distinguishes them."},
		{"declared-total-wrong", plan.Note, halves(parameters, totalWrong),
			"Totals that were written by hand, in [validation] or as critical_balance of a task, are those of " +
				"the plan."},

		// Tasks in both files.
		{"task-missing-in-toml", plan.Error, pairs(taskNotInTOML),
			"Every task of the Markdown has a table in the parameters, by id."},
		{"task-missing-in-md", plan.Error, pairs(taskNotInMarkdown),
			"Every task of the parameters has a heading in the Markdown, by id."},
		{"task-title-differs", plan.Warning, pairs(taskTitles),
			"A task is called the same in both files."},
		{"order-differs", plan.Warning, pairs(orderDiffers),
			"Tasks, and the steps of a task, stand in the same order in both files."},
		{"step-ids-shifted", plan.Error, pairs(stepsShifted),
			"Both files count the steps of a task from the same number. Where one begins at 0 and the other at 1, " +
				"every step is compared with its neighbour; they are matched by place then, and reported once."},

		// Steps in both files.
		{"step-missing-in-toml", plan.Error, pairs(stepNotInTOML),
			"Every step of the Markdown has a table in the parameters, by id."},
		{"step-missing-in-md", plan.Error, pairs(stepNotInMarkdown),
			"Every step of the parameters stands in the Markdown, by id."},
		{"backup-missing-in-toml", plan.Error, stepsOfBoth(backupNotInTOML),
			"Every backup of the Markdown stands in the parameters."},
		{"backup-missing-in-md", plan.Error, stepsOfBoth(backupNotInMarkdown),
			"Every backup of the parameters stands in the Markdown."},
		{"backup-id-differs", plan.Warning, stepsOfBoth(backupIDs),
			"The backups of a step have the same ids in both files."},
		{"title-differs", plan.Warning, stepsOfBoth(stepTitles),
			"A step is called the same in both files."},
		{"expected-output-differs", plan.Warning, stepsOfBoth(outputsDiffer),
			"Both files expect the same of a step."},
		{"critical-differs", plan.Warning, stepsOfBoth(criticalDiffers),
			"Both files agree whether a step is critical. The run follows the parameters."},
		{"mode-differs", plan.Warning, stepsOfBoth(modesDiffer),
			"Both files give a step the same mode. The run follows the parameters."},

		// SPECLets in both files.
		{"speclet-missing-in-toml", plan.Error, pairs(specletNotInTOML),
			"Every SPECLet of the Markdown has a table in the parameters, by id."},
		{"speclet-missing-in-md", plan.Error, pairs(specletNotInMarkdown),
			"Every SPECLet of the parameters has a heading in the Markdown, by id."},
		{"speclet-duplicate-id", plan.Error, halves(parameters, specletDuplicate),
			"An id names one SPECLet of the parameters. In Markdown it may have two headings, an overview and " +
				"its details."},
		{"speclet-dep-differs", plan.Warning, pairs(specletDepends),
			"Both files say the same of what a SPECLet waits for, in each of its headings. The run follows the " +
				"parameters."},
		{"speclet-differs", plan.Warning, pairs(specletDiffers),
			"Both files call a SPECLet the same, and list the same tasks in it. The run follows the parameters."},
		{"task-in-several-speclets", plan.Error, halves(grouped, taskTwice),
			"A task is in exactly one SPECLet."},
		{"task-unassigned", plan.Error, halves(grouped, taskUnassigned),
			"Where there are SPECLets, every task is in one."},
		{"speclet-task-unknown", plan.Error, halves(grouped, specletTaskUnknown),
			"A SPECLet lists tasks that are there."},

		// The order of SPECLets.
		{"speclet-dep-unknown", plan.Error, halves(grouped, specletDepUnknown),
			"A SPECLet depends on SPECLets that are there, by id or name."},
		{"speclet-self-dep", plan.Error, halves(grouped, specletSelf),
			"A SPECLet that waits for itself never begins."},
		{"speclet-cycle", plan.Error, halves(grouped, specletCycle),
			"SPECLets that wait for each other never begin. The whole circle is named."},
		{"speclet-parallel-invalid", plan.Warning, halves(grouped, parallelInvalid),
			"parallel_allowed is true or false."},
		{"speclet-parallel-all-false", plan.Warning, halves(grouped, parallelNever),
			"Where no SPECLet may run beside another, tasks alone would do."},
		{"speclet-single", plan.Warning, halves(grouped, specletSingle),
			"One SPECLet orders nothing: tasks alone would do."},
		{"speclet-chain-deep", plan.Warning, halves(grouped, chainDeep),
			"More than four SPECLets, each waiting for the one before, let nothing run side by side."},

		// What holds for the plan as a whole.
		{"error-propagation-incomplete", plan.Warning, halves(parameters, propagationIncomplete),
			"Later steps see what went wrong before them: [error_propagation] has enabled and read_prior_steps, " +
				"both true."},
		{"propagation-strategy-unknown", plan.Warning, halves(parameters, strategyUnknown),
			"The strategy is halt_on_critical, continue_and_log or collaborative_review."},
		{"default-mode-invalid", plan.Warning, halves(parameters, defaultMode),
			"The mode of a run is silent, collaborative, dynamic or education."},
		{"constraint-ref-dangling", plan.Warning, halves(parameters, dangling("constraints", (*step).namesConstraints)),
			"A constraint that the Markdown or a step names is a key of [constraints]."},
		{"component-ref-dangling", plan.Warning, halves(parameters, dangling("components", (*step).namesComponents)),
			"A component that the Markdown or a step names is a key of [components]."},
		{"sections-missing", plan.Note, halves(markdown, sectionsMissing),
			"The Markdown has the sections Definition of Complete, Definitions, Components, Constraints, " +
				"Bridging and Instructions for LLM."},
	}
})
