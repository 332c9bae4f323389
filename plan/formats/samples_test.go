package formats_test

import "github.com/planlock/planlock/plan"

// A sample is a small plan of one format, as the files that it consists of.
type sample struct {
	format plan.Format
	files  map[string]string
	steps  []plan.Address // all that are to be carried out, in order
	clean  bool           // its own rules find no error in it
}

const specMarkdown = `# Spec: notes

## Goal
Build a small note keeper

## Definition of Complete
- notes are kept

## Definitions
- note: a line of text

## Components
- store

## Constraints
- none

### Task [1]: Store notes
- **Step [1]:** Write the store
  - **Primary method:** Write store.txt
  - **Backup [1]:** Write it by hand
  - **Expected output:** store.txt
  - **Critical:** true
  - **Mode:** silent
- **Step [2]:** Describe the store
  - **Primary method:** Write about it
  - **Expected output:** README.txt
  - **Critical:** false
  - **Mode:** silent

## Bridging to parameters
The ids are the same.

## Instructions for LLM
Follow the steps.
`

const specTOML = `[meta]
descriptor = "notes"

[goal]
description = "Build a small note keeper"

[software_stack]
primary_language = "text"
deployment_type = "local"
[user_interface]
type = "none"
[deployment]
platform = "none"
type = "local"
[components]
store = "the store"
[constraints]
size = "small"

[completion_criteria]
notes = "kept"

[execution]
default_mode = "silent"

[error_propagation]
enabled = true
read_prior_steps = true
propagation_strategy = "halt_on_critical"

[[tasks]]
id = 1
description = "Store notes"
  [[tasks.steps]]
  id = 1
  description = "Write the store"
  primary_method = "Write store.txt"
  expected_output = "store.txt"
  critical_flag = true
  mode = "silent"
  max_retries = 1
    [[tasks.steps.backups]]
    id = 1
    description = "Write it by hand"
    trigger_condition = "the first way fails"
  [[tasks.steps]]
  id = 2
  description = "Describe the store"
  primary_method = "Write about it"
  expected_output = "README.txt"
  critical_flag = false
  mode = "silent"
  max_retries = 1
`

const phaseFirst = `---
phase: 04-notes
plan: 01
type: execute
wave: 1
depends_on: []
files_modified: [store.txt]
autonomous: true
---

<objective>
Keep notes.
</objective>

<tasks>

<task type="auto">
  <name>Task 1: Write the store</name>
  <files>store.txt</files>
  <action>Write it.</action>
  <verify>test -f store.txt</verify>
  <done>It is there</done>
</task>

<task type="auto">
  <name>Task 2: Describe it</name>
  <files>README.txt</files>
  <action>Write about it.</action>
  <verify>test -f README.txt</verify>
  <done>It is described</done>
</task>

</tasks>
`

const phaseSecond = `---
phase: 04-notes
plan: 02
type: execute
wave: 2
depends_on: ["04-01"]
files_modified: [search.txt]
autonomous: true
---

<tasks>
<task type="auto">
  <name>Task 1: Search notes</name>
  <files>search.txt</files>
  <action>Write the search.</action>
  <verify>test -f search.txt</verify>
  <done>It finds them</done>
</task>
</tasks>
`

const nativePlan = `schema = 1
profile = "observe"
[goal]
description = "Keep notes"
[[tasks]]
id = 1
description = "Store"
  [[tasks.steps]]
  id = 1
  description = "Write the store"
  prompt = "write store.txt"
`

