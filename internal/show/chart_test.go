package show

import (
	"encoding/xml"
	"errors"
	"io"
	"math"
	"math/rand/v2"
	"strings"
	"testing"
)

// elements are the names of the elements of a drawing that is well formed, with their attributes and texts.
func elements(t *testing.T, svg string) (list []xml.StartElement, texts []string) {
	t.Helper()
	in := xml.NewDecoder(strings.NewReader(svg))
	for {
		token, err := in.Token()
		if errors.Is(err, io.EOF) {
			return list, texts
		}
		if err != nil {
			t.Fatalf("%v in\n%s", err, svg)
		}
		switch x := token.(type) {
		case xml.StartElement:
			list = append(list, x)
		case xml.CharData:
			if text := strings.TrimSpace(string(x)); text != "" {
				texts = append(texts, text)
			}
		}
	}
}

// TestLines: a line goes from the left end of the axes to the right one, up where its values grow.
func TestLines(t *testing.T) {
	c := LineChart(`a "name"`, Axes{Below: "<x>", Count: true}, Curve{Name: "n", Ink: Series(1), X: []float64{0, 10},
		Y: []float64{0, 100}}, Curve{Ink: Series(0), X: []float64{5}, Y: []float64{50}, Marks: true})
	// labels of y are three digits wide, 3·0.64·11, with a margin of 12; the right margin is 8, above 8, below 36
	for _, want := range []string{`<path class="l k2" stroke-width="1.75" d="M33.12 184L352 8"/>`,
		`<circle class="a k1" cx="192.56" cy="96" r="2.6"/>`, `aria-label="a &#34;name&#34;"`,
		`viewBox="0 0 360 220"`} {
		if !strings.Contains(c.SVG, want) {
			t.Errorf("no %s in\n%s", want, c.SVG)
		}
	}
	if _, texts := elements(t, c.SVG); strings.Join(texts, "|") != "0|50|100|0|2|4|6|8|10|<x>" {
		t.Errorf("labels %q", texts)
	}
	if len(c.Legend) != 1 || c.Legend[0] != (Key{"k2", "n", "line"}) {
		t.Errorf("legend %v", c.Legend)
	}
}

// TestLinesLog: powers of ten are equally far apart, and what is not positive is left out.
func TestLinesLog(t *testing.T) {
	c := LineChart("gap", Axes{Log: true, Y: func(y float64) string { return "" }},
		Curve{Ink: Series(0), X: []float64{0, 1, 2, 3}, Y: []float64{100, 10, 0, 1}})
	if want := `d="M12 8L125.33 103.5L352 199"`; !strings.Contains(c.SVG, want) {
		t.Errorf("no %s in\n%s", want, c.SVG)
	}
}

// TestNothing: nothing to draw is no chart, and values that are not finite are left out.
func TestNothing(t *testing.T) {
	nan, inf := math.NaN(), math.Inf(1)
	if LineChart("none", Axes{}, Curve{X: []float64{1, 2}, Y: []float64{nan, inf}}) != nil {
		t.Error("a chart of nothing")
	}
	if BarChart("none", Axes{}, 0, inf, Group{Values: []float64{1}}) != nil || BarChart("none", Axes{}, 1, 1,
		Group{Values: []float64{1}}) != nil {
		t.Error("a histogram without a width")
	}
	if Histogram("none", Axes{}, 0, 1, 3, Group{}) != nil {
		t.Error("a histogram of nothing")
	}
	for _, y := range []float64{5, 1e-320, -5, 0, 1e99} {
		c := LineChart("some", Axes{Log: y > 0}, Curve{X: []float64{1, 2, 3}, Y: []float64{nan, y, y}},
			Curve{X: []float64{1}, Y: []float64{1}})
		if strings.Contains(c.SVG, "NaN") || strings.Contains(c.SVG, "Inf") {
			t.Errorf("%g is drawn as %s", y, c.SVG)
		}
	}
}

