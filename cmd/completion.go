package cmd

import (
	"context"
	"fmt"
	"runtime"
	"strings"

	"github.com/alecthomas/kong"

	"github.com/planlock/planlock/exec"
)

// versionCommand is "planlock version".
type versionCommand struct {
	arguments
}

// Run carries the command out.
func (f *versionCommand) Run(_ context.Context, p *cli) error {
	_, err := fmt.Fprintf(p.out, "planlock %s (%s %s/%s)\n", exec.Version(), runtime.Version(), runtime.GOOS,
		runtime.GOARCH)
	return err
}

// completionCommand is "planlock completion".
type completionCommand struct {
	arguments
}

// Run carries the command out.
func (f *completionCommand) Run(_ context.Context, p *cli) error {
	draw := map[string]func([]command) string{"bash": completeBash, "zsh": completeZsh, "fish": completeFish}[f.Args[0]]
	if draw == nil {
		return &usageError{fmt.Sprintf("completion: %q is none of bash, zsh, fish", f.Args[0])}
	}
	_, err := fmt.Fprint(p.out, draw(commands()))
	return err
}

// wants says what the first argument of a command is: "run", "path", one of
// some words ("word"), or "".
func wants(c command) string {
	switch {
	case strings.HasPrefix(c.args, "[RUN]"):
		return "run"
	case strings.HasPrefix(c.args, "PATH"), strings.HasPrefix(c.args, "DIR"):
		return "path"
	case words(c) != "":
		return "word"
	}
	return ""
}

// words are those that the first argument of a command can be.
func words(c command) string {
	switch c.name {
	case "completion":
		return strings.ReplaceAll(c.args, "|", " ")
	case "new":
		return strings.Join(templateNames(), " ")
	}
	return ""
}

func names(all []command) string {
	var words []string
	for _, c := range all {
		words = append(words, c.name)
	}
	return strings.Join(append(words, "help"), " ")
}

func completeBash(all []command) string {
	var b strings.Builder
	fmt.Fprintf(&b, `# planlock completion for bash:  source <(planlock completion bash)
_planlock() {
  local cur=${COMP_WORDS[COMP_CWORD]} cmd=${COMP_WORDS[1]} flags='' runs
  COMPREPLY=()
  if [ "$COMP_CWORD" -eq 1 ]; then
    COMPREPLY=($(compgen -W '%s' -- "$cur"))
    return
  fi
  runs=$(command ls -1 .planlock/runs 2>/dev/null)
  case "$cmd" in
`, names(all))
	for _, c := range all {
		var list []string
		for _, f := range c.flags() {
			list = append(list, spellings(f)...)
		}
		fmt.Fprintf(&b, "    %s) flags='%s'", c.name, strings.Join(list, " "))
		switch wants(c) {
		case "run":
			b.WriteString("; COMPREPLY=($(compgen -W \"$runs\" -- \"${cur^^}\"))")
		case "word":
			fmt.Fprintf(&b, "; COMPREPLY=($(compgen -W '%s' -- \"$cur\"))", words(c))
		case "path":
			b.WriteString("; COMPREPLY=($(compgen -f -- \"$cur\"))")
		}
		b.WriteString(" ;;\n")
	}
	fmt.Fprintf(&b, `    help) COMPREPLY=($(compgen -W '%s' -- "$cur")) ;;
  esac
  case "$cur" in -*) COMPREPLY=($(compgen -W "$flags" -- "$cur")) ;; esac
}
complete -o default -F _planlock planlock
`, names(all))
	return b.String()
}

func completeZsh(all []command) string {
	var b strings.Builder
	b.WriteString("#compdef planlock\n# planlock completion for zsh: put this into a file _planlock in a folder of $fpath\n" +
		"_planlock() {\n  local -a commands runs\n  commands=(\n")
	for _, c := range all {
		fmt.Fprintf(&b, "    %s\n", shellQuote(c.name+":"+c.does))
	}
	b.WriteString("  )\n  runs=(.planlock/runs/*(N:t))\n  if (( CURRENT == 2 )); then\n    _describe command commands\n    return\n  fi\n" +
		"  words=(\"${(@)words[2,-1]}\"); (( CURRENT-- ))\n  case ${words[1]} in\n")
	for _, c := range all {
		fmt.Fprintf(&b, "    %s) _arguments", c.name)
		for _, f := range c.flags() {
			for _, name := range spellings(f) {
				spec := fmt.Sprintf("%s[%s]", name, strings.NewReplacer("[", "(", "]", ")", ":", " -").Replace(f.Help))
				if f.PlaceHolder != "" {
					spec += ":" + f.PlaceHolder + ":_files"
				}
				fmt.Fprintf(&b, " %s", shellQuote(spec))
			}
		}
		switch wants(c) {
		case "run":
			b.WriteString(` "1:run:(${runs})" '*:word:'`)
		case "word":
			fmt.Fprintf(&b, ` '1:word:(%s)'`, words(c))
		case "path":
			b.WriteString(` '*:path:_files'`)
		}
		b.WriteString(" ;;\n")
	}
	b.WriteString("  esac\n}\ncompdef _planlock planlock\n")
	return b.String()
}

func completeFish(all []command) string {
	var b strings.Builder
	b.WriteString("# planlock completion for fish:  planlock completion fish | source\n")
	for _, c := range all {
		fmt.Fprintf(&b, "complete -c planlock -n __fish_use_subcommand -f -a %s -d %s\n", c.name, shellQuote(c.does))
	}
	for _, c := range all {
		when := shellQuote("__fish_seen_subcommand_from " + c.name)
		for _, f := range c.flags() {
			short := ""
			if f.Short != 0 {
				short = fmt.Sprintf(" -s %c", f.Short)
			}
			fmt.Fprintf(&b, "complete -c planlock -n %s%s -l %s -d %s\n", when, short, f.Name, shellQuote(f.Help))
		}
		switch wants(c) {
		case "run":
			fmt.Fprintf(&b, "complete -c planlock -n %s -f -a '(command ls -1 .planlock/runs 2>/dev/null)'\n", when)
		case "word":
			fmt.Fprintf(&b, "complete -c planlock -n %s -f -a '%s'\n", when, words(c))
		}
	}
	return b.String()
}

// spellings are the ways to type a flag.
func spellings(f *kong.Flag) []string {
	if f.Short != 0 {
		return []string{fmt.Sprintf("-%c", f.Short), "--" + f.Name}
	}
	return []string{"--" + f.Name}
}

func shellQuote(text string) string { return "'" + strings.ReplaceAll(text, "'", "’") + "'" }
