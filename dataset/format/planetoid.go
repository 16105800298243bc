package format

import (
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/bloomgml/bloom/dataset"
	"github.com/bloomgml/bloom/graph"
	"github.com/bloomgml/bloom/internal/build"
	"github.com/bloomgml/bloom/internal/codec"
	"github.com/bloomgml/bloom/internal/files"
	"github.com/bloomgml/bloom/mat"
	"github.com/bloomgml/bloom/part"
)

// planetoid are the citation graphs of Yang et al. (2016): Cora, Citeseer and Pubmed, as eight files ind.NAME.PART. Any
// one of them names the set, and so does a folder with the files of one set.
//
// x, allx and tx are features, y, ally and ty classes: allx of nodes 0, 1, …; tx of the nodes that test.index lists,
// row by row; x is the beginning of allx. graph lists the neighbours of every node. Features are as in the files,
// sparse and not normalised. Nodes that are neither in allx nor in test.index (15 of Citeseer) have no features, no
// class and no part in the split.
//
// Splits has the one split of the paper: the nodes of x train, the 500 after them validate, and the nodes of test.index
// test. The ten splits of Geom-GCN, which some collections hold next to these files, are another protocol and are not
// read.
var planetoid = part.Part[Reader]{Name: "Planetoid pickles", Text: "Planetoid pickles", New: planetoidFolder{}}

type planetoidFolder struct{}

func (planetoidFolder) Match(path string, dir bool) bool { return len(planetoidSets(path, dir)) > 0 }

// Read reads the set that path stands for.
func (planetoidFolder) Read(path string) (*dataset.Dataset, error) {
	set, dir, err := planetoidSet(path)
	if err != nil {
		return nil, err
	}
	p := &planetoidFiles{Builder: build.New(path, set), prefix: filepath.Join(dir, "ind."+set+".")}
	for _, step := range []func() error{p.graph, p.readTest, p.features, p.labels} {
		if err := step(); err != nil {
			return nil, err
		}
	}
	p.split()
	return p.Dataset, nil
}

// planetoidParts are the endings of the eight files.
var planetoidParts = []string{"x", "tx", "allx", "y", "ty", "ally", "graph", "test.index"}

// planetoidSets returns the names of the sets that a path stands for: one for a file, and for a folder all that have a
// graph.
func planetoidSets(path string, dir bool) []string {
	if !dir {
		rest, ok := strings.CutPrefix(filepath.Base(path), "ind.")
		for _, part := range planetoidParts {
			if name, found := strings.CutSuffix(rest, "."+part); ok && found && name != "" {
				return []string{name}
			}
		}
		return nil
	}
	var sets []string
	entries, _ := os.ReadDir(path) // a folder that cannot be read has no sets
	for _, e := range entries {
		if strings.HasSuffix(e.Name(), ".graph") {
			sets = append(sets, planetoidSets(e.Name(), false)...)
		}
	}
	return sets
}

// planetoidSet returns the only set that path stands for, and its folder.
func planetoidSet(path string) (set, dir string, err error) {
	info, err := os.Stat(path)
	if err != nil {
		return "", "", files.Because(path, err)
	}
	dir, sets := filepath.Dir(path), planetoidSets(path, info.IsDir())
	if info.IsDir() {
		dir = path
	}
	switch len(sets) {
	case 0:
		return "", "", files.Errorf(path, "holds no Planetoid set")
	case 1:
		return sets[0], dir, nil
	}
	return "", "", files.Errorf(path, "holds %d sets (%s): name one of their files, such as ind.%s.x",
		len(sets), strings.Join(sets, ", "), sets[0])
}

// planetoidFiles reads the files of one set, one after the other.
type planetoidFiles struct {
	*build.Builder
	prefix string  // of their paths
	nodes  int     // of the graph
	known  int     // nodes with a row in allx: 0 to known−1
	test   []int32 // the node of every row of tx
	taught int     // rows of x
}

// readTest reads test.index, whose nodes must be distinct.
func (p *planetoidFiles) readTest() error {
	path := p.prefix + "test.index"
	var id [1]int32
	seen := make([]bool, p.nodes)
	return files.ScanIDs(path, p.Budget, id[:], func(line int) error {
		if v := int(id[0]); v >= p.nodes || seen[v] {
			return files.ErrorAt(path, line, "node %d is listed twice, or is not one of %d nodes", v, p.nodes)
		}
		seen[id[0]] = true
		p.test = append(p.test, id[0])
		return nil
	})
}

