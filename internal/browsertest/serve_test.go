package browsertest

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// head is how each plan of these tests begins.
const head = `schema = 1
non_goals = []

[goal]
description = %s

[[requirements]]
id = "R1"
text = "There are notes"

[execution]
jobs = 3

[defaults]
rollback = "reversible"
on_failure = "ask"
semantic_change = "extending"
requirements = ["R1"]
limits = { max_files = 2, max_lines = 10 }
`

// task is a task of one step that writes a file.
func task(id int, more, title, file, run string) string {
	return fmt.Sprintf(`
[[tasks]]
id = %d
%s
description = %s

  [[tasks.steps]]
  id = 1
  description = %s
  run = %s
  artifacts = { create = [%s] }
  postconditions = [{ kind = "file_contains", path = %[6]s, matches = "." }]
`, id, more, quoted(title), quoted("Write "+file), quoted(run), quoted(file))
}

// held is a command that waits for a file beside the workspace before it writes.
func held(by, file string) string {
	return "until [ -e ../" + by + " ]; do sleep 0.05; done; echo text > " + file
}

// TestPages has a browser look at what planlock serve shows.
func TestPages(t *testing.T) {
	chrome := browser(t)
	program := command(t)
	t.Run("a run is watched and answered", func(t *testing.T) { watched(t, chrome, newBench(t, program)) })
	t.Run("hostile words", func(t *testing.T) { hostile(t, chrome, newBench(t, program)) })
	t.Run("what a step changed", func(t *testing.T) { changed(t, chrome, newBench(t, program)) })
	t.Run("2000 steps", func(t *testing.T) { long(t, chrome, newBench(t, program)) })
}

// watched: the page follows a run that has three lanes, its
// question is answered with the keyboard, and the end is seen, all in one page
// that is never loaded anew but for the answer.
func watched(t *testing.T, chrome context.Context, b *bench) {
	plan := b.write("plan.toml", fmt.Sprintf(head, quoted("Notes in four parts, three of which are written at once"))+
		task(1, "wave = 1", "Write the beginning", "beginning.txt", held("go", "beginning.txt"))+
		task(2, "wave = 1", "Write the middle", "middle.txt", held("go", "middle.txt"))+
		task(3, "wave = 1", "Write the index", "index.txt", held("go", "index.txt"))+
		task(4, "depends_on = [1, 2, 3]", "Write the end", "end.txt", "echo text > end.txt; echo text > more.txt"))

	p := open(t, chrome, b.address, 1440, 900)
	p.settled("#runs")
	p.becomes(`document.body.innerText.includes('No plan has been run here yet')`)
	finish := b.begin("run", plan)
	p.becomes(`document.querySelector('#runs li.RUNNING a')`) // the list is kept up to date too
	p.accessible("the list of runs")
	p.do(chromedp.Evaluate(`document.querySelector('#runs a').focus()`, nil))
	p.press(kb.Enter)
	p.settled("#steps")

	p.becomes(`[1, 2, 3].every((n) => document.querySelector('#now').innerText.includes('in lane ' + n))`)
	p.becomes(`document.querySelector('#live').innerText.includes('up to date')`)
	p.accessible("a run at work")
	p.shot("serve-lanes")
	p.tabTo(`a[href$="/steps/step-2-1"]`) // where the reader is, it stays
	p.do(chromedp.Evaluate(`window.first = true`, nil))
	b.write("go", "")
	p.becomes(`document.querySelectorAll('#steps li.completed').length === 3`)
	p.becomes(`document.querySelector('#questions form')`)
	if !value[bool](p, `window.first && document.activeElement.matches('a[href$="/steps/step-2-1"]')`) {
		t.Error("the page lost its place while it changed")
	}
	finish(5)
	p.becomes(`document.querySelector('.badge').innerText === 'WAITING'`)
	light := p.scheme("light")
	p.accessible("a question")
	p.fits(390, 844)
	p.fits(1440, 900)
	if dark := p.scheme("dark"); dark == light {
		t.Errorf("the page is %s in the dark and in the light", dark)
	}
	p.accessible("a question in the dark")
	p.shot("serve-question")
	p.scheme("light")

	p.do(chromedp.Evaluate(`document.activeElement.blur()`, nil))
	p.press(kb.Tab)
	p.tabTo(`input[name=choice]`)
	p.press(" ")
	for range 20 {
		if value[string](p, `document.activeElement.value`) == "a" {
			break
		}
		p.press(kb.ArrowDown)
	}
	p.tabTo(`input[name=acknowledged]`)
	p.press("accept end.txt") // not what must be said
	p.tabTo(`textarea[name=reason]`)
	p.press("it belongs there")
	p.tabTo(`form button`)
	p.press(kb.Enter)
	p.settled(`[role=alert]`)
	p.becomes(`document.querySelector('[role=alert]').innerText.includes('does not count')`)
	if !value[bool](p, `fetch(location.pathname).then((r) => r.ok)`) {
		t.Error("a page that refuses an answer cannot be asked for again")
	}
	p.accessible("an answer that does not count")
	p.tabTo(`input[name=acknowledged]`)
	p.do(chromedp.Evaluate(`document.activeElement.select()`, nil))
	p.press("accept more.txt")
	p.tabTo(`form button`)
	p.press(kb.Enter)
	p.settled(`.given`)
	p.becomes(`document.querySelector('.given').innerText.includes('by ana: it belongs there')`)

	p.becomes(`document.querySelector('#live').innerText.includes('up to date')`)
	p.do(chromedp.Evaluate(`window.second = true`, nil))
	b.begin("resume")(0)
	p.becomes(`document.querySelector('.badge').innerText === 'ACHIEVED'`)
	p.becomes(`document.querySelector('#live').innerText.includes('over')`)
	if !value[bool](p, `window.second && !document.querySelector('form')`) {
		t.Error("the page was loaded anew, or still asks")
	}
	p.accessible("a run that is over")
	p.fits(390, 844)
	p.shot("serve-narrow")
}

