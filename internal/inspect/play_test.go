package inspect

import (
	"encoding/json"
	"fmt"
	"math"
	"strings"
	"testing"
)

// barbell is two triangles with an edge between them, one label in each, and a node that is drawn on the wrong side.
func barbell(energy string) Drawing {
	return Drawing{Classes: 2, Energy: json.RawMessage(energy),
		Nodes: []Node{{-2, 1, 1}, {-2, -1, 0}, {1.5, 0.5, 0}, {2, 1, 2}, {2, -1, 0}, {1, 0, 0}},
		Edges: [][2]int32{{0, 1}, {1, 2}, {0, 2}, {3, 4}, {4, 5}, {3, 5}, {2, 5}}}
}

const laplaceFile = `{"f": {"term": "laplace", "lambda": 2}, "kappa": {"anchor": "half-squared"}, "steps": 20}`

// call asks as the page does.
func call[T any](t *testing.T, p *Page, what string, argument any) (out T) {
	t.Helper()
	text, err := json.Marshal(argument)
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal([]byte(p.Call(what, string(text))), &out); err != nil {
		t.Fatal(err)
	}
	return out
}

// energyOf is the energy of laplace, written out.
func energyOf(d Drawing, h [][]float64) (f, kappa float64) {
	apart := func(a, b []float64) float64 { return math.Pow(a[0]-b[0], 2) + math.Pow(a[1]-b[1], 2) }
	for _, e := range d.Edges {
		f += apart(h[e[0]], h[e[1]]) // λ/2 = 1
	}
	for v, n := range d.Nodes {
		kappa += apart(h[v], []float64{n.X, n.Y}) / 2
	}
	return f, kappa
}

// TestDescent: the steps begin where nodes are drawn, have the energy that the formula has, fall, and end at the
// minimum, where h_v is the mean of what pulls at it.
func TestDescent(t *testing.T) {
	d := barbell(laplaceFile)
	a := call[Answer](t, &Page{}, "open", d)
	if a.Error != "" || len(a.Steps) != 21 || !a.Verdict.Certified {
		t.Fatalf("%q, %d steps, %+v", a.Error, len(a.Steps), a.Verdict)
	}
	for v, n := range d.Nodes {
		if h := a.Steps[0].H[v]; h[0] != n.X || h[1] != n.Y {
			t.Errorf("node %d starts at %v, drawn at %g, %g", v, h, n.X, n.Y)
		}
	}
	for k, s := range a.Steps {
		f, kappa := energyOf(d, s.H)
		if math.Abs(s.F-f)+math.Abs(s.Kappa-kappa) > 1e-4*(1+f+kappa) { // sums in single precision
			t.Errorf("step %d: f %g and κ %g, want %g and %g", k, s.F, s.Kappa, f, kappa)
		}
		if k > 0 && s.Energy > a.Steps[k-1].Energy*(1+1e-6) {
			t.Errorf("step %d: %g after %g", k, s.Energy, a.Steps[k-1].Energy)
		}
	}
	last := a.Steps[20].H
	for v, n := range d.Nodes {
		x, w := n.X, 1.0
		for _, e := range d.Edges {
			for i, u := range e {
				if int(u) == v {
					x, w = x+2*last[e[1-i]][0], w+2
				}
			}
		}
		if math.Abs(last[v][0]-x/w) > 0.02 { // 20 steps
			t.Errorf("node %d rests at %g, its neighbours and features want %g", v, last[v][0], x/w)
		}
	}
	if last[2][0] > 0.7 || last[2][0] > last[5][0] {
		t.Errorf("node 2, drawn at 1.5 among the right, is at %g", last[2][0])
	}
}

// TestLearn: labels of all nodes are learnt, the plane follows, and what was learnt stays while nodes move.
func TestLearn(t *testing.T) {
	d, p := barbell(laplaceFile), &Page{}
	if a := call[Answer](t, p, "open", d); a.Learnt != nil || a.Steps[0].P != nil {
		t.Error("it has learnt before the first epoch")
	}
	call[Answer](t, p, "learn", 1)
	first := p.session.loss
	a := call[Answer](t, p, "learn", 150)
	l := a.Learnt
	if l == nil || l.Epochs != 151 || l.Right != 2 || l.Known != 2 || !(l.Loss < 0.1*first) ||
		len(l.Plane) != Columns*Rows {
		t.Fatalf("%+v after a loss of %g", l, first)
	}
	left, right := l.Plane[15*Columns], l.Plane[16*Columns-1]
	if left[0] < 0.9 || right[1] < 0.9 {
		t.Errorf("the middle row goes from %v to %v", left, right)
	}
	end := a.Steps[20].P
	if end[1][0] < 0.5 || end[4][1] < 0.5 {
		t.Errorf("neighbours of the labelled nodes: %v and %v", end[1], end[4])
	}
	d.Nodes[1].X = -1
	if b := call[Answer](t, p, "open", d); b.Learnt == nil || b.Learnt.Epochs != 151 || b.Steps[0].H[1][0] != -1 {
		t.Errorf("a node that moved: %+v", b.Learnt)
	}
	if b := call[Answer](t, p, "fresh", d); b.Learnt != nil {
		t.Error("fresh keeps what was learnt")
	}
}

