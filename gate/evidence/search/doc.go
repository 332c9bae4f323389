// Package search looks for evidence: files, their contents, commands that
// succeed, addresses that answer, and runs of experiments that a tracking
// server knows.
//
// # The idea
//
// What a job says of itself proves nothing. A [Policy] turns a task and what
// was claimed for it into a list of [evidence.Need]s, and its [Policy.Look]
// finds out about each of them where the truth lies: in the workspace, at the
// server. Each becomes an [evidence.Item] that is found, missing or
// unverifiable; what nobody could verify is said to be so, and is not taken for
// found.
//
//	policy := &search.Policy{Tracker: &remote.MLflow{URL: "http://127.0.0.1:5000", TokenEnv: "MLFLOW_TRACKING_TOKEN"}}
//	needs := policy.Needs(task, []string{"9f2c"}, []string{"base.json"})
//	items := policy.Look(ctx, dir, nil, needs)
//	for _, item := range items {
//		fmt.Println(item.Name, item.State, item.Why)
//	}
//
// [Policy.Checks] are kinds of checks for plans: file_not_empty, file_sha256, url and
// mlflow_run.
//
// # The network
//
// This package asks nobody outside of the workspace: a [Finder] does, and
// package remote has those that a host may add.
//
// # What is not promised
//
// A file that is there was not necessarily made by the task: the ledger says
// what a step changed. A run that a server calls finished may be of another
// job, where a job names it.
package search
