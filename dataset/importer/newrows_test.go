package importer

import (
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/bloomgml/bloom/dataset"
	"github.com/bloomgml/bloom/mat"
)

// world is a data set by names, in no order: the features and made columns of every node, and edges with weights.
func world(d *dataset.Dataset) map[string]string {
	w := map[string]string{}
	for t, x := range d.Features {
		row := make([]mat.Real, x.Cols)
		for i, v := range d.Graph.NodesOfType(int32(t)) {
			text := ""
			if x.Cols > 0 {
				x.Row(row, i)
				text = fmt.Sprint(row)
			}
			for _, c := range d.Raw.Nodes[t] {
				if d.Schema.Made(c.Name) {
					text += " " + c.Name + "=" + c.Values.Text(i)
				}
			}
			w[d.TypeName(int32(t))+" "+d.IDs.At(v)] = fmt.Sprint(text, d.Labels.Class[v])
		}
	}
	for e := range int32(d.Graph.NumEdges()) {
		x, weight := d.Graph.Edge(e), mat.Real(1)
		if d.Graph.Weights() != nil {
			weight = d.Graph.Weights()[e]
		}
		w[fmt.Sprint(d.IDs.At(x.U), " ", d.RelationName(x.R), " ", d.IDs.At(x.V))] = fmt.Sprint(weight)
	}
	return w
}

// asTogether imports old tables, adds new ones, and compares that with an import of both together.
func asTogether(t *testing.T, name string, spec Spec, old, new, both map[string]string) *dataset.Newcomers {
	t.Helper()
	run := func(files map[string]string) *dataset.Dataset {
		d, _, err := Run(t.Context(), in(tables(t, files), spec))
		if err != nil {
			t.Fatal(name, err)
		}
		return d
	}
	d := run(old)
	late := Spec{Nodes: spec.Nodes[:1]}
	if new["edges.csv"] != "" {
		late.Edges = []Input{{Table: "edges.csv"}}
	}
	n, report, err := Newcomers(t.Context(), d, in(tables(t, new), late))
	if err != nil {
		t.Fatal(name, err)
	}
	if report.Rejected > 0 {
		t.Error(name, report.Reasons)
	}
	got, err := n.Join(d)
	if err != nil {
		t.Fatal(name, err)
	}
	want, err := Encode(run(both), d.Schema)
	if err != nil {
		t.Fatal(name, err)
	}
	if g, w := world(got), world(want); !maps.Equal(g, w) {
		for _, k := range slices.Sorted(maps.Keys(w)) {
			if g[k] != w[k] {
				t.Errorf("%s: %s is %q, want %q", name, k, g[k], w[k])
			}
		}
		for k := range g {
			if _, there := w[k]; !there {
				t.Errorf("%s: there is %s", name, k)
			}
		}
	}
	return n
}

// in is spec with its tables in a folder.
func in(dir string, spec Spec) Spec {
	move := func(list []Input) (moved []Input) {
		for _, x := range list {
			moved = append(moved, Input{x.Name, filepath.Join(dir, x.Table)})
		}
		return moved
	}
	spec.Nodes, spec.Edges = move(spec.Nodes), move(spec.Edges)
	return spec
}

