package method_test

import (
	"encoding/json"
	"errors"
	"maps"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/planlock/planlock/exec/advice"
	"github.com/planlock/planlock/exec/history"
	"github.com/planlock/planlock/exec/internal/method"
	"github.com/planlock/planlock/plan"
)

func ptr(s string) *string { return &s }

func TestPatched(t *testing.T) {
	command := method.Method{ID: "primary", Run: "train --batch-size 32 --out out/a.json", Executor: "shell"}
	reaching := method.Method{ID: "primary", Run: "cp /etc/hosts hosts", Executor: "shell"}
	agent := method.Method{ID: "primary", Prompt: "write it", Executor: "agent", Tool: "t", ToolArgs: []string{"a"}}
	env := []string{"SEED", "PATH", "HTTP_PROXY"}
	step := &plan.Step{Adjustable: []string{"seed", "device", "out"},
		Artifacts: &plan.Artifacts{Create: []string{"out/*.json", "b.json"}, Modify: []string{"notes.md"}, Delete: []string{"old/**"}},
		Access:    &plan.Access{Reads: []string{"data/**"}, Writes: []string{"tmp/**", "out/*.json", "b.json", "notes.md", "old/**"}}}
	onGPU := method.Method{ID: "primary", Run: "train --device cuda:0", Executor: "shell"}
	piped := method.Method{ID: "primary", Run: "train | tee out/log.json", Executor: "shell"}
	cleaning := method.Method{ID: "primary", Run: "rm data/stale.csv && train", Executor: "shell"}
	tests := []struct {
		name  string
		m     method.Method
		p     advice.Patch
		wants string // what the error says; "" if it is allowed
	}{
		{"another device", onGPU, advice.Patch{Args: map[string]string{"device": "cuda:1"}}, ""},
		{"another device by a command", onGPU, advice.Patch{Run: ptr("train --device cuda:1")}, `"cuda:1"`},
		{"a new argument that is adjustable", command, advice.Patch{Args: map[string]string{"seed": "7"}}, ""},
		{"a new argument that is not", command, advice.Patch{Args: map[string]string{"sudo": "1"}}, "does not declare it adjustable"},
		{"a new argument behind a pipe", piped, advice.Patch{Args: map[string]string{"seed": "7"}}, "reads as more than words"},
		{"an adjustable argument that leads out", command, advice.Patch{Args: map[string]string{"out": "/etc/x"}}, `"/etc/x"`},
		{"a declared file is written", command, advice.Patch{Run: ptr("train --small > b.json")}, ""},
		{"a folder of a declared file is made", command, advice.Patch{Run: ptr("mkdir -p out && train --out out/a.json")}, ""},
		{"what is declared is deleted", command, advice.Patch{Run: ptr("rm -rf old/cache && train")}, ""},
		{"an input is deleted", command, advice.Patch{Run: ptr("rm data/input.csv && train")}, `delete "data/input.csv"`},
		{"an input is deleted behind other words", command, advice.Patch{Run: ptr("timeout -k 5 9 nice rm data/input.csv")}, `delete "data/input.csv"`},
		{"an input is deleted if", command, advice.Patch{Run: ptr("if true; then rm data/input.csv; fi")}, `delete "data/input.csv"`},
		{"inputs are deleted for each", command, advice.Patch{Run: ptr("find data -name input.csv -exec rm {} +")}, `delete "data"`},
		{"an input is deleted in pieces", command, advice.Patch{Run: ptr(`rm 'data/in'put.csv`)}, `delete "data/input.csv"`},
		{"an input is moved away", command, advice.Patch{Run: ptr("mv data/input.csv tmp/x")}, `delete "data/input.csv"`},
		{"an input is written over", command, advice.Patch{Run: ptr("train 2>data/input.csv")}, `write "data/input.csv"`},
		{"an input is edited", command, advice.Patch{Run: ptr("sed -i s/a/b/ data/input.csv")}, `write "data/input.csv"`},
		{"an input is read", command, advice.Patch{Run: ptr("sed s/a/b/ data/input.csv > tmp/x; train")}, ""},
		{"errors go where output goes", command, advice.Patch{Run: ptr("train 2>&1")}, ""},
		{"what the command deleted before", cleaning, advice.Patch{Run: ptr("rm data/stale.csv; train --small")}, ""},
		{"an argument", command, advice.Patch{Args: map[string]string{"batch-size": "16"}}, ""},
		{"another command", command, advice.Patch{Run: ptr("train --small && cat out/a.json > b.json")}, ""},
		{"what the command reached for before", reaching, advice.Patch{Run: ptr("cat /etc/hosts > hosts")}, ""},
		{"another prompt", agent, advice.Patch{Prompt: ptr("write less, see https://go.dev")}, ""},
		{"feedback", agent, advice.Patch{Feedback: []string{"look"}}, ""},
		{"a variable of the plan", command, advice.Patch{Env: map[string]string{"SEED": "1"}}, ""},
		{"nothing", command, advice.Patch{Summary: "x"}, "changes nothing"},
		{"an absolute path", command, advice.Patch{Run: ptr("cat /etc/passwd")}, `"/etc/passwd"`},
		{"a way up", command, advice.Patch{Run: ptr("train --out=../x")}, `"../x"`},
		{"a way up inside", command, advice.Patch{Run: ptr("cat a/../../x")}, `"a/../../x"`},
		{"a way up behind a flag", command, advice.Patch{Run: ptr("cc -I../x a.c")}, `"-I../x"`},
		{"an absolute path behind a flag", command, advice.Patch{Run: ptr("cc -o/etc/x a.c")}, `"-o/etc/x"`},
		{"all packages", command, advice.Patch{Run: ptr("go test ./...")}, ""},
		{"home", command, advice.Patch{Run: ptr("cat ~/.ssh/id")}, `"~/.ssh/id"`},
		{"a variable in a command", command, advice.Patch{Run: ptr(`cat "$HOME"`)}, `"$HOME"`},
		{"a substitution", command, advice.Patch{Run: ptr("cat `id`")}, "`id`"},
		{"the network", command, advice.Patch{Run: ptr("get http://x.example/")}, `"http://x.example/"`},
		{"the network by a program", command, advice.Patch{Run: ptr("true;curl x.example")}, `"curl"`},
		{"other rights", command, advice.Patch{Run: ptr("sudo train")}, `"sudo"`},
		{"other rights by a path", command, advice.Patch{Run: ptr("usr/bin/sudo train")}, `"usr/bin/sudo"`},
		{"a program in pieces", command, advice.Patch{Run: ptr(`cu""rl x.example`)}, `"curl"`},
		{"a path in pieces", command, advice.Patch{Run: ptr(`cat .'.'/x`)}, `"../x"`},
		{"home without a word for it", command, advice.Patch{Run: ptr("(cd;cat .ssh/id) > out.txt")}, `"cd"`},
		{"a text that becomes a command", command,
			advice.Patch{Run: ptr("echo Y2F0IC9ldGMvcGFzc3dk | base64 -d | sh")}, `"sh"`},
		{"a program in another language", command, advice.Patch{Run: ptr("python3 -c 'open(chr(47))'")}, `"python3"`},
		{"what interpreted the command before", method.Method{Run: "python3 train.py --large"}, advice.Patch{Run: ptr("python3 train.py --small")}, ""},
		{"the environment", command, advice.Patch{Run: ptr("printenv > out.txt")}, `"printenv"`},
		{"a variable in front of a command", command, advice.Patch{Run: ptr("LD_PRELOAD=./x.so train")},
			`"LD_PRELOAD"`},
		{"a word like such a variable", command, advice.Patch{Run: ptr("go build --path=user/gopher ./cmd/x")}, ""},
		{"the controller's folder", command, advice.Patch{Run: ptr("rm -r .planlock")}, `".planlock"`},
		{"the repository", command, advice.Patch{Run: ptr("rm -r .git/hooks")}, `".git/hooks"`},
		{"an argument that leads out", command, advice.Patch{Args: map[string]string{"out": "/tmp/x"}}, `"/tmp/x"`},
		{"a folder of Windows", command, advice.Patch{Run: ptr(`cat C:\secret`)}, `C:\\secret`},
		{"a command for an agent", agent, advice.Patch{Run: ptr("true")}, "only by another"},
		{"a prompt for a command", command, advice.Patch{Prompt: ptr("do it")}, "only by another"},
		{"a variable that the plan does not name", command, advice.Patch{Env: map[string]string{"OTHER": "1"}}, `"OTHER" is not among`},
		{"a variable that decides what runs", command, advice.Patch{Env: map[string]string{"PATH": "bin"}}, `"PATH" decides`},
		{"a variable that decides where", command, advice.Patch{Env: map[string]string{"HTTP_PROXY": "x"}}, `"HTTP_PROXY" decides`},
		{"a value that leads out", command, advice.Patch{Env: map[string]string{"SEED": "/etc/x"}}, `"SEED" would reach out`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			before := tt.m
			after, err := tt.m.Patched(&tt.p, tt.m.Advised(step), step, env)
			switch {
			case tt.wants == "" && err != nil:
				t.Fatal(err)
			case tt.wants != "" && (err == nil || !strings.Contains(err.Error(), tt.wants)):
				t.Fatalf("got %v, want an error that says %s", err, tt.wants)
			case tt.wants != "":
				after, before = tt.m, after // a refused patch leaves the method as it was
				fallthrough
			default:
				if after.Executor != before.Executor || after.Tool != before.Tool ||
					!slices.Equal(after.ToolArgs, before.ToolArgs) {
					t.Errorf("the patch changed who carries it out: %+v", after)
				}
			}
		})
	}
}

