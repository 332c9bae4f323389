package method

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/planlock/planlock/exec/advice"
	"github.com/planlock/planlock/exec/history"
	"github.com/planlock/planlock/exec/internal/bound"
	"github.com/planlock/planlock/internal/lazyre"
	"github.com/planlock/planlock/ledger/source"
	"github.com/planlock/planlock/plan"
)

// PatchSize is how large a patch may be, in bytes of JSON.
const PatchSize = 64 << 10

// A WidenError says what a patch asks for that the plan does not allow.
type WidenError struct {
	Reasons []string
	Diff    string // what it would change, line by line
}

func (e *WidenError) Error() string {
	return "exec: the patch would widen what the plan allows: " + strings.Join(e.Reasons, "; ")
}

// Patched returns the method with a patch applied; m itself is not changed. advised
// is the method as the advisor knows it.
//
// A patch has no words for access, limits, the sandbox, the network,
// permissions, gates, the executor or its tool, and none of them is part of a
// method's text. What it does say is looked at all the same: a command must not
// reach for what the command before it did not reach for, nor write or delete
// what neither the command before it did nor the step declares, and a variable
// must be one of those that the plan names in sandbox.env, which env lists.
// Arguments that the step declares adjustable may have any value that is no way
// out of the workspace. *[WidenError] if it would widen anything,
// *advice.PatchError if it cannot be applied.
func (m Method) Patched(p *advice.Patch, advised advice.Method, step *plan.Step, env []string) (Method, error) {
	text, err := p.Apply(advised)
	if err != nil {
		return m, err
	}
	after := m
	after.Run, after.Prompt = text.Run, text.Prompt
	after.Feedback = append(slices.Clone(m.Feedback), bound.First(p.Feedback, bound.Lines)...)
	var reasons []string
	reached := reaches(m.Run)
	for _, word := range reaches(after.Run) {
		if !slices.Contains(reached, word) && !adjusted(p, step, word) {
			reasons = append(reasons, fmt.Sprintf("the command would reach for %q, and before it did not", word))
		}
	}
	touched := touches(m.Run)
	for _, t := range touches(after.Run) {
		if !slices.Contains(touched, t) && !allows(step, t) {
			reasons = append(reasons, fmt.Sprintf("the command would %v, which the step does not declare", t))
		}
	}
	if len(p.Env) > 0 {
		after.Env = maps.Clone(m.Env)
		if after.Env == nil {
			after.Env = map[string]string{}
		}
	}
	for _, name := range slices.Sorted(maps.Keys(p.Env)) {
		after.Env[name] = p.Env[name]
		switch {
		case !slices.Contains(env, name):
			reasons = append(reasons, fmt.Sprintf("variable %q is not among those that the plan names in sandbox.env",
				name))
		case powerful.MatchString(name):
			reasons = append(reasons, fmt.Sprintf("variable %q decides what runs or where it reaches", name))
		case strings.ContainsAny(p.Env[name], "\x00\n\r") || len(reaches(p.Env[name])) > 0:
			reasons = append(reasons, fmt.Sprintf("the value of variable %q would reach out of the workspace", name))
		}
	}
	if reasons != nil {
		return m, &WidenError{Reasons: reasons, Diff: Diff(m, after)}
	}
	return after, nil
}

// Advised is the method as advisors know it. went are the jobs that went well before
// one failed, where it has several.
func (m Method) Advised(step *plan.Step, went ...history.JobDone) advice.Method {
	known := advice.Method{ID: m.ID, Run: m.Run, Prompt: m.Prompt, Adjustable: step.Adjustable}
	all, at := Jobs(m.Run), 0
	for i, job := range all {
		if i == len(went) && i > 0 {
			known.From, known.To = at, at+len(job)
		}
		if i < len(went) && went[i].Run != job {
			break
		}
		at += len(job) + len(and)
	}
	return known
}

// adjusted reports whether a word is the value that a patch gives to an argument
// which the step declares adjustable, and no way out of the workspace.
func adjusted(p *advice.Patch, step *plan.Step, word string) bool {
	for name, value := range p.Args { // in any order: one is enough
		if value == word && slices.Contains(step.Adjustable, name) && !strings.HasPrefix(word, "/") &&
			!strings.Contains(word, "..") && !strings.Contains(word, "//") {
			return true
		}
	}
	return false
}

