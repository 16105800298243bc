package main

import (
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/bloomgml/bloom/dataset/catalogue"
	"github.com/bloomgml/bloom/internal/files"
	"github.com/bloomgml/bloom/internal/generate"
	"github.com/bloomgml/bloom/internal/ondisk"
	"github.com/bloomgml/bloom/internal/show"
)

type blocksCommand struct {
	spec  ondisk.TableSpec
	order string
	json  bool
}

func newDataBlocks() *cobra.Command {
	c := &blocksCommand{}
	cmd := &cobra.Command{
		Use:   "blocks [DATA] FOLDER",
		Short: "Write a data set in blocks, for graphs that do not fit into memory",
		Long: `Write a data set in blocks, for graphs that do not fit into memory.

FOLDER, by custom X.bloom, gets files with the neighbours, features, classes and ids of nodes in blocks of rows, each with
a checksum. bloom data info, train and estimate take it like any other data set. The graph is undirected, with one type of
nodes and edges, unless it comes from a data set with node types or several relations, which are kept; weights, self loops
and duplicate edges are dropped or refused. The source is one of

  --edges 'part-*.parquet' --nodes 'people-*.csv' --label dept
                      tables; all columns but id, label and split must be numbers; ids are held in memory
  rmat:nodes=1048576,edges=1e7,seed=3, planted:nodes=1e6,edges=1e7,homophily=0.8
                      random graphs of any size; both also take features, classes, signal, noise and train
  cora, team.bloom    any other data set, which is read into memory first

Edges are sorted on disk within --memory (default 1GiB). --order renumbers nodes: ldg puts neighbours close to each
other, degree puts the nodes with the most neighbours first. A command that is interrupted leaves nothing; what a killed one
leaves is removed when the command is given again.`,
		Example: `  bloom data blocks planted:nodes=2000,edges=10000 big.bloom
  bloom data blocks karate karate.bloom --order degree
  bloom data blocks --edges 'follows-*.csv' --nodes people.csv --label dept team.bloom --order ldg --memory 4GiB`,
		RunE: func(cmd *cobra.Command, args []string) error { return c.run(cmd, args) },
	}
	f, s := cmd.Flags(), &c.spec
	f.StringArrayVar(&s.Edges, "edges", nil, "a table of edges, or a pattern of files; may be given several times")
	f.StringArrayVar(&s.Nodes, "nodes", nil, "a table of nodes, or a pattern of files; may be given several times")
	f.StringVar(&s.Label, "label", "", "the column of classes")
	f.StringVar(&s.Split, "split", "", "the column with train, valid and test (default: 60, 20 and 20 % at random)")
	f.StringVar(&s.ID, "id", "", "the column of node ids")
	f.StringVar(&s.Source, "source", "", "the column of edge sources")
	f.StringVar(&s.Target, "target", "", "the column of edge targets")
	f.StringArrayVar(&s.Ignore, "ignore", nil, "a node column to leave out; may be given several times")
	f.Uint64Var(&s.Seed, "seed", 0, "seed of a random split")
	f.StringVar(&c.order, "order", "", "how nodes are numbered: "+strings.Join(ondisk.Orders, ", ")+" (default range)")
	f.BoolVar(&c.json, "json", false, "print one JSON object")
	return cmd
}

func (c *blocksCommand) run(cmd *cobra.Command, args []string) error {
	want := 2
	if len(c.spec.Edges) > 0 {
		want = 1
	}
	if len(args) != want {
		return usage(cmd, "want %s, got %d arguments",
			[]string{"", "only the folder, with --edges", "a data set and a folder"}[want], len(args))
	}
	dir := filepath.Clean(args[want-1])
	src, closeSource, err := c.source(cmd, args[0], dir)
	if err != nil {
		return err
	}
	text := cmd.ErrOrStderr()
	line := &stageLine{w: text, title: "writing"}
	r, err := ondisk.Build(dir, src, ondisk.Options{Context: cmd.Context(), Memory: files.FixedMemory(), Order: c.order,
		Progress: line.set, Say: func(said string) { fmt.Fprintln(text, show.Safe(said)) }})
	line.end()
	if err = errors.Join(err, closeSource()); errors.As(err, new(*files.Held)) {
		return err
	}
	if err != nil {
		return importError(cmd, err)
	}
	if !c.json {
		fmt.Fprintf(text, "%s: %s nodes, %s edges, %s features, %s\n", show.Safe(dir), show.Thousands(r.Nodes),
			show.Thousands(int(r.Edges)), show.Thousands(r.Columns), show.Size(int(r.Bytes)))
	}
	recipe := "base"
	if r.Typed != nil {
		recipe = "halo"
	}
	return printLine(cmd, c.json, r, show.ShellCommand("bloom", "train", "--data", dir, "--recipe", recipe))
}

// stageLine is a line of progress for every stage in turn: the remaining time is the time of the stage.
type stageLine struct {
	w            io.Writer
	title, stage string
	line         *show.Progress
}

// set says how far a stage has come. One that does not know how far it goes says nothing.
func (l *stageLine) set(stage string, done, total int64) {
	if total == 0 {
		return
	}
	if l.line == nil || stage != l.stage {
		l.end()
		l.line, l.stage = show.NewProgress(l.w, l.title), stage
	}
	l.line.Set(done, total, fmt.Sprintf("%s %s of %s", stage, show.Thousands(int(done)), show.Thousands(int(total))))
}

func (l *stageLine) end() {
	if l.line != nil {
		l.line.End()
	}
}

// source returns the data to write, and a function to call when it is written.
func (c *blocksCommand) source(cmd *cobra.Command, ref, dir string) (ondisk.Source, func() error, error) {
	nothing := func() error { return nil }
	if len(c.spec.Edges) > 0 {
		c.spec.Name, c.spec.Scratch = strings.TrimSuffix(filepath.Base(dir), ".bloom"), dir+".scratch"
		c.spec.Memory = files.FixedMemory() / 2
		line := &stageLine{w: cmd.ErrOrStderr(), title: "reading"}
		c.spec.Progress = line.set
		s, err := ondisk.OpenTables(c.spec)
		line.end()
		if err != nil {
			return nil, nil, importError(cmd, err)
		}
		return s, s.Close, nil
	}
	if s, ok, err := generate.Stream(ref); ok {
		if err != nil {
			return nil, nil, usage(cmd, "%w", err)
		}
		return s, nothing, nil
	}
	d, err := catalogue.Open(ref)
	if err != nil {
		return nil, nil, badRef(cmd, err)
	}
	s, err := ondisk.Of(d)
	if err != nil {
		return nil, nil, badData(err)
	}
	return s, d.Close, nil
}