// pieces are what random commands are made of: harmless words, and such that
// lead out of the workspace.
var (
	harmless = []string{"train", "go", "test", "./pkg", "a.txt", "--out", "b/c.json", "-v", "16", "&&", ";", "|", ">", "cat", "x=1", "out", "…", "\x00", "\"", "'", "\n", "\t"}
	leading  = []string{"/etc/passwd", "../x", "~", "$HOME", "`id`", "$(id)", "sudo", "curl", "wget", "http://x",
		"//x", ".git/config",
		".planlock/runs", "C:\\x", "..", "a/..", "ssh", "eval", "chmod", "nc", "x@y", "--out=/tmp", "*", "doas",
		"mount"}
	names    = []string{"SEED", "DEBUG", "PATH", "LD_PRELOAD", "GOPROXY", "HTTPS_PROXY", "HOME", "PLANLOCK_DIR", "GIT_DIR", "N", ""}
	patchEnv = []string{"SEED", "DEBUG", "PATH", "LD_PRELOAD", "GOPROXY", "HTTPS_PROXY", "HOME"}
)

func randomText(r *rand.Rand, words ...[]string) string {
	all := slices.Concat(words...)
	var b strings.Builder
	for range r.IntN(7) {
		b.WriteString(all[r.IntN(len(all))])
		if r.IntN(4) > 0 {
			b.WriteByte(' ')
		}
	}
	return b.String()
}

