package kinds_test

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/bloomgml/bloom/config"
	"github.com/bloomgml/bloom/dataset/catalogue"
	"github.com/bloomgml/bloom/task"
	"github.com/bloomgml/bloom/task/kinds"
	"github.com/bloomgml/bloom/train"
)

// Whatever a config is about is trained, opened and asked in the same way.
func ExampleOf() {
	root, err := os.MkdirTemp("", "run")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(root)
	for _, o := range []config.Options{
		{Data: "karate", Recipe: "base"}, {Data: "karate", Task: "links"},
		{Data: "family:families=2,twin=0", Recipe: "distmult"},
	} {
		o.Set = []string{"train.epochs=3"}
		c, err := config.Load(o)
		if err != nil {
			panic(err)
		}
		d, err := catalogue.Open(c.Data.Name)
		if err != nil {
			panic(err)
		}
		k := kinds.Of(c)
		dir := filepath.Join(root, k.Name())
		if _, err := k.Train(context.Background(), *c, d, train.Options{Dir: dir}); err != nil {
			panic(err)
		}
		run, err := k.Open(dir, *c, d)
		if err != nil {
			panic(err)
		}
		var rows bytes.Buffer
		err = run.Predict(&task.Request{Context: context.Background(), Say: io.Discard, Top: 10,
			Write: func(f func(io.Writer) error) error { return f(&rows) }})
		if err != nil {
			panic(err)
		}
		header, _, _ := bytes.Cut(rows.Bytes(), []byte("\n"))
		fmt.Printf("%s: %s\n", k.Name(), header)
	}
	// Output:
	// node: id,class,probability,label,split,residual,energy,p:Mr. Hi,p:Officer
	// pair: source,target,probability,joined,split
	// fact: head,relation,tail,tail_rank,head_rank,tail_others,head_others
}
