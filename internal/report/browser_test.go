package report

import (
	"bytes"
	"encoding/json"
	"fmt"
	"html"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"
)

// checker is a script that looks at a page the way a reader does, and writes what is wrong into it. Charts must have a
// name and lines; letters must lie inside their chart; nothing may stick out of its box or make the page wider than the
// window, unless it scrolls.
const checker = `<script>
var wrong = [];
window.onerror = function (message) { wrong.push("script error: " + message); };
window.onload = function () {
  function outside(a, b) { return a.left < b.left - 1 || a.right > b.right + 1 || a.top < b.top - 1 || a.bottom > b.bottom + 1; }
  var charts = document.querySelectorAll("svg.chart, svg.graph");
  charts.forEach(function (svg) {
    var name = svg.getAttribute("aria-label"), box = svg.getBoundingClientRect();
    if (!name) wrong.push("a chart without a name");
    if (box.width < 200 || box.height < 100) wrong.push(name + ": is " + box.width + " by " + box.height);
    if (!svg.querySelector("path, line, circle")) wrong.push(name + ": is empty");
    if (svg.innerHTML.indexOf("NaN") >= 0) wrong.push(name + ": has NaN");
    svg.querySelectorAll("text").forEach(function (t) {
      if (outside(t.getBoundingClientRect(), box)) wrong.push(name + ": text " + t.textContent + " is outside");
    });
  });
  document.querySelectorAll("h1, h2, h3, p, dt, dd, li, figcaption, figure, td, th").forEach(function (e) {
    if (e.scrollWidth > e.clientWidth + 1 && e.clientWidth > 0 && getComputedStyle(e).display !== "inline")
      wrong.push("text sticks out of its box: " + e.tagName + " " + e.textContent.trim().slice(0, 60));
  });
  document.querySelectorAll(".matrix .scroll").forEach(function (e) {
    if (e.scrollWidth > e.clientWidth + 1) wrong.push("a confusion matrix does not fit: " + e.scrollWidth);
  });
  document.querySelectorAll("th, td").forEach(function (e) {
    var walk = document.createTreeWalker(e, NodeFilter.SHOW_TEXT), range = document.createRange();
    for (var n = walk.nextNode(); n; n = walk.nextNode()) {
      for (var word of n.data.matchAll(/[\p{L}\p{N}_]+/gu)) {
        range.setStart(n, word.index);
        range.setEnd(n, word.index + word[0].length);
        if (range.getClientRects().length > 1) wrong.push("a table breaks the word " + word[0]);
      }
    }
  });
  if (document.documentElement.scrollWidth > window.innerWidth + 1) wrong.push("the page is wider than the window: " + document.documentElement.scrollWidth);
  parent.postMessage(JSON.stringify({
    wrong: wrong, titles: Array.from(document.querySelectorAll("figure")).map(function (f) { return f.querySelector("h3").textContent; }),
    charts: charts.length, width: window.innerWidth, paper: getComputedStyle(document.body).backgroundColor
  }), "*");
};
</script>`

// frame shows a page in a window of any width, as Chromium has none below 500, and keeps what its checker says.
const frame = `<!doctype html><meta name="color-scheme" content="light dark"><body><pre id="checked"></pre>
<script>onmessage = function (e) { document.getElementById("checked").textContent = e.data; };</script>
<iframe src="page.html" style="border:0" width="%d" height="900"></iframe>`

// checked is what the checker found.
type checked struct {
	Wrong  []string
	Titles []string
	Charts int
	Width  int
	Paper  string // the colour of the page
}

// chromium is the browser; tests are skipped without it.
func chromium(t *testing.T) string {
	t.Helper()
	if testing.Short() {
		t.Skip("starts a browser")
	}
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome", "chrome"} {
		if path, err := exec.LookPath(name); err == nil {
			return path
		}
	}
	t.Skip("there is no Chromium to look at the page with; apt-get install chromium brings one")
	return ""
}

