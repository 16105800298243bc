package importer

import (
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/bloomgml/bloom/graph"
	"github.com/bloomgml/bloom/mat"
)

// claims are rows that share garages and phones: c0 and c1 both, c2 the garage in another spelling, c3 the phone of c0;
// the others say that they know neither, and c5 has a garage of its own.
const claims = "id,garage,phone,amount,fraud\nc0,A&amp;B,0151 1,10,yes\nc1,A&B,0151 1,20,yes\nc2, a&b,,30,no\n" +
	"c3,,0151 1,40,no\n" +
	"c4,unknown,000,50,no\nc5,Solo,000,60,no\nc6,Unknown,000,70,yes\n"

// connectedClaims imports them.
func connectedClaims(t *testing.T, things bool) (string, Spec) {
	dir := tables(t, map[string]string{"nodes.csv": claims})
	return dir, Spec{Nodes: []Input{{Table: filepath.Join(dir, "nodes.csv")}}, Connect: []string{"garage", "phone"},
		Things: things, Label: "fraud", Split: Split{None: true}}
}

// TestConnectPairs: every two rows that share something are an edge, which weighs how much; unknown ones share nothing.
// Newcomers are connected in the same way.
func TestConnectPairs(t *testing.T) {
	_, spec := connectedClaims(t, false)
	d, _, err := Run(t.Context(), spec)
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]mat.Real{}
	for e := range int32(d.Graph.NumEdges()) {
		x := d.Graph.Edge(e)
		got[d.IDs.At(x.U)+d.IDs.At(x.V)] = d.Graph.Weights()[e]
	}
	want := "map[c0c1:2 c0c2:1 c0c3:1 c1c2:1 c1c3:1]"
	if fmt.Sprint(got) != want || !d.Graph.Undirected() {
		t.Errorf("pairs %v, want %s", got, want)
	}
	notes := strings.Join(d.Notes, "\n")
	for _, note := range []string{`"garage": 3 of 7 rows share a value with another; too common to connect: "unknown" (2 rows)`,
		`"phone": 3 of 7 rows share a value with another; too common to connect: "000" (3 rows)`} {
		if !strings.Contains(notes, note) {
			t.Errorf("%s is not among the notes %s", note, notes)
		}
	}
	dir := tables(t, map[string]string{"nodes.csv": "phone,id,garage\n0151 1,new,SOLO\n,alone,unknown\n"})
	spec = late(dir)
	spec.Edges = nil
	n, _, err := Newcomers(t.Context(), d, spec)
	if err != nil {
		t.Fatal(err)
	}
	first := int32(d.Graph.NumNodes())
	edges := []graph.Triple{{U: 0, V: first}, {U: 1, V: first}, {U: 3, V: first}, {U: 5, V: first}}
	if !slices.Equal(n.Edges, edges) || !slices.Equal(n.Weights, []mat.Real{1, 1, 1, 1}) {
		t.Errorf("newcomers have %v of weights %v, want %v", n.Edges, n.Weights, edges)
	}
}

// TestConnectThings: things are nodes of a type for each column, and rows lead to them.
func TestConnectThings(t *testing.T) {
	_, spec := connectedClaims(t, true)
	d, _, err := Run(t.Context(), spec)
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(d.Types, []string{"nodes", "garage", "phone"}) || d.Graph.NumNodes() != 9 ||
		d.Graph.NumEdges() != 6 ||
		!slices.Equal(d.Relations, []string{"garage", "phone"}) {
		t.Errorf("types %q, %d nodes, %d edges, relations %q", d.Types, d.Graph.NumNodes(),
			d.Graph.NumEdges(), d.Relations)
	}
}

// TestConnectMistakes: a sentence each.
func TestConnectMistakes(t *testing.T) {
	for want, change := range map[string]func(*Spec){
		`there is no column "shop" to connect rows by`:   func(s *Spec) { s.Connect = []string{"shop"} },
		"no two rows share a value of amount":            func(s *Spec) { s.Connect = []string{"amount"} },
		"0 tables of nodes; --connect needs exactly one": func(s *Spec) { s.Nodes = nil },
		`column "nodes" cannot name a type of nodes`:     func(s *Spec) { s.Things, s.Connect = true, []string{"nodes"} },
	} {
		_, spec := connectedClaims(t, false)
		change(&spec)
		if _, _, err := Run(t.Context(), spec); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want … %s …", err, want)
		}
	}
}

// TestUnknownValues: what names nothing.
func TestUnknownValues(t *testing.T) {
	for text, want := range map[string]bool{"Unknown": true, "000": true, "99999": true, "99": false, "0": false,
		"111":      false,
		"Garage 1": false, "none": true} {
		if isUnknown(text) != want {
			t.Errorf("%q: %v", text, !want)
		}
	}
}

// TestBadTables: what no table should have is a sentence or is used, within the budget, and leaves no file of rejects
// where there is no data set.
func TestBadTables(t *testing.T) {
	people := func(row func(i int) string) string {
		var b strings.Builder
		b.WriteString("id,x,y\n")
		for i := range 40 {
			fmt.Fprintf(&b, "n%d,%s,%c\n", i, row(i), 'p'+i%2)
		}
		return b.String()
	}
	long, wide := strings.Repeat("n", 1<<20), strings.Repeat(",", 1e5)
	edges := "source,target\nn1,n2\nn3,n4\n"
	for name, c := range map[string]struct{ nodes, edges, want string }{
		"ids of 10⁶ characters": {"id,y\n" + long + "1,p\n" + long + "2,q\n",
			"source,target\n" + long + "1," + long + "2\n", "the id has more than 4096 bytes"},
		"10⁵ columns":          {"id,y" + wide + "\nn1,p" + wide + "\nn2,q" + wide + "\n", edges, ""},
		"the year 9999":        {people(func(i int) string { return fmt.Sprint(9980+i%20, "-01-01") }), edges, ""},
		"amounts of 1e308":     {people(func(i int) string { return fmt.Sprintf("%de308", i%2*2-1) }), edges, ""},
		"nobody in common":     {people(strconv.Itoa), "source,target\na,b\n", "no edge of 1 can be used"},
		"another format":       {"PAR1" + people(strconv.Itoa), edges, "it does not end with PAR1"},
		"a row without an end": {"id,y\nn1,\"" + strings.Repeat("x", 17<<20), edges, "a row of 17825796 bytes"},
	} {
		dir := tables(t, map[string]string{"nodes.csv": c.nodes, "edges.csv": c.edges})
		spec := late(dir)
		spec.Label, spec.Split = "y", Split{None: true}
		d, _, err := Run(t.Context(), spec)
		switch {
		case c.want == "" && err == nil:
			for _, x := range d.Features {
				if slices.ContainsFunc(x.Values, func(v mat.Real) bool { return v-v != 0 }) {
					t.Errorf("%s: a feature is NaN or Inf", name)
				}
			}
		case c.want == "" && strings.Contains(err.Error(), "would take"): // more than the budget
		case c.want == "" || err == nil || !strings.Contains(err.Error(), c.want):
			t.Errorf("%s: got %v, want … %s …", name, err, c.want)
		}
		if left, _ := filepath.Glob(filepath.Join(dir, "rejects*")); err != nil && len(left) > 0 {
			t.Errorf("%s: %s is left", name, left)
		}
	}
}
