package report_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"github.com/bloomgml/bloom"
	"github.com/bloomgml/bloom/ad"
	"github.com/bloomgml/bloom/config"
	"github.com/bloomgml/bloom/dataset/catalogue"
	"github.com/bloomgml/bloom/descent"
	"github.com/bloomgml/bloom/energy"
	"github.com/bloomgml/bloom/input"
	"github.com/bloomgml/bloom/report"
	"github.com/bloomgml/bloom/task/node"
	"github.com/bloomgml/bloom/train"
	"github.com/bloomgml/bloom/upper"
)

// mine is a model of one's own: f = log cosh of the differences of neighbours, κ = ½‖h − π(x)‖², eight steps.
func mine(t *node.Task) (*bloom.Stack, error) {
	pi, err := input.NewMLP(input.MLP{Name: "pi", Sizes: []int{t.On.X.Shape().Cols, 16}, Seed: t.Trial.Seed})
	if err != nil {
		return nil, err
	}
	difference := func(e energy.Edges) ad.Var { return e.U.Sub(e.V) }
	m := &bloom.Model{
		Pi: pi, F: []energy.EdgeTerm{energy.OnEdges(energy.LogCosh, difference)},
		Kappa: []energy.NodeTerm{energy.Anchor(energy.HalfSquared)},
		A:     descent.Proximal(descent.Backtracking(0, 0, 0), nil), L: 8,
		Up: t.Up(upper.NewLinear("head", 16, t.Classes(), t.Trial.Seed)),
	}
	return m.Alone(), nil
}

// A model written in Go goes through the same run as any recipe: it has a folder, stops and goes on, is audited and
// gets its page.
func ExampleWriteOwn() {
	dir, err := os.MkdirTemp("", "own")
	check(err)
	defer os.RemoveAll(dir)
	c, err := config.Default("base", "csbm:nodes=200")
	check(err)
	c.Recipe, c.Energy, c.Train.Epochs = "mine", nil, 20
	d, err := catalogue.Open(c.Data.Name)
	check(err)
	o := node.Options{Model: mine, Options: train.Options{Dir: filepath.Join(dir, "mine")}}

	ctx, stop := context.WithCancel(context.Background())
	o.Progress = func(e train.Event) {
		if e.Epoch == 5 {
			stop()
		}
	}
	_, err = node.Run(ctx, *c, d, o)
	fmt.Println("stopped:", err != nil)

	o.Progress, o.Resume = nil, true
	result, err := node.Run(context.Background(), *c, d, o)
	check(err)
	fmt.Println(result.Epochs, "epochs, better than chance:", result.Test.Mean > 0.6)

	audit, err := node.Of(result).Audit()
	check(err)
	fmt.Println(len(audit.Rows), "rows audited")

	check(report.WriteOwn(o.Dir, *c, d, o))
	page, err := os.Stat(filepath.Join(o.Dir, "report.html"))
	check(err)
	fmt.Println("a page:", page.Size() > 10000)
	// Output:
	// stopped: true
	// 20 epochs, better than chance: true
	// 200 rows audited
	// a page: true
}

// The page of a recipe's run.
func ExampleWrite() {
	fmt.Println(report.Write("no-such-folder") != nil)
	// Output: true
}

func check(err error) {
	if err != nil {
		panic(err)
	}
}
