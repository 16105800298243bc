package serve

import (
	"encoding/json"
	"flag"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/accessibility"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"github.com/bloomgml/bloom/internal/testkit/browser"
)

var shots = flag.String("shots", "", "a folder to write pictures of the page to")

// tab is a window of a browser that looks at a server.
type tab struct {
	running
	*browser.Tab
}

// browse opens a browser; tests are skipped without it.
func browse(r running) *tab {
	r.Helper()
	return &tab{r, browser.Open(r, *shots)}
}

// open goes to a place of the page.
func (t *tab) open(hash string) {
	t.Helper()
	t.Tab.Open(t.URL + "/" + hash)
}

// eval is a value of JavaScript.
func eval[T any](t *tab, script string) T { return browser.Eval[T](t.Tab, script) }

// at waits until the page shows a node.
func (t *tab) at(id string) {
	t.Helper()
	text, _ := json.Marshal(id)
	t.Until(`document.querySelector(".answer h1")?.textContent === ` + string(text) +
		` && !document.querySelector("main[aria-busy]")`)
}

// press clicks the first button with a text.
func (t *tab) press(text string) {
	t.Helper()
	quoted, _ := json.Marshal(text)
	find := `[...document.querySelectorAll("main button, #said button, dialog button")].find((b) => b.textContent.trim() === ` +
		string(quoted) + `)`
	t.Until(find)
	eval[any](t, find+`.click()`)
}

// TestPageSearch: type-ahead, the answer, why, and walking by keys and clicks.
func TestPageSearch(t *testing.T) {
	p := browse(serving(t, Options{}, trained(t, "base")))
	p.open("")
	p.at("n0")
	p.Do(chromedp.SendKeys("#search", "n11"))
	p.Until(`document.querySelectorAll("#suggestions-1 [role=option]").length === 11`)
	if got := eval[string](p, `document.getElementById(document.querySelector("#search").getAttribute(
		"aria-activedescendant")).querySelector(".id").textContent`); got != "n11" {
		t.Errorf("the first is %q", got)
	}
	p.Do(chromedp.SendKeys("#search", kb.Enter))
	p.at("n11")
	var x Explanation
	p.ask("/v1/explain?node=n11", "", 200, &x)
	if text := eval[string](p, `document.querySelector(".verdict").innerText`); !strings.Contains(text, x.Class) {
		t.Errorf("%q, want %s", text, x.Class)
	}
	if n := eval[int](p, `document.querySelectorAll(".pulls tbody:last-child tr").length`); n != len(x.Edges) {
		t.Errorf("%d edges, want %d", n, len(x.Edges))
	}
	if n := eval[int](p, `document.querySelectorAll("svg.graph .node").length`); n != len(x.Around.Nodes) {
		t.Errorf("%d nodes drawn, want %d", n, len(x.Around.Nodes))
	}
	p.Picture("search")
	eval[any](p, `document.querySelector("svg.graph .centre").focus()`)
	p.Do(chromedp.KeyEvent(kb.ArrowLeft), chromedp.KeyEvent(kb.ArrowRight), chromedp.KeyEvent(kb.ArrowUp))
	id := eval[string](p, `document.activeElement.getAttribute("aria-label")`)
	id, _, _ = strings.Cut(id, ",")
	if id == "n11" {
		p.Do(chromedp.KeyEvent(kb.ArrowLeft))
		id, _, _ = strings.Cut(eval[string](p, `document.activeElement.getAttribute("aria-label")`), ",")
	}
	p.Do(chromedp.KeyEvent(kb.Enter))
	p.at(id)
	p.Do(chromedp.NavigateBack())
	p.at("n11")
	eval[any](p, `document.querySelector("svg.graph .node:not(.centre)").dispatchEvent(
		new MouseEvent("click", {bubbles: true}))`)
	p.Until(`document.querySelector(".answer h1").textContent !== "n11"`)
	p.open("#/small/node/nobody")
	p.Until(`document.querySelector("main h1")?.textContent === "Nothing here"`)
	p.Quiet("404")
}