// hostile: what a plan says is text, whatever it looks like,
// and no word of it is wider than the window.
func hostile(t *testing.T, chrome context.Context, b *bench) {
	nasty := "<script>alert(1)</script>\"'><img src=x onerror=alert(2)><svg onload=alert(3)> \u202Egnp.exe " +
		"javascript:alert(4) " + strings.Repeat("long", 200) + " \u05e9\u05dc\u05d5\u05dd"
	plan := b.write("plan.toml", fmt.Sprintf(head, quoted("Goal "+nasty))+
		task(1, "", "Task "+nasty, "<img src=x onerror=alert(5)>.txt", "echo '<script>alert(6)</script>'; exit 1"))
	b.begin("run", plan)(5)

	p := open(t, chrome, b.address, 1440, 900)
	p.settled("#runs li")
	for _, next := range []string{"#runs a", `#steps a[href*="/steps/"]`, ""} {
		if text := value[string](p, `document.body.innerText`); !strings.Contains(text, "<script>alert(1)</script>\"'><img src=x") ||
			!strings.Contains(text, `\u202e`) || strings.Contains(text, "\u202e") {
			t.Errorf("the page does not show what the plan says:\n%s", text)
		}
		if found := value[int](p, `document.querySelectorAll('img, script:not([src="/live.js"]), [onload], [onerror], a[href^="javascript"]').length`); found > 0 {
			t.Errorf("%d words of the plan are parts of the page", found)
		}
		p.fits(390, 844)
		p.fits(1440, 900)
		p.accessible("hostile words")
		if next == "" {
			p.shot("serve-hostile")
		}
		if next != "" {
			p.do(chromedp.Click(next, chromedp.ByQuery))
			p.settled(map[bool]string{true: "#steps", false: "main .card"}[next == "#runs a"])
		}
	}
}

// changed: the text of what a step changed is opened with the keyboard, on the page
// of the step and in the report that is one file, with JavaScript and without it.
func changed(t *testing.T, chrome context.Context, b *bench) {
	if err := os.WriteFile(filepath.Join(b.ws, "letter.txt"), []byte("Dear Ana,\nI come on Monday.\nYours, Bo\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	plan := b.write("plan.toml", fmt.Sprintf(head, quoted("The letter names the right day"))+strings.ReplaceAll(
		task(1, "", "Name the day", "letter.txt", "sed -i.old s/Monday/Friday/ letter.txt && rm letter.txt.old"),
		"{ create =", "{ modify ="))
	b.begin("run", plan)(3) // only declared: no check is certain to look at the day
	report := filepath.Join(t.TempDir(), "report.html")
	if said, err := b.planlock("report", "--format", "html", "-o", report).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, said)
	}

	p := open(t, chrome, b.address, 1440, 900)
	p.settled("#runs li")
	p.do(chromedp.Click("#runs a", chromedp.ByQuery))
	p.settled("#steps")
	p.do(chromedp.Click(`#steps a[href*="/steps/"]`, chromedp.ByQuery))
	p.settled("main .diff")
	p.reads("serve-diff")
	p.unscripted()
	p.reads("")

	p = open(t, chrome, "file://"+filepath.ToSlash(report), 1440, 900)
	p.settled(".step")
	p.reads("")
	p.unscripted()
	p.reads("")
}

