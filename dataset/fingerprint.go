package dataset

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"hash"
	"math"

	"github.com/bloomgml/bloom/graph"

	"github.com/bloomgml/bloom/mat"
)

// Fingerprint tells whether a data set has changed, and how: see Changes. If two sets have equal fingerprints, models
// trained on them are equal bit by bit.
type Fingerprint struct {
	Nodes     int               `json:"nodes"`
	Edges     int               `json:"edges"`
	Features  int               `json:"features"`
	Schema    *Schema           `json:"schema,omitempty"` // how columns became features
	Classes   []string          `json:"classes,omitempty"`
	Relations []string          `json:"relations,omitempty"`
	Splits    [][3]int          `json:"splits,omitempty"` // sizes of train, valid and test
	Sums      map[string]string `json:"sha256"`           // of the parts below
}

// The parts of a data set that have a checksum.
const (
	partIDs      = "ids"
	partEdges    = "edges"
	partFeatures = "features"
	partLabels   = "labels"
	partSplits   = "splits"
	partFacts    = "facts" // for validation and test
	partFalse    = "false"
	partTwin     = "twin"
	partEvents   = "events"
)

// Fingerprint reads all of d once.
func (d *Dataset) Fingerprint() Fingerprint {
	f := Fingerprint{Nodes: d.Graph.NumNodes(), Edges: d.Graph.NumEdges(), Features: d.NumFeatures(), Schema: d.Schema,
		Classes: d.Labels.Names, Relations: d.Relations}
	for _, s := range d.Splits {
		f.Splits = append(f.Splits, [3]int{len(s.Train), len(s.Valid), len(s.Test)})
	}
	f.Sums = map[string]string{
		partIDs:      summed(func(s *summer) { numbers(s, d.IDs.Ends); s.Write(d.IDs.Bytes) }),
		partEdges:    summed(func(s *summer) { s.graph(d.Graph) }),
		partFeatures: summed(func(s *summer) { s.features(d.Features) }),
		partLabels: summed(func(s *summer) {
			numbers(s, d.Labels.Class)
			if d.Labels.Task != "" {
				s.reals(d.Labels.Values)
			}
		}),
		partSplits: summed(func(s *summer) { s.splits(d) }),
		partFacts:  summed(func(s *summer) { s.facts(d.Valid); s.facts(d.Test) }),
	}
	if len(d.False[0])+len(d.False[1]) > 0 {
		f.Sums[partFalse] = summed(func(s *summer) { s.facts(d.False[0]); s.facts(d.False[1]) })
	}
	if e := d.Events; e != nil {
		f.Sums[partEvents] = summed(func(s *summer) {
			numbers(s, e.Source)
			numbers(s, e.Target)
			for _, t := range e.Time {
				s.long(math.Float64bits(t))
			}
		})
	}
	if d.Twin != nil {
		f.Sums[partTwin] = d.Twin.Fingerprint().Sum()
	}
	return f
}

// Sum is a checksum of all of it.
func (f Fingerprint) Sum() string {
	text, _ := json.Marshal(f) // cannot fail: it has nothing that JSON lacks
	return summed(func(s *summer) { s.Write(text) })
}

// summer is a checksum of lists of numbers, each after its length, the same on every machine.
type summer struct {
	hash.Hash
	buffer []byte
}

func summed(write func(*summer)) string {
	s := &summer{Hash: sha256.New(), buffer: make([]byte, 0, 1<<16)}
	write(s)
	s.flush()
	return hex.EncodeToString(s.Sum(nil))
}

func (s *summer) Write(b []byte) (int, error) {
	s.flush()
	return s.Hash.Write(b)
}

func (s *summer) flush() {
	s.Hash.Write(s.buffer) // never fails
	s.buffer = s.buffer[:0]
}

// word adds one number.
func (s *summer) word(x uint32) {
	if len(s.buffer) == cap(s.buffer) {
		s.flush()
	}
	s.buffer = binary.LittleEndian.AppendUint32(s.buffer, x)
}

func (s *summer) long(x uint64) {
	s.word(uint32(x))
	s.word(uint32(x >> 32))
}

// numbers adds a list of whole numbers, after its length.
func numbers[I int32 | int64](s *summer, list []I) {
	s.long(uint64(len(list)))
	for _, x := range list {
		s.long(uint64(x))
	}
}

// reals adds a list of numbers in single precision, the precision of files.
func (s *summer) reals(list []mat.Real) {
	s.long(uint64(len(list)))
	for _, x := range list {
		s.word(math.Float32bits(float32(x)))
	}
}

func (s *summer) graph(g *graph.Graph) {
	s.long(uint64(g.NumNodes()))
	if g.Undirected() {
		s.word(1)
	}
	numbers(s, g.Sources())
	numbers(s, g.Targets())
	numbers(s, g.Relations())
	numbers(s, g.NodeTypes())
	s.reals(g.Weights())
	if f := g.Features(); f.Cols > 0 {
		s.long(uint64(f.Cols))
		s.reals(f.Values)
	}
}

func (s *summer) features(list []Matrix) {
	for _, m := range list {
		s.long(uint64(m.Rows))
		s.long(uint64(m.Cols))
		numbers(s, m.Ptr)
		numbers(s, m.Idx)
		s.reals(m.Values)
	}
}

func (s *summer) splits(d *Dataset) {
	for _, x := range d.Splits {
		numbers(s, x.Train)
		numbers(s, x.Valid)
		numbers(s, x.Test)
	}
	numbers(s, d.Times)
	if d.DrawnValid {
		s.word(1)
	}
}

func (s *summer) facts(list []graph.Triple) {
	s.long(uint64(len(list)))
	for _, f := range list {
		s.word(uint32(f.U))
		s.word(uint32(f.R))
		s.word(uint32(f.V))
	}
}