// TestBars: a group stands on the one below it.
func TestBars(t *testing.T) {
	c := BarChart("b", Axes{Y: func(float64) string { return "" }}, 0, 2, Group{"a", Series(0), []float64{1, 2}},
		Group{"b", Series(1), []float64{1, 0}})
	var bars []string
	list, _ := elements(t, c.SVG)
	for _, e := range list {
		if e.Name.Local == "path" && strings.HasPrefix(e.Attr[0].Value, "a ") {
			bars = append(bars, e.Attr[0].Value+" "+e.Attr[1].Value)
		}
	}
	want := "a k1 M12.75 199V103.5H181.25V199Z, a k1 M182.75 199V8H351.25V199Z, a k2 M12.75 103.5V8H181.25V103.5Z"
	if got := strings.Join(bars, ", "); got != want {
		t.Errorf("bars %s, want %s", got, want)
	}
}

// TestHistogram: every value is counted once, those outside at the ends.
func TestHistogram(t *testing.T) {
	c := Histogram("h", Axes{Y: func(float64) string { return "" }}, 0, 1, 2,
		Group{"a", Series(0), []float64{-3, 0, 0.49, 0.5, 1, 1.5, 0.999, 7}})
	b := BarChart("h", Axes{Y: func(float64) string { return "" }}, 0, 1, Group{"a", Series(0), []float64{3, 5}})
	if c.SVG != b.SVG {
		t.Errorf("%s, want %s", c.SVG, b.SVG)
	}
}

// TestFile: a chart that stands alone is XML and has its colours, title, axes and legend.
func TestFile(t *testing.T) {
	svg := ChartFile("1 < 2", Axes{Below: "steps", Left: "gap & more"}, Curve{Name: "<a>", Ink: Series(0),
		X: []float64{0, 1}, Y: []float64{0, 1}})
	_, texts := elements(t, svg)
	for _, want := range []string{"1 < 2", "steps", "gap & more", "<a>", "--k1: #2b6cb0"} {
		if !strings.Contains(strings.Join(texts, "\n"), want) {
			t.Errorf("no %q in %s", want, svg)
		}
	}
	if !strings.HasPrefix(svg, ChartBeginning) {
		t.Errorf("it begins with %.60s", svg)
	}
}

// TestTicks: ticks are few, round, ascending, and inside or around what they are for.
func TestTicks(t *testing.T) {
	const seed = 5
	rng := rand.New(rand.NewPCG(seed, 0))
	for range 2000 {
		lo := (rng.Float64() - 0.5) * math.Pow(10, float64(rng.IntN(9)-4))
		hi := lo + rng.Float64()*math.Pow(10, float64(rng.IntN(9)-4)) + 1e-6
		if a, b := widened(lo, hi); b-a < hi-lo || a > lo || b < hi {
			t.Fatalf("seed %d: [%v, %v] becomes [%v, %v]", seed, lo, hi, a, b)
		} else {
			lo, hi = a, b
		}
		in, out := inside(lo, hi, 5, false), outside(lo, hi, 4)
		eps := 1e-5 * (hi - lo)
		if len(in) < 1 || len(in) > 6 || in[0] < lo-eps || in[len(in)-1] > hi+eps {
			t.Fatalf("seed %d: ticks inside [%v, %v]: %v", seed, lo, hi, in)
		}
		if len(out) < 2 || len(out) > 6 || out[0] > lo+eps || out[len(out)-1] < hi-eps {
			t.Fatalf("seed %d: ticks around [%v, %v]: %v", seed, lo, hi, out)
		}
		low, high := math.Abs(lo)+1e-9, math.Abs(lo)+1e-9+math.Abs(hi)
		if d := decades(low, high, 4); len(d) < 2 || len(d) > 5 || d[0] > low*(1+1e-6) || d[len(d)-1] < high*(1-1e-6) {
			t.Fatalf("seed %d: decades around [%v, %v]: %v", seed, low, high, d)
		}
	}
	if got := outside(3, 3, 4); len(got) < 2 {
		t.Errorf("ticks around a single number: %v", got)
	}
}

// TestCompact is how numbers are written.
func TestCompact(t *testing.T) {
	for x, want := range map[float64]string{0: "0", -0.25: "−0.25", 1234.5: "1235", 43.9e6: "43.9M", 12345: "12.3k",
		2e-7: "2e−7"} {
		if got := Compact(x); got != want {
			t.Errorf("%g is %q, want %q", x, got, want)
		}
	}
	for x, want := range map[float64]string{1.5: "1.5", -0.001: "0", 20: "20"} {
		if got := number(x); got != want {
			t.Errorf("%g is drawn at %q, want %q", x, got, want)
		}
	}
}
