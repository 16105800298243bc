package job

import (
	"fmt"
	"path/filepath"

	"github.com/bloomgml/bloom/beam/internal/parts"
	"github.com/bloomgml/bloom/dataset"
	"github.com/bloomgml/bloom/dataset/native"
	"github.com/bloomgml/bloom/graph"
	"github.com/bloomgml/bloom/internal/ondisk"
	"github.com/bloomgml/bloom/mat"
)

// Sampler makes a data set of every part: its own rows with all of their edges, labels and splits, and its halo, which
// has features and the edges to own rows, and neither labels nor a place in a split.
type Sampler struct {
	*parts.Folder
	store *ondisk.Store
}

// NewSampler reads the parts in dir and the blocks that they were cut from. Close ends it.
func NewSampler(dir string) (*Sampler, error) {
	f, s, err := openData(dir)
	return &Sampler{f, s}, err
}

// Close closes the files.
func (s *Sampler) Close() error { return s.store.Close() }

// features returns the features of the rows of part i.
func (s *Sampler) features(i int) (x []mat.Real, err error) {
	var room []mat.Real
	err = eachBlock(s.Folder, s.store, i, func(b, first, end int) (err error) {
		if room, err = s.store.Features(b, room); err != nil {
			return err
		}
		x = append(x, room[first*s.store.Columns:end*s.store.Columns]...)
		return nil
	})
	return x, err
}

// SendFeatures sends the features of part i to the parts that need them.
func (s *Sampler) SendFeatures(i int, send func(to int, message []byte)) error {
	p, err := s.Read(i)
	if err != nil {
		return err
	}
	x, err := s.features(i)
	if err == nil {
		sendRows(p, x, nil, s.store.Columns, send)
	}
	return err
}

// Write writes the set of part i, shard-PART.bloom in the folder out, by the features that it was told.
func (s *Sampler) Write(out string, i int, next func(*[]byte) bool) error {
	p, err := s.Read(i)
	if err != nil {
		return err
	}
	own, err := s.features(i)
	if err != nil {
		return err
	}
	x, err := receiveRows(p, own, s.store.Columns, next)
	if err != nil {
		return err
	}
	d, err := s.dataset(p, x)
	if err != nil {
		return err
	}
	return native.Write(filepath.Join(out, fmt.Sprintf("shard-%05d.bloom", i)), d)
}

// dataset returns the set of a part, x being the features of its rows and its halo.
func (s *Sampler) dataset(p *parts.Part, x []mat.Real) (*dataset.Dataset, error) {
	spec := graph.Spec{Nodes: p.Rows() + p.Halo(), Undirected: true, Sources: []int32{}}
	for r := range int32(p.Rows()) {
		for _, v := range p.Idx[p.Ptr[r]:p.Ptr[r+1]] {
			if v > r { // of own edges the other end lists it too
				spec.Sources, spec.Targets = append(spec.Sources, r), append(spec.Targets, v)
			}
		}
	}
	g, err := graph.Build(spec)
	if err != nil {
		return nil, err
	}
	m := dataset.Matrix{Cols: s.store.Columns}
	if s.store.Sparse {
		m.Ptr = []int64{0}
	}
	for r := range g.NumNodes() {
		m.AppendRow(x[r*m.Cols : (r+1)*m.Cols])
	}
	d := &dataset.Dataset{Name: fmt.Sprintf("%s part %d", s.store.Name, p.Number), Metric: s.store.Metric, Graph: g,
		Features: []dataset.Matrix{m}, Labels: dataset.Labels{Names: s.store.Classes},
		Splits: make([]dataset.Split, s.store.Splits)}
	return d, s.label(p, d)
}

// label adds ids, classes and splits: for own rows, and names for the halo.
func (s *Sampler) label(p *parts.Part, d *dataset.Dataset) error {
	var names []string
	err := eachBlock(s.Folder, s.store, p.Number, func(b, first, end int) error {
		ids, err := s.store.IDs(b)
		if err != nil {
			return err
		}
		l, err := s.store.Labels(b)
		if err != nil {
			return err
		}
		for k, split := range l.Parts {
			for r, part := range split[first:end] {
				part.AddTo(&d.Splits[k], int32(len(names)+r))
			}
		}
		d.Labels.Class = append(d.Labels.Class, l.Class[first:end]...)
		names = append(names, ids[first:end]...)
		return nil
	})
	for _, q := range p.Peers {
		for k := range q.Rows {
			names = append(names, fmt.Sprintf("part %d, %d", q.Number, k))
			d.Labels.Class = append(d.Labels.Class, -1)
		}
	}
	d.IDs = dataset.NewIDs(names)
	return err
}
