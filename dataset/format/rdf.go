package format

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"github.com/bloomgml/bloom/dataset"
	"github.com/bloomgml/bloom/graph"
	"github.com/bloomgml/bloom/internal/build"
	"github.com/bloomgml/bloom/internal/codec"
	"github.com/bloomgml/bloom/internal/files"
	"github.com/bloomgml/bloom/part"
)

// rdf is the format of Ristoski, de Vries and Paulheim (2016): statements in *.nt or *.nt.gz,
// and classes of some of their subjects in completeDataset.tsv, trainingSet.tsv and testSet.tsv.
//
// Subjects and objects are nodes: an IRI is called as between its brackets, a blank node _:b, and a literal by its
// whole written form, so that "1" as a number and as a word are two. Predicates are relations.
//
// Chosen: all nodes have one type. The literature types them by rdf:type or by prefix, which its
// models use for the embedding only, and an embedding per node does not need it.
//
// Chosen: 15 % of the training nodes, rounded down, are for validation, drawn with seed 0; the files
// name none. WithValidation draws others.
var rdf = part.Part[Reader]{Name: "an RDF folder", Text: "RDF with label tables", New: rdfFolder{}}

type rdfFolder struct{}

// The share of training nodes that RDF sets give to validation.
const (
	rdfValidation     = 0.15
	rdfValidationSeed = 0
)

// rdfSet is what the literature does to a known set before it learns.
type rdfSet struct {
	name     string
	label    string   // the column of classes in its tables, which identifies the set
	leaks    []string // predicates that say the class; their statements are dropped
	literals bool     // are nodes; otherwise statements about them are dropped
}

// rdfSets are the known sets. For an unknown set everything is kept.
var rdfSets = []rdfSet{
	{"aifb", "label_affiliation", []string{"http://swrc.ontoware.org/ontology#employs",
		"http://swrc.ontoware.org/ontology#affiliation"}, true},
	{"mutag", "label_mutagenic", []string{"http://dl-learner.org/carcinogenesis#isMutagenic"}, true},
	{"bgs", "label_lithogenesis", []string{"http://data.bgs.ac.uk/ref/Lexicon/hasLithogenesis"}, false},
	{"am", "label_cateogory", []string{"http://purl.org/collections/nl/am/objectCategory",
		"http://purl.org/collections/nl/am/material"}, false}, // spelt so there
}

// Match looks for the three tables and a graph.
func (rdfFolder) Match(path string, dir bool) bool {
	if !dir {
		return false
	}
	for _, name := range []string{"completeDataset.tsv", "trainingSet.tsv", "testSet.tsv"} {
		if _, ok := files.Find(path, name); !ok {
			return false
		}
	}
	return len(graphFiles(path)) > 0
}

// graphFiles returns the files of statements, by name. A file that also exists compressed is read once.
func graphFiles(dir string) []string {
	plain := files.Glob(dir, "*.nt")
	for _, path := range files.Glob(dir, "*.nt.gz") {
		if !slices.Contains(plain, strings.TrimSuffix(path, ".gz")) {
			plain = append(plain, path)
		}
	}
	slices.Sort(plain)
	return plain
}

func (rdfFolder) Read(dir string) (*dataset.Dataset, error) {
	dir, err := files.Named(dir)
	if err != nil {
		return nil, err
	}
	b := build.New(dir, filepath.Base(dir))
	labels, err := readRDFLabels(dir, b.Budget)
	if err != nil {
		return nil, err
	}
	b.Name = cmp.Or(labels.set.name, b.Name)
	s := statements{Builder: b, set: labels.set}
	for _, path := range graphFiles(dir) {
		if err := s.read(path); err != nil {
			return nil, err
		}
	}
	if err := labels.apply(s.Builder, &s.nodes); err != nil {
		return nil, err
	}
	return s.Dataset, s.connect()
}

// statements collects what N-Triples files say.
type statements struct {
	*build.Builder
	set              rdfSet
	nodes, relations build.Names
	edges            []graph.Triple
	leaks, literals  int // statements dropped
}

// read adds the statements of a file.
func (s *statements) read(path string) error {
	t, err := files.OpenText(path, s.Budget)
	if err != nil {
		return err
	}
	defer t.Close()
	r := codec.NewTripleReader(t, path)
	for {
		x, err := r.Next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		if err := s.add(x); err != nil {
			return err
		}
	}
}

// add keeps a statement, unless the literature drops it.
func (s *statements) add(x codec.Triple) error {
	switch {
	case slices.Contains(s.set.leaks, string(x.Predicate.Text)):
		s.leaks++
	case x.Object.Kind == codec.Literal && !s.set.literals:
		s.literals++
	default:
		edge, err := s.Triple(&s.nodes, &s.relations, x.Subject.Text, x.Predicate.Text, x.Object.Text)
		if err == nil {
			s.edges, err = files.Append(s.Budget, s.edges, "statements", edge)
		}
		return err
	}
	return nil
}

// connect builds the graph. Duplicate statements are dropped.
func (s *statements) connect() error {
	s.IDs, s.Relations = build.IDs(&s.nodes), s.relations.Names()
	err := s.Connect(graph.Spec{
		Nodes: s.nodes.Len(), Relations: s.relations.Len(), Triples: s.edges, DropDuplicates: true,
	})
	if err != nil {
		return err
	}
	if s.leaks > 0 {
		s.Note("%d statements that give away the class were dropped (%s).", s.leaks, strings.Join(s.set.leaks, ", "))
	}
	if s.literals > 0 {
		s.Note("%d statements about literals were dropped, as the literature does for this set.", s.literals)
	}
	if n := s.Repeats(); n > 0 {
		s.Note("%d statements repeat an earlier one and were dropped.", n)
	}
	return nil
}

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
