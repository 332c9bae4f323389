package cmd

import (
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"github.com/planlock/planlock/exec"
	"github.com/planlock/planlock/exec/mcp"
	"github.com/planlock/planlock/plan"
)

// A wantedServer is a tool server that a plan wants, as check tells of it. None
// is started for that: whether it is there and has the tools, lock and run find out.
type wantedServer struct {
	Name       string         `json:"name"`
	Need       string         `json:"need"`
	Steps      []plan.Address `json:"steps,omitempty"` // that call its tools
	Sought     bool           `json:"sought"`          // lock and run look whether it is there
	Configured bool           `json:"configured"`
	File       string         `json:"file,omitempty"`    // that configures it
	Install    string         `json:"install,omitempty"` // as the plan has it
	Why        string         `json:"why,omitempty"`     // nobody knows whether it is configured
}

// wantedServers are the tool servers that a plan wants, with where they are
// configured.
func wantedServers(p *plan.Plan, servers *mcp.Servers) (list []wantedServer) {
	for _, w := range exec.WantedServers(p) {
		s := wantedServer{Name: w.Name, Need: w.Need, Steps: w.Steps, Sought: w.Sought, Install: w.Install}
		file, err := servers.Where(w.Name)
		if err != nil {
			s.Why = strings.TrimPrefix(err.Error(), "mcp: ")
		} else if file != "" {
			s.Configured, s.File = true, filepath.ToSlash(displayPath(file))
		}
		list = append(list, s)
	}
	return list
}

// printServers tells which tool servers a plan wants, and what is to be done for those
// that no file configures.
func printServers(w io.Writer, wanted []wantedServer) {
	if len(wanted) == 0 {
		return
	}
	fmt.Fprintln(w, "Tool servers that it wants; check starts none, lock and run look for them where nothing else is said:")
	for _, s := range wanted {
		by := ""
		if len(s.Steps) > 0 {
			steps := make([]string, len(s.Steps))
			for i, a := range s.Steps {
				steps[i] = string(a)
			}
			by = ", called by " + some(steps)
		}
		where := "no file configures it: write it in .mcp.json, or name a file with --mcp"
		switch {
		case !s.Sought:
			where = "nobody looks whether it is there"
		case s.Configured:
			where = "configured in " + s.File
		case s.Why != "":
			where = s.Why
		}
		fmt.Fprintf(w, "  %s  %s%s; %s\n", escaped(s.Name), s.Need, escaped(by), escaped(where))
		if s.Install != "" && s.Sought && !s.Configured {
			fmt.Fprintf(w, "       the plan installs it by  %s\n", escaped(s.Install))
		}
	}
	fmt.Fprintln(w)
}
