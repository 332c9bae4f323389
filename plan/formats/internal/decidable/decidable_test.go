package decidable_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/planlock/planlock/plan"
	"github.com/planlock/planlock/plan/formats/internal/decidable"
)

// spelled are checks as a test writes them.
func spelled(checks []plan.Check) []string {
	list := []string{}
	for _, c := range checks {
		switch {
		case c.Kind == "command":
			list = append(list, "$ "+c.Run)
		case c.Derived:
			list = append(list, c.Kind+" "+c.Path)
		default:
			list = append(list, strings.TrimSpace(c.Kind+" "+c.Path+" "+c.Text))
		}
	}
	return list
}

func TestOf(t *testing.T) {
	for _, c := range []struct {
		text   string
		want   []string
		words  int
		notRun int
	}{
		{"<automated>npm test</automated>\nand look", []string{"$ npm test"}, 1, 0},
		{"<automated>\n  go vet ./...\n</automated>", []string{"$ go vet ./..."}, 0, 0},
		{"<automated>node --test a.cjs 2>&1 | tail -5</automated>", []string{"$ node --test a.cjs"}, 0, 0},
		{"<automated>MISSING: write it first</automated>", nil, 0, 0},
		{"```bash\n# all\n$ go vet ./...\ngo test ./...\n```", []string{"$ set -e\n# all\ngo vet ./...\ngo test ./..."}, 0, 0},
		{"```bash\ngrep -q a b.md && echo PASS || echo FAIL\n```", []string{"$ grep -q a b.md"}, 0, 0},
		{"```bash\nls | wc -l  # should be 6\n```", nil, 0, 1},
		{"~~~sh\nnpm test\n~~~\nThe lamps shine", []string{"$ npm test"}, 1, 0},
		{"```json\n{}\n```", nil, 0, 0},
		{"`npx tsc --noEmit` passes", []string{"$ npx tsc --noEmit"}, 0, 0},
		{"Run `go build ./...` - should build successfully", []string{"$ go build ./..."}, 0, 0},
		{"`grep -n x a.go` returns no matches", nil, 1, 1},
		// with a remark behind it
		{"`node --test a.cjs` exits 0 (all 10 tests pass)", []string{"$ node --test a.cjs"}, 0, 0},
		{"`cmp -s a b` exits with code 0 (unchanged).", []string{"$ cmp -s a b"}, 0, 0},
		{"go vet ./... exits 0 (nothing is new)", []string{"$ go vet ./..."}, 0, 0},
		{"`node --test a.cjs` exits 0 (or 2 on Windows)", nil, 1, 1},
		{"`node a.cjs` exits 0 (prints 5)", nil, 1, 1},
		{"go vet ./... exits 0 (once the server runs)", nil, 1, 1},
		{"`node --test a.cjs` exits with non-zero (red)", nil, 1, 1},
		{"`app/x.tsx` does NOT exist: `! test -f app/x.tsx`", []string{"$ ! test -f app/x.tsx"}, 0, 0},
		{"All is well, `go test ./...` passes and so on", nil, 1, 1},
		{"`Shine()` works", nil, 1, 0},
		// with a line below that says how it ends
		{"Run: `npm test`\nExpected: PASS", []string{"$ npm test"}, 1, 0},
		{"```sh\nnpm test\n```\n**Expected:** all tests pass", []string{"$ npm test"}, 1, 0},
		{"Run: `npm test`\nExpected: FAIL", nil, 1, 1},
		{"- `go vet ./...`\n```sh\nwc -l a.md\n```\n\n- Expected output: 5", []string{"$ go vet ./..."}, 1, 1},
		// without marks
		{"npm test", []string{"$ npm test"}, 0, 0},
		{"go test ./...", []string{"$ go test ./..."}, 0, 0},
		{"1. go vet ./... passes.\n2. The lamps shine", []string{"$ go vet ./..."}, 1, 0},
		{"dotnet build succeeds", []string{"$ dotnet build"}, 0, 0},
		{"Run: cargo test -p lamps", []string{"$ cargo test -p lamps"}, 0, 0},
		{"Run npm run typecheck", []string{"$ npm run typecheck"}, 0, 0},
		{"grep -q 'should be in the list' a.md", []string{"$ grep -q 'should be in the list' a.md"}, 0, 0},
		{"! grep -rn TODO src/", []string{"$ ! grep -rn TODO src/"}, 0, 0},
		{"test -f a.txt", []string{"$ test -f a.txt"}, 0, 0},
		{"[ -f a.txt ]", []string{"$ [ -f a.txt ]"}, 0, 0},
		{"./check.sh", nil, 1, 1},
		{"./check.sh passes", []string{"$ ./check.sh"}, 0, 0},
		{"wc -l a.csv returns 5", nil, 1, 1},
		{"make sure that the page loads", nil, 1, 0},
		{"go to the page and look", nil, 1, 0},
		{"test the page by hand", nil, 1, 0},
		{"node starts", nil, 1, 0},
		{"find the lamp", nil, 1, 0},
		{"npm test shows 3 passing", nil, 1, 1},
		{"All tests pass", nil, 1, 0},
		// files
		{"File exists: `src/a.ts`", []string{"file_exists src/a.ts"}, 0, 0},
		{"README.md exists in repository root.", []string{"file_exists README.md"}, 0, 0},
		{"File exists at samples/Pages/Counter.razor.", []string{"file_exists samples/Pages/Counter.razor"}, 0, 0},
		{"app/_Imports.razor contains \"@using B.Stores\".", []string{"file_contains app/_Imports.razor @using B.Stores"}, 0, 0},
		{"app/client.tsx contains `startTransition`", []string{"file_contains app/client.tsx startTransition"}, 0, 0},
		{"Files exist at a/b.cs and c.cs.", nil, 1, 0},
		{"e.g exists", nil, 1, 0},
		{"/etc/passwd exists", nil, 1, 0},
		{"../x.md exists", nil, 1, 0},
	} {
		f := decidable.Of(c.text)
		if c.want == nil {
			c.want = []string{}
		}
		if diff := cmp.Diff(c.want, spelled(f.Checks)); diff != "" {
			t.Errorf("%q (-want +got):\n%s", c.text, diff)
		}
		if len(f.Words) != c.words || len(f.NotRun) != c.notRun {
			t.Errorf("%q: %d lines of words and %d that are not run, want %d and %d", c.text, len(f.Words), len(f.NotRun), c.words, c.notRun)
		}
	}
}