// TestPageEdits: what if, then for everybody, then back.
func TestPageEdits(t *testing.T) {
	for _, recipe := range []string{"base", "closed"} {
		t.Run(recipe, func(t *testing.T) { pageEdits(browse(serving(t, Options{}, trained(t, recipe))), recipe) })
	}
}

func pageEdits(p *tab, name string) {
	t := p
	version := func() int64 {
		_, _, v := p.s.models()[0].Size()
		return v
	}
	verdict := `document.querySelector(".verdict").innerText`
	p.open("#/small/node/n7")
	p.at("n7")
	before := eval[string](p, verdict)
	edges := `document.querySelectorAll(".pulls tbody:last-child tr").length`
	n := eval[int](p, edges)
	p.Do(chromedp.SendKeys("#if-edge", "n90"))
	p.Until(`document.querySelector("#suggestions-2 [role=option]")`)
	p.Do(chromedp.SendKeys("#if-edge", kb.Enter))
	p.Until(fmt.Sprintf(`document.querySelector(".result .change") && %s === %d`, edges, n+1))
	p.press("Change a feature")
	p.Until(`document.querySelector("#if-value")?.value`)
	p.Do(chromedp.SetValue("#if-value", "9"))
	p.press("Try")
	p.Until(`document.querySelectorAll(".drafts li").length === 2`)
	p.press("without")
	p.Until(fmt.Sprintf(`document.querySelectorAll(".drafts li").length === 3 && %s === %d`, edges, n))
	if version() != 0 {
		t.Errorf("trying made version %d", version())
	}
	p.Picture("what-if-" + name)
	p.press("Apply for everybody")
	p.Until(`document.querySelector("#said").innerText.includes("Version 1")`)
	p.at("n7")
	p.Until(`!document.querySelector(".result .change")`)
	if version() != 1 {
		t.Errorf("version %d", version())
	}
	p.press("Undo")
	p.Until(`document.querySelector("#said").innerText.includes("version 2")`)
	p.at("n7")
	p.Until(fmt.Sprintf(`%s === %q && %s === %d`, verdict, before, edges, n))
	p.Do(chromedp.SendKeys("#if-edge", "n7"))
	p.Do(chromedp.SendKeys("#if-edge", kb.Enter))
	p.Until(`document.querySelector(".result .bad")?.textContent.includes("itself")`)
	p.press("Discard")
	p.Until(`!document.querySelector(".result .bad")`)
	p.open("#/small/health")
	p.Until(`document.querySelectorAll("figure svg.chart").length === 3 && document.querySelectorAll("tbody tr").length === 2`)
	p.Picture("health")
	p.Quiet("422")
}

// TestPageWork: what an audit doubts is accepted, corrected, found right, and taken back.
func TestPageWork(t *testing.T) {
	p := browse(serving(t, Options{}, doubted(t)))
	left := func(kind string, n int) {
		t.Helper()
		p.Until(fmt.Sprintf(`document.querySelector("#tab-%s .count")?.textContent === "%d"`, kind, n))
	}
	p.open("#/small/work")
	p.press("Audit the data")
	left("labels", 2)
	p.Picture("work")
	g := p.s.models()[0].graph
	proposed := p.audited().Labels[0].Proposed
	p.press("Accept " + proposed)
	left("labels", 1)
	if got := g.labelOf(1); got != proposed {
		t.Errorf("label %q, want %q", got, proposed)
	}
	p.press("It is right")
	left("labels", 0)
	p.press("Undo")
	left("labels", 1)
	p.Do(chromedp.Click("#tab-nodes"))
	p.Until(`document.querySelector(".doubts input")`)
	p.Do(chromedp.SetValue(".doubts input", "-2.5"))
	p.press("Correct")
	left("nodes", 0)
	if got := g.features(2)[1]; got != -2.5 {
		t.Errorf("feature %v", got)
	}
	p.Do(chromedp.Click("#tab-edges"))
	p.press("Remove it")
	left("edges", 0)
	p.Do(chromedp.Click(".check input"))
	p.press("Undo")
	left("edges", 1)
	p.Do(chromedp.Click("#tab-nodes"), chromedp.Click(".check input"))
	p.press("Undo")
	left("nodes", 1)
	if len(g.rows.own) != 0 {
		t.Errorf("rows %v", g.rows.own)
	}
	p.Quiet()
}

