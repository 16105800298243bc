package format

import (
	"bytes"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/bloomgml/bloom/dataset"
	"github.com/bloomgml/bloom/dataset/internal/build"
	"github.com/bloomgml/bloom/dataset/internal/textfile"
	"github.com/bloomgml/bloom/graph"
	"github.com/bloomgml/bloom/internal/fileerr"
	"github.com/bloomgml/bloom/internal/intern"
)

// The formats of knowledge graphs: text with a fact head ⇥ relation ⇥ tail a line, without a header.
//
// A folder has train.txt, and usually valid.txt and test.txt, each of them plain or packed
// (train.txt.gz). Beside folder X there may be its inductive twin X_ind with the same three files
// about other entities: relations are numbered by X, and a relation that X does not have is an
// error. A single file is all for training.
//
// Names are kept as they are, leading zeros included. Entities of all files of a folder are nodes;
// those of the training facts come first, in the order in which they appear. Edges are the
// training facts.
var (
	tripleFolder = format{"a folder of triples", matchTripleFolder, readTripleFolder}
	tripleFile   = format{"a file of triples", matchTripleFile, readTripleFile}
)

// matchTripleFolder looks for train.txt with two tabs in its first line.
func matchTripleFolder(path string, dir bool) bool {
	if !dir {
		return false
	}
	train, ok := textfile.Find(path, "train.txt")
	return ok && beginsWithTriple(train)
}

// matchTripleFile looks for two tabs in the first line of a text file.
func matchTripleFile(path string, dir bool) bool {
	ext := filepath.Ext(strings.TrimSuffix(path, ".gz"))
	return !dir && (ext == ".txt" || ext == ".tsv") && beginsWithTriple(path)
}

// beginsWithTriple reports whether the first line has three columns.
func beginsWithTriple(path string) bool {
	t, err := textfile.Open(path)
	if err != nil {
		return false
	}
	defer t.Close()
	head, _ := t.Peek(t.Size())
	first, _, _ := bytes.Cut(head, []byte{'\n'})
	return bytes.Count(first, []byte{'\t'}) == 2
}

// names numbers what the files of one knowledge graph speak about.
type names struct {
	entities  intern.Table
	relations *intern.Table
	closed    bool // a relation without a number is an error
}

// read returns the facts of a file.
func (n *names) read(path string) ([]graph.Triple, error) {
	var facts []graph.Triple
	err := textfile.Scan(path, func(line int, text []byte) error {
		if len(text) == 0 {
			return nil
		}
		fact, err := n.parse(text)
		if err != nil {
			return fileerr.At(path, line, "%v", err)
		}
		facts = append(facts, fact)
		return nil
	})
	return facts, err
}

// parse reads head ⇥ relation ⇥ tail.
func (n *names) parse(text []byte) (graph.Triple, error) {
	a := bytes.IndexByte(text, '\t')
	b := bytes.LastIndexByte(text, '\t')
	if a == b || bytes.IndexByte(text[a+1:b], '\t') >= 0 {
		columns := bytes.Count(text, []byte{'\t'}) + 1
		return graph.Triple{}, fmt.Errorf("%d columns, want 3 (head, relation, tail) between tabs: %s", columns, textfile.Excerpt(text))
	}
	head, relation, tail := text[:a], text[a+1:b], text[b+1:]
	if len(head) == 0 || len(relation) == 0 || len(tail) == 0 {
		return graph.Triple{}, fmt.Errorf("an empty name: %s", textfile.Excerpt(text))
	}
	if n.closed {
		if _, ok := n.relations.Find(relation); !ok {
			return graph.Triple{}, fmt.Errorf("relation %s is not in the graph that this one is the twin of", textfile.Excerpt(relation))
		}
	}
	return graph.Triple{U: n.entities.ID(head), R: n.relations.ID(relation), V: n.entities.ID(tail)}, nil
}

// readTripleFile opens a single file.
func readTripleFile(path string) (*dataset.Dataset, error) {
	n := &names{relations: new(intern.Table)}
	facts, err := n.read(path)
	if err != nil {
		return nil, err
	}
	name := strings.TrimSuffix(filepath.Base(path), ".gz")
	d := &dataset.Dataset{Name: strings.TrimSuffix(name, filepath.Ext(name)), Metric: "mrr"}
	build.Note(d, "All %d triples are for training: a single file has no validation or test triples.", len(facts))
	return d, links(d, path, n, facts)
}

// readTripleFolder opens a folder, and its twin if there is one beside it.
func readTripleFolder(dir string) (*dataset.Dataset, error) {
	dir, err := textfile.Named(dir)
	if err != nil {
		return nil, err
	}
	n := &names{relations: new(intern.Table)}
	d, err := readFacts(dir, n)
	if err != nil {
		return nil, err
	}
	d.Metric = "mrr"
	d.Relations = n.relations.Names()
	if !matchTripleFolder(dir+"_ind", true) {
		return d, nil
	}
	m := &names{relations: n.relations, closed: true}
	d.Twin, err = readFacts(dir+"_ind", m)
	if err != nil {
		return nil, err
	}
	d.Metric, d.Twin.Metric = "hits@10_50", "hits@10_50"
	d.Twin.Relations = d.Relations
	noteShared(d, &n.entities, &m.entities)
	return d, nil
}

// readFacts reads the three files of a folder.
func readFacts(dir string, n *names) (*dataset.Dataset, error) {
	d := &dataset.Dataset{Name: filepath.Base(dir)}
	var facts [3][]graph.Triple
	trained := 0
	for i, name := range []string{"train.txt", "valid.txt", "test.txt"} {
		path, ok := textfile.Find(dir, name)
		if !ok {
			build.Note(d, "There is no %s.", name)
			continue
		}
		var err error
		if facts[i], err = n.read(path); err != nil {
			return nil, err
		}
		if i == 0 {
			trained = n.entities.Len()
		}
	}
	d.Valid, d.Test = facts[1], facts[2]
	noteUnseen(d, "valid", d.Valid, trained)
	noteUnseen(d, "test", d.Test, trained)
	noteRepeats(d, facts)
	return d, links(d, dir, n, facts[0])
}

// links sets what a graph of facts consists of. Whoever adds relations later sets their names again.
func links(d *dataset.Dataset, path string, n *names, facts []graph.Triple) error {
	if len(facts) == 0 {
		return fileerr.In(path, "no training triples")
	}
	d.IDs = dataset.MapIDs(n.entities.Ends(), n.entities.Bytes())
	d.Relations = n.relations.Names()
	g, err := graph.Build(graph.Spec{Nodes: n.entities.Len(), Relations: n.relations.Len(), Triples: facts})
	if err != nil {
		return fileerr.Because(path, err)
	}
	d.Graph = g
	return nil
}
