package main

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"math"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/chromedp/chromedp"

	"github.com/bloomgml/bloom/internal/inspect"
	"github.com/bloomgml/bloom/internal/testkit/browser"
)

var shots = flag.String("shots", "", "a folder to write pictures of the page to")

// most is the largest compressed program that a page may have.
const most = 8 << 20

// folder is where build puts the page and its engine, for all tests.
var (
	folder string
	build  = sync.OnceValue(func() (err error) {
		if folder, err = os.MkdirTemp("", "bloom-page"); err != nil {
			return err
		}
		return writePlay([]string{folder}, io.Discard)
	})
)

func TestMain(m *testing.M) {
	code := m.Run()
	if folder != "" {
		os.RemoveAll(folder)
	}
	os.Exit(code)
}

// built returns that folder; tests are skipped where they should be quick.
func built(t *testing.T) string {
	t.Helper()
	if testing.Short() {
		t.Skip("compiles the engine to WebAssembly")
	}
	if err := build(); err != nil {
		t.Fatal(err)
	}
	return folder
}

// questions are what a page asks, one after another.
func questions(t *testing.T) (list [][2]string) {
	for _, energy := range []string{
		`{"f": {"term": "laplace", "norm": "symmetric"}, "kappa": {"anchor": "huber"}, "eta": "nonnegative"}`,
		`{"f": {"term": "compat"}, "kappa": {"anchor": "half-squared"},
			"descent": {"algorithm": "momentum", "gamma": "safe"}}`,
		`{"f": {"term": "difference", "penalty": "welsch"}, "kappa": {"anchor": "log-cosh"}, "eta": {"ball": 2},
			"descent": {"algorithm": "proximal", "gamma": "backtracking"}}`,
		`{"f": {"term": "laplas"}}`,
	} {
		d := inspect.Drawing{Classes: 3, Energy: json.RawMessage(energy)}
		for v := range 24 {
			a := 2 * math.Pi * float64(v) / 24
			d.Nodes = append(d.Nodes, inspect.Node{X: 2 * math.Cos(a), Y: 1.5 * math.Sin(3*a), Class: int32(v % 4)})
			d.Edges = append(d.Edges, [2]int32{int32(v), int32((v + 1) % 24)}, [2]int32{int32(v), int32((v * 7) % 24)})
		}
		text, err := json.Marshal(d)
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, [2]string{"fresh", string(text)}, [2]string{"learn", "20"})
	}
	return append(list, [2]string{"menu", ""}, [2]string{"what", ""})
}

// asking is a script for node: it starts the engine, as the page does, and asks what stands on stdin.
const asking = `
require(process.argv[1]);
startBloom().then(() => {
  const list = JSON.parse(require("fs").readFileSync(0, "utf8"));
  const answers = list.map(([what, argument]) => JSON.parse(bloom(what, argument)));
  process.stdout.write(JSON.stringify(answers), () => process.exit(0));
});`

// TestEngine: the program for a browser is small, and under node it says what the library says here.
func TestEngine(t *testing.T) {
	out := built(t)
	script, err := os.ReadFile(filepath.Join(out, "engine.js"))
	if err != nil {
		t.Fatal(err)
	}
	if len(script) > most*4/3 { // in base64
		t.Errorf("the engine has %d bytes", len(script))
	}
	node, err := exec.LookPath("node")
	if err != nil {
		t.Skip("there is no node to run WebAssembly; apt-get install nodejs brings one")
	}
	list := questions(t)
	asked, err := json.Marshal(list)
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(node, "-e", asking, filepath.Join(out, "engine.js"))
	var stdout, stderr bytes.Buffer
	cmd.Stdin, cmd.Stdout, cmd.Stderr = bytes.NewReader(asked), &stdout, &stderr
	if err := cmd.Run(); err != nil {
		t.Fatalf("%v\n%s", err, stderr.String())
	}
	var got []any
	if err := json.Unmarshal(stdout.Bytes(), &got); err != nil {
		t.Fatalf("%v\n%.500s\n%s", err, stdout.String(), stderr.String())
	}
	page, numbers := &inspect.Page{}, 0
	for i, x := range list {
		var want any
		if err := json.Unmarshal([]byte(page.Call(x[0], x[1])), &want); err != nil {
			t.Fatal(err)
		}
		numbers += same(t, fmt.Sprintf("question %d, %s", i, x[0]), got[i], want)
	}
	if numbers < 10000 {
		t.Errorf("%d numbers were compared", numbers)
	}
}

