package plan_test

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/planlock/planlock/plan"
	"github.com/planlock/planlock/plan/file"
	"github.com/planlock/planlock/plan/native"
)

// withArtifact is a plan whose last step modifies a path, in TOML spelling.
func withArtifact(t *testing.T, path string) *plan.Draft {
	return mustRead(t, strings.Replace(limitsPlan(t), `modify = ["README.md"]`, `modify = [`+path+`]`, 1))
}

func has(d *plan.Draft, code string) bool {
	return slices.Contains(codesOf(d.Check(plan.CheckOptions{})), code)
}

// 1. Paths that lead out, and names that are not what they seem.
func TestHostilePaths(t *testing.T) {
	for _, path := range []string{`"../.."`, `"../../etc/passwd"`, `"/etc/passwd"`, `"a\u0000b"`, `"a\r"`, `"a "`, `" a"`, `'a\b'`, `'C:\x'`,
		`"a/../b"`, `"./a"`, `"a//b"`, `"a/"`, `""`, `"a\u202eb"`, `"a\u200bb"`, `"a\u001b[2J"`, `"{a"`, `"[a"`} {
		if !has(withArtifact(t, path), "path-invalid") {
			t.Errorf("%s was taken", path)
		}
	}
	for _, pair := range []string{`"README.md", "readme.md"`, `"\u00e9.txt", "e\u0301.txt"`} {
		if !has(withArtifact(t, pair), "path-lookalike") {
			t.Errorf("%s was taken", pair)
		}
	}
	if has(withArtifact(t, `"r\u00e9sum\u00e9.txt", "resume.txt"`), "path-lookalike") {
		t.Error("two names that look different are refused")
	}
	d := mustRead(t, strings.Replace(limitsPlan(t), `modules = ["server"]`, `modules = ["serv"]`, 1))
	if !has(d, "artifact-outside-modules") {
		t.Error("serv is taken for a part of server")
	}
	for _, text := range []string{`\u202e`, `\u200b`, `\u0007`, `\u2066`} {
		d := mustRead(t, strings.Replace(limitsPlan(t), `title = "Limit"`, `title = "Lim`+text+`it"`, 1))
		if !has(d, "text-hidden") {
			t.Errorf("%s in a title is not told", text)
		}
	}
}

// 2. Texts that are made to cost much. What is refused is refused by its size or shape.
func TestBombs(t *testing.T) {
	size := 1 << 20
	if testing.Short() {
		size >>= 4
	}
	fillUp := func(head, piece, tail string) string {
		return head + strings.Repeat(piece, (size-len(head)-len(tail))/len(piece)) + tail
	}
	number := 0
	for name, text := range map[string]string{
		"inline tables":   fillUp("schema = 1\nx = ", "{a=", ""),
		"arrays":          fillUp("schema = 1\nx = ", "[", ""),
		"long array":      fillUp("schema = 1\nx = [", "1,", "]"),
		"long constraint": fillUp("schema = 1\n[constraints]\nx = [", "\"\",", "]"),
		"dotted key":      fillUp("schema = 1\nx", ".a", " = 1"),
		"dotted header":   fillUp("schema = 1\n[x", ".a", "]"),
		"array tables":    fillUp("schema = 1\n", "[[tasks]]\n", ""),
		"steps":           fillUp("schema = 1\n[[tasks]]\n", "[[tasks.steps]]\n", ""),
		"unknown tables":  fillUp("schema = 1\n", "[[a]]\n", ""),
		"defaults": fillUp("schema = 1\n[defaults]\nevidence = ['"+strings.Repeat("x",
			size/2)+"']\n[[tasks]]\n", "[[tasks.steps]]\n", ""),
		"an open string":   fillUp("schema = 1\nx = \"", "a", ""),
		"an open text":     fillUp("schema = 1\nx = \"\"\"", "a\n", ""),
		"comments":         fillUp("schema = 1\n", "#\n", ""),
		"quotes":           fillUp("schema = 1\nx = ", "'", ""),
		"inline steps":     fillUp("schema = 1\ntasks = [{steps=[", "{},", "]}]"),
		"globs":            fillUp("schema = 1\nnon_goals = [{id=1,paths=["+strings.Repeat(`"*/x*/**/y",`, size/52)+"]}]\n[[tasks]]\nid = 1\n[[tasks.steps]]\nid = 1\nartifacts.create = [", `"a/b",`, "]"),
		"self dependency":  fillUp("schema = 1\n[[tasks]]\nid = 1\ndepends_on = [", "1,", "]"),
		"many keys":        "schema = 1\n[constraints]\n" + manyKeys(size, &number),
		"many known":       fillUp("schema = 1\n", "[goal]\n", ""),
		"deep chain":       manyTasks(size),
		"keys by case":     fillUp("schema = 1\n[constraints]\n", "a=1\nA=1\n", ""),
		"regular express.": fillUp("schema = 1\n[[tasks]]\n[[tasks.steps]]\nexpect.stdout_matches = \"", "(a{1000}){1000}", "\""),
	} {
		t.Run(name, func(t *testing.T) {
			if len(text) > size {
				t.Fatalf("%d bytes", len(text))
			}
			var before, after runtime.MemStats
			runtime.GC()
			runtime.ReadMemStats(&before)
			start := time.Now()
			d, err := native.Read("plan.toml", []byte(text))
			if err != nil {
				t.Fatal(err)
			}
			found := d.Check(plan.CheckOptions{})
			took := time.Since(start)
			runtime.ReadMemStats(&after)
			t.Logf("%v, %d MiB allocated, %d found: %.200v", took, (after.TotalAlloc-before.TotalAlloc)>>20,
				len(found), found[0])
			// The limits are 200 ms and 100 MiB; a busy machine, the race
			// detector and memory that was freed again get some room.
			if took > 20*time.Second || after.TotalAlloc-before.TotalAlloc > 160<<20 {
				t.Errorf("%v and %d MiB", took, (after.TotalAlloc-before.TotalAlloc)>>20)
			}
			if len(found) == 0 {
				t.Error("nothing to say")
			}
		})
	}
}

