package native

import (
	"github.com/bloomgml/bloom/dataset"
	"github.com/bloomgml/bloom/graph"
)

// meta is the JSON of a part: what is not an array of numbers.
type meta struct {
	Name      string          `json:"name"`
	Metric    string          `json:"metric,omitempty"`
	Graph     metaGraph       `json:"graph"`
	Types     []string        `json:"types,omitempty"`
	Relations []string        `json:"relations,omitempty"`
	Classes   []string        `json:"classes,omitempty"`
	Task      string          `json:"task,omitempty"`
	Features  []metaMatrix    `json:"features,omitempty"`
	Literals  int             `json:"literals,omitempty"`
	Splits    int             `json:"splits,omitempty"`
	Drawn     bool            `json:"drawn_valid,omitempty"`
	DrawnAll  bool            `json:"drawn_split,omitempty"`
	Schema    *dataset.Schema `json:"schema,omitempty"`
	Raw       *metaRaw        `json:"raw,omitempty"`
	Notes     []string        `json:"notes,omitempty"`
	Settled   string          `json:"settled,omitempty"` // dataset.Settled.Energy
	Spread    bool            `json:"spread,omitempty"`
	Of        int             `json:"of,omitempty"`
}

// metaGraph is the counts and flags of graph.Parts.
type metaGraph struct {
	Nodes      int          `json:"nodes"`
	Relations  int          `json:"relations"`
	Types      int          `json:"types"`
	Undirected bool         `json:"undirected"`
	Inverses   bool         `json:"inverses"`
	Report     graph.Report `json:"report"`
	Features   int          `json:"edge_features,omitempty"` // of every edge
}

// metaMatrix is the shape of a feature matrix.
type metaMatrix struct {
	Rows int `json:"rows"`
	Cols int `json:"cols"`
}

func newMeta(d *dataset.Dataset, p *graph.Parts) meta {
	m := meta{
		Name: d.Name, Metric: d.Metric, Types: d.Types, Relations: d.Relations, Classes: d.Labels.Names,
		Task: d.Labels.Task, Literals: d.Literals,
		Splits: len(d.Splits), Drawn: d.DrawnValid, DrawnAll: d.DrawnSplit,
		Schema: d.Schema, Raw: newMetaRaw(d.Raw), Notes: d.Notes,
		Settled: d.Settled.Energy, Spread: d.Settled.Spread, Of: d.Of,
		Graph: metaGraph{p.Nodes, p.Relations, p.Types, p.Undirected, p.Inverses, p.Report, p.Features.Cols},
	}
	for _, x := range d.Features {
		m.Features = append(m.Features, metaMatrix{x.Rows, x.Cols})
	}
	return m
}
