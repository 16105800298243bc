package format

import (
	"fmt"
	"slices"
	"strings"

	"github.com/bloomgml/bloom/internal/build"
	"github.com/bloomgml/bloom/internal/files"
)

// rdfLabels are the three tables of an RDF folder.
type rdfLabels struct {
	set         rdfSet
	class       map[string]string // node to the name of its class
	order       []string          // nodes as completeDataset.tsv lists them
	train, test []string          // nodes
	budget      *files.Budget
}

// readRDFLabels reads the tables and checks that they agree: train and test have no node in common
// and the classes that completeDataset.tsv gives.
func readRDFLabels(dir string, b *files.Budget) (*rdfLabels, error) {
	l := &rdfLabels{class: map[string]string{}, set: rdfSet{literals: true}, budget: b}
	err := l.read(dir, "completeDataset.tsv", func(node, class string) error {
		if old, ok := l.class[node]; ok {
			return fmt.Errorf("node %q is listed twice, in class %q before", node, old)
		}
		l.class[node] = class
		l.order = append(l.order, node)
		return nil
	})
	if err != nil {
		return nil, err
	}
	split := map[string]string{}
	for _, t := range []struct {
		name  string
		nodes *[]string
	}{{"trainingSet.tsv", &l.train}, {"testSet.tsv", &l.test}} {
		err := l.read(dir, t.name, func(node, class string) error {
			if known, ok := l.class[node]; !ok || known != class {
				return fmt.Errorf("node %q has class %q here and %q in completeDataset.tsv", node, class, known)
			}
			if other, ok := split[node]; ok {
				return fmt.Errorf("node %q is in %s already", node, other)
			}
			split[node] = t.name
			*t.nodes = append(*t.nodes, node)
			return nil
		})
		if err != nil {
			return nil, err
		}
	}
	return l, nil
}

// rowBytes is the memory of a labelled node besides its text: its places in maps and lists.
const rowBytes = 192

// read calls do with node and class of every row of a table.
func (l *rdfLabels) read(dir, name string, do func(node, class string) error) error {
	path, ok := files.Find(dir, name)
	if !ok {
		return files.Errorf(dir, "%s is missing", name)
	}
	var header []string
	node, label := -1, -1
	return files.Scan(path, l.budget, func(line int, text []byte) (err error) {
		if err := l.budget.Take(int64(rowBytes+len(text)), "rows of labels"); err != nil {
			return err
		}
		row := strings.Split(string(text), "\t")
		switch {
		case len(text) == 0:
			return nil
		case header == nil:
			header = row
			node, label, err = l.columns(header)
		case len(row) != len(header):
			err = fmt.Errorf("%d columns, want %d as in the header: %s", len(row), len(header), files.Excerpt(text))
		case row[node] == "" || row[label] == "":
			err = fmt.Errorf("no node or no class: %s", files.Excerpt(text))
		default:
			err = do(row[node], build.ClassName(row[label]))
		}
		if err != nil {
			return files.ErrorAt(path, line, "%v", err)
		}
		return nil
	})
}

// columns finds the columns of nodes and of classes. The column of classes is called label_…; the column of nodes is
// the adjacent one that is not the running number id. The first table also tells which set it is.
func (l *rdfLabels) columns(header []string) (node, label int, err error) {
	label = slices.IndexFunc(header, func(s string) bool { return strings.HasPrefix(s, "label") })
	node = slices.IndexFunc(header, func(s string) bool { return s != "id" && !strings.HasPrefix(s, "label") })
	if label < 0 || node < 0 {
		return 0, 0, fmt.Errorf("the header %q has no column of nodes and one called label…", header)
	}
	if i := slices.IndexFunc(rdfSets, func(s rdfSet) bool { return s.label == header[label] }); i >= 0 {
		l.set = rdfSets[i]
	}
	return node, label, nil
}

// apply sets the classes and the split of nodes. A node of the tables that no statement names becomes a node without
// edges, so nothing is missing when results are averaged.
func (l *rdfLabels) apply(b *build.Builder, nodes *build.Names) error {
	known := nodes.Len()
	number := func(list []string) []int32 {
		ids := make([]int32, len(list))
		for i, node := range list {
			ids[i] = nodes.ID([]byte(node))
		}
		return ids
	}
	labelled := number(l.order)
	if n := nodes.Len() - known; n > 0 {
		b.Note("%d labelled nodes are in no statement and have no edges.", n)
	}
	class := make([]string, nodes.Len())
	for i, v := range labelled {
		class[v] = l.class[l.order[i]]
	}
	b.ClassTexts(class)
	b.Split(number(l.train), nil, number(l.test))
	drawn, err := b.WithValidation(rdfValidation, rdfValidationSeed)
	if err == nil {
		b.Splits, b.DrawnValid = drawn.Splits, true
	}
	return err
}
