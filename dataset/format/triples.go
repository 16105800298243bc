package format

import (
	"bytes"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/bloomgml/bloom/dataset"
	"github.com/bloomgml/bloom/graph"
	"github.com/bloomgml/bloom/internal/build"
	"github.com/bloomgml/bloom/internal/files"
	"github.com/bloomgml/bloom/part"
)

// The formats of knowledge graphs: text with a fact head ⇥ relation ⇥ tail a line, without a header.
//
// A folder has train.txt, and usually valid.txt and test.txt, each of them plain or packed (train.txt.gz). Next to
// folder X there may be its inductive twin X_ind with the same three files about other entities: relations are numbered
// by X, and a relation that X does not have is an error. The twin may also be in the folder itself, as inference.txt,
// inference_validation.txt and inference_test.txt (ILPC). Triples of valid_negatives.txt and test_negatives.txt, as in
// CoDEx, are known to be false. Of a single file a tenth validates and a tenth tests, drawn at random.
//
// What is known about entities besides facts, numbers and texts, becomes their features (literals.go).
//
// Names are kept as they are, leading zeros included. Entities of all files of a folder are nodes; entities of the
// training facts come first, in the order in which they appear. Edges are the training facts.
var (
	tripleFolder = part.Part[Reader]{
		Name: "a folder of triples", Text: "triples (train.txt, valid.txt, test.txt)", New: factFolder{},
	}
	tripleFile = part.Part[Reader]{Name: "a file of triples", Text: "triples in one .txt or .tsv", New: factFile{}}
)

type factFolder struct{}

// Match looks for train.txt with two tabs in its first line.
func (factFolder) Match(path string, dir bool) bool {
	if !dir {
		return false
	}
	train, ok := files.Find(path, "train.txt")
	return ok && beginsWithTriple(train)
}

// Read opens a folder, and its twin if there is one next to it.
func (f factFolder) Read(dir string) (*dataset.Dataset, error) {
	dir, err := files.Named(dir)
	if err != nil {
		return nil, err
	}
	n := &names{Builder: build.New(dir, filepath.Base(dir)), relations: new(build.Names), around: []string{dir}}
	parts := []string{"train.txt", "valid.txt", "test.txt"}
	twin, within := dir+"_ind", parts
	_, inside := files.Find(dir, "inference.txt")
	if inside {
		parts, twin = parts[:1], dir
		within = []string{"inference.txt", "inference_validation.txt", "inference_test.txt"}
	}
	if err := n.folder(parts); err != nil {
		return nil, err
	}
	if !inside && !f.Match(twin, true) {
		return n.Dataset, nil
	}
	m := &names{Builder: build.New(twin, filepath.Base(dir)+"_ind"), relations: n.relations, closed: true,
		literals: n.literals, around: []string{twin, dir}}
	m.Budget = n.Budget
	if err := m.folder(within); err != nil {
		return nil, err
	}
	n.Twin = m.Dataset
	if !inside {
		n.Metric, m.Metric = "hits@10_50", "hits@10_50"
	}
	n.noteShared(m)
	return n.Dataset, nil
}

type factFile struct{}

// Match looks for two tabs in the first line of a text file.
func (factFile) Match(path string, dir bool) bool {
	ext := filepath.Ext(strings.TrimSuffix(path, ".gz"))
	return !dir && (ext == ".txt" || ext == ".tsv") && beginsWithTriple(path)
}

func (factFile) Read(path string) (*dataset.Dataset, error) {
	n := &names{Builder: build.New(path, nameOf(path)), relations: new(build.Names)}
	facts, err := n.read(path)
	if err != nil {
		return nil, err
	}
	if err := n.connect(facts); err != nil {
		return nil, err
	}
	return n.Dataset, n.divide()
}

// divide takes facts out of the graph for validation and test.
func (n *names) divide() error {
	var facts [3][]graph.Triple
	for e, part := range build.Links(n.Graph, [3]float64{0.8, 0.1, 0.1}, 0) {
		facts[part] = append(facts[part], n.Graph.Edge(int32(e)))
	}
	n.Valid, n.Test = facts[1], facts[2]
	if len(n.Valid)+len(n.Test) == 0 {
		n.Note("All %d triples are for training: holding any of them out would leave an entity or a relation without "+
			"triples.",
			len(facts[0]))
		return nil
	}
	n.Note("It is a single file: %d of its triples train, %d validate and %d test, drawn at random.", len(facts[0]),
		len(n.Valid), len(n.Test))
	return n.connect(facts[0])
}

// beginsWithTriple reports whether the first line has three columns.
func beginsWithTriple(path string) bool { return bytes.Count(firstLine(path), []byte{'\t'}) == 2 }

// names numbers what the files of one knowledge graph speak about.
type names struct {
	*build.Builder
	entities  build.Names
	relations *build.Names
	closed    bool // a relation without a number is an error
	literals  *literals
	around    []string // the folders that may have literals
}

// read returns the facts of a file.
func (n *names) read(path string) ([]graph.Triple, error) {
	var facts []graph.Triple
	err := files.Scan(path, n.Budget, func(line int, text []byte) error {
		if len(text) == 0 {
			return nil
		}
		fact, err := n.parse(text)
		if err != nil {
			return files.OrAt(err, files.ErrorAt(path, line, "%v", err))
		}
		facts, err = files.Append(n.Budget, facts, "triples", fact)
		return err
	})
	return facts, err
}