// randomPatch is a patch of random parts, by way of JSON with keys that no
// patch has.
func randomPatch(t testing.TB, r *rand.Rand) advice.Patch {
	wild := map[string]any{}
	if r.IntN(2) == 0 {
		wild["run"] = randomText(r, harmless, harmless, leading)
	}
	if r.IntN(3) == 0 {
		wild["prompt"] = randomText(r, harmless, leading)
	}
	if r.IntN(3) == 0 {
		wild["args"] = map[string]string{[]string{"out", "seed", "batch-size", "x y"}[r.IntN(4)]: randomText(r,
			harmless, leading)}
	}
	if r.IntN(3) == 0 {
		wild["env"] = map[string]string{names[r.IntN(len(names))]: randomText(r, harmless, leading)}
	}
	if r.IntN(3) == 0 {
		wild["feedback"] = []string{randomText(r, harmless, leading)}
	}
	for _, key := range []string{"executor", "tool", "tool_args", "access", "limits", "sandbox", "network", "timeout", "gates", "postconditions", "method"} {
		if r.IntN(6) == 0 {
			wild[key] = map[string]any{"max_files": 1 << 20, "network": true, "level": "none", "skip": "all",
				"writes": []string{"**"}}
		}
	}
	text, err := json.Marshal(wild)
	if err != nil {
		t.Fatal(err)
	}
	var p advice.Patch
	if err := json.Unmarshal(text, &p); err != nil {
		t.Fatal(err)
	}
	return p
}