// features combines allx and tx, row v for node v.
func (p *planetoidFiles) features() error {
	var x [3]dataset.Matrix
	for i, part := range []string{"allx", "tx", "x"} {
		var err error
		if x[i], err = p.matrix(part); err != nil {
			return err
		}
		if x[i].Cols != x[0].Cols {
			return files.Errorf(p.prefix+part, "has %d columns, allx has %d", x[i].Cols, x[0].Cols)
		}
	}
	p.known, p.taught = x[0].Rows, x[2].Rows
	if p.known > p.nodes || p.taught > p.known || x[1].Rows != len(p.test) {
		return files.Errorf(p.prefix+"allx", "%d rows, %d in x, %d in tx do not fit %d nodes, %d of them in test.index",
			p.known, p.taught, x[1].Rows, p.nodes, len(p.test))
	}
	row, err := p.rows()
	if err != nil {
		return err
	}
	if missing := p.nodes - p.known - len(p.test); missing > 0 {
		p.Note("%d nodes have neither features nor a class, and are in no split.", missing)
	}
	p.Features = []dataset.Matrix{compact(stack(x[0], x[1], row))}
	return nil
}

func (p *planetoidFiles) matrix(part string) (dataset.Matrix, error) {
	path := p.prefix + part
	v, err := codec.ReadPickle(path, p.Budget)
	if err != nil {
		return dataset.Matrix{}, err
	}
	m, shape := stateOf(v), [2]int64{}
	if m == nil {
		return dataset.Matrix{}, files.Errorf(path, "does not hold a csr_matrix")
	}
	sides, _ := m.Get("_shape").(codec.Tuple)
	ok := len(sides) == 2
	for i := range sides[:min(2, len(sides))] {
		side, whole := sides[i].(int64)
		shape[i], ok = side, ok && whole
	}
	if !ok {
		return dataset.Matrix{}, files.Errorf(path, "a csr_matrix without a shape")
	}
	ptr, _ := m.Get("indptr").(*codec.Array)
	idx, _ := m.Get("indices").(*codec.Array)
	values, _ := m.Get("data").(*codec.Array)
	return csr{path, shape[0], shape[1], ptr, idx, values, p.Budget}.matrix()
}

// rows returns, for every node after the nodes of allx, its row in tx, −1 if it has no row.
func (p *planetoidFiles) rows() ([]int, error) {
	row := slices.Repeat([]int{-1}, p.nodes-p.known)
	for k, v := range p.test {
		if int(v) < p.known {
			return nil, files.Errorf(p.prefix+"test.index", "node %d has a row in allx, too, which are for 0 to %d",
				v, p.known-1)
		}
		row[int(v)-p.known] = k
	}
	return row, nil
}

// stack returns a with a row appended for every entry of row: that row of b, or an empty one for −1.
func stack(a, b dataset.Matrix, row []int) dataset.Matrix {
	below := dataset.Matrix{Cols: a.Cols, Rows: len(row), Ptr: []int64{0}, Values: []mat.Real{}}
	for _, k := range row {
		if k >= 0 {
			for column, x := range b.Entries(k) {
				below.Idx, below.Values = append(below.Idx, int32(column)), append(below.Values, x)
			}
		}
		below.Ptr = append(below.Ptr, int64(len(below.Idx)))
	}
	return a.Append(below)
}

// labels combines ally and ty. Classes are the columns, named by their numbers.
func (p *planetoidFiles) labels() error {
	all, classes, err := p.classes("ally", p.known)
	if err != nil {
		return err
	}
	test, k, err := p.classes("ty", len(p.test))
	if err != nil {
		return err
	}
	if _, j, err := p.classes("y", p.taught); err != nil || j != classes || k != classes {
		if err == nil {
			err = files.Errorf(p.prefix+"ally", "has %d classes, y %d and ty %d", classes, j, k)
		}
		return err
	}
	class := append(all, slices.Repeat([]int32{-1}, p.nodes-p.known)...)
	for i, v := range p.test {
		class[v] = test[i]
	}
	p.Classes(class, build.Numbers(classes))
	return nil
}

