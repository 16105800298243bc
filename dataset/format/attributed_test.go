package format

import (
	"strings"
	"testing"

	"github.com/bloomgml/bloom/internal/testkit"
)

// TestGraphML: igraph's numbers of nodes become their names; defaults, directions and what is not read.
func TestGraphML(t *testing.T) {
	saysWhat(t, "testdata/more/ig.graphml", `
set ig, measured by accuracy
node ann, class x, features 1
node bob, class y, features 2.5
node cid, class x, features 3
edge ann → bob, weight 1
edge bob → cid, weight 3
`)
	file := func(keys, body string) string {
		return sample(t, "x.graphml", map[string]string{"x.graphml": `<graphml>` + keys +
			`<graph edgedefault="directed"><node id="a"/><node id="b"><data key="k">5</data></node>` +
			body + "</graph></graphml>"})
	}
	saysWhat(t, file(`<key id="k" for="node" attr.name="k" attr.type="int"><default>2</default></key>`,
		`<edge source="a" target="b"/><edge source="a" target="b"/>`), `
set x, measured by mrr
node a, features 2
node b, features 5
edge a → b
edge a → b
`)
	key := `<key id="k" for="node" attr.name="k" attr.type="int"/>`
	for _, c := range []struct{ path, want string }{
		{file("", ""), ":1: data of the key k, which is not declared"},
		{file(key, `<edge source="a" target="b" directed="false"/>`), "whose direction differs from the others"},
		{file(key, `<edge source="a" target="c"/>`), `there is no node "c"`},
		{file(key, `<hyperedge/>`), "a hyperedge"},
		{file(key, `<node id="c"><graph/></node>`), "node c holds a graph"},
		{file(key, `</graph><graph>`), "a second graph"},
		{sample(t, "x.graphml", map[string]string{"x.graphml": "<graphml></graphml>"}), "there is no graph in it"},
	} {
		refuses(t, c.path, c.want)
	}
}

// TestPajek: numbers where labels repeat, lists, comments, several relations, and what is not read.
func TestPajek(t *testing.T) {
	file := func(text string) string { return sample(t, "x.net", map[string]string{"x.net": text}) }
	saysWhat(t, file("% made by hand\n*Network deals\n*Vertices 3\n1 \"a b\" 0.1 0.2 ic Red\n"+
		"2 \"a b\"\n*Edgeslist :1\n1 2 3\n*Edges :2 \"owes\"\n2 3 4\n"), `
set deals, measured by mrr
node 1
node 2
node 3
edge 1 – 2, weight 1
edge 1 – 3, weight 1
edge 2 – 3, weight 4
note: The network has 2 relations, which were read as one.
note: Attribute "ic" of nodes is not always a number and was left out.
`)
	for text, want := range map[string]string{
		"*Vertices x":                        "wants the number of vertices",
		"*Vertices 1\n*Matrix\n0":            ":2: a section that is not read",
		"*Vertices 1\n*Arcs\n1 2":            "\"2\" is not the number of a vertex, 1 to 1",
		"*Vertices 1\n*Arcs\n1":              "a link without two ends",
		"*Network\n1 2":                      "a line before *Vertices",
		"*Vertices 2\n*Arcs\n1 2 heavy":      "the weight \"heavy\"",
		"*Vertices 99999999999999\n*Arcs\n1": "the memory for reading it",
	} {
		refuses(t, file(text), want)
	}
}

// refuses wants an error about a file.
func refuses(t *testing.T, path, want string) {
	t.Helper()
	if _, err := Open(path); err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("%v, want %q", err, want)
	}
}

// TestGeometric reads what PyTorch Geometric saves besides one plain Data.
func TestGeometric(t *testing.T) {
	const numbers = `
set numbers, measured by rmse
node 0, class y, features 0 3
node 1, features 1 4
node 2, class y, features 2 5
edge 0 → 1
edge 1 → 2
split: train 0; valid 2; test
split: train 2; valid; test 0
`
	saysWhat(t, "testdata/more/numbers.pt", numbers)
	saysWhat(t, "testdata/more/dict.pt", strings.Replace(numbers, "set numbers", "set dict", 1))
	d, err := Open("testdata/more/numbers.pt")
	if err != nil {
		t.Fatal(err)
	}
	if x := d.Graph.Features(); x.Cols != 2 || x.Values[3] != 4 || d.Labels.Values[2] != 2 {
		t.Errorf("features of edges %v, labels %v", x, d.Labels.Values)
	}
	saysWhat(t, "testdata/more/hetero.pt", `
set hetero, measured by accuracy
node paper 0, class 1, features 1 0
node paper 1, class 0, features 0 1
node author 0
node author 1
node author 2
edge author 0 writes → paper 1
edge author 2 writes → paper 0
edge paper 0 cites → paper 1
split: train paper 0; valid; test paper 1
`)
	one, err := Open("testdata/more/data.pt")
	if err != nil {
		t.Fatal(err)
	}
	same, err := Open(sampleOf(t, geometricFile{}))
	if err != nil {
		t.Fatal(err)
	}
	one.Name = same.Name
	testkit.Same(t, one, same)
	refuses(t, "testdata/more/module.pt", `global "torch.nn.modules.linear Linear" is not supported; nothing was run`)
	refuses(t, sample(t, "g.bin", map[string]string{"g.bin": "\x3f\xa1\xb4\x46\xf0\x4f\x2e\xdd"}),
		"a graph of DGL in its own binary layout")
	refuses(t, sample(t, "old.pt", map[string]string{"old.pt": "\x80\x02\x8a\x0a"}), "PyTorch before 1.6")
}