// TestPageHostile: names of nodes are text, wherever they stand, and lead where they should.
func TestPageHostile(t *testing.T) {
	p := browse(serving(t, Options{}, trained(t, "base")))
	names := []string{`<img src=x onerror="window.pwned=1">`, `"><script>window.pwned=1</script>`, `javascript:pwned=1`,
		`../..`, `.`, `a/b?c#d%2e`, "line\nbreak", "\u202eright to left", `{{7*7}}${7*7}`, `' onfocus='pwned=1`,
		strings.Repeat("long", 80)}
	var edits []Edit
	for _, name := range names {
		edits = append(edits, Edit{AddNode: &Row{ID: name, Features: []float64{1, 0, 0, 0}}},
			Edit{AddEdge: &Pair{name, "n1"}})
	}
	if _, err := p.s.models()[0].Edit(p.Context(), edits); err != nil {
		t.Fatal(err)
	}
	p.Window(360, "light")
	for _, name := range names {
		p.open("#/small/node/" + url.PathEscape(name))
		p.at(name)
		p.Until(`document.querySelector(".pulls tbody:last-child a")?.textContent === "n1"`)
	}
	p.open("#/small/node/n1")
	p.at("n1")
	p.Picture("hostile")
	p.Do(chromedp.SendKeys("#search", "on"))
	p.Until(`document.querySelectorAll("#suggestions-1 [role=option]").length >= 3`)
	p.open("#/small/health")
	p.Until(`document.querySelector("tbody tr")`)
	if eval[bool](p, `"pwned" in window || document.querySelector("main img, main script") !== null`) {
		t.Error("a name became markup")
	}
	if w := eval[int](p, `document.documentElement.scrollWidth`); w > 360 {
		t.Errorf("the page is %d wide", w)
	}
	p.Quiet()
}

