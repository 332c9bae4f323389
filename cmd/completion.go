package cmd

import (
	"context"
	"flag"
	"fmt"
	"runtime"
	"strings"

	"github.com/planlock/planlock/exec"
)

func prepareVersion(p *cli, _ *flag.FlagSet) action {
	return func(context.Context, []string) error {
		_, err := fmt.Fprintf(p.out, "planlock %s (%s %s/%s)\n", exec.Version(), runtime.Version(), runtime.GOOS, runtime.GOARCH)
		return err
	}
}

func prepareCompletion(p *cli, _ *flag.FlagSet) action {
	return func(_ context.Context, args []string) error {
		if err := oneOf("shell", args[0], "bash", "zsh", "fish"); err != nil {
			return &usageError{fmt.Sprintf("completion: %q is none of bash, zsh, fish", args[0])}
		}
		draw := map[string]func() string{"bash": completeBash, "zsh": completeZsh, "fish": completeFish}[args[0]]
		_, err := fmt.Fprint(p.out, draw())
		return err
	}
}

// wants says what the first argument of a command is: "run", "path", one of some words ("word"), or "".
func wants(c command) string {
	switch {
	case strings.HasPrefix(c.args, "[RUN]"), strings.HasPrefix(c.args, "RUN"):
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
		return "bash zsh fish"
	case "new":
		return strings.Join(templateNames(), " ")
	}
	return ""
}

func names() string {
	var all []string
	for _, c := range commands() {
		all = append(all, c.name)
	}
	return strings.Join(append(all, "help"), " ")
}

func completeBash() string {
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
`, names())
	for _, c := range commands() {
		var list []string
		for _, f := range flagsOf(c) {
			list = append(list, dashed(f))
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
`, names())
	return b.String()
}

func completeZsh() string {
	var b strings.Builder
	b.WriteString("#compdef planlock\n# planlock completion for zsh: put this into a file _planlock in a folder of $fpath\n" +
		"_planlock() {\n  local -a commands runs\n  commands=(\n")
	for _, c := range commands() {
		fmt.Fprintf(&b, "    %s\n", shellQuote(c.name+":"+c.doc))
	}
	b.WriteString("  )\n  runs=(.planlock/runs/*(N:t))\n  if (( CURRENT == 2 )); then\n    _describe command commands\n    return\n  fi\n" +
		"  words=(\"${(@)words[2,-1]}\"); (( CURRENT-- ))\n  case ${words[1]} in\n")
	for _, c := range commands() {
		fmt.Fprintf(&b, "    %s) _arguments", c.name)
		for _, f := range flagsOf(c) {
			name, usage := flag.UnquoteUsage(f)
			usage = strings.NewReplacer("[", "(", "]", ")", ":", " -").Replace(usage)
			spec := fmt.Sprintf("%s[%s]", dashed(f), usage)
			if name != "" {
				spec += ":" + name + ":_files"
			}
			fmt.Fprintf(&b, " %s", shellQuote(spec))
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

func completeFish() string {
	var b strings.Builder
	b.WriteString("# planlock completion for fish:  planlock completion fish | source\n")
	for _, c := range commands() {
		fmt.Fprintf(&b, "complete -c planlock -n __fish_use_subcommand -f -a %s -d %s\n", c.name, shellQuote(c.doc))
	}
	for _, c := range commands() {
		when := shellQuote("__fish_seen_subcommand_from " + c.name)
		for _, f := range flagsOf(c) {
			_, usage := flag.UnquoteUsage(f)
			kind := "-l"
			if len(f.Name) == 1 {
				kind = "-s"
			}
			fmt.Fprintf(&b, "complete -c planlock -n %s %s %s -d %s\n", when, kind, f.Name, shellQuote(usage))
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

func shellQuote(text string) string { return "'" + strings.ReplaceAll(text, "'", "’") + "'" }
