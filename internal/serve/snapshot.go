package serve

import (
	"net/http"
	"os"
	"path/filepath"
	"slices"

	"github.com/bloomgml/bloom/dataset"
	"github.com/bloomgml/bloom/dataset/native"
	bgraph "github.com/bloomgml/bloom/graph"
	"github.com/bloomgml/bloom/internal/ondisk"
	"github.com/bloomgml/bloom/mat"
)

// download is an answer that is a file, by its name and content.
type download struct {
	name    string
	content []byte
}

// snapshot is GET /v1/snapshot: the graph as it is now, as a data set that bloom train opens.
func (s *Server) snapshot(r *http.Request) (any, error) {
	m, err := s.model(r)
	if err != nil {
		return nil, err
	}
	m.mu.RLock()
	d, err := m.graph.dataset(m.Name)
	m.mu.RUnlock()
	if err != nil {
		return nil, err
	}
	dir, remove, err := ondisk.Folder()
	if err != nil {
		return nil, err
	}
	defer remove()
	path := filepath.Join(dir, "snapshot.bloom")
	if err := native.Write(path, d); err != nil {
		return nil, err
	}
	content, err := os.ReadFile(path)
	return download{m.Name + ".bloom", content}, err
}

// dataset is the graph without the nodes that were removed. New nodes have no label and are in no split, unless edits
// say which they have.
func (g *graph) dataset(name string) (*dataset.Dataset, error) {
	from := g.task.Data
	kept := g.kept()
	place := slices.Repeat([]int32{-1}, g.state.Nodes())
	for i, v := range kept {
		place[v] = int32(i)
	}
	spec := bgraph.Spec{Nodes: len(kept), Undirected: true}
	ids, x := make([]string, len(kept)), dataset.Matrix{Cols: g.task.Features(0).Cols, Values: []mat.Real{}}
	if g.task.Features(0).IsSparse() {
		x.Ptr = []int64{0}
	}
	for i, v := range kept {
		ids[i] = g.id(v)
		x.AppendRow(g.features(v))
		for _, u := range g.state.Neighbours(v) {
			if u > v {
				spec.Triples = append(spec.Triples, bgraph.Triple{U: int32(i), V: place[u]})
				spec.Weights = append(spec.Weights, mat.Real(g.state.Weight(v, u)))
			}
		}
	}
	if !slices.ContainsFunc(spec.Weights, func(w mat.Real) bool { return w != 1 }) {
		spec.Weights = nil
	}
	on, err := bgraph.Build(spec)
	if err != nil {
		return nil, err
	}
	d := &dataset.Dataset{Name: name, Graph: on, IDs: dataset.NewIDs(ids), Features: []dataset.Matrix{x},
		Labels: g.labelsOf(kept), Metric: from.Metric, Schema: from.Schema}
	for _, s := range from.Splits {
		d.Splits = append(d.Splits, dataset.Split{Train: moved(s.Train, place), Valid: moved(s.Valid, place),
			Test: moved(s.Test, place)})
	}
	return d, nil
}

// kept are the nodes that were not removed, ascending.
func (g *graph) kept() []int32 {
	var kept []int32
	for v := range int32(g.state.Nodes()) {
		if !g.hidden.has(v) {
			kept = append(kept, v)
		}
	}
	return kept
}

// labelsOf are the labels of nodes, with what edits say about them.
func (g *graph) labelsOf(kept []int32) dataset.Labels {
	from := g.task.Data.Labels
	out := dataset.Labels{Names: from.Names, Task: from.Task}
	for _, v := range kept {
		class, row := int32(-1), make([]mat.Real, len(from.Names))
		if v < g.known {
			class = from.Class[v]
			if from.Values != nil {
				copy(row, from.Values[int(v)*len(row):])
			}
		}
		if name, ok := g.labels.get(v); ok && from.Task == "" {
			class = int32(slices.Index(from.Names, name))
		}
		out.Class = append(out.Class, class)
		if from.Values != nil {
			out.Values = append(out.Values, row...)
		}
	}
	return out
}

// moved are the places of the nodes that have one.
func moved(nodes, place []int32) []int32 {
	var out []int32
	for _, v := range nodes {
		if place[v] >= 0 {
			out = append(out, place[v])
		}
	}
	return out
}
