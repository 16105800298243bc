package format

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/bloomgml/bloom/dataset"
	"github.com/bloomgml/bloom/graph"
	"github.com/bloomgml/bloom/internal/testkit"
	"github.com/bloomgml/bloom/part"
)

// known are what the samples say, written by hand from their files; nothing rewrites it. A node has its class, its
// time and its features, where there are some; an edge that has a direction is an arrow, with its relation.
var known = map[string][]string{
	"Planetoid pickles": {`
set toy, measured by accuracy
node 0, class 0, features 1 0 0
node 1, class 1, features 0 1 0
node 2, features 0 0 0
node 3, class 0, features 2 0 0.5
node 4, class 0, features 0 0 4
node 5, class 1, features 0 3 0
node 6, features 0 0 0
edge 0 – 1
edge 1 – 2
edge 4 – 5
edge 5 – 3
split: train 0 1; valid 3; test 4 5
note: Of 9 listed neighbours 1 are self loops and 1 are duplicates; both were dropped.
note: 1 edges are listed at one of their ends only.
note: 1 nodes have neither features nor a class, and are in no split.
`},
	"heterophilous npz": {`
set toy, measured by roc_auc
node 0, class 0, features 1 2
node 1, class 1, features 3 4
node 2, class 0, features 5 6
edge 0 – 1
edge 1 – 2
split: train 0; valid 1; test 2
split: train 1; valid 2; test 0
note: Dropped 1 duplicate edges and 1 self loops.
`},
	"a HeCo folder": {`
set of the folder, measured by accuracy
node p 0, class 1, features 0 0 5
node p 1, class 0, features 6 0 0
node a 0
node a 1
node a 2
node s 0
edge a 0 ap → p 1
edge a 2 ap → p 0
edge p 0 ps → s 0
edge p 1 ps → s 0
split: train p 1; valid p 0; test
split: train p 0 p 1; valid; test
note: Dropped 1 duplicate pairs.
`},
	"an RDF folder": {`
set mutag, measured by accuracy
node a:1, class 0
node a:2, class 1
node "x"
node "x"@en
node _:b
node a:3, class 1
node a:9, class 0
edge a:1 a:p → a:2
edge a:2 a:p → "x"
edge a:2 a:q → "x"@en
edge _:b a:p → a:3
split: train a:1 a:2; valid; test a:3 a:9
note: 1 labelled nodes are in no statement and have no edges.
note: 1 statements that give away the class were dropped (http://dl-learner.org/carcinogenesis#isMutagenic).
note: 1 statements repeat an earlier one and were dropped.
`},
	"an OGB folder": {`
set of the folder, measured by accuracy
node 007, class cs mm, time 2013, features 0.5 -1
node 8, class cs, na, time 2015, features 0.001 2
node 9, time 2018, features 3 4
node 10, class 2, time 2019, features 5 6
edge 007 – 8
edge 10 – 9
split: train 8 007; valid; test 10
note: 1 of 4 nodes have no class.
note: 1 of 3 edges repeat an earlier one in either direction and were dropped.
`},
	"a .bloom file": {team},
	"a folder of triples": {`
set X, measured by hits@10_50
node a
node b
edge a r → b
edge a s → b
valid b s → a
test b r → a
note: 1 entities of the inductive twin are in the training graph too.
twin set X_ind, measured by hits@10_50
node x
node y
node a
edge x s → y
edge y s → a
valid y r → x
test y s → x
`},
	"a file of triples": {`
set facts, measured by mrr
node a
node b
node c
edge a r → b
edge b r → c
note: All 2 triples are for training: holding any of them out would leave an entity or a relation without triples.
`},
	"node-link JSON": {`
set team, measured by accuracy
node ann, class ops, features 31 1 0.5
node 7, class dev, features 40.5 0 2
node bob, features 29 3 4
node zoe, class dev, features 55 5 6
edge ann → 7, weight 2
edge 7 → bob, weight 1
split: train ann; valid 7; test zoe
note: 1 links repeat an earlier one and were dropped: the graph is not declared a multigraph.
note: Attribute "room" of nodes is not always a number and was left out.
`},
	"GraphML": {`
set team, measured by accuracy
node ann, class ops, features 31
node 7, class dev, features 40.5
node bob, features 29
node zoë, class dev, features 55
edge ann – 7, weight 2
edge 7 – bob, weight 1
split: train ann; valid 7; test zoë
note: Attribute "boss" of nodes is not always a number and was left out.
`},
	"a Pajek network": {`
set team, measured by accuracy
node ann lee, class ops, features 31
node bob, class dev, features 40.5
node cid, class dev, features 7
edge ann lee → bob, weight 2.5
edge bob → cid, weight 1
edge ann lee → cid, weight 1
edge cid → ann lee, weight 1
split: train ann lee; valid bob; test cid
`},
	"a graph of PyTorch Geometric": {`
set toy, measured by accuracy
node 0, class 0, features 1 2
node 1, class 1, features 3 4
node 2, features 5 6
node 3, class 1, features 7 8.5
edge 0 – 1
edge 1 – 2
edge 3 – 0
split: train 0; valid 1; test 3
note: Attribute "name" of "node" was left out.
`},
	"a Neo4j export": {`
set graph, measured by mrr
node Person 0, features 1 1 0
node Person 3, features -1 0 1
node Admin_Person 7
node Film 5
edge Person 0 KNOWS → Admin_Person 7
edge Admin_Person 7 KNOWS → Person 3
edge Person 3 LIKES → Film 5
edge Person 0 LIKES → Film 5
note: there are no links to validate on: train=0.8,valid=0.1,test=0.1 of the links, seed 0, 4 train, 0 valid, 0 test
note: there are no links to test on: train=0.8,valid=0.1,test=0.1 of the links, seed 0, 4 train, 0 valid, 0 test
`},
	"a table of pairs": {`
set pairs, measured by mrr
node ann
node bob
node cid
edge ann – bob
edge bob – cid
edge cid – ann
`},
	"a folder of blocks": {`
set toy, measured by roc_auc
node 1, class 1, features 3 4
node 0, class 0, features 1 2
node 2, class 0, features 5 6
edge 1 – 0
edge 1 – 2
split: train 0; valid 1; test 2
split: train 1; valid 2; test 0
`},
}

