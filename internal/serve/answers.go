package serve

import (
	"github.com/bloomgml/bloom/mat"
	"github.com/bloomgml/bloom/task"
	"github.com/bloomgml/bloom/task/node"
)

// Answers of routes that have no named type elsewhere.

type listed struct {
	Models  []About `json:"models"`
	Others  []other `json:"others"`
	May     string  `json:"may"` // read or write
	Version string  `json:"version"`
}

type sized struct {
	Model   string `json:"model"`
	Nodes   int    `json:"nodes"`
	Edges   int    `json:"edges"`
	Version int64  `json:"version"`
}

type reloaded struct {
	Replaced []string `json:"replaced"`
}

type answered struct {
	Nodes []Answer `json:"nodes"`
}

type searched struct {
	Nodes []Answer `json:"nodes"`
	Found int      `json:"found"` // how many there are
}

type featured struct {
	ID       string        `json:"id"`
	Features []mat.Real    `json:"features"`
	Columns  []node.Column `json:"columns"`
	Given    []mat.Real    `json:"given,omitempty"` // as in the data set, if they differ
}

type explaining struct {
	Node  string `json:"node"`
	Edits []Edit `json:"edits"`
}

type healthy struct {
	sized
	Now         int64   `json:"now"` // seconds since 1970
	Since       int64   `json:"since"`
	Bound       float64 `json:"bound"` // see Edited
	Undo        int64   `json:"undo"`  // the version that can be undone; 0 for none
	SlotSeconds int     `json:"slot_seconds"`
	Slots       []Slot  `json:"slots"`
	Versions    []Made  `json:"versions"`
}

// Messages of the Open Inference Protocol.

type serverMetadata struct {
	Name       string   `json:"name"`
	Version    string   `json:"version"`
	Extensions []string `json:"extensions"`
}

type serverReady struct {
	Live  bool `json:"live"`
	Ready bool `json:"ready"`
}

type modelReady struct {
	Name  string `json:"name"`
	Ready bool   `json:"ready"`
}

type modelMetadata struct {
	Name     string        `json:"name"`
	Platform string        `json:"platform"`
	Inputs   []task.Tensor `json:"inputs"`
	Outputs  []task.Tensor `json:"outputs"`
}

type inferred struct {
	Model   string        `json:"model_name"`
	ID      string        `json:"id,omitempty"`
	Outputs []task.Tensor `json:"outputs"`
}
