package node_test

import (
	"flag"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/bloomgml/bloom/config"
	"github.com/bloomgml/bloom/dataset"
	"github.com/bloomgml/bloom/dataset/catalogue"
	"github.com/bloomgml/bloom/internal/ondisk"
	"github.com/bloomgml/bloom/task/node"
	"github.com/bloomgml/bloom/train"
)

// With -ways TestWays is the study of docs/scale.md; without it, a quick look at a small graph.
var (
	waysOn     = flag.String("ways", "", "what TestWays trains on: data sets or folders of blocks, by commas")
	waysOnly   = flag.String("ways.only", "", "the ways that it takes, by commas; empty for all")
	waysSeeds  = flag.Int("ways.seeds", 2, "runs of each")
	waysEpochs = flag.Int("ways.epochs", 10, "epochs of a run")
	waysFanout = flag.Int("ways.fanout", 20, "neighbours of a node that come into a part")
	waysHops   = flag.Int("ways.hops", 4, "how many times they do")
	waysBatch  = flag.Int("ways.batch", 0, "training nodes of a part, 0 for a quarter of them and 1,024 at most")
	waysSum    = flag.Int("ways.accumulate", 1, "parts that make an update")
	waysSet    = flag.String("ways.set", "", "settings key=value of all runs, by commas")
)

// way trains a recipe past memory, as it does the whole graph.
type way struct {
	name, recipe string
	set          []string                     // of both
	updates      func(d *dataset.Dataset) int // of an epoch; nil for one, as the whole graph has
	train        func(t *testing.T, d *dataset.Dataset, c config.Config) *train.Result
}

var ways = []way{
	{"linear", "base", []string{"model.before=1", "model.input_dropout=0"}, nil, settledRows},
	{"parts", "base", nil, parts, inParts},
}

// settledRows trains on rows that went through the descent once.
func settledRows(t *testing.T, d *dataset.Dataset, c config.Config) *train.Result {
	s := inBlocks(t, d, 1<<16)
	l, err := node.NewDisk(c, s.Columns, s.Classes)
	if err != nil {
		t.Fatal(err)
	}
	rows, err := ondisk.Settle(t.Context(), s, ondisk.SettleOptions{Local: l.Local, Steps: l.Steps, Energy: l.Energy,
		Scale: c.Data.Scale, Memory: plenty, Spread: l.Spread})
	if err != nil {
		t.Fatal(err)
	}
	return resultOf(t, rows, c, node.Options{})
}

// batchOf is how many training nodes a part has.
func batchOf(d *dataset.Dataset) int {
	if *waysBatch > 0 {
		return *waysBatch
	}
	return min(1024, (len(d.Splits[0].Train)+3)/4)
}

// parts is how many updates an epoch of parts has.
func parts(d *dataset.Dataset) int {
	n := (len(d.Splits[0].Train) + batchOf(d) - 1) / batchOf(d)
	return (n + *waysSum - 1) / *waysSum
}

// inParts trains on parts of the graph.
func inParts(t *testing.T, d *dataset.Dataset, c config.Config) *train.Result {
	c.Train.Sample.Batch, c.Train.Sample.Accumulate = batchOf(d), *waysSum
	c.Train.Sample.Fanout, c.Train.Sample.Hops = *waysFanout, *waysHops
	return resultOf(t, d, c, node.Options{})
}

func resultOf(t *testing.T, d *dataset.Dataset, c config.Config, o node.Options) *train.Result {
	t.Helper()
	r, err := node.Run(t.Context(), c, d, o)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// TestWays trains on the whole graph in memory and in the ways past memory, with the same settings and seeds, and the
// same updates: where an epoch of a way has several, the whole graph has as many epochs more. A way may be 0.2 points
// apart, in the mean over seeds, and what two standard errors of the difference between pairs allow.
func TestWays(t *testing.T) {
	names := strings.Split(*waysOn, ",")
	if *waysOn == "" {
		names = []string{"csbm:nodes=300,features=16,classes=3,degree=6"}
	}
	for _, name := range names {
		d, err := catalogue.Open(name)
		if err != nil {
			t.Fatal(err)
		}
		for _, w := range ways {
			if *waysOnly == "" || strings.Contains(*waysOnly, w.name) {
				w.compare(t, name, d)
			}
		}
	}
}

func (w way) compare(t *testing.T, name string, d *dataset.Dataset) {
	t.Helper()
	set := append([]string{fmt.Sprint("train.epochs=", *waysEpochs), "train.patience=0",
		fmt.Sprint("train.repeat=", *waysSeeds)}, w.set...)
	if *waysSet != "" {
		set = append(set, strings.Split(*waysSet, ",")...)
	}
	begin := time.Now()
	all := slices.Clone(set)
	if w.updates != nil {
		all = append(all, fmt.Sprint("train.epochs=", *waysEpochs*w.updates(d)))
	}
	whole := resultOf(t, d, configOf(t, w.recipe, name, all...), node.Options{})
	middle := time.Now()
	past := w.train(t, d, configOf(t, w.recipe, name, set...))
	apart, deviation := 0.0, 0.0
	n := float64(len(past.Test.Runs))
	for i, x := range past.Test.Runs {
		apart += 100 * (x - whole.Test.Runs[i]) / n
	}
	for i, x := range past.Test.Runs {
		deviation += math.Pow(100*(x-whole.Test.Runs[i])-apart, 2) / max(1, n-1)
	}
	t.Logf("%s, %s: %.2f ± %.2f whole (%.0f s, %.2f of validation), %.2f ± %.2f past memory (%.0f s, %.2f), "+
		"%+.2f ± %.2f in pairs", name, w.name, 100*whole.Test.Mean, 100*whole.Test.SD, middle.Sub(begin).Seconds(),
		100*whole.Valid.Mean, 100*past.Test.Mean, 100*past.Test.SD, time.Since(middle).Seconds(), 100*past.Valid.Mean,
		apart, math.Sqrt(deviation))
	if math.Abs(apart) > 0.2+2*math.Sqrt(deviation/n) {
		t.Errorf("%s, %s: %+.2f points apart", name, w.name, apart)
	}
}
