package acp

import "github.com/planlock/planlock/exec"

// Prompt is what an agent is told of an attempt where nobody says it otherwise.
func Prompt(w exec.Work) string {
	return w.Step.Description
}
