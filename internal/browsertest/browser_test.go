package browsertest

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"image"
	"image/color"
	"image/draw"
	"image/png"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/page"
	cdp "github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// patience is how long anything may take on a machine that has much else to do.
const patience = 4 * time.Minute

// browser starts a browser, which ends with the test; where there is none the
// test is skipped.
func browser(t *testing.T) context.Context {
	t.Helper()
	program := ""
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "headless-shell"} {
		if found, err := exec.LookPath(name); err == nil {
			program = found
			break
		}
	}
	if program == "" {
		t.Skip("no Chromium is installed")
	}
	options := append(slices.Clone(chromedp.DefaultExecAllocatorOptions[:]), chromedp.ExecPath(program),
		chromedp.DisableGPU, chromedp.Flag("disable-quic", true), chromedp.Flag("disable-component-update", true),
		chromedp.WSURLReadTimeout(patience))
	if os.Getuid() == 0 { // for whom Chromium has no sandbox
		options = append(options, chromedp.NoSandbox)
	}
	ctx, stop := chromedp.NewExecAllocator(t.Context(), options...)
	t.Cleanup(stop)
	ctx, stop = chromedp.NewContext(ctx)
	t.Cleanup(stop)
	if err := chromedp.Run(ctx); err != nil {
		t.Fatalf("%s does not start: %v", program, err)
	}
	return ctx
}

// A tab is a page in the browser. What a page complains of fails the test.
type tab struct {
	t   *testing.T
	ctx context.Context

	mu       sync.Mutex
	problems []string
}

// open opens an address in a tab of its own, in a window of a size.
func open(t *testing.T, browser context.Context, address string, width, height int64) *tab {
	t.Helper()
	ctx, stop := chromedp.NewContext(browser)
	t.Cleanup(stop)
	ctx, stop = context.WithTimeout(ctx, patience)
	t.Cleanup(stop)
	b := &tab{t: t, ctx: ctx}
	chromedp.ListenTarget(ctx, func(event any) {
		switch e := event.(type) {
		case *page.EventJavascriptDialogOpening:
			b.problem("a dialog opens: " + e.Message)
			go chromedp.Run(ctx, page.HandleJavaScriptDialog(true))
		case *cdp.EventExceptionThrown:
			b.problem(e.ExceptionDetails.Error())
		case *cdp.EventConsoleAPICalled:
			if e.Type == cdp.APITypeError || e.Type == cdp.APITypeWarning {
				b.problem(fmt.Sprintf("%s: %v", e.Type, e.Args))
			}
		case *log.EventEntryAdded:
			refused := strings.Contains(e.Entry.Text, "status of 422") // an answer that does not count
			if (e.Entry.Level == log.LevelError || e.Entry.Level == log.LevelWarning) && !refused {
				b.problem(e.Entry.Text + " " + e.Entry.URL)
			}
		}
	})
	t.Cleanup(func() {
		b.mu.Lock()
		defer b.mu.Unlock()
		for _, p := range b.problems {
			t.Errorf("%s: the page complains: %s", address, p)
		}
	})
	b.do(log.Enable(), chromedp.EmulateViewport(width, height), chromedp.Navigate(address))
	return b
}

func (b *tab) problem(text string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.problems = append(b.problems, text)
}

// do has the browser do something.
func (b *tab) do(actions ...chromedp.Action) {
	b.t.Helper()
	if err := chromedp.Run(b.ctx, actions...); err != nil {
		b.t.Fatal(err)
	}
}

// value is what an expression of JavaScript yields.
func value[T any](b *tab, expression string) (v T) {
	b.t.Helper()
	if err := chromedp.Run(b.ctx, chromedp.Evaluate(expression, &v, awaited)); err != nil {
		b.t.Fatalf("%s: %v", expression, err)
	}
	return v
}

func awaited(p *cdp.EvaluateParams) *cdp.EvaluateParams { return p.WithAwaitPromise(true) }