// unscripted loads the page anew, without JavaScript.
func (b *tab) unscripted() {
	b.t.Helper()
	b.do(emulation.SetScriptExecutionDisabled(true), chromedp.Reload())
	b.settled(".diff")
	if !value[bool](b, `matchMedia('(scripting: none)').matches`) {
		b.t.Error("JavaScript is still on")
	}
}

// reads opens what a step changed with the keyboard, and looks at both sides.
func (b *tab) reads(shot string) {
	b.t.Helper()
	if value[bool](b, `!!document.querySelector('.step:not([open])')`) {
		b.tabTo(`.step > summary`)
		b.press(kb.Enter)
	}
	if value[bool](b, `document.querySelector('.sides').checkVisibility()`) {
		b.t.Error("the text of a change is open before somebody asks for it")
	}
	b.tabTo(`.diff > summary`)
	b.press(kb.Enter)
	const look = `(() => {
  const of = (c) => [...document.querySelectorAll('.sides .' + c)].filter((e) => e.checkVisibility()), colour = (e) => getComputedStyle(e).backgroundColor;
  const gone = of('gone'), come = of('new'), same = of('same');
  return [...gone, ...come].map((e) => e.innerText + ' [' + e.querySelector('mark').innerText + ']').join(' ') + ' ' + same.length + ' ' +
    new Set([gone[0], come[0], same[0]].map(colour)).size;
})()`
	const want = "I come on Monday. [Monday] I come on Friday. [Friday] 4 3" // lines, words, and three colours
	for _, scheme := range []string{"dark", "light"} {
		b.scheme(scheme)
		if got := value[string](b, look); got != want {
			b.t.Errorf("in %s colours the sides are %q, want %q", scheme, got, want)
		}
		if shot != "" {
			b.accessible("what a step changed, " + scheme)
		}
	}
	b.fits(390, 844)
	b.fits(1440, 900)
	if shot != "" {
		b.shot(shot)
	}
}

// long: the page of a long plan is bounded, and there at once.
func long(t *testing.T, chrome context.Context, b *bench) {
	var plan strings.Builder
	fmt.Fprintf(&plan, head, quoted("Two thousand steps"))
	plan.WriteString(task(1, "", "Begin", "begin.txt", "exit 1"))
	for id := range 100 {
		fmt.Fprintf(&plan, "\n[[tasks]]\nid = %d\ndepends_on = [1]\ndescription = \"Write part %[1]d\"\n", id+2)
		for step := range 20 {
			fmt.Fprintf(&plan, "  [[tasks.steps]]\n  id = %d\n  description = \"Write sentence %[1]d\"\n  run = \"true\"\n"+
				"  artifacts = { create = [\"%d-%[1]d.txt\"] }\n  postconditions = [{ kind = \"file_exists\", path = \"%[2]d-%[1]d.txt\" }]\n", step+1, id+2)
		}
	}
	b.begin("run", b.write("plan.toml", plan.String()))(5)
	p := open(t, chrome, b.address, 1440, 900)
	p.settled("#runs li")
	p.do(chromedp.Evaluate(`document.querySelector('#runs a').click()`, nil))
	p.settled("footer")
	if n := value[int](p, `document.querySelectorAll('#steps li').length`); n != 2001 {
		t.Errorf("%d steps are shown", n)
	}
	paint := value[float64](p, `new Promise((done) => new PerformanceObserver((l, o) => { o.disconnect(); done(l.getEntries()[0].startTime); }).observe({ type: 'paint', buffered: true }))`)
	served := value[float64](p, `performance.getEntriesByType('navigation')[0].responseEnd`)
	size := value[int](p, `performance.getEntriesByType('navigation')[0].decodedBodySize`)
	t.Logf("2,001 steps: first paint after %.0f ms, served after %.0f ms, %d KiB", paint, served, size>>10)
	if size > 2<<20 {
		t.Errorf("the page has %d bytes", size)
	}
	p.fits(390, 844)
	p.fits(1440, 900)
	p.shot("serve-long")
}