// classes reads a file with a one-hot row for each of n nodes; a row of zeros means no class.
func (p *planetoidFiles) classes(part string, n int) (class []int32, count int, err error) {
	path := p.prefix + part
	v, err := codec.ReadPickle(path, p.Budget)
	if err != nil {
		return nil, 0, err
	}
	a, ok := v.(*codec.Array)
	if !ok || !a.Is(n, -1) || n == 0 {
		return nil, 0, files.Errorf(path, "does not hold an array with %d rows", n)
	}
	flags, err := a.Bools()
	if err != nil {
		return nil, 0, err
	}
	count = a.Shape[1]
	class = make([]int32, n)
	for i := range class {
		class[i] = -1
		for c, set := range flags[i*count : (i+1)*count] {
			if set && class[i] >= 0 {
				return nil, 0, a.Errorf(i*count+c, "row %d has the classes %d and %d", i, class[i], c)
			}
			if set {
				class[i] = int32(c)
			}
		}
	}
	return class, count, nil
}

func (p *planetoidFiles) split() {
	const valid = 500
	p.Split(build.Range(0, p.taught), build.Range(p.taught, min(p.taught+valid, p.known)),
		slices.Sorted(slices.Values(p.test)))
}

// graph reads the neighbour lists. Every edge is listed by both ends; it drops duplicates and self loops.
func (p *planetoidFiles) graph() error {
	path := p.prefix + "graph"
	v, err := codec.ReadPickle(path, p.Budget)
	if err != nil {
		return err
	}
	dict, ok := v.(*codec.Dict)
	if !ok {
		return files.Errorf(path, "does not hold a dict")
	}
	p.nodes = len(dict.Keys)
	l := &neighbourLists{path: path, budget: p.Budget, nodes: p.nodes, last: make([]int32, p.nodes),
		done: make([]bool, p.nodes)}
	if err := l.read(dict); err != nil {
		return err
	}
	err = p.Connect(graph.Spec{
		Nodes: p.nodes, Triples: l.edges, Undirected: true, DropDuplicates: true, Loops: graph.DropLoops,
	})
	if err != nil {
		return err
	}
	if l.loops > 0 || l.repeats > 0 {
		p.Note("Of %d listed neighbours %d are self loops and %d are duplicates; both were dropped.",
			len(l.edges), l.loops, l.repeats)
	}
	if oneSided := 2*p.Graph.NumEdges() - l.pairs; oneSided > 0 {
		p.Note("%d edges are listed at one of their ends only.", oneSided)
	}
	return nil
}

// neighbourLists turns lists of neighbours into edges.
type neighbourLists struct {
	path  string
	nodes int
	edges []graph.Triple
	last  []int32 // for every node, 1 + the node that listed it last
	done  []bool  // the nodes whose list was read

	budget *files.Budget

	loops, repeats, pairs int // self loops; duplicates within a list; all other neighbours
}

// read goes through a dict of lists. Its keys are the nodes 0 to n−1, in any order.
func (l *neighbourLists) read(dict *codec.Dict) error {
	for i, key := range dict.Keys {
		u, ok := l.node(key)
		if !ok || l.done[u] {
			return files.Errorf(l.path, "entry %d has the key %v; the keys of %d nodes are 0 to %d, each once", i, key,
				l.nodes, l.nodes-1)
		}
		l.done[u] = true
		list, ok := dict.Values[i].(*codec.List)
		if !ok {
			return files.Errorf(l.path, "node %d has no list of neighbours", u)
		}
		for _, item := range list.Items {
			v, ok := l.node(item)
			if !ok {
				return files.Errorf(l.path, "node %d has the neighbour %v; there are %d nodes", u, item, l.nodes)
			}
			if err := l.add(u, v); err != nil {
				return err
			}
		}
	}
	return nil
}

// node returns a value as the number of a node.
func (l *neighbourLists) node(v any) (int32, bool) {
	n, ok := v.(int64)
	return int32(n), ok && n >= 0 && n < int64(l.nodes)
}

// add adds an edge and counts.
func (l *neighbourLists) add(u, v int32) (err error) {
	l.edges, err = files.Append(l.budget, l.edges, "neighbours", graph.Triple{U: u, V: v})
	repeat := l.last[v] == u+1
	l.last[v] = u + 1
	if u == v {
		l.loops++
	}
	if repeat {
		l.repeats++
	}
	if u != v && !repeat {
		l.pairs++
	}
	return err
}