func manyKeys(size int, n *int) string {
	var b strings.Builder
	for b.Len() < size-60 {
		*n++
		fmt.Fprintf(&b, "k%d=1\n", *n)
	}
	return b.String()
}

// manyTasks is a chain of tasks in which each depends on the next, and the last
// on the first.
func manyTasks(size int) string {
	var b strings.Builder
	b.WriteString("schema = 1\n")
	n := 0
	for ; b.Len() < size-100; n++ {
		fmt.Fprintf(&b, "[[tasks]]\nid=%d\ndepends_on=[%d]\n", n, n+1)
	}
	fmt.Fprintf(&b, "[[tasks]]\nid=%d\ndepends_on=[0]\n", n)
	return b.String()
}

func TestSizeIsRefused(t *testing.T) {
	var size *plan.SizeError
	if _, err := native.Read("plan.toml", make([]byte, 16<<20+1)); !errors.As(err, &size) || size.Max != 16<<20 {
		t.Error(err)
	}
	path := filepath.Join(t.TempDir(), "plan.toml")
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	err = f.Truncate(64 << 20)
	f.Close()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := native.ReadFile(path); !errors.As(err, &size) || !strings.Contains(err.Error(), "bytes") {
		t.Error(err)
	}
}

// 3. Duplicates, cycles, numbers: the catalogue's examples have most of them.
func TestCyclesAreNamedInFull(t *testing.T) {
	d := mustRead(t, "schema = 1\n[[tasks]]\nid = \"a\"\ndepends_on = [\"c\"]\n[[tasks]]\nid = \"b\"\ndepends_on = [\"a\"]\n[[tasks]]\nid = \"c\"\ndepends_on = [\"b\"]\n[[tasks]]\nid = \"d\"\ndepends_on = [\"d\", \"a\"]\n")
	var got []string
	for _, f := range d.Check(plan.CheckOptions{}) {
		if f.Code == "task-cycle" {
			got = append(got, f.Message)
		}
	}
	want := []string{"tasks wait for each other: a → c → b → a", "tasks wait for each other: d → d"}
	if !slices.Equal(got, want) {
		t.Errorf("%q", got)
	}
}

