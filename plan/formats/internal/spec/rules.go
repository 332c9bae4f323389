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
}

// rules is the one table of them, in the order in which they are asked. Why a
// rule is there says the comment of its function, the last one that the entry
// names; docs/spec-rules.md is written from both, and testdata/rules.toml breaks
// each.
var rules = sync.OnceValue(func() []rule {
	return []rule{
		// The files as such.
		{"file-missing", plan.Error, fileMissing},
		{"toml-parse-error", plan.Error, halves(tomlFile, notTOML)},
		{"markdown-too-dense", plan.Error, halves(markdownFile, tooDense)},
		{"utf8-invalid", plan.Warning, halves(markdownFile, notUTF8)},

		// The goal.
		{"goal-missing", plan.Error, halves(anyHalf, goalMissing)},
		{"goal-multiple", plan.Error, halves(anyHalf, goalMultiple)},
		{"goal-mismatch", plan.Error, pairs(goalMismatch)},
		{"goal-punctuation-differs", plan.Note, pairs(goalPunctuation)},
		{"goal-vague", plan.Warning, halves(goalHalf, goalVague)},

		// What software that is built needs.
		{"stack-incomplete", plan.Error, halves(software, stackIncomplete)},
		{"completion-thin", plan.Warning, halves(software, completionThin)},
		{"delivery-unsaid", plan.Warning, halves(software, deliveryUnsaid)},

		// Tasks.
		{"no-tasks", plan.Error, halves(anyHalf, noTasks)},
		{"task-duplicate-id", plan.Error, halves(anyHalf, taskDuplicate)},
		{"id-missing", plan.Warning, idMissing},
		{"task-no-description", plan.Error, tasks(anyHalf, taskNoDescription)},
		{"task-no-steps", plan.Error, tasks(anyHalf, taskNoSteps)},
		{"task-dep-unknown", plan.Error, halves(parameters, taskDepUnknown)},
		{"task-count-large", plan.Warning, halves(mainHalf, taskCountLarge)},

		// What a step says of critical, mode and retries.
		{"critical-flag-missing", plan.Error, flagMissing},
		{"mode-missing", plan.Warning, lacking("its mode", `mode = "silent"`, modeUnsaid)},
		{"mode-invalid", plan.Error, modeInvalid},
		{"mode-not-silent-or-collaborative", plan.Warning, steps(parameters, modeOther)},
		{"retries-missing", plan.Warning, lacking("how often it may be tried again", "max_retries = 2", retriesUnsaid)},
		{"retries-negative", plan.Error, retriesNegative},

		// Steps and backups.
		{"step-duplicate-id", plan.Error, tasks(anyHalf, stepDuplicate)},
		{"step-no-action", plan.Error, steps(anyHalf, stepNoAction)},
		{"step-no-expected-output", plan.Warning, steps(mainHalf, stepNoOutput)},
		{"critical-step-no-backup", plan.Warning, steps(mainHalf, criticalNoBackup)},
		{"backup-only-retry", plan.Warning, steps(mainHalf, backupOnlyRetry)},
		{"backup-no-description", plan.Warning, steps(anyHalf, backupEmpty)},
		{"backup-duplicate-id", plan.Error, steps(anyHalf, backupDuplicate)},

		// How many steps are critical, and totals.
		{"critical-balance-all", plan.Warning, tasks(mainHalf, balanceAll)},
		{"critical-balance-none", plan.Warning, tasks(mainHalf, balanceNone)},
		{"critical-balance", plan.Note, halves(mainHalf, balanceWhole)},
		{"declared-total-wrong", plan.Note, halves(parameters, totalWrong)},

		// Tasks in both files.
		{"task-missing-in-toml", plan.Error, pairs(taskNotInTOML)},
		{"task-missing-in-md", plan.Error, pairs(taskNotInMarkdown)},
		{"task-title-differs", plan.Warning, pairs(taskTitles)},
		{"order-differs", plan.Warning, pairs(orderDiffers)},
		{"task-ids-shifted", plan.Error, pairs(tasksShiftedOnce)},
		{"step-ids-shifted", plan.Error, pairs(stepsShifted)},

		// Steps in both files.
		{"step-missing-in-toml", plan.Error, pairs(stepNotInTOML)},
		{"step-missing-in-md", plan.Error, pairs(stepNotInMarkdown)},
		{"backup-missing-in-toml", plan.Error, stepsOfBoth(backupNotInTOML)},
		{"backup-missing-in-md", plan.Error, stepsOfBoth(backupNotInMarkdown)},
		{"backup-id-differs", plan.Warning, stepsOfBoth(backupIDs)},
		{"method-differs", plan.Warning, stepsOfBoth(methodsDiffer)},
		{"backup-differs", plan.Warning, stepsOfBoth(backupTexts)},
		{"title-differs", plan.Warning, stepsOfBoth(stepTitles)},
		{"expected-output-differs", plan.Warning, stepsOfBoth(outputsDiffer)},
		{"critical-differs", plan.Warning, stepsOfBoth(criticalDiffers)},
		{"mode-differs", plan.Warning, stepsOfBoth(modesDiffer)},

		// SPECLets in both files.
		{"speclet-missing-in-toml", plan.Error, pairs(specletNotInTOML)},
		{"speclet-missing-in-md", plan.Error, pairs(specletNotInMarkdown)},
		{"speclet-duplicate-id", plan.Error, halves(parameters, specletDuplicate)},
		{"speclet-dep-differs", plan.Warning, pairs(specletDepends)},
		{"speclet-differs", plan.Warning, pairs(specletDiffers)},
		{"task-in-several-speclets", plan.Error, halves(grouped, taskTwice)},
		{"task-unassigned", plan.Error, halves(grouped, taskUnassigned)},
		{"speclet-task-unknown", plan.Error, halves(grouped, specletTaskUnknown)},

		// The order of SPECLets.
		{"speclet-dep-unknown", plan.Error, halves(grouped, specletDepUnknown)},
		{"speclet-self-dep", plan.Error, halves(grouped, specletSelf)},
		{"speclet-cycle", plan.Error, halves(grouped, specletCycle)},
		{"speclet-parallel-invalid", plan.Warning, halves(grouped, parallelInvalid)},
		{"speclet-parallel-all-false", plan.Warning, halves(grouped, parallelNever)},
		{"speclet-single", plan.Warning, halves(grouped, specletSingle)},
		{"speclet-chain-deep", plan.Warning, halves(grouped, chainDeep)},

		// What holds for the plan as a whole.
		{"error-propagation-incomplete", plan.Warning, halves(parameters, propagationIncomplete)},
		{"propagation-strategy-unknown", plan.Warning, halves(parameters, strategyUnknown)},
		{"default-mode-invalid", plan.Error, halves(parameters, defaultMode)},
		{"constraint-ref-dangling", plan.Warning,
			halves(parameters, dangling("constraints", (*step).namesConstraints))},
		{"component-ref-dangling", plan.Warning, halves(parameters, dangling("components", (*step).namesComponents))},
		{"value-unfit", plan.Error, halves(parameters, valueUnfit)},
		{"key-idle", plan.Warning, halves(parameters, keyIdle)},
		{"sections-missing", plan.Note, halves(markdown, sectionsMissing)},
	}
})