// unquoted is a command without the quotes that a shell takes away.
func unquoted(run string) string {
	return packages.ReplaceAllString(strings.NewReplacer(`"`, "", "'", "").Replace(run), "$1-$2")
}

// packages is Go's word for all packages, which leads nowhere.
var packages = regexp.MustCompile(`(^|[/\s])\.\.\.([/\s]|$)`)

// widened says what after may do and before may not, found in another way than
// the code does: by looking for the pieces as they stand.
func widened(before, after method.Method, env []string) string {
	a, b := after, before
	a.Run, a.Prompt, a.Env, a.Feedback = "", "", nil, nil
	b.Run, b.Prompt, b.Env, b.Feedback = "", "", nil, nil
	x, _ := json.Marshal(a)
	y, _ := json.Marshal(b)
	if string(x) != string(y) {
		return "more than its text: " + string(x)
	}
	if (before.Run == "") != (after.Run == "") || (before.Prompt == "") != (after.Prompt == "") {
		return "what kind of method it is"
	}
	forbidden := []string{"..", "~", "$", "`", "://", "//", `\`, "@", "*", " /", "=/", ">/"}
	old, run := unquoted(before.Run), unquoted(after.Run)
	for _, piece := range forbidden {
		if strings.Contains(" "+run, piece) && !strings.Contains(" "+old, piece) {
			return "the command: " + piece
		}
		for name, v := range after.Env {
			if strings.Contains(v, piece) && before.Env[name] != v {
				return "the variable " + name + ": " + piece
			}
		}
	}
	is := func(r rune) bool { return strings.ContainsRune(" \n\t;&|>\"'\x00…/=", r) }
	had, has := strings.FieldsFunc(old, is), strings.FieldsFunc(run, is)
	for _, program := range []string{"sudo", "doas", "curl", "wget", "ssh", "eval", "chmod", "mount", ".git", ".planlock"} {
		if slices.Contains(has, program) && !slices.Contains(had, program) {
			return "the command: " + program
		}
	}
	for name, v := range after.Env {
		if before.Env[name] != v && (!slices.Contains(env, name) || name != "SEED" && name != "DEBUG") {
			return "the variable " + name
		}
	}
	return ""
}

// TestNoPatchWidens applies 100,000 random patches (2,000 in short
// runs), one on the other: none of them reaches for anything that the
// method did not reach for before.
func TestNoPatchWidens(t *testing.T) {
	r := rand.New(rand.NewPCG(4, 1))
	start := []method.Method{
		{ID: "primary", Run: "train --out a.json --seed 1 --batch-size=32", Executor: "shell"},
		{ID: "backup_1", Prompt: "write it", Executor: "agent", Tool: "tool", ToolArgs: []string{"x"}},
		{ID: "primary", Run: "cp /etc/hosts hosts", Executor: "shell", Env: map[string]string{"SEED": "1"}},
	}
	applied, refused, widen, patches := 0, 0, 0, 100_000
	if testing.Short() {
		patches = 2_000
	}
	for i := range patches {
		before := start[i%len(start)]
		p := randomPatch(t, r)
		kept := maps.Clone(before.Env)
		after, err := before.Patched(&p, before.Advised(&plan.Step{}), &plan.Step{}, patchEnv)
		if !maps.Equal(kept, before.Env) {
			t.Fatalf("the method that was patched changed: %+v", before)
		}
		var widens *method.WidenError
		switch {
		case errors.As(err, &widens):
			widen++
		case err != nil:
			refused++
		default:
			applied++
		}
		if what := widened(before, after, patchEnv); what != "" {
			t.Fatalf("patch %d widens %s\npatch  %+v\nbefore %+v\nafter  %+v", i, what, p, before, after)
		}
	}
	if few := patches / 10; applied < few || widen < few || refused < few {
		t.Errorf(
			"%d applied, %d refused because they would widen, %d for other reasons: the patches are too much alike",
			applied, widen, refused)
	}
}

func FuzzPatched(f *testing.F) {
	f.Add("train --out a", "", `{"run":"cat /etc/passwd"}`)
	f.Add("", "write it", `{"prompt":"x","feedback":["y"],"env":{"SEED":"2"}}`)
	f.Add("train --out a", "", `{"args":{"out":"b"},"access":{"writes":["**"]}}`)
	f.Fuzz(func(t *testing.T, run, prompt, patch string) {
		var p advice.Patch
		if json.Unmarshal([]byte(patch), &p) != nil {
			return
		}
		before := method.Method{ID: "primary", Run: run, Prompt: prompt, Executor: "x"}
		after, err := before.Patched(&p, before.Advised(&plan.Step{}), &plan.Step{}, patchEnv)
		if what := widened(before, after, patchEnv); what != "" {
			t.Errorf("%q, %q with %s widens %s (%v)", run, prompt, patch, what, err)
		}
	})
}

// TestPatchOfTheJobThatFailed holds that arguments are for the job that failed, if
// it has them, else for the first that has.
func TestPatchOfTheJobThatFailed(t *testing.T) {
	const run = "sh a.sh --n 1 --m 1 && sh b.sh --n 1 && sh c.sh --n 1 --k 1"
	step := &plan.Step{Adjustable: []string{"more"}}
	for _, c := range []struct {
		went []string
		args map[string]string
		want string
	}{
		{[]string{"sh a.sh --n 1 --m 1"}, map[string]string{"n": "22"}, "sh a.sh --n 1 --m 1 && sh b.sh --n 22 && sh c.sh --n 1 --k 1"},
		{[]string{"sh a.sh --n 1 --m 1", "sh b.sh --n 1"}, map[string]string{"n": "2", "m": "33", "k": "4"},
			"sh a.sh --n 1 --m 33 && sh b.sh --n 1 && sh c.sh --n 2 --k 4"},
		{[]string{"sh a.sh --n 1 --m 1"}, map[string]string{"more": "5", "n": "22"},
			"sh a.sh --n 1 --m 1 && sh b.sh --n 22 --more 5 && sh c.sh --n 1 --k 1"},
		{[]string{"sh a.sh --n 1 --m 1"}, map[string]string{"k": "44", "more": "5"},
			"sh a.sh --n 1 --m 1 && sh b.sh --n 1 --more 5 && sh c.sh --n 1 --k 44"},
		{[]string{"sh a.sh --n 1 --m 1"}, map[string]string{"m": "44", "more": "5"},
			"sh a.sh --n 1 --m 44 && sh b.sh --n 1 --more 5 && sh c.sh --n 1 --k 1"},
		{nil, map[string]string{"n": "2"}, "sh a.sh --n 2 --m 1 && sh b.sh --n 1 && sh c.sh --n 1 --k 1"},
		{[]string{"sh other.sh"}, map[string]string{"n": "2"}, "sh a.sh --n 2 --m 1 && sh b.sh --n 1 && sh c.sh --n 1 --k 1"},
		{[]string{"sh a.sh --n 1 --m 1", "sh b.sh --n 1", "sh c.sh --n 1 --k 1"}, map[string]string{"k": "2"},
			"sh a.sh --n 1 --m 1 && sh b.sh --n 1 && sh c.sh --n 1 --k 2"},
	} {
		m, went := method.Method{Run: run}, []history.JobDone(nil)
		for _, job := range c.went {
			went = append(went, history.JobDone{Run: job})
		}
		after, err := m.Patched(&advice.Patch{Args: c.args}, m.Advised(step, went...), step, nil)
		if err != nil || after.Run != c.want {
			t.Errorf("%v after %q: %q, %v; want %q", c.args, c.went, after.Run, err, c.want)
		}
	}
}