// powerful are variables by which other programs are run, or other places
// reached.
var powerful = lazyre.New(`(?i)^(PATH|HOME|SHELL|IFS|ENV|PWD|TMPDIR|TEMP|TMP|USER|BASH.*|LD_.*|DYLD_.*|GIT_.*|SSH_.*|GO[A-Z]+|PYTHON.*|NODE_.*|NPM_.*|PERL.*|RUBY.*|JAVA_.*|CLASSPATH|PLANLOCK.*|.*PROXY.*|.*_OPTIONS|.*_OPTS)$`)

// betweenWords is where a shell splits a command, or could.
func betweenWords(r rune) bool {
	return !('a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || '0' <= r && r <= '9' || strings.ContainsRune("_./\\:~@%+,=*?!$`-", r))
}

// quotes takes away what a shell takes away.
var quotes = strings.NewReplacer(`"`, "", "'", "")

// reaches lists what in a command leads out of the workspace, to other rights
// or to the network, or may: absolute paths, ways up, addresses, whatever a
// shell puts there, the controller's own folder, and programs that give other
// rights. It is a second lock beside the sandbox, and looks at words alone: as
// they stand, and as they are when a shell has taken the quotes away.
func reaches(run string) []string {
	var found []string
	for word := range strings.FieldsFuncSeq(run+" "+quotes.Replace(run), betweenWords) {
		for part := range strings.FieldsFuncSeq(word, func(r rune) bool { return strings.ContainsRune("=,+%", r) }) {
			if leadsOut(part) {
				found = append(found, part)
			}
		}
	}
	slices.Sort(found)
	return slices.Compact(found)
}

// doors are programs that lead out of the workspace, to other rights or to
// other machines; or that carry out a text that need not stand in the command,
// or tell what the environment holds.
const doors = ` .git .planlock sudo su doas pkexec chroot unshare nsenter setpriv capsh mount eval exec source cd pushd popd env printenv
	sh bash dash ash zsh ksh csh tcsh busybox xargs awk gawk mawk perl python python2 python3 ruby node deno php lua osascript powershell pwsh
	curl wget nc ncat netcat socat telnet ssh scp sftp rsync ftp ping dig nslookup openssl git docker podman kubectl
	chmod chown chgrp setfacl setcap kill pkill killall crontab systemctl systemd-run planlock `

// leadsOut reports whether a word may stand for something outside.
func leadsOut(word string) bool {
	lower := strings.ToLower(word)
	flag := strings.TrimLeft(lower, "-")
	if len(flag) < len(lower) { // "-o/etc" and "-I../x" are paths behind a flag
		flag = strings.TrimLeft(flag, "abcdefghijklmnopqrstuvwxyz0123456789-_")
	}
	if strings.ContainsAny(word, "$`~*?!\\@:") || strings.Contains(lower, "//") || strings.HasPrefix(flag, "/") {
		return true
	}
	for part := range strings.SplitSeq(lower, "/") {
		if part != "..." && strings.Contains(part, "..") { // "./..." is Go's word for all packages
			return true
		}
		if slices.Contains(strings.Fields(doors), strings.TrimSuffix(part, ".exe")) {
			return true
		}
	}
	// "LD_PRELOAD=./x.so train" sets a variable as well.
	return word == strings.ToUpper(word) && powerful.MatchString(word)
}

// Changes reports whether carrying out after is another thing than carrying out
// m: a command that differs in blanks or comments alone is the same, and reads no
// feedback; nor does a tool.
func (m Method) Changes(after Method) bool {
	return bare(m.Run) != bare(after.Run) || strings.TrimSpace(m.Prompt) != strings.TrimSpace(after.Prompt) ||
		!maps.Equal(m.Env, after.Env) ||
		m.Run+m.Tool == "" && !slices.Equal(m.Feedback, after.Feedback)
}

// Diff is what a patch changes, line by line.
func Diff(before, after Method) string {
	return source.Unified("method", []byte(before.text()), []byte(after.text()), 1)
}

// text is a method as a person would read it.
func (m Method) text() string {
	var b strings.Builder
	part := func(name, text string) {
		for line := range strings.Lines(text) {
			fmt.Fprintf(&b, "%s: %s\n", name, strings.TrimRight(line, "\n"))
		}
	}
	part("run", m.Run)
	part("prompt", m.Prompt)
	for _, name := range slices.Sorted(maps.Keys(m.Env)) {
		part("env", name+"="+m.Env[name])
	}
	for _, line := range m.Feedback {
		part("told", cmp.Or(line, " "))
	}
	return b.String()
}