// same compares answers, and counts their numbers: kernels here add in another order and with fused multiply-adds,
// which 20 epochs carry on.
func same(t *testing.T, at string, got, want any) (numbers int) {
	t.Helper()
	switch w := want.(type) {
	case float64:
		if g, ok := got.(float64); !ok || math.Abs(g-w) > 1e-3*(1+math.Abs(w)) {
			t.Errorf("%s: %v, want %v", at, got, w)
		}
		return 1
	case []any:
		g, _ := got.([]any)
		if len(g) != len(w) {
			t.Errorf("%s: %d elements, want %d", at, len(g), len(w))
			return 0
		}
		for i := range w {
			numbers += same(t, fmt.Sprintf("%s[%d]", at, i), g[i], w[i])
		}
	case map[string]any:
		g, _ := got.(map[string]any)
		if len(g) != len(w) {
			t.Errorf("%s: %d keys, want %d", at, len(g), len(w))
		}
		for k := range w {
			numbers += same(t, at+"."+k, g[k], w[k])
		}
	default:
		if got != want {
			t.Errorf("%s: %v, want %v", at, got, want)
		}
	}
	return numbers
}

// TestSameBytes: the same tree gives the same engine.
func TestSameBytes(t *testing.T) {
	a, b := built(t), t.TempDir()
	if err := writePlay([]string{b}, io.Discard); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"engine.js", "index.html"} {
		x, err := os.ReadFile(filepath.Join(a, name))
		y, err2 := os.ReadFile(filepath.Join(b, name))
		if err != nil || err2 != nil || !bytes.Equal(x, y) {
			t.Errorf("%s differs: %v, %v", name, err, err2)
		}
	}
}

// looked is the page from disk, at an example, once the engine has answered.
func looked(t *testing.T, b *browser.Tab, folder, hash string) {
	t.Helper()
	u := url.URL{Scheme: "file", Path: filepath.ToSlash(filepath.Join(folder, "index.html")), Fragment: hash}
	b.Open(u.String())
	b.Until(`document.body.dataset.ready && model.answer`)
	t.Logf("%s: the first answer is there %s ms after the page was opened", hash,
		browser.Eval[string](b, `document.body.dataset.ready`))
}

// TestPage: every example from disk, with the verdict that it is about.
func TestPage(t *testing.T) {
	b := browser.Open(t, *shots)
	looked(t, b, built(t), "communities")
	for _, preset := range []string{"outliers", "opposites", "circle", "too-long", "communities"} {
		b.Do(chromedp.Click(`[data-key="` + preset + `"]`))
		b.Until(`now.preset === "` + preset + `" && by("wrong").hidden && model.answer.learnt`)
		rises := preset == "too-long"
		if got := browser.Eval[bool](b, `by("verdict").innerText.includes("It rose")`); got != rises {
			t.Errorf("%s: rises is %v", preset, got)
		}
	}
	browser.Eval[any](b, `now.learning = 0, take(ask("learn", "150"))`)
	b.Until(`now.step === model.energy.steps`)
	if r := browser.Eval[string](b, `by("learnt").innerText`); !strings.HasPrefix(r, "6 of 6 labelled") {
		t.Errorf("two communities: %s", r)
	}
	b.Quiet()
}

// hand is a mouse on the page.
type hand struct{ *browser.Tab }

// tool takes a tool.
func (b hand) tool(name string) { b.Do(chromedp.Click(`#tools [aria-label="` + name + `"]`)) }

// place returns where a point of the plane is in the window.
func (b hand) place(x, y string) (left, top float64) {
	p := browser.Eval[[]float64](b.Tab, fmt.Sprintf(`(() => { const p = new DOMPoint(%s, -(%s)).matrixTransform(
		by("graph").getScreenCTM()); return [p.x, p.y]; })()`, x, y))
	return p[0], p[1]
}

// node returns where a node is.
func (b hand) node(v int) (left, top float64) {
	h := fmt.Sprintf(`model.answer.steps.at(-1).h[%d]`, v)
	return b.place(h+"[0]", h+"[1]")
}

func (b hand) click(x, y float64) { b.Do(chromedp.MouseClickXY(x, y)) }

// count waits until the page shows this number of nodes and edges.
func (b hand) count(nodes, edges int) {
	b.Until(fmt.Sprintf(`model.nodes.length === %d && model.answer.edges.length === %d &&
		model.answer.steps[0].h.length === %d`, nodes, edges, nodes))
}