func TestDerived(t *testing.T) {
	for _, c := range []struct {
		title, text string
		want        []string
	}{
		{"Create `x.go`", "", []string{"file_exists x.go"}},
		{"", "Create `src/a.ts` with the hooks.\n- Add `b.md`.\n- Delete `old/c.js`\n", []string{"file_exists src/a.ts", "file_exists b.md", "file_absent old/c.js"}},
		{"", "- Create: `a.py`\n- **Create:** a new file `b.py`\n", []string{"file_exists a.py", "file_exists b.py"}},
		{"", "Create `tmp.txt`. Run it. Delete `tmp.txt`.", nil},
		{"", "Create `config.json` in `src/`", nil},
		{"", "Create `user.name` and `bot.use`", nil},
		{"", "Do not create `x.go`. If it is missing, create `y.go`", nil},
		{"", "Create `users/profile` endpoint", nil},
		{"", "Delete `x` from `a.go`", nil},
		{"", "Remove `a.go` from the list", nil},
		{"", "Add `lodash/fp` to package.json", nil},
		{"Create User model in src/models/user.py", "", []string{"file_exists src/models/user.py"}},
		{"[P] Add tests in tests/a_test.py and b in src/b.py", "", []string{"file_exists tests/a_test.py", "file_exists src/b.py"}},
		{"Move the model in src/a.py", "", nil},
		{"Move `a.go` to `b.go`", "", []string{"file_absent a.go", "file_exists b.go"}},
		{"Rename `a.go` → `x/`", "Move `c.go` into `d` later", []string{"file_absent a.go", "file_exists x/a.go"}},
		{"Move `parse` from `a.go` to `b.go`", "", nil},
		{"Update `README.md` with usage", "", []string{"file_changed README.md"}},
		{"", "Refactor `server/limit.go`.\n- Modify: `a.go`\n", []string{"file_changed server/limit.go", "file_changed a.go"}},
		{"", "Create `a.go`. Update `a.go`.", nil},
		{"", "Create `a.go`\n\n```\nCreate `b.go`\n```\nCreate `c.go`\n", []string{"file_exists a.go", "file_exists c.go"}},
		{"", "Write it:\n  ~~~md\n  - Delete `b.go`\n  ~~~\n", nil},
		{"", "Write it:\n```\nCreate `b.go` and go on", nil},
		{"Update `config.yaml` if needed", "", nil},
		{"Update `a.go` or `b.go`", "", nil},
		{"Edit `a.go:10-20`", "", nil},
		{"Add a test unless there is one in src/a.py", "", nil},
	} {
		want := c.want
		if want == nil {
			want = []string{}
		}
		got := spelled(decidable.Derived(c.title, c.text))
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%q %q (-want +got):\n%s", c.title, c.text, diff)
		}
	}
}

func TestPassing(t *testing.T) {
	for _, c := range []struct {
		text string
		want []string
	}{
		{"Run: `npm test`\nExpected: PASS", []string{"$ npm test"}},
		{"- [ ] Write it\n\nRun: `go test ./...`\n\nExpected: all tests pass", []string{"$ go test ./..."}},
		{"Run: `npm test`\nExpected: FAIL with \"not defined\"", nil},
		{"Run: `cat a.md`\nExpected: Shows the header", nil},
	} {
		if c.want == nil {
			c.want = []string{}
		}
		if diff := cmp.Diff(c.want, spelled(decidable.Passing(c.text))); diff != "" {
			t.Errorf("%q (-want +got):\n%s", c.text, diff)
		}
	}
}