// team is what the sample of .bloom files says.
const team = `
set team, measured by accuracy
node person 007, class 1, features 0.5 1 3
node person anna, class 0, features 2 3 4
node person bob, features 4 5 5
node person carl, class 1, features 6 7 6
node group 007
node group g
edge person 007 follows → person anna, weight 0.5
edge person anna follows → person bob, weight 2
edge person carl in → group g, weight 1
split: train person 007; valid person anna; test person carl
note: Column "feat" of edges [person follows person] was left out: edges have weights only.
note: Column "name" of type person does not hold numbers only and was left out.
note: 1 nodes of the split have no class and were left out of it.
`

// TestKnown compares what is read of every sample with what it says.
func TestKnown(t *testing.T) {
	testkit.Known(t, Readers, known, func(t *testing.T, p part.Part[Reader], want string) {
		saysWhat(t, sampleOf(t, p.New), want)
	})
}

// saysWhat compares what is read at a path.
func saysWhat(t *testing.T, path, want string) {
	t.Helper()
	d, err := Open(path)
	if err != nil {
		t.Fatal(err)
	}
	if strings.Trim(d.Name, "0123456789") == "" { // that of a folder of this test
		d.Name = "of the folder"
	}
	var got strings.Builder
	content(&got, d)
	if strings.TrimSpace(got.String()) != strings.TrimSpace(want) {
		t.Errorf("read\n%s\nwant\n%s", &got, want)
	}
}

// content writes what a set holds.
func content(w *strings.Builder, d *dataset.Dataset) {
	fmt.Fprintf(w, "set %s, measured by %s\n", d.Name, d.Metric)
	rows := map[int32][]string{}
	for typ, m := range d.Features {
		of := slices.Collect(nodesOf(d, typ))
		for i, row := range dense(m) {
			for _, x := range row {
				rows[of[i]] = append(rows[of[i]], strconv.FormatFloat(float64(x), 'g', -1, 32))
			}
		}
	}
	for v := range int32(d.Graph.NumNodes()) {
		fmt.Fprintf(w, "node %s", named(d, v))
		if d.Labels.Class != nil && d.Labels.Class[v] >= 0 {
			fmt.Fprintf(w, ", class %s", d.Labels.Names[d.Labels.Class[v]])
		}
		if d.Times != nil {
			fmt.Fprintf(w, ", time %d", d.Times[v])
		}
		if rows[v] != nil {
			fmt.Fprintf(w, ", features %s", strings.Join(rows[v], " "))
		}
		fmt.Fprintln(w)
	}
	for i, x := range d.Graph.Triples() {
		fmt.Fprintf(w, "edge %s", arrow(d, x))
		if d.Graph.Weights() != nil {
			fmt.Fprintf(w, ", weight %v", d.Graph.Weights()[i])
		}
		fmt.Fprintln(w)
	}
	for _, s := range d.Splits {
		fmt.Fprintf(w, "split: train%s; valid%s; test%s\n", list(d, s.Train), list(d, s.Valid), list(d, s.Test))
	}
	for _, x := range d.Valid {
		fmt.Fprintf(w, "valid %s\n", arrow(d, x))
	}
	for _, x := range d.Test {
		fmt.Fprintf(w, "test %s\n", arrow(d, x))
	}
	for _, note := range d.Notes {
		fmt.Fprintf(w, "note: %s\n", note)
	}
	if d.Twin != nil {
		fmt.Fprint(w, "twin ")
		content(w, d.Twin)
	}
}

// nodesOf are the nodes of a type.
func nodesOf(d *dataset.Dataset, typ int) func(yield func(int32) bool) {
	return func(yield func(int32) bool) {
		for v := range int32(d.Graph.NumNodes()) {
			types := d.Graph.NodeTypes()
			if of := types == nil || int(types[v]) == typ; of && !yield(v) {
				return
			}
		}
	}
}

// named is a node by its name, with its type where there are several.
func named(d *dataset.Dataset, v int32) string {
	if d.Types == nil {
		return d.IDs.At(v)
	}
	return d.TypeName(d.Graph.NodeTypes()[v]) + " " + d.IDs.At(v)
}

// list are nodes by their names.
func list(d *dataset.Dataset, nodes []int32) string {
	text := ""
	for _, v := range nodes {
		text += " " + named(d, v)
	}
	return text
}

// arrow is an edge in words.
func arrow(d *dataset.Dataset, x graph.Triple) string {
	between := "→"
	switch {
	case d.Relations != nil:
		between = d.Relations[x.R] + " →"
	case d.Graph.Undirected():
		between = "–"
	}
	return named(d, x.U) + " " + between + " " + named(d, x.V)
}