// TestMoved: a node that moves gives the same bits as a page that is opened with it there.
func TestMoved(t *testing.T) {
	for _, energy := range []string{laplaceFile,
		`{"f": {"term": "compat"}, "kappa": {"anchor": "huber"}, "eta": {"ball": 1}}`} {
		d, p := barbell(energy), &Page{}
		p.Call("open", string(must(json.Marshal(d))))
		d.Nodes[2].Y = -1.25
		text := string(must(json.Marshal(d)))
		if a, b := p.Call("open", text), (&Page{}).Call("open", text); a != b || strings.Contains(a, `"error"`) {
			t.Errorf("%s: moved\n%.300s\nopened\n%.300s", energy, a, b)
		}
	}
}

// TestOpposites: where edges join different classes, C learns it.
func TestOpposites(t *testing.T) {
	d := Drawing{Classes: 2, Energy: json.RawMessage(
		`{"f": {"term": "compat"}, "kappa": {"anchor": "half-squared"}, "steps": 10}`)}
	for v := range 12 {
		side, class := float64(v%2*4-2), int32(v%2+1)
		if v >= 8 { // nothing of their own
			side, class = 0, 0
		}
		d.Nodes = append(d.Nodes, Node{side, float64(v)/3 - 2, class})
		for u := range v {
			if (u+v)%2 == 1 {
				d.Edges = append(d.Edges, [2]int32{int32(u), int32(v)})
			}
		}
	}
	p := &Page{}
	call[Answer](t, p, "open", d)
	a := call[Answer](t, p, "learn", 150)
	last := a.Steps[len(a.Steps)-1].P
	for v := 8; v < 12; v++ {
		if last[v][v%2] < 0.7 {
			t.Errorf("node %d: %v, want class %d", v, last[v], v%2)
		}
	}
}

// TestMenu: every choice gives an answer or a sentence, and those that need nothing special an answer.
func TestMenu(t *testing.T) {
	menu, answers, forms := call[map[string][]Choice](t, &Page{}, "menu", ""), 0, []string{}
	add := func(table, form string) {
		if len(menu[table]) < 2 {
			t.Errorf("%d choices of %q", len(menu[table]), table)
		}
		for _, c := range menu[table] {
			if c.Text == "" {
				t.Errorf("%s %q has no text", table, c.Name)
			}
			if c.Name != "" {
				forms = append(forms, fmt.Sprintf(form, c.Name))
			}
		}
	}
	const back = `, "descent": {"algorithm": "proximal", "gamma": "backtracking"}}`
	const base = `{"f": {"term": "laplace"}, "kappa": {"anchor": "half-squared"}, `
	add("edge term", `{"f": {"term": %q}, "kappa": {"anchor": "huber"}}`)
	add("penalty", `{"f": {"term": "difference", "penalty": %q}, "kappa": {"anchor": "half-squared"}`+back)
	add("penalty", `{"f": {"term": "laplace"}, "kappa": {"anchor": %q}`+back)
	add("node term", `{"f": {"term": "laplace"}, "kappa": %q`+back)
	add("eta", base+`"eta": %q}`)
	add("algorithm", base+`"descent": {"algorithm": %q}}`)
	add("step size", base+`"descent": {"algorithm": "proximal", "gamma": %q}}`)
	add("preconditioner", `{"f": {"term": "compat"}, "kappa": {"anchor": "half-squared"},
		"descent": {"algorithm": "proximal", "gamma": "safe", "sigma": %q}}`)
	for _, form := range forms {
		p := &Page{}
		a := call[Answer](t, p, "open", barbell(strings.Replace(form, "{", `{"steps": 6, `, 1)))
		if a.Error == "" {
			a = call[Answer](t, p, "learn", 2)
		}
		switch {
		case a.Error != "":
			t.Logf("%s: %s", form, a.Error)
		case a.Verdict.Text == "" || len(a.Formula.F) == 0:
			t.Errorf("%s: %+v", form, a.Verdict)
		default:
			answers++
			// what is certified is so: the steps before learning
			for k, s := range a.Steps {
				if k == 0 || !a.Verdict.Certified {
					continue
				}
				if e := a.Steps[k-1].Energy; s.Energy > e+1e-5*math.Abs(e)+1e-6 {
					t.Errorf("%s: %q, but step %d has %g after %g", form, a.Verdict.Text, k, s.Energy, e)
				}
			}
			if b := call[Answer](t, &Page{}, "open", barbell(string(must(json.Marshal(a.Energy))))); b.Error != "" {
				t.Errorf("%s: its own file: %s", form, b.Error)
			}
		}
	}
	if answers < len(forms)-4 {
		t.Errorf("%d of %d choices have an answer", answers, len(forms))
	}
}