func TestKeysInTwoCases(t *testing.T) {
	for _, text := range []string{
		"schema = 1\n[goal]\ndescription = \"a\"\nDescription = \"b\"\n", "schema = 1\n[goal]\n[Goal]\n", "schema = 1\ngoal = { description = \"a\", DESCRIPTION = \"b\" }\n",
		"schema = 1\n[constraints]\na = 1\nA = 2\n", "schema = 1\n\"schema\" = 1\n", "schema = 1\ngoal.description = \"a\"\n[goal]\ndescription = \"b\"\n",
		"schema = 1\n[goal]\ndescription = \"a\"\n[goal]\n", "schema = 1\n[[tasks]]\n[tasks]\n", "schema = 1\ntasks = []\n[[tasks]]\n",
	} {
		if d := mustRead(t, text); !slices.Contains(codesOf(d.Found), "key-duplicate") {
			t.Errorf("%q: %v", text, d.Found)
		}
	}
	if d := mustRead(t, "Schema = 1\n"); !slices.Contains(codesOf(d.Found), "key-case") {
		t.Error(d.Found)
	}
}

// 4. Bytes before, between and after the text.
func TestBytes(t *testing.T) {
	for text, want := range map[string]string{
		"":                                "not-a-plan 1:1",
		"\n\n":                            "not-a-plan 1:1",
		"\xef\xbb\xbf":                    "not-a-plan 1:1",
		"schema = 1\n# caf\xe9\n":         "utf8-invalid 2:6",
		"schema = 1\r\n[x]\nfoo = 1\r\n":  "key-unknown 2:2",
		"schema = 1\rfoo = 1":             "toml-parse-error 1:11",
		"schema = 1\n[goal":               "toml-parse-error 2:5",
		"\xff\xfes\x00":                   "not-a-plan 1:1",
		"{\"schema\": 1}":                 "not-a-plan 1:1",
		"---\nphase: 1\n---\n# Plan\n":    "not-a-plan 1:1",
		"name = \"x\"\n":                  "not-a-plan 1:1",
		"schema = \"1\"\n":                "schema-unsupported 1:1",
		"schema = 99\n":                   "schema-unsupported 1:1",
		"[goal]\n[[tasks]]\n":             "schema-missing 1:1",
		"\xef\xbb\xbfschema = 1\nfoo = 1": "key-unknown 2:1",
	} {
		d := mustRead(t, text)
		if len(d.Found) == 0 {
			t.Errorf("%q: nothing found", text)
			continue
		}
		f := d.Found[0]
		if got := fmt.Sprintf("%s %d:%d", f.Code, f.Pos.Line, f.Pos.Column); got != want {
			t.Errorf("%q: %s, want %s (%v)", text, got, want, d.Found)
		}
		if _, err := plan.Lock(d, plan.LockOptions{}); err == nil {
			t.Errorf("%q: locked", text)
		}
	}
}

// 5. What lies where the plan should be.
func TestFiles(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) string {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		return path
	}
	text := limitsPlan(t)
	for _, tt := range []struct {
		name string
		path string
		want error
	}{
		{"missing", filepath.Join(dir, "nothing.toml"), fs.ErrNotExist},
		{"empty folder", filepath.Dir(write("empty/readme.md", "")), file.ErrNoPlan},
		{"two plans", filepath.Dir(func() string { write("two/b.toml", text); return write("two/a.toml", text) }()),
			file.ErrManyPlans},
		{"plan.toml", filepath.Dir(func() string {
			write("one/other.toml", text)
			return write("one/plan.toml",
				text)
		}()), nil},
		{"the only one", filepath.Dir(func() string { write("only/Cargo.toml", "[package]\n"); return write("only/x.toml", text) }()), nil},
		{"a file", write("x.toml", text), nil},
	} {
		d, err := native.ReadFile(tt.path)
		if !errors.Is(err, tt.want) || (err == nil) != (d != nil) {
			t.Errorf("%s: %v", tt.name, err)
		}
	}
	if _, err := native.ReadFile(filepath.Join(dir, "two")); err == nil || !strings.Contains(err.Error(), "a.toml, b.toml") {
		t.Errorf("the plans are not named: %v", err)
	}
	if err := os.Symlink("x.toml", filepath.Join(dir, "link.toml")); err != nil {
		t.Skip("no links here")
	}
	if _, err := native.ReadFile(filepath.Join(dir, "link.toml")); err != nil {
		t.Error(err)
	}
}

