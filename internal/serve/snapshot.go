package serve

import (
	"net/http"
	"os"
	"path/filepath"
	"slices"

	"github.com/bloomgml/bloom/dataset"
	"github.com/bloomgml/bloom/dataset/native"
	"github.com/bloomgml/bloom/internal/ondisk"
	"github.com/bloomgml/bloom/mat"
)

// download is an answer that is a file, by its name and content.
type download struct {
	name    string
	content []byte
}

// snapshot handles GET /v1/snapshot: the current graph, as a data set that bloom train opens.
func (s *Server) snapshot(m *Model, r *http.Request) (any, error) {
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

// dataset returns the graph without the nodes that were removed. New nodes have no label and are in no split, unless
// edits say which they have.
func (g *graph) dataset(name string) (*dataset.Dataset, error) {
	from := g.task.Data
	p, err := g.part(nil)
	if err != nil {
		return nil, err
	}
	ids, place := make([]string, len(p.nodes)), slices.Repeat([]int32{-1}, g.state.Nodes())
	for i, v := range p.nodes {
		if ids[i] = g.id(v); !g.silent.has(v) {
			place[v] = int32(i)
		}
	}
	d := &dataset.Dataset{Name: name, Graph: p.Graph, IDs: dataset.NewIDs(ids), Features: []dataset.Matrix{p.Features},
		Labels: g.labelsOf(p.nodes), Metric: from.Metric, Schema: from.Schema}
	for _, s := range from.Splits {
		d.Splits = append(d.Splits, dataset.Split{Train: moved(s.Train, place), Valid: moved(s.Valid, place),
			Test: moved(s.Test, place)})
	}
	return d, nil
}

// kept returns the nodes that were not removed, ascending.
func (g *graph) kept() []int32 {
	var kept []int32
	for v := range int32(g.state.Nodes()) {
		if !g.hidden.has(v) {
			kept = append(kept, v)
		}
	}
	return kept
}

// labelsOf returns the labels of nodes, with what edits say about them.
func (g *graph) labelsOf(kept []int32) dataset.Labels {
	from := g.task.Data.Labels
	out := dataset.Labels{Names: from.Names, Task: from.Task}
	for _, v := range kept {
		class, row := int32(-1), make([]mat.Real, len(from.Names))
		if v < g.known && !g.silent.has(v) {
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

// moved returns the places of the nodes that have one.
func moved(nodes, place []int32) []int32 {
	var out []int32
	for _, v := range nodes {
		if place[v] >= 0 {
			out = append(out, place[v])
		}
	}
	return out
}