// TestVerdict: what is said of steps that are not certified, and that they do rise.
func TestVerdict(t *testing.T) {
	for descent, want := range map[string]string{
		`{"algorithm": "proximal", "gamma": {"forced": 2.5}}`:           "γ is not checked",
		`{"algorithm": "momentum", "gamma": "safe", "beta": 0.9}`:       "may rise in between",
		`{"algorithm": "proximal", "gamma": "backtracking"}`:            "No step can raise",
		`{"algorithm": "proximal", "gamma": "safe"}`:                    "No step can raise",
		`{"algorithm": "rectified"}`:                                    "may rise",
		`{"algorithm": "proximal", "gamma": 0.5, "sigma": "one-sided"}`: "γ is not checked",
	} {
		f := "laplace"
		if strings.Contains(descent, "one-sided") {
			f = "compat"
		}
		a := call[Answer](t, &Page{}, "open",
			barbell(`{"f": {"term": "`+f+`"}, "kappa": {"anchor": "half-squared"}, "descent": `+descent+`}`))
		if a.Error != "" || !strings.Contains(a.Verdict.Text, want) ||
			a.Verdict.Certified != (want == "No step can raise") {
			t.Errorf("%s: %q, %+v", descent, a.Error, a.Verdict)
		}
		if n := len(a.Steps); strings.Contains(descent, "forced") && !(a.Steps[n-1].Energy > 10*a.Steps[0].Energy) {
			t.Errorf("a forced step of 2.5: %g after %g", a.Steps[n-1].Energy, a.Steps[0].Energy)
		}
	}
}

// TestWrong: a drawing that cannot be is a sentence, and the page goes on with the one before.
func TestWrong(t *testing.T) {
	p := &Page{}
	if a := call[Answer](t, p, "learn", 5); !strings.Contains(a.Error, "no drawing") {
		t.Errorf("learning from nothing: %q", a.Error)
	}
	call[Answer](t, p, "open", barbell(laplaceFile))
	kept := p.session
	for want, change := range map[string]func(*Drawing){
		"there is no node yet":                func(d *Drawing) { d.Nodes = nil },
		"more than a page can show":           func(d *Drawing) { d.Nodes = make([]Node, MaxNodes+1) },
		"9 classes":                           func(d *Drawing) { d.Classes = 9 },
		"node 1 is at 1e+30":                  func(d *Drawing) { d.Nodes[1].X = 1e30 },
		"node 0 has class 3, and there are 2": func(d *Drawing) { d.Nodes[0].Class = 3 },
		"77":                                  func(d *Drawing) { d.Edges[0][1] = 77 },
		`did you mean "laplace"`: func(d *Drawing) {
			d.Energy = json.RawMessage(`{"f": {"term": "laplase"}}`)
		},
		"65 steps": func(d *Drawing) {
			d.Energy = json.RawMessage(`{"f": {"term": "laplace"}, "steps": 65}`)
		},
		"depends on labels": func(d *Drawing) {
			d.Energy = json.RawMessage(`{"f": {"term": "laplace"}, "eta": "labels"}`)
		},
		"different graphs": func(d *Drawing) {
			d.Energy = json.RawMessage(`{"f": [{"term": "transe"}, {"term": "path"}]}`)
		},
		"step size 9 is beyond": func(d *Drawing) {
			d.Energy = json.RawMessage(`{"f": {"term": "laplace"}, "descent": {"algorithm": "proximal", "gamma": 9}}`)
		},
	} {
		d := barbell(laplaceFile)
		change(&d)
		if a := call[Answer](t, p, "open", d); !strings.Contains(a.Error, want) || p.session != kept {
			t.Errorf("%q, want %q", a.Error, want)
		}
	}
	for _, x := range [][2]string{{"open", "nonsense"}, {"learn", "0"}, {"learn", "many"}, {"what", ""}} {
		if a := p.Call(x[0], x[1]); !strings.Contains(a, `"error"`) {
			t.Errorf("%v: %s", x, a)
		}
	}
	d := barbell(laplaceFile)
	for v := range d.Nodes {
		d.Nodes[v].Class = 0
	}
	call[Answer](t, p, "open", d)
	if a := call[Answer](t, p, "learn", 1); !strings.Contains(a.Error, "no node has a class") {
		t.Errorf("without labels: %q", a.Error)
	}
}

func must[T any](x T, err error) T {
	if err != nil {
		panic(err)
	}
	return x
}
