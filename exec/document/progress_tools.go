package document

import (
	"slices"

	"github.com/planlock/planlock/exec/history"
	"github.com/planlock/planlock/plan"
)

// progressTools is what was known of the plan's tool servers when the run
// began.
type progressTools struct {
	Enabled     bool           `json:"verification_enabled"`
	At          stamp          `json:"verification_timestamp"`
	Required    progressNeeded `json:"required_tools"`
	Recommended progressNeeded `json:"recommended_tools"`
	Optional    progressListed `json:"optional_tools"`
	Status      string         `json:"verification_status"` // PASS, FAIL, NOT_VERIFIED
}

type progressNeeded struct {
	Total    int      `json:"total"`
	Verified []string `json:"verified"`
	Missing  []string `json:"missing"`
	Unknown  []string `json:"not_verified"` // nobody looked
}

type progressListed struct {
	Total  int      `json:"total"`
	Listed []string `json:"listed"`
}

// newTools is nil for a plan that names no tools. Required tools of which
// nobody knows are neither there nor missing.
func newTools(p *plan.Plan, r *history.Run, rep *Model) *progressTools {
	if len(r.Started.Tools) == 0 {
		return nil
	}
	off := slices.ContainsFunc(p.Settings, func(s plan.Setting) bool {
		return s.Key == "mcp_tools.verification.check_on_startup" && s.Value.Text == "false"
	})
	out := &progressTools{Enabled: !off, At: rep.Started, Required: needed(r, "required"), Recommended: needed(r, "recommended"),
		Optional: progressListed{Listed: []string{}}, Status: "PASS"}
	for _, t := range r.Started.Tools {
		if t.Need == "optional" {
			out.Optional.Total++
			out.Optional.Listed = append(out.Optional.Listed, t.Name)
		}
	}
	switch {
	case len(out.Required.Missing) > 0:
		out.Status = "FAIL"
	case len(out.Required.Unknown) > 0:
		out.Status = "NOT_VERIFIED"
	}
	return out
}

func needed(r *history.Run, need string) progressNeeded {
	out := progressNeeded{Verified: []string{}, Missing: []string{}, Unknown: []string{}}
	for _, t := range r.Started.Tools {
		if t.Need != need {
			continue
		}
		out.Total++
		switch t.Status {
		case "verified":
			out.Verified = append(out.Verified, t.Name)
		case "missing":
			out.Missing = append(out.Missing, t.Name)
		default:
			out.Unknown = append(out.Unknown, t.Name)
		}
	}
	return out
}