// parse reads head ⇥ relation ⇥ tail.
func (n *names) parse(text []byte) (graph.Triple, error) {
	a := bytes.IndexByte(text, '\t')
	b := bytes.LastIndexByte(text, '\t')
	if a == b || bytes.IndexByte(text[a+1:b], '\t') >= 0 {
		columns := bytes.Count(text, []byte{'\t'}) + 1
		return graph.Triple{}, fmt.Errorf("%d columns, want 3 (head, relation, tail) between tabs: %s", columns,
			files.Excerpt(text))
	}
	head, relation, tail := text[:a], text[a+1:b], text[b+1:]
	if len(head) == 0 || len(relation) == 0 || len(tail) == 0 {
		return graph.Triple{}, fmt.Errorf("an empty name: %s", files.Excerpt(text))
	}
	if n.closed {
		if _, ok := n.relations.Find(relation); !ok {
			return graph.Triple{}, fmt.Errorf("relation %s is not in the training graph of this twin",
				files.Excerpt(relation))
		}
	}
	return n.Triple(&n.entities, n.relations, head, relation, tail)
}

// factBytes is the memory of a fact in the sets that find duplicates.
const factBytes = 64

// folder reads three files of a folder: facts for training, validation and test.
func (n *names) folder(names []string) error {
	var facts [3][]graph.Triple
	trained := 0
	for i, name := range names {
		path, ok := files.Find(n.File, name)
		if !ok {
			n.Note("There is no %s.", name)
			continue
		}
		var err error
		if facts[i], err = n.read(path); err != nil {
			return err
		}
		if i == 0 {
			trained = n.entities.Len()
		}
	}
	n.Valid, n.Test = facts[1], facts[2]
	if err := n.falseFacts(facts); err != nil {
		return err
	}
	n.noteUnseen("valid", n.Valid, trained)
	n.noteUnseen("test", n.Test, trained)
	if err := n.Budget.Take(int64(len(facts[0])+len(facts[1])+len(facts[2]))*factBytes, "sets of triples"); err != nil {
		return err
	}
	n.noteRepeats(facts)
	var err error
	if n.literals, err = n.readLiterals(n.literals, n.around...); err != nil {
		return err
	}
	return n.connect(facts[0])
}

// falseFacts reads the triples that are known to be false, without those that are facts.
func (n *names) falseFacts(facts [3][]graph.Triple) error {
	var known *graph.TripleSet
	for i, name := range [2]string{"valid_negatives.txt", "test_negatives.txt"} {
		path, ok := files.Find(n.File, name)
		if !ok {
			continue
		}
		list, err := n.read(path)
		if err != nil {
			return err
		}
		if known == nil {
			known = graph.NewTripleSet(false, facts[:]...)
		}
		n.False[i] = slices.DeleteFunc(list, known.Has)
		if both := len(list) - len(n.False[i]); both > 0 {
			n.Note("%d of %d triples of %s are also facts, so they do not count as false.", both, len(list), name)
		}
	}
	return nil
}

func (n *names) connect(facts []graph.Triple) error {
	if len(facts) == 0 {
		return files.Errorf(n.File, "no training triples")
	}
	n.Metric, n.IDs, n.Relations = "mrr", build.IDs(&n.entities), n.relations.Names()
	return n.Connect(graph.Spec{Nodes: n.entities.Len(), Relations: n.relations.Len(), Triples: facts})
}

// noteUnseen counts the facts with an entity that no training fact has: its number is at least trained.
func (n *names) noteUnseen(split string, facts []graph.Triple, trained int) {
	count := 0
	for _, t := range facts {
		if int(t.U) >= trained || int(t.V) >= trained {
			count++
		}
	}
	if count > 0 {
		n.Note("%d of %d %s triples have an entity that is in no training triple.", count, len(facts), split)
	}
}

// noteRepeats counts duplicate facts, in one file or across files.
func (n *names) noteRepeats(facts [3][]graph.Triple) {
	if graph.NewTripleSet(false, facts[:]...).Len() == len(facts[0])+len(facts[1])+len(facts[2]) {
		return
	}
	split := [3]string{"train", "valid", "test"}
	for i, list := range facts {
		if count := len(list) - graph.NewTripleSet(false, list).Len(); count > 0 {
			n.Note("%d %s triples repeat one of the same file.", count, split[i])
		}
		for j, other := range facts[:i] {
			seen := graph.NewTripleSet(false, other)
			count := 0
			for _, t := range list {
				if seen.Has(t) {
					count++
				}
			}
			if count > 0 {
				n.Note("%d of %d %s triples are in %s too.", count, len(list), split[i], split[j])
			}
		}
	}
}

// noteShared counts the entities that also occur in a twin, which should have none in common.
func (n *names) noteShared(twin *names) {
	shared := 0
	for i := range twin.entities.Len() {
		if _, ok := n.entities.Find(twin.entities.At(int32(i))); ok {
			shared++
		}
	}
	if shared > 0 {
		n.Note("%d entities of the inductive twin are in the training graph too.", shared)
	}
}