// samples has one plan of each format that can be carried out.
func samples() map[string]sample {
	return map[string]sample{
		"native": {plan.Native, map[string]string{"plan.toml": nativePlan}, addresses("1.1"), true},
		"spec pair": {"spec-pair", map[string]string{"spec_notes.md": specMarkdown,
			"parameters_notes.toml": specTOML}, addresses("1.1", "1.2"), true},
		"spec markdown": {"spec-markdown", map[string]string{"spec_notes.md": specMarkdown},
			addresses("1.1", "1.2"), false},
		"spec toml": {"spec-toml", map[string]string{"parameters_notes.toml": specTOML}, addresses("1.1", "1.2"),
			false},
		"phase plan": {"phase-plan", map[string]string{"04-01-PLAN.md": phaseFirst}, nil, true},
		"phase folder": {"phase-plan", map[string]string{"04-01-PLAN.md": phaseFirst, "04-02-PLAN.md": phaseSecond},
			nil, true},
		"pending actions": {plan.PendingActions, map[string]string{"pending_actions.json": `[
  {"task_id": 1, "priority": "HIGH", "action": "Write the store", "acceptance_criteria": ["it is there"]},
  {"task_id": 2, "priority": "LOW", "action": "Describe it", "acceptance_criteria": ["it is described"]}
]
`}, nil, true},
		"spec-kit": {"spec-kit", map[string]string{"tasks.md": `# Tasks: notes

## Phase 1: Setup

- [x] T001 Create the folder notes/
- [ ] T002 [P] Write notes/store.txt

## Phase 2: Stories

- [ ] T003 [US1] Describe it in notes/README.txt (depends on T002)
`}, nil, true},
		"kiro": {"kiro", map[string]string{"tasks.md": `# Implementation Plan

- [x] 1. Set up the folder
  - Create it
  - _Requirements: 1.1_

- [ ] 2. Write the store
- [ ] 2.1 Write store.txt
  - _Requirements: 1.2, 2.1_
- [ ]* 2.2 Test it
  - _Requirements: 2.1_
`}, nil, true},
		"openspec": {"openspec", map[string]string{"tasks.md": `## 1. Store

- [x] 1.1 Write store.txt
- [ ] 1.2 Describe it

## 2. Search

- [ ] 2.1 Write search.txt
`}, nil, true},
		"task-master": {"task-master", map[string]string{"tasks.json": `{"tasks": [
  {"id": 1, "title": "Store", "description": "Write store.txt", "status": "done", "dependencies": [], "priority": "high", "details": "", "testStrategy": "", "subtasks": []},
  {"id": 2, "title": "Search", "description": "Write search.txt", "status": "pending", "dependencies": [1], "priority": "low", "details": "", "testStrategy": "",
   "subtasks": [{"id": 1, "title": "Index", "description": "Write index.txt", "status": "pending", "dependencies": []}]}
]}
`}, nil, true},
		"beads": {"beads", map[string]string{"issues.jsonl": `{"id":"nt-1","title":"Store","description":"Write store.txt","status":"closed","priority":1,"issue_type":"task","created_at":"2025-10-12T10:00:00Z","updated_at":"2025-10-12T10:00:00Z"}
{"id":"nt-2","title":"Search","description":"Write search.txt","status":"open","priority":2,"issue_type":"task","created_at":"2025-10-12T10:00:00Z","updated_at":"2025-10-12T10:00:00Z","dependencies":[{"issue_id":"nt-2","depends_on_id":"nt-1","type":"blocks"}]}
`}, nil, true},
		"execplan": {"execplan", map[string]string{"notes.md": `# Keep notes

This ExecPlan is a living document.

## Purpose / Big Picture

People can keep notes.

## Progress

- [x] (2025-10-01 13:00Z) Wrote store.txt
- [ ] Write search.txt

## Surprises & Discoveries

None yet.

## Decision Log

None yet.

## Outcomes & Retrospective

None yet.

## Context and Orientation

An empty folder.

## Plan of Work

Write the files.

## Concrete Steps

Run the editor.

## Validation and Acceptance

The files are there.
`}, nil, true},
		"superpowers": {"superpowers", map[string]string{"2026-01-01-notes.md": `# Notes Implementation Plan

> **For Claude:** REQUIRED SUB-SKILL: Use superpowers:executing-plans to implement this plan task-by-task.

**Goal:** Keep notes.

**Architecture:** Files.

---

### Task 1: Store

**Files:**
- Create: ` + "`store.txt`" + `

- [ ] **Step 1: Write the failing test**
- [ ] **Step 2: Write store.txt**

### Task 2: Search

**Files:**
- Create: ` + "`search.txt`" + `

- [ ] **Step 1: Write search.txt**
`}, nil, true},
		"markdown": {"markdown", map[string]string{"PLAN.md": `# Plan: keep notes

Notes get lost.

## Steps

1. Create ` + "`store.txt`" + `
   - one line for each note
2. Search it
   1. by word
   2. by day

## Verification

- Notes are found again
`}, nil, true},
	}
}

func addresses(list ...plan.Address) []plan.Address { return list }
