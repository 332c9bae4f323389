package cmd

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/planlock/planlock/cmd/internal/config"
	"github.com/planlock/planlock/cmd/internal/project"
	"github.com/planlock/planlock/plan"
)

// initCommand is "planlock init": it looks at the project in a folder and at the
// agents of this machine, and writes a configuration and a first plan, which
// passes a check and can be achieved. What is there stays as it is.
type initCommand struct {
	arguments
	workspaceFlag
	DryRun bool `name:"dry-run" help:"only says what was found, and prints what would be written"`
}

// Run carries the command out.
func (f *initCommand) Run(ctx context.Context, p *cli) error {
	root, err := os.OpenRoot(f.Dir)
	if err != nil {
		return err
	}
	defer root.Close()
	found, err := project.Look(root.FS())
	switch {
	case err == nil:
		fmt.Fprintf(p.out, "project  %s\n", escaped(found.String()))
	case errors.Is(err, project.ErrUnknown):
		fmt.Fprintf(p.out, "project  of no kind that is known: %s\n", escaped(err.Error()))
	default:
		return err
	}
	agent, err := f.agent(ctx, p)
	if err != nil {
		return err
	}
	name, text := project.First(found, agent != "")
	file := f.plan(root)
	if file == "" {
		if _, err := f.write(p, name, text); err != nil {
			return err
		}
		file = name
	} else {
		fmt.Fprintf(p.out, "plan     %s is there already, and stays\n", escaped(file))
	}
	config := firstConfig(found, agent)
	written, err := f.write(p, repositoryFile, config)
	if err != nil {
		return err
	}
	run := ""
	if agent != "" {
		run = " --agent " + agent
	}
	if written && strings.Contains(config, goModules) { // as a run asks of every file of the repository
		fmt.Fprintf(p.out, "accept   that commands of steps write %s, once: --ack %s below\n", goModules, plan.WritableCode)
		run += " --ack " + plan.WritableCode
	}
	path := quoted(filepath.Join(f.Dir, file))
	fmt.Fprintf(p.out, "next     planlock check %s\nthen     planlock run %s%s%s\n", path, path, inDir(f.Dir), run)
	return nil
}

// agent finds the agent to begin with: the first that is installed and logged in,
// else the first that is installed.
func (f *initCommand) agent(ctx context.Context, p *cli) (string, error) {
	found, err := settingsFor(f.Dir)
	if err != nil {
		return "", err
	}
	all, err := lookAtAgents(ctx, &settled{config: found}, f.Dir)
	if err != nil {
		return "", err
	}
	there := slices.DeleteFunc(all, func(a agentJSON) bool { return !a.Installed || a.Unaccepted != "" })
	for _, a := range there {
		a.print(p.out, false, "agent")
	}
	if len(there) == 0 {
		fmt.Fprintln(p.out, "agent    none is installed; planlock agents says what to type")
		return "", nil
	}
	if i := slices.IndexFunc(there, func(a agentJSON) bool { return a.Missing == "" }); i >= 0 {
		return there[i].Name, nil
	}
	return there[0].Name, nil
}

// planNames are the names that init gives a plan.
var planNames = []string{"PLAN.md", "plan.toml"}

// plan is the plan that is there under a name that init would write; "" if none is.
func (f *initCommand) plan(root *os.Root) string {
	for _, name := range planNames {
		if _, err := root.Lstat(name); err == nil {
			return name
		}
	}
	return ""
}

// write writes a file that is not there yet, and says so; what is there stays.
func (f *initCommand) write(p *cli, name, text string) (written bool, err error) {
	path := filepath.Join(f.Dir, name)
	if f.DryRun {
		if _, err := os.Lstat(path); err == nil {
			fmt.Fprintf(p.out, "keep     %s, which is there already\n", escaped(path))
			return false, nil
		}
		fmt.Fprintf(p.out, "write    %s\n%s\n", escaped(path), indent(text))
		return true, nil
	}
	switch err := writeNew(path, []byte(text)); {
	case errors.Is(err, fs.ErrExist):
		is := "is there already, and stays"
		if there, err := os.ReadFile(path); err == nil && name == repositoryFile && config.IsPlan(there) {
			is = "is a plan, and stays"
		}
		fmt.Fprintf(p.out, "kept     %s %s\n", escaped(path), is)
		return false, nil
	case err != nil:
		return false, err
	default:
		fmt.Fprintf(p.out, "written  %s\n", escaped(path))
	}
	return true, nil
}

// indent is a text with each line moved to the right.
func indent(text string) string {
	return "         " + strings.ReplaceAll(strings.TrimSuffix(text, "\n"), "\n", "\n         ")
}

// goModules is where tests of Go download modules.
const goModules = "~/go/pkg/mod"

// firstConfig is a first configuration for a project, and an agent or "".
func firstConfig(p *project.Project, agent string) string {
	text := "# What is typed with every planlock run otherwise; planlock config says what counts.\n"
	if agent != "" {
		text += fmt.Sprintf("agent = %q\n", agent)
	} else {
		text += "# agent = \"claude\"\n"
	}
	text += "# validator = \"codex\"     # who looks at what was done: another agent, or ./program\n" +
		"# budget = 5.00           # dollars\n"
	if p != nil && p.Language == "Go" {
		text += "\n[sandbox]\nwritable = [\"" + goModules + "\"] # where the tests download modules\n"
	}
	return text
}