// look opens a page in a window of a width and returns what the checker says.
func look(t *testing.T, page string, width int, dark bool) checked {
	t.Helper()
	browser, dir := chromium(t), t.TempDir()
	page = strings.Replace(page, "<head>", "<head>"+checker, 1)
	for name, text := range map[string]string{"page.html": page, "frame.html": fmt.Sprintf(frame, width)} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	args := []string{"--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--hide-scrollbars",
		"--no-first-run",
		"--user-data-dir=" + filepath.Join(dir, "profile"), "--window-size=1400,1000", "--virtual-time-budget=5000",
		"--dump-dom"}
	if dark {
		args = append(args, "--blink-settings=preferredColorScheme=0")
	}
	cmd := exec.Command(browser, append(args, "file://"+filepath.Join(dir, "frame.html"))...)
	var out, log bytes.Buffer
	cmd.Stdout, cmd.Stderr, cmd.WaitDelay = &out, &log, 10*time.Second
	if err := cmd.Run(); err != nil {
		t.Fatalf("%s: %v\n%s", browser, err, log.String())
	}
	found := regexp.MustCompile(`(?s)<pre id="checked">(.+?)</pre>`).FindStringSubmatch(out.String())
	if found == nil {
		t.Fatalf("the page did not load:\n%.2000s\n%s", out.String(), log.String())
	}
	var c checked
	if err := json.Unmarshal([]byte(html.UnescapeString(found[1])), &c); err != nil {
		t.Fatal(err)
	}
	return c
}

// TestBrowser opens pages of every kind, on a desk and on a phone, in the light and in the dark.
func TestBrowser(t *testing.T) {
	chromium(t)
	var both bytes.Buffer
	if err := Compare(&both, opened(t, karate(t)), opened(t, repeated(t))); err != nil {
		t.Fatal(err)
	}
	const learning = "|Accuracy|Training loss|Energy while training|Energy per layer|How far each step moves"
	for _, c := range []struct {
		name, page string
		width      int
		dark       bool
		charts     string
	}{
		{"desk", pageOf(t, opened(t, karate(t)), Options{}), 1280, false,
			"Confusion on the test nodes|True positives (ROC)|How often it is right|Nodes by homophily|" +
				"The graph around 34|What pulls at it" + learning},
		{"phone, dark", pageOf(t, audited(t), Options{Node: "n1"}), 390, true,
			"Confusion on the test nodes|How often it is right|Nodes by homophily|Nodes by " +
				"residual|Rows|Classes|Edges|The graph around n1|What pulls at it|By class|By degree" + learning},
		{"phone, 40 classes", pageOf(t, opened(t, manyClasses(t)), Options{Node: "n1"}), 390, false,
			"Confusion on the test nodes|Classes|How often it is right|Nodes by homophily|The " +
				"graph around n1|What pulls at it|By class|By degree" + learning},
		{"knowledge graph", pageOfFacts(t, kin(t)), 390, true,
			"Validation MRR|Training loss|Scores|Questions by rank|Test facts by relation|Worst " +
				"ranks|Sets of answers by relation"},
		{"comparison", both.String(), 390, false, "Validation while training|Energy per layer|How far each step " +
			"moves|How often it is right"},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := look(t, c.page, c.width, c.dark)
			for _, w := range got.Wrong {
				t.Error(w)
			}
			if want := strings.Split(c.charts, "|"); !slices.Equal(got.Titles, want) {
				t.Errorf("figures %q, want %q", got.Titles, want)
			}
			if drawn := strings.Count(c.page, `<svg class="chart`) +
				strings.Count(c.page, `<svg class="graph"`); got.Charts != drawn || drawn < 3 {
				t.Errorf("%d charts, of %d written", got.Charts, drawn)
			}
			if got.Width != c.width {
				t.Errorf("the window is %d wide, want %d", got.Width, c.width)
			}
			if night := got.Paper == "rgb(22, 24, 28)"; night != c.dark {
				t.Errorf("the page is %s", got.Paper)
			}
		})
	}
}

// TestBrowserFinds: the checker sees each of the mistakes it is for.
func TestBrowserFinds(t *testing.T) {
	chromium(t)
	got := look(t, `<html><head></head><body><script>missing()</script>
<figure><h3>a</h3><svg class="chart" aria-label="a" viewBox="0 0 360 220" style="width:360px"><path d="M0 0"/><text x="340" y="20">too long for it</text></svg></figure>
<figure><h3>b</h3><svg class="chart" aria-label="b" viewBox="0 0 360 220" style="width:360px"></svg></figure>
<p style="width:40px">Donaudampfschifffahrt</p>
<table style="width:60px;table-layout:fixed;overflow-wrap:anywhere"><tr><td>Dampfschifffahrt</td></tr></table>
<figure class="matrix" style="width:90px"><h3>c</h3><div class="scroll" style="overflow:auto"><p style="width:200px">x</p></div></figure><div style="width:3000px">x</div></body></html>`, 800, false)
	for _, want := range []string{"script error", "a: text too long for it is outside", "b: is empty",
		"sticks out of its box", "wider than the window", "a table breaks the word Dampfschifffahrt",
		"a confusion matrix does not fit"} {
		if !slices.ContainsFunc(got.Wrong, func(s string) bool { return strings.Contains(s, want) }) {
			t.Errorf("not found: %q in %q", want, got.Wrong)
		}
	}
}
