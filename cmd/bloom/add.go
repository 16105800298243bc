package main

import (
	"fmt"
	"path/filepath"
	"slices"

	"github.com/spf13/cobra"

	"github.com/bloomgml/bloom/dataset"
	"github.com/bloomgml/bloom/dataset/importer"
	"github.com/bloomgml/bloom/internal/codec/table"
	"github.com/bloomgml/bloom/internal/show"
	"github.com/bloomgml/bloom/task"
)

func newAdd() *cobra.Command {
	cmd, c := newRunCommand("add", "Add new nodes or entities without training again",
		`New nodes start from their features and take the steps of the descent; no parameter changes. Old nodes
react to them as if they had always been there, so their predictions may change too; after --save, bloom predict shows
those of all nodes. The tables look like those of bloom data import, and their columns become features in the way that
was fitted then. Edges join new nodes with old or new ones. Rows that cannot be used, such as nodes that exist already
and edges with an unknown end, go to a file with their line and the reason; --strict stops at the first of them. --save
keeps the model and the data with the new nodes as a new run, for bloom predict, audit and explain.

For a run with --task links: new nodes get recommendations as from bloom predict, by the same parameters on the graph
with the new nodes. Held-out edges stay held out.

For a run on a knowledge graph: new entities are given by their facts (--triples). They take steps of descent while
relations and old entities stay fixed. Each output row has the number of facts about an entity, and its mean rank as
the answer to questions made from them. --save keeps the model for bloom predict.`,
		`  bloom train --data csbm:nodes=500,features=3 --recipe base --out csbm --set train.epochs=50
  printf 'id,a,b,c\nnew,0.1,0.2,-1\n' > new.csv; printf 'source,target\nnew,n17\nnew,n4\n' > edges.csv
  bloom add csbm --nodes new.csv --edges edges.csv --save csbm+
  bloom train --data family:families=4,twin=0 --recipe distmult --out kin --set train.epochs=5
  printf 'Zoe New\tchild_of\tHana Carter\n' > new.tsv
  bloom add kin --triples new.tsv --save kin+`,
		task.Run.Add)
	f := cmd.Flags()
	f.StringVar(&c.table, "nodes", "", "the `table` of new nodes: a file, or a database as for bloom data import")
	f.StringVar(&c.edges, "edges", "", "the `table` of their edges")
	f.StringVar(&c.array, "embeddings", "", "a .npy `file` with a row of numbers for every row of --nodes")
	f.StringVar(&c.triples, "triples", "", "for a knowledge graph: a text `file` with one new fact per line, "+
		"head ⇥ relation ⇥ tail")
	f.IntVar(&c.Steps, "steps", 10, "for a knowledge graph: number of descent steps")
	f.StringVar(&c.Save, "save", "", "a new run `folder` for the model with the new nodes or entities")
	c.factFlags = []string{"triples", "steps"}
	f.StringVar(&c.rejects, "rejects", "", "the `file` for rows that cannot be used (default: named after --out, "+
		"--save or the table, as new.rejects.csv)")
	f.BoolVar(&c.strict, "strict", false, "stop at the first row that cannot be used")
	c.out.flags(cmd, "write to this `file` instead of standard output")
	f.BoolVar(&c.JSON, "json", false, "print one JSON object per node or entity")
	return cmd
}

// newcomers reads the tables of new nodes; tell says what could not be used of them.
func (c *runCommand) newcomers(cmd *cobra.Command, d *dataset.Dataset) (n *dataset.Newcomers, tell func(), err error) {
	if c.asOf {
		if n, err = importer.AsOf(d, c.At); err != nil {
			err = usage(cmd, "--at: %w", err)
		}
		return n, func() {}, err
	}
	if c.table == "" {
		return nil, nil, usage(cmd, "which nodes? name their table with --nodes")
	}
	spec := importer.Spec{Nodes: []importer.Input{importer.ParseInput(c.table)}}
	if c.edges != "" {
		spec.Edges = []importer.Input{importer.ParseInput(c.edges)}
	}
	if c.array != "" {
		spec.Embeddings = []importer.Input{{Name: spec.Nodes[0].Name, Table: c.array}}
	}
	if err := c.rejecting(&spec); err != nil {
		return nil, nil, err
	}
	n, report, err := importer.Newcomers(cmd.Context(), d, spec)
	if err != nil {
		return nil, nil, badData(err)
	}
	return n, func() { tellArrivals(cmd, report, n.Notes) }, nil
}

// newFacts reads the file of new facts.
func (c *runCommand) newFacts(cmd *cobra.Command, d *dataset.Dataset) (facts []dataset.Fact, tell func(), err error) {
	if c.triples == "" {
		return nil, nil, usage(cmd, "which facts? name their file with --triples")
	}
	spec := importer.Spec{Edges: []importer.Input{{Table: c.triples}}}
	if err := c.rejecting(&spec); err != nil {
		return nil, nil, err
	}
	facts, report, err := importer.Facts(d, spec)
	if err != nil {
		return nil, nil, badData(err)
	}
	return facts, func() { tellArrivals(cmd, report, nil) }, nil
}

// rejecting completes a spec by where rows go that cannot be used.
func (c *runCommand) rejecting(spec *importer.Spec) error {
	tables := slices.Concat(spec.Nodes, spec.Edges, spec.Embeddings)
	spec.Rejects, spec.Strict, spec.Force = c.rejects, c.strict, c.out.force
	switch first := tables[0].Table; {
	case c.rejects != "":
	case c.out.path != "":
		spec.Rejects = rejectsOf(c.out.path)
	case c.Save != "":
		spec.Rejects = filepath.Clean(c.Save) + rejectsEnd
	case table.IsPostgres(first):
		spec.Rejects = "postgres" + rejectsEnd
	default:
		spec.Rejects = rejectsOf(filepath.Base(table.File(first)))
	}
	inputs := c.inputs
	for _, in := range tables {
		inputs = append(inputs, table.File(in.Table))
	}
	return c.out.rules(isRejects, inputs...).Allow(spec.Rejects)
}

// tellArrivals says which new rows could not be used, and what is odd about the others.
func tellArrivals(cmd *cobra.Command, r *importer.Report, notes []string) {
	w := cmd.ErrOrStderr()
	for _, note := range notes {
		fmt.Fprintln(w, show.Safe(note))
	}
	if r.Rejected == 0 {
		return
	}
	fmt.Fprintf(w, "rejects %s\n", show.Painter(w).Warn(rejectedText(r)))
	for _, line := range reasonsOf(r) {
		fmt.Fprintf(w, "  %s\n", line)
	}
}