// becomes waits until a condition holds, which the page comes to by itself: a
// page that is loaded anew fails the test.
func (b *tab) becomes(condition string) {
	b.t.Helper()
	var ok bool
	err := chromedp.Run(b.ctx, chromedp.Evaluate(fmt.Sprintf(`new Promise((done) => {
  const look = () => { if (%s) { watch.disconnect(); done(true); } };
  const watch = new MutationObserver(look);
  watch.observe(document, { subtree: true, childList: true, attributes: true, characterData: true });
  look();
})`, condition), &ok, awaited))
	if err != nil {
		var text string
		late, stop := context.WithTimeout(context.WithoutCancel(b.ctx), 5*time.Second)
		defer stop()
		chromedp.Run(late, chromedp.Evaluate(`document.body.innerText`, &text))
		b.t.Fatalf("it never is that %s: %v; the page says\n%s", condition, err, text)
	}
}

// settled waits until the browser has the page, where another one leads on to it.
func (b *tab) settled(selector string) {
	b.t.Helper()
	b.do(chromedp.WaitReady(selector, chromedp.ByQuery))
}

// fits fails the test where anything is wider than the window.
func (b *tab) fits(width, height int64) {
	b.t.Helper()
	b.do(chromedp.EmulateViewport(width, height))
	if wide := value[int64](b, `document.scrollingElement.scrollWidth`); wide > width {
		b.t.Errorf("at %d pixels the page is %d wide: %s", width, wide, value[string](b, fmt.Sprintf(
			`[...document.querySelectorAll('body *')].filter((e) => e.getBoundingClientRect().right > %d).slice(0, 5).map((e) => e.tagName + '.' + e.getAttribute('class') + '#' + e.id).join(', ')`, width)))
	}
}

// scheme has the browser prefer light or dark colours, and is what is then
// behind the page.
func (b *tab) scheme(name string) string {
	b.t.Helper()
	b.do(emulation.SetEmulatedMedia().WithFeatures([]*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: name}}))
	return value[string](b, `getComputedStyle(document.body).backgroundColor`)
}

// accessible fails the test where axe finds a serious fault. It is looked for
// where NODE_PATH says; see .ci/run.
func (b *tab) accessible(what string) {
	b.t.Helper()
	axe := ""
	for _, dir := range filepath.SplitList(os.Getenv("NODE_PATH")) {
		if text, err := os.ReadFile(filepath.Join(dir, "axe-core", "axe.min.js")); err == nil {
			axe = string(text)
		}
	}
	if axe == "" {
		b.t.Log("axe-core is not looked with: NODE_PATH has none")
		return
	}
	if !value[bool](b, `!!window.axe`) {
		b.do(chromedp.Evaluate(axe+"\n;0", nil))
	}
	for _, fault := range value[[]string](b, `axe.run(document, { resultTypes: ['violations'] }).then((r) => r.violations
  .filter((v) => v.impact === 'serious' || v.impact === 'critical')
  .map((v) => v.id + ': ' + v.help + ': ' + v.nodes.slice(0, 3).map((n) => n.html.slice(0, 200) + ' ' + n.failureSummary).join(' | ')))`) {
		b.t.Errorf("%s: %s", what, fault)
	}
}

// press presses keys, one after another.
func (b *tab) press(keys ...string) {
	b.t.Helper()
	for _, key := range keys {
		b.do(chromedp.KeyEvent(key))
	}
}

// tabTo presses the tab key until a part has the focus.
func (b *tab) tabTo(selector string) {
	b.t.Helper()
	for range 200 {
		b.press(kb.Tab)
		if value[bool](b, fmt.Sprintf(`document.activeElement.matches(%q)`, selector)) {
			return
		}
	}
	b.t.Fatalf("the tab key never comes to %s", selector)
}

// shot keeps a picture of the window in a folder, where PLANLOCK_SHOTS names one:
// those of the documentation are made so.
func (b *tab) shot(name string) {
	b.t.Helper()
	dir := os.Getenv("PLANLOCK_SHOTS")
	if dir == "" {
		return
	}
	var taken []byte
	b.do(chromedp.Evaluate(`window.scrollTo({ top: 0, behavior: 'instant' })`, nil), chromedp.CaptureScreenshot(&taken))
	whole, err := png.Decode(bytes.NewReader(taken))
	if err != nil {
		b.t.Fatal(err)
	}
	var small bytes.Buffer
	err = (&png.Encoder{CompressionLevel: png.BestCompression}).Encode(&small, fewColours(whole))
	if err := errors.Join(err, os.WriteFile(filepath.Join(dir, name+".png"), small.Bytes(), 0o644)); err != nil {
		b.t.Fatal(err)
	}
}

