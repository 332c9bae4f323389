// Package tasks is what is asked about a task as a whole: before its first step
// whether it may begin, and after its last whether what it was to leave behind
// is there.
//
// [Approvals] have the reviewers decide about a task, and submit a rejected one
// again as advice has patched it. [Evidence] is looked for, and where it is
// missing, looked for once more, or made again by another method.
package tasks