// TestPageToken: a page without a token asks for one, keeps it in this tab, and never in the address.
func TestPageToken(t *testing.T) {
	file := filepath.Join(t.TempDir(), "tokens")
	if err := os.WriteFile(file, []byte("read 0123456789abcdef\nwrite fedcba9876543210\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	p := browse(serving(t, Options{TokenFile: file}, trained(t, "base")))
	enter := func(token string) {
		t.Helper()
		p.Until(`document.querySelector("dialog")?.open`)
		p.Do(chromedp.SendKeys("#token-text", token))
		p.press("Enter")
	}
	p.open("")
	enter("wrong-wrong-wrong")
	p.Until(`document.querySelector("#token-wrong").textContent !== ""`)
	enter("0123456789abcdef")
	p.at("n0")
	p.Do(chromedp.SendKeys("#if-edge", "n90"))
	p.Until(`document.querySelector("#suggestions-2 [role=option]")`)
	p.Do(chromedp.SendKeys("#if-edge", kb.Enter))
	p.Until(`document.querySelector(".result")?.innerText.includes("may only read")`)
	if eval[bool](p, `location.href.includes("0123456789abcdef") || localStorage.length > 0 || document.cookie !== ""`) {
		t.Error("the token is kept where it should not be")
	}
	p.Do(chromedp.Click("#forget"))
	enter("fedcba9876543210")
	p.at("n0")
	p.Quiet("401")
}

// TestPageLooks: no page is wider than its window, in the light and in the dark; what can be used has a name.
func TestPageLooks(t *testing.T) {
	p := browse(serving(t, Options{}, doubted(t)))
	p.audited()
	for _, look := range []struct {
		name  string
		width int64
		dark  bool
	}{{"desk", 1280, false}, {"desk-dark", 1280, true}, {"phone", 360, false}, {"phone-dark", 360, true}} {
		scheme, paper := "light", "rgb(250, 249, 246)"
		if look.dark {
			scheme, paper = "dark", "rgb(22, 24, 28)"
		}
		p.Window(look.width, scheme)
		for _, view := range []string{"node/n3", "work", "health"} {
			p.open("#/small/" + view)
			p.Until(`document.querySelector("main h1") && !document.querySelector("main[aria-busy]")`)
			name, _, _ := strings.Cut(view, "/")
			p.Picture(look.name + "-" + name)
			if w := eval[int64](p, `document.documentElement.scrollWidth`); w > look.width {
				t.Errorf("%s, %s: the page is %d wide", look.name, view, w)
			}
			if got := eval[string](p, `getComputedStyle(document.body).backgroundColor`); got != paper {
				t.Errorf("%s: the paper is %s", look.name, got)
			}
			p.tree(view)
		}
	}
	p.Quiet()
}

// tree checks the accessibility tree: landmarks, one heading of the first level, and names for what can be used.
func (t *tab) tree(view string) {
	t.Helper()
	all, err := chromedp.Call(t.Page, accessibility.GetFullAXTree, accessibility.GetFullAXTreeParams{})
	if err != nil {
		t.Fatal(err)
	}
	roles := map[string]int{}
	for _, n := range all.Nodes {
		if n.Ignored || n.Role == nil {
			continue
		}
		role, name := said(n.Role), said(n.Name)
		roles[role]++
		switch role {
		case "button", "link", "combobox", "textbox", "listbox", "image", "tab", "spinbutton", "checkbox", "group",
			"navigation":
			if strings.TrimSpace(name) == "" {
				t.Errorf("%s: a %s has no name", view, role)
			}
		}
	}
	for _, role := range []string{"main", "banner", "navigation", "search", "combobox", "status"} {
		if roles[role] == 0 {
			t.Errorf("%s: there is no %s: %v", view, role, roles)
		}
	}
	if n := eval[int](t, `document.querySelectorAll("h1").length`); n != 1 {
		t.Errorf("%s: %d headings of the first level", view, n)
	}
}

// said is the text of a value of the tree.
func said(v *accessibility.Value) (text string) {
	if v != nil {
		_ = json.Unmarshal(v.Value, &text)
	}
	return text
}

// TestPageFixed: runs whose graph cannot change are shown as they were trained, and one switches between runs.
func TestPageFixed(t *testing.T) {
	const data = "csbm:nodes=80,features=3"
	p := browse(serving(t, Options{}, trainedOn(t, "lp-trained", data, ""), trainedOn(t, "gcn", data, ""),
		trained(t, "base")))
	p.open("#/lp-trained/node/n3")
	p.at("n3")
	p.Until(`document.querySelector(".pulls tbody tr") && document.querySelectorAll("svg.graph .node").length > 1`)
	if eval[bool](p, `document.querySelector("#if-edge") !== null || !document.querySelector("#to-work").hidden`) {
		t.Error("there are changes to make")
	}
	choose := func(run string) {
		t.Helper()
		p.Do(chromedp.SetValue("#run", run))
		eval[any](p, `document.querySelector("#run").dispatchEvent(new Event("change"))`)
		p.Until(`location.hash.startsWith("#/` + run + `/")`)
		p.at("n0")
	}
	choose("gcn")
	p.Until(`document.querySelector(".pulls tbody tr") && document.querySelector("#if-edge")`)
	choose("small")
	p.Until(`document.querySelector("#if-edge") && !document.querySelector("#to-work").hidden`)
	p.Quiet()
}