// fewColours is a picture in the 256 colours that it has most of.
func fewColours(whole image.Image) image.Image {
	counts := map[color.Color]int{}
	at := whole.Bounds()
	for y := at.Min.Y; y < at.Max.Y; y++ {
		for x := at.Min.X; x < at.Max.X; x++ {
			counts[whole.At(x, y)]++
		}
	}
	var palette color.Palette
	for c := range counts {
		palette = append(palette, c)
	}
	slices.SortFunc(palette, func(a, b color.Color) int { return counts[b] - counts[a] })
	few := image.NewPaletted(at, palette[:min(len(palette), 256)])
	draw.Draw(few, at, whole, at.Min, draw.Src)
	return few
}

// A bench is a workspace, with the command and its server.
type bench struct {
	t                *testing.T
	program, ws, env string
	address          string // that the server printed
}

// command makes the command.
func command(t *testing.T) string {
	t.Helper()
	program := filepath.Join(t.TempDir(), "planlock")
	build := exec.CommandContext(t.Context(), "go", "build", "-o", program, "./planlock")
	build.Dir, build.Env = filepath.Join("..", "..", "cmd"), append(os.Environ(), "GOWORK=") // of this tree, as a whole
	if said, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, said)
	}
	return program
}

// newBench starts a server of a new workspace.
func newBench(t *testing.T, program string) *bench {
	t.Helper()
	b := &bench{t: t, program: program, ws: filepath.Join(t.TempDir(), "notes"), env: t.TempDir()}
	if err := os.Mkdir(b.ws, 0o755); err != nil {
		t.Fatal(err)
	}
	serve := b.planlock("serve", "--by", "ana")
	out, err := serve.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := serve.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		serve.Process.Signal(os.Interrupt)
		serve.Wait()
	})
	if _, err := fmt.Fscanln(out, &b.address); err != nil {
		t.Fatalf("the server prints no address: %v", err)
	}
	return b
}

// planlock is the command with arguments, in the workspace.
func (b *bench) planlock(arguments ...string) *exec.Cmd {
	c := exec.CommandContext(b.t.Context(), b.program, arguments...)
	c.Dir = b.ws
	c.Env = append(os.Environ(), "XDG_STATE_HOME="+b.env, "XDG_CONFIG_HOME="+b.env, "HOME="+b.env)
	c.Cancel = func() error { return c.Process.Signal(os.Interrupt) }
	c.WaitDelay = 10 * time.Second
	return c
}

// begin begins to carry a plan out, or to go on with a run; finish waits until it
// ends with a status.
func (b *bench) begin(arguments ...string) (finish func(status int)) {
	b.t.Helper()
	c := b.planlock(append(arguments, "--no-sandbox", "--answers", "wait", "--mode", "silent")...)
	var said bytes.Buffer
	c.Stdout, c.Stderr = &said, &said
	if err := c.Start(); err != nil {
		b.t.Fatal(err)
	}
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		c.Wait()
	}()
	b.t.Cleanup(func() {
		c.Process.Signal(os.Interrupt)
		<-ended
	})
	return func(status int) {
		b.t.Helper()
		<-ended
		if got := c.ProcessState.ExitCode(); got != status {
			b.t.Fatalf("planlock %s ended with %d, want %d\n%s", strings.Join(arguments, " "), got, status, said.String())
		}
	}
}

// write writes a file beside the workspace, and is its path.
func (b *bench) write(name, text string) string {
	b.t.Helper()
	path := filepath.Join(filepath.Dir(b.ws), name)
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		b.t.Fatal(err)
	}
	return path
}

// quoted is a text as plans in TOML have it.
func quoted(text string) string {
	q, err := json.Marshal(text)
	if err != nil {
		panic(err)
	}
	return string(q)
}
