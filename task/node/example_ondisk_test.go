package node_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"github.com/bloomgml/bloom/config"
	"github.com/bloomgml/bloom/dataset/format"
	"github.com/bloomgml/bloom/internal/generate"
	"github.com/bloomgml/bloom/task/node"
	"github.com/bloomgml/bloom/train"
)

// written is a folder of blocks, as bloom data blocks makes them, in a folder of its own.
func written() (folder, graph string, err error) {
	if folder, err = os.MkdirTemp("", "example"); err != nil {
		return "", "", err
	}
	d, _, err := generate.Make("csbm:nodes=6000,features=12,classes=4")
	if err != nil {
		return "", "", err
	}
	graph = filepath.Join(folder, "x.bloom")
	return folder, graph, format.WriteBlocks(graph, d)
}

// A graph that does not fit into memory stays on the disk: the descent of base is linear and is run once, before
// training.
func ExampleTrain() {
	folder, graph, err := written()
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(folder)
	c, err := config.Load(config.Options{Recipe: "base", Data: graph,
		Set: []string{"model.hidden=2048", "model.before=1", "energy.steps=3", "train.epochs=3"}})
	if err != nil {
		fmt.Println(err)
		return
	}
	o := node.Options{Options: train.Options{Dir: filepath.Join(folder, "run")}}
	r, err := node.Train(context.Background(), *c, o, node.DiskOptions{Memory: 300 << 20})
	if err != nil {
		fmt.Println(err)
		return
	}
	d, err := node.Open(o.Dir)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(r.Epochs, "epochs;", d.Data.Settled.Energy != "")
	// Output: 3 epochs; true
}

// What Train does, step by step: PlaceOnDisk chooses how, Prepare fills the run folder, and OpenGraph predicts all
// nodes of the graph when the run is done.
func ExamplePlaceOnDisk() {
	ctx := context.Background()
	folder, graph, err := written()
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(folder)
	c, err := config.Load(config.Options{Recipe: "gcn", Data: graph,
		Set: []string{"model.hidden=2048", "train.epochs=1", "train.sample.batch=64", "train.sample.fanout=2"}})
	if err != nil {
		fmt.Println(err)
		return
	}
	x, err := node.PlaceOnDisk(ctx, *c, graph, node.DiskOptions{Memory: 300 << 20})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer x.Close()
	dir := filepath.Join(folder, "run")
	d, err := x.Prepare(ctx, dir)
	if err != nil {
		fmt.Println(err)
		return
	}
	if _, err := node.Run(ctx, x.Config(), d, node.Options{Disk: x, Options: train.Options{Dir: dir}}); err != nil {
		fmt.Println(err)
		return
	}
	all, err := node.OpenGraph(ctx, dir, graph, x.Config(), d)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(all.Name(), node.IsGraphOf(dir, graph), all.Close())
	// Output: csbm:nodes=6000,features=12,classes=4 true <nil>
}