// choose takes a part from a list.
func (b hand) choose(list, value string) {
	browser.Eval[any](b.Tab, fmt.Sprintf(`{ const s = document.querySelector('select[aria-label="%s"]');
		s.value = %q; s.dispatchEvent(new Event("change")); }`, list, value))
}

// TestPageHands: a node is added, tied, labelled, moved by keys and by mouse, and erased.
func TestPageHands(t *testing.T) {
	b := hand{browser.Open(t, *shots)}
	looked(t, b.Tab, built(t), "communities/12")
	b.Do(chromedp.Click("#clear"))
	b.count(2, 1)
	b.click(b.place("0", "2"))
	b.count(3, 1)
	b.tool("Connect")
	b.click(b.node(2))
	b.click(b.node(0))
	b.count(3, 2)
	b.tool("Label orange")
	b.click(b.node(2))
	b.Until(`model.nodes[2].class === 2`)
	b.tool("Move")
	browser.Eval[any](b.Tab, `stage.nodes[1].g.focus()`)
	browser.Eval[any](b.Tab, `stage.nodes[1].g.dispatchEvent(
		new KeyboardEvent("keydown", {key: "ArrowRight", bubbles: true}))`)
	b.Until(`Math.abs(model.nodes[1].x - 1.6) < 1e-9`)
	x, y := b.node(0)
	b.Do(chromedp.MouseEvent(chromedp.MousePressed, x, y, chromedp.ButtonLeft),
		chromedp.MouseEvent(chromedp.MouseMoved, x-50, y),
		chromedp.MouseEvent(chromedp.MouseReleased, x-50, y, chromedp.ButtonLeft))
	b.Until(`model.nodes[0].x < -1.7 && model.answer.steps[0].h[0][0] < -1.7`)
	b.tool("Erase")
	b.click(b.node(2))
	b.count(2, 1)
	b.Quiet()
}

// TestPageParts: parts are chosen from the lists; what does not go together is a sentence, and choosing on mends it.
func TestPageParts(t *testing.T) {
	b := hand{browser.Open(t, *shots)}
	looked(t, b.Tab, built(t), "communities/12")
	b.choose("f, the edge term", "difference")
	b.choose("penalty of f", "welsch")
	b.Until(`by("wrong").hidden && model.energy.f[0].penalty === "welsch" && model.energy.f[0].threshold === 1`)
	b.choose("η, the constraint", "unit-sphere")
	b.Until(`!by("wrong").hidden && by("wrong").innerText.includes("is beyond")`)
	b.Picture("play-wrong")
	b.choose("γ, the step size", "safe")
	b.Until(`by("wrong").hidden && model.energy.eta === "unit-sphere" && model.energy.descent.gamma === "safe"`)
	b.choose("η, the constraint", "ball")
	b.Until(`model.energy.eta.ball === 1 && document.querySelector(".eta")`)
	b.choose("A, the algorithm", "adam")
	b.Until(`model.energy.descent.algorithm === "adam" && model.energy.descent.beta2`)
	b.Quiet()
}

// TestPageLooks: the page is no wider than its window, in the light and in the dark.
func TestPageLooks(t *testing.T) {
	b, folder := browser.Open(t, *shots), built(t)
	for _, look := range []struct {
		name, scheme, hash string
		width              int64
	}{{"desk", "light", "communities/12", 1280}, {"desk-dark", "dark", "outliers/30", 1280},
		{"phone", "light", "circle/16", 360}, {"phone-dark", "dark", "too-long/3", 360},
		{"half", "light", "opposites/4", 800}} {
		b.Window(look.width, look.scheme)
		looked(t, b, folder, look.hash)
		if w := browser.Eval[int64](b, `document.documentElement.scrollWidth`); w > look.width {
			t.Errorf("%s: the page is %d wide", look.name, w)
		}
		if n := browser.Eval[int](b, `document.querySelectorAll(
			"button:not([aria-label]):empty, input:not([aria-label])").length`); n > 0 {
			t.Errorf("%s: %d controls without a name", look.name, n)
		}
		b.Picture("play-" + look.name)
		b.View("play-" + look.name + "-view")
	}
	b.Quiet()
}

// TestRun: what is asked for wrongly is said.
func TestRun(t *testing.T) {
	err := writePlay([]string{"a", "b"}, io.Discard)
	if err == nil || !strings.Contains(err.Error(), "want one folder") {
		t.Error(err)
	}
}
