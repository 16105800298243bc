package node

import (
	"context"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/bloomgml/bloom/ad"
	"github.com/bloomgml/bloom/dataset"
	"github.com/bloomgml/bloom/graph"
	"github.com/bloomgml/bloom/input"
	"github.com/bloomgml/bloom/mat"
	"github.com/bloomgml/bloom/train"
)

// library is a graph of 40 papers, with features that say nothing, and 8 authors without any; who wrote a paper says
// its class.
func library() *dataset.Dataset {
	const papers, authors = 40, 8
	d := &dataset.Dataset{Name: "library", Types: []string{"paper", "author"}, Relations: []string{"wrote", "cites"},
		Metric: "accuracy"}
	spec := graph.Spec{Nodes: papers + authors, Relations: 2}
	for v := range int32(papers + authors) {
		class, kind := int32(-1), int32(1)
		if v < papers {
			class, kind = v%2, 0
			spec.Triples = append(spec.Triples, graph.Triple{U: papers + v%authors, R: 0, V: v},
				graph.Triple{U: v, R: 1, V: (v + 7) % papers})
		}
		d.Labels.Class, spec.NodeTypes = append(d.Labels.Class, class), append(spec.NodeTypes, kind)
	}
	d.Graph = must(graph.Build(spec))
	d.Labels.Names = []string{"a", "b"}
	x := dataset.Matrix{Rows: papers, Cols: 3, Values: make([]mat.Real, 3*papers)}
	for i := range x.Values {
		x.Values[i] = mat.Real(i%7) / 7
	}
	d.Features = []dataset.Matrix{x, {}}
	var s dataset.Split
	for v := range int32(papers) {
		switch {
		case v < 16:
			s.Train = append(s.Train, v)
		case v < 24:
			s.Valid = append(s.Valid, v)
		default:
			s.Test = append(s.Test, v)
		}
	}
	d.Splits = []dataset.Split{s}
	return d
}

// TestProjectByType: rows of a type go through its own π.
func TestProjectByType(t *testing.T) {
	d, c := library(), settings(t, "halo")
	task, err := Build(c, d, Trials(c, d)[0], Options{})
	if err != nil {
		t.Fatal(err)
	}
	got, err := task.Project(0, task.Features(0))
	if err != nil {
		t.Fatal(err)
	}
	want := ad.Eval(task.alone().Pi.Forward(input.Evaluation(), task.On.X)).Slice()
	if !slices.Equal(got.Slice(), want[:got.Len()]) || got.Rows() != 40 {
		t.Errorf("%v, want %v", got, want)
	}
	if _, err := task.Project(1, task.Features(0)); err == nil {
		t.Error("authors have no features, and some are taken")
	}
}

// TestTypes: with a matrix for every relation the class of an author's papers is learnt; predictions are of papers
// only.
func TestTypes(t *testing.T) {
	d, dir := library(), t.TempDir()
	for _, name := range []string{"halo", "halo-huber", "rgcn"} {
		c := settings(t, name)
		c.Model.Dropout, c.Model.InputDropout, c.Train.Epochs = 0, 0, 100
		r := trained(t, c, d, Options{Options: train.Options{Dir: filepath.Join(dir, name)}})
		if r.Test.Mean < 0.9 {
			t.Errorf("%s: test accuracy %.3f", name, r.Test.Mean)
		}
		rows := strings.Split(strings.TrimSpace(string(contents(t, dir, name, "predictions.csv"))), "\n")
		if len(rows) != 41 || !strings.HasPrefix(rows[0], "id,type,class") || !strings.HasPrefix(rows[1], "0,paper,") {
			t.Errorf("%s: %d rows, %q and %q", name, len(rows), rows[0], rows[1])
		}
	}
	c := settings(t, "halo")
	c.Model.Before = 0
	if _, err := Run(context.Background(), c, d, Options{}); err == nil ||
		!strings.Contains(err.Error(), "model.before") {
		t.Errorf("features of two types were mixed: %v", err)
	}
}

// TestIdentity: in training a node without features is there with its whole row, scaled, or not at all; in evaluation
// it is there.
func TestIdentity(t *testing.T) {
	const nodes, d, p = 200, 3, 0.5
	m := identity{input.NewEmbedding("E", nodes, d, 1), p}
	e := m.Params()[0].Value().Slice()
	wantReals(t, ad.Eval(m.Forward(input.Evaluation(), input.None(nodes))).Slice(), e)
	clock := &ad.Clock{Seed: 1}
	got, kept := ad.Eval(m.Forward(input.Training(clock), input.None(nodes))).Slice(), 0
	for v := range nodes {
		row, want := got[v*d:(v+1)*d], make([]mat.Real, d)
		if row[0] != 0 {
			kept++
			for j := range want {
				want[j] = e[v*d+j] / (1 - p)
			}
		}
		wantReals(t, row, want)
	}
	if kept < nodes/4 || kept > 3*nodes/4 {
		t.Errorf("%d of %d rows are kept", kept, nodes)
	}
}

// wantReals compares numbers.
func wantReals(t *testing.T, got, want []mat.Real) {
	t.Helper()
	if !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
}

// TestDrawnValidation: validation nodes that were drawn, not given, are drawn again under the seed of every run.
func TestDrawnValidation(t *testing.T) {
	d, c := library(), settings(t, "halo")
	given := d.Splits[0].Valid
	split := func(seed uint64) []int32 {
		return must(Build(c, d, train.Trial{Seed: seed}, Options{})).Split.Valid
	}
	if !slices.Equal(split(1), given) {
		t.Error("validation nodes of the data are not used")
	}
	d.DrawnValid = true
	if slices.Equal(split(1), split(2)) || !slices.Equal(split(3), split(3)) {
		t.Error("validation nodes do not follow the seed")
	}
}