// TestNewThings: rows that come later lead to the garages and doctors of the others. A garage that nobody shared before
// is a node from then on, also for the old claim that had it, and what claims and garages have of their edges follows.
func TestNewThings(t *testing.T) {
	head, old, new := "id,amount,garage,doctor,fraud\n", "", ""
	for i := range 60 {
		row := fmt.Sprintf("c%d,%d,Garage %d,%s,%c\n", i, 10+i*i%37, i*i%11, []string{"Ann", "Bob", "unknown"}[i%3],
			'n'+i%2)
		if i < 40 {
			old += row
		} else {
			new += row
		}
	}
	old += "s1,7,Solo,Eve,n\ns2,8,GARAGE 1,Eve,o\ns3,9,Only,Zoe,o\n"
	new += "s4,7, solo,Eve,o\ns5,6,New & Co,Flo,n\ns6,6,new & co,Flo,n\ns7,5,Alone,,n\n"
	spec := Spec{Nodes: []Input{{Table: "nodes.csv"}}, Connect: []string{"garage", "doctor"}, Things: true,
		Label: "fraud", Split: Split{None: true}}
	table := func(rows string) map[string]string { return map[string]string{"nodes.csv": head + rows} }
	n := asTogether(t, "things", spec, table(old), table(new), table(old+new))
	if things := n.IDs[len(n.IDs)-n.Things:]; !slices.Equal(things, []string{"Solo", "New & Co", "Flo"}) {
		t.Errorf("new things are %q", things)
	}
	if !slices.ContainsFunc(n.Notes, func(s string) bool {
		return strings.Contains(s, `column "garage": 2 values that rows share are new nodes, such as "Solo"`)
	}) {
		t.Errorf("notes %q", n.Notes)
	}
	spec.Columns = []string{} // garages have no columns then
	d, _, err := Run(t.Context(), in(tables(t, table(old)), spec))
	if err != nil {
		t.Fatal(err)
	}
	n, _, err = Newcomers(t.Context(), d, in(tables(t, table(new)), Spec{Nodes: spec.Nodes}))
	if err != nil || n.Things != 0 || !strings.Contains(strings.Join(n.Notes, "\n"), "left out: nodes of type") {
		t.Errorf("%+v, %v", n, err)
	}
}

// TestNewEnds: edges that come later have their ends, their weights and their relations in the columns in which the
// import found them, whatever else these are called.
func TestNewEnds(t *testing.T) {
	nodes, more := "id,x,y\n", ""
	for i := range 40 {
		nodes += fmt.Sprintf("v%d,%d,%c\n", i, i*i%17, 'p'+i%2)
	}
	for i := range 5 {
		more += fmt.Sprintf("w%d,%d,%c\n", i, i*i%17, 'p'+i%2)
	}
	for name, c := range map[string]struct {
		head   string
		row    func(i int, u, v string) string
		change func(*Spec)
	}{
		"by values": {"no,vendor,amount,buyer\n", func(i int, u, v string) string {
			return fmt.Sprintf("%d,%s,%d,%s\n", 1000+i, u, i%7, v)
		}, func(*Spec) {}},
		"as asked": {"a,b,c,strength\n", func(i int, u, v string) string {
			return fmt.Sprintf("t%d,%s,%s,%d\n", i, u, v, 1+i%5)
		}, func(s *Spec) { s.Source, s.Target, s.Weight = "c", "b", "strength" }},
		"to values": {"vendor,plant,amount\n", func(i int, u, v string) string {
			return fmt.Sprintf("%s,plant %c,%d\n", u, 'A'+i%9, i%7)
		}, func(*Spec) {}},
		"in another case": {"vendor,buyer,amount\n", func(i int, u, v string) string {
			return fmt.Sprintf("%s,%s,%d\n", strings.ToUpper(u), v, i%7)
		}, func(*Spec) {}},
	} {
		old, new := "", ""
		for i := range 120 {
			old += c.row(i, fmt.Sprint("v", i*7%40), fmt.Sprint("v", i*i%40))
		}
		for i := range 8 {
			new += c.row(i+2, fmt.Sprint("w", i%5), fmt.Sprint("v", i*5))
		}
		if name == "to values" {
			new += "w1,plant Z,3\nw2,Plant Z,4\n"
		}
		spec := Spec{Nodes: []Input{{Table: "nodes.csv"}}, Edges: []Input{{Table: "edges.csv"}}, Label: "y",
			Split: Split{None: true}}
		c.change(&spec)
		asTogether(t, name, spec, map[string]string{"nodes.csv": nodes, "edges.csv": c.head + old},
			map[string]string{"nodes.csv": "id,x,y\n" + more, "edges.csv": c.head + new},
			map[string]string{"nodes.csv": nodes + more, "edges.csv": c.head + old + new})
	}
}