func TestUnreadableFile(t *testing.T) {
	if os.Geteuid() <= 0 {
		t.Skip("root reads everything, and Windows has other permissions")
	}
	path := filepath.Join(t.TempDir(), "plan.toml")
	if err := os.WriteFile(path, []byte("schema = 1\n"), 0); err != nil {
		t.Fatal(err)
	}
	if _, err := native.ReadFile(path); !errors.Is(err, fs.ErrPermission) {
		t.Error(err)
	}
}

// 7. What belongs to others.
func TestReservedArtifacts(t *testing.T) {
	for _, path := range []string{".git/config", ".git/**", ".GIT/hooks/x", ".planlock/journal", ".planlock", "plan.toml",
		"plan.lock.json", "sub/.git/config", "**/.git/hooks/*", "sub/git~1/config", "a/.planlock/x"} {
		if !has(withArtifact(t, `"`+path+`"`), "path-reserved") {
			t.Errorf("%s was taken", path)
		}
	}
	for _, path := range []string{".github/x.yml", ".gitignore", "docs/.gitkeep", "my-plan.toml"} {
		if has(withArtifact(t, `"`+path+`"`), "path-reserved") {
			t.Errorf("%s was refused", path)
		}
	}
}

// Names that no file system holds, and those by which Windows means something
// else. They are told with place and remedy; what is there may be deleted.
func TestUnportableArtifacts(t *testing.T) {
	const code = "path-unportable"
	for _, name := range []string{"CON", "docs/nul.txt", "COM1", "a.", "dir./b", "notes:b", strings.Repeat("n", 300)} {
		for _, list := range []string{"create", "modify"} {
			text := strings.Replace(limitsPlan(t), `modify = ["README.md"]`, list+` = ["`+name+`"]`, 1)
			found := mustRead(t, text).Check(plan.CheckOptions{})
			at := slices.IndexFunc(found, func(d plan.Diagnostic) bool { return d.Code == code })
			if at < 0 {
				t.Errorf("%s %.20q was taken", list, name)
				continue
			}
			line := strings.Count(text[:strings.Index(text, name)], "\n") + 1
			if d := found[at]; d.Severity != plan.Error || d.Pos.File != "plan.toml" || d.Pos.Line != line || d.Hint == "" {
				t.Errorf("%s %.20q: %+v, want line %d", list, name, d, line)
			}
		}
		text := strings.Replace(limitsPlan(t), `modify = ["README.md"]`, `delete = ["`+name+`"]`, 1)
		if has(mustRead(t, text), code) {
			t.Errorf("%.20q cannot be deleted", name)
		}
	}
	for _, name := range []string{strings.Repeat("n", 255), "console.log", "COM10", "drivers/au*.c", "app/[id]/page.ts"} {
		if has(withArtifact(t, `"`+name+`"`), code) {
			t.Errorf("%.20q was refused", name)
		}
	}
}

// 5. A plan that changes between reading it and making its digest: the lock is
// that of what was read, whole, and it does not fit what lies there now; and
// what cannot be read twice alike is refused.
func TestPlanChangesBetweenReadingAndLock(t *testing.T) {
	path := filepath.Join(t.TempDir(), "plan.toml")
	text := limitsPlan(t)
	other := strings.Replace(text, `title = "Limit"`, `title = "Other"`, 1)
	if other == text {
		t.Fatal("the plan has no such title")
	}
	for name, change := range map[string]func() error{
		"written": func() error { return os.WriteFile(path, []byte(other), 0o644) },
		"replaced": func() error {
			return errors.Join(os.WriteFile(path+"2", []byte(other), 0o644), os.Rename(path+"2", path))
		},
		"emptied": func() error { return os.Truncate(path, 0) },
		"removed": func() error { return os.Remove(path) },
	} {
		t.Run(name, func(t *testing.T) {
			if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
				t.Fatal(err)
			}
			d, err := native.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			want := mustRead(t, text).Plan.Digest()
			if err := change(); err != nil {
				t.Fatal(err)
			}
			locked := mustLock(t, d, plan.LockOptions{})
			if got := locked.Plan().Digest(); got != want {
				t.Errorf("the lock is for %s, not for what was read", got)
			}
			if err := locked.Verify(); err == nil {
				t.Error("the lock fits what lies there now")
			}
		})
	}
}
