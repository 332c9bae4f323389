package cmd

import (
	"context"
	"fmt"
	"runtime"
	"runtime/debug"

	"github.com/planlock/planlock/exec"
)

// versionCommand is "planlock version": it prints the version of planlock, of
// which commit it was built, and with what.
type versionCommand struct {
	arguments
	Format string `enum:"text,json" default:"text" placeholder:"FORMAT" help:"the output's format: text or json"`
}

// Run carries the command out.
func (f *versionCommand) Run(_ context.Context, p *cli) error {
	var settings []debug.BuildSetting
	if info, ok := debug.ReadBuildInfo(); ok {
		settings = info.Settings
	}
	doc := newVersion(exec.Version(), settings)
	if f.Format == "json" {
		return writeJSON(p.out, doc)
	}
	_, err := fmt.Fprintln(p.out, doc)
	return err
}

// versionJSON is the document of "version --format json". Of a program that was
// not built in a checkout the commit is not known.
type versionJSON struct {
	Schema   string `json:"schema"`
	Version  string `json:"version"`
	Revision string `json:"revision,omitempty"`
	Time     string `json:"time,omitempty"`     // of the commit
	Modified *bool  `json:"modified,omitempty"` // whether the checkout differed from it
	Go       string `json:"go"`
	OS       string `json:"os"`
	Arch     string `json:"arch"`
}

// newVersion is what a build tells of itself.
func newVersion(version string, settings []debug.BuildSetting) versionJSON {
	doc := versionJSON{Schema: "planlock.version/1", Version: version, Go: runtime.Version(), OS: runtime.GOOS,
		Arch: runtime.GOARCH}
	for _, s := range settings {
		switch s.Key {
		case "vcs.revision":
			doc.Revision = s.Value
		case "vcs.time":
			doc.Time = s.Value
		case "vcs.modified":
			modified := s.Value == "true"
			doc.Modified = &modified
		}
	}
	return doc
}

// String is one line for people.
func (v versionJSON) String() string {
	const short = 12
	of := ""
	if v.Revision != "" {
		of = "commit " + v.Revision[:min(short, len(v.Revision))]
		if v.Modified != nil && *v.Modified {
			of += ", modified"
		}
		of += "; "
	}
	return fmt.Sprintf("planlock %s (%s%s %s/%s)", v.Version, of, v.Go, v.OS, v.Arch)
}
