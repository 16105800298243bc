package main

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/bloomgml/bloom/dataset"
	"github.com/bloomgml/bloom/dataset/format"
	"github.com/bloomgml/bloom/dataset/importer"
	"github.com/bloomgml/bloom/dataset/native"
	"github.com/bloomgml/bloom/internal/audit"
	"github.com/bloomgml/bloom/internal/codec/table"
	"github.com/bloomgml/bloom/internal/files"
	"github.com/bloomgml/bloom/internal/show"
)

type importCommand struct {
	nodes, edges, kinds  []string
	arrays               []string
	split, ids, columns  string
	connectAs            string
	out                  output
	directed, undirected bool
	json                 bool
	tables               string // a whole database
	keys, times          []string
	spec                 importer.Spec
	saved                *importer.Spec // the tables of a Neo4j export
}

const importHelp = `Make a data set from your own tables, or from a saved graph.

A table is one of

  people.csv, people.tsv.gz    text with a header; the delimiter is recognised
  people.jsonl, people.json    one JSON object per line, or a list of them; a.b is a nested key
  people.parquet
  people.xlsx#staff            a sheet of an Excel file
  people/, 'part-*.csv'        a folder, or files that match: parts of one table
  team.db:people               a table of an SQLite file, or 'sqlite:team.db SELECT …'
  'postgres://host/db SELECT …'
                               a query on PostgreSQL, or the name of a table after the address

--nodes person=people.csv names a node type, --edges follows=follows.csv a relation, and --edges
person:likes:film=likes.csv also the types of its ends; both flags can be repeated. Without --nodes the nodes are
the ends of the edges. Columns of ids, ends, relations and weights are found by their names (id; source, target;
relation; weight) or values, unless a flag names them.

If there are no edges but rows share values, --connect garage,doctor,phone connects every two rows with the same
value in one of these columns, weighted by the number of values they share; --connect-as things makes the values
nodes instead. Values that many rows have, or that mean nothing (unknown, 000), connect nothing.

bloom data import FILE --out X.bloom takes a graph that another program saved: PyTorch Geometric's .pt, GraphML and
node-link JSON of NetworkX and igraph, Pajek's .net, and anything else that --data takes. Neo4j's apoc.export.csv.all
is a table for every label and every type of relationship, also by name as graph.csv#Person; --label and all other flags
hold for them.

--tables imports a whole database instead: a folder with a table in each file, an SQLite file, or postgres://…, read in
one transaction. Primary and foreign keys are those that the database declares; else a key is a column of different
values named like its table, and a foreign key one whose values are found there. --key and --time overrule. bloom train
--ask asks it.

Values are read as people write them: €1,234.50, 1.234,50 EUR, 7.1 %, (12), 44 months, 12:34; 2024-05-01, 1.5.2024,
05/25/2024, 1 May 2024, Unix times. All values of a column together decide whether a comma is decimal and whether
the day or the month comes first. Lines that are not UTF-8 are read as Windows-1252. Ids are compared without case,
spaces and leading zeros if more edges find their nodes that way; --ids exact turns this off. The output names each
of these.

Numbers are standardised, after a logarithm if their tail is heavy. Categories become indicator columns. Times
become the time elapsed and the position in the year, week and day. Lists of numbers ([0.1, 2]) are embeddings.
Texts become words and pairs of words, hashed and weighted by how rare they are. Missing values (empty, NA, n/a, -,
NaN, null, #N/A) and values that do not fit their column become the mean or zeros. Columns that fit none of these
are kept but not used. --kind overrides what was recognised. --embeddings FILE.npy adds a row of numbers to every
node. Numbers and categories in tables of edges are features of edges: bloom train --set data.edge_features=use
weights edges by them.

If nodes have a label, tables of edges also become columns of nodes, incoming and outgoing edges separately: number
of rows, partners and repeats; sum, mean, maximum and deviation of every number; share of the largest partner and of
every level of a category; reciprocity; time since the first and last row; trend (transfers.amount.max.in).
--edge-columns chooses among them. Duplicate edges are merged, with their count and the sum, mean, maximum and last of
their numbers.

--time ts names the column of times in the tables that have it. If labelled nodes have times, they are divided by them
(the first 60 % train), and a node is told what was known at its time: columns count the edges until then, values of
other columns of times that are later are unknown. The graph itself keeps edges between nodes of the same time. Nodes
without a time are older than all others. bloom predict --at and bloom add answer as of a time.

Rows that cannot be used go to a file with their line and the reason: rows with at most half of the fields, edges
with an unknown end, nodes with a duplicate id. --strict stops at the first of them.

A label is a class, a set of classes (a;b or ["a","b"], also a,b and a|b where the same few names come again and
again) or a number. Labels with many different numbers are numbers, lists are sets; --task overrides this.

--split divides labelled nodes, or links if there is no --label:

  train=0.6,valid=0.2,test=0.2         at random with --seed, the same in every class
  column=fold                          by a column with the values train, valid and test
  time=joined,valid=2018,test=2019     by time: validation from 2018 on, test from 2019 on
  time=joined,train=0.6,valid=0.2,test=0.2
  none`

func newDataImport() *cobra.Command {
	c := &importCommand{}
	cmd := &cobra.Command{
		Use:   "import --edges TABLE --out FILE.bloom",
		Short: "Make a data set from your own tables, or from a saved graph",
		Long:  importHelp,
		Example: `  bloom data import --nodes people.csv --edges follows.csv --label dept --out team.bloom
  bloom data import --edges friends.tsv --undirected --out friends.bloom
  bloom data import --nodes user=users.csv --nodes film=films.csv --edges user:likes:film=likes.csv --label genre --out films.bloom
  bloom data import --nodes claims.xlsx --connect garage,doctor,phone --label fraud --out claims.bloom
  bloom data import --tables shop.db --key orders.customer=customers.id --out shop.bloom
  bloom data import --nodes team.db:people --edges 'sqlite:team.db SELECT a, b FROM calls' --label dept --out calls.bloom
  bloom data import graph.pt --out graph.bloom`,
		RunE: func(cmd *cobra.Command, args []string) error { return c.run(cmd, args) },
	}
	f, s := cmd.Flags(), &c.spec
	f.StringArrayVar(&c.nodes, "nodes", nil, "a table of nodes, or type=table; may be given several times")
	f.StringArrayVar(&c.edges, "edges", nil, "a table of edges, or relation=table; may be given several times")
	f.StringVar(&c.tables, "tables", "", "a whole database: a folder of tables, an SQLite file or postgres://…")
	f.StringArrayVar(&c.keys, "key", nil, "with --tables: a foreign key, as orders.customer=customers.id; "+
		"orders.customer=none is no key")
	f.StringArrayVar(&c.times, "time", nil, "the column of times of nodes, edges or both; with --tables: the column "+
		"with the time when rows became known, as orders.created; orders=none if there is no such column; "+
		"orders.status=closed_at for a column that became known with a later time")
	f.StringSliceVar(&s.Connect, "connect", nil, "columns of nodes whose values connect the rows that share them")
	f.StringVar(&c.connectAs, "connect-as", "pairs", "pairs of rows, or things: a node for every value")
	f.StringArrayVar(&c.arrays, "embeddings", nil,
		"a .npy file with a row of numbers for every row of the nodes, or type=file")
	f.StringVar(&s.Label, "label", "", "the column of labels; without it links are predicted")
	f.StringVar(&s.Task, "task", "", "what labels are: class, multilabel or regression (default: what they look like)")
	c.out.flags(cmd, "the .bloom file to write")
	f.StringVar(&s.ID, "id", "", "the column of node ids")
	f.StringVar(&s.Source, "source", "", "the column of edge sources")
	f.StringVar(&s.Target, "target", "", "the column of edge targets")
	f.StringVar(&s.Relation, "relation", "", "the column of edge relations")
	f.StringVar(&s.Weight, "weight", "",
		"the column of edge weights; for duplicate edges also count, or COLUMN.sum, .mean, .max or .last")
	f.StringArrayVar(&c.kinds, "kind", nil,
		"what a column of nodes, or of edges, holds: zip=category; kinds are "+strings.Join(dataset.Kinds, ", "))
	f.StringVar(&c.ids, "ids", "", "exact: compare ids exactly (default: ignore case, spaces and zeros if more edges "+
		"find their nodes)")
	f.StringArrayVar(&s.Merge, "merge", nil,
		"a category whose similar spellings are merged; all for all categories, none for none, not even the label")
	f.StringVar(&c.columns, "edge-columns", "all", "node columns to compute from edges: all, none, or some of "+
		strings.Join(importer.EdgeColumns, ","))
	f.StringVar(&c.split, "split", "", "how nodes or links are divided; see above")
	f.Uint64Var(&s.Split.Seed, "seed", 0, "seed of a random split")
	f.BoolVar(&c.directed, "directed", false, "edges are directed (default for relations without --label)")
	f.BoolVar(&c.undirected, "undirected", false, "edges are undirected (default otherwise)")
	f.BoolVar(&s.KeepDuplicates, "keep-duplicates", false, "keep duplicate edges instead of merging them")
	f.BoolVar(&s.DropLoops, "drop-loops", false, "drop edges from a node to itself")
	f.BoolVar(&s.NoHeader, "no-header", false, "text tables have no header: columns are column1, column2 and so on")
	f.StringVar(&s.Rejects, "rejects", "", "the file for rows that cannot be used (default: "+
		"named after --out, as team.rejects.csv)")
	f.BoolVar(&s.Strict, "strict", false, "stop at the first row that cannot be used")
	f.BoolVar(&c.json, "json", false, "print one JSON object")
	return cmd
}

func (c *importCommand) parse(cmd *cobra.Command, args []string) error {
	switch {
	case len(args) > 1 || len(args) == 1 && c.saved == nil:
		return usage(cmd, "%s takes one saved graph, or tables with --nodes and --edges, got %q as well",
			cmd.CommandPath(), args[len(args)-1])
	case c.saved == nil && len(c.edges)+len(c.spec.Connect) == 0 && (len(c.nodes) == 0 || c.spec.Label == ""):
		return usage(cmd, "--edges is missing; without a table of edges, --connect COLUMN,… makes edges of values "+
			"that rows share, and --nodes with --label needs none")
	case c.connectAs != "pairs" && c.connectAs != "things":
		return usage(cmd, "--connect-as is %q, want pairs or things", c.connectAs)
	case c.out.path == "":
		return usage(cmd, "--out is missing")
	case c.ids != "" && c.ids != "exact":
		return usage(cmd, "--ids is %q, want exact", c.ids)
	case c.directed && c.undirected:
		return usage(cmd, "--directed and --undirected exclude each other")
	case c.directed:
		c.spec.Direction = importer.Directed
	case c.undirected:
		c.spec.Direction = importer.Undirected
	}
	c.spec.Nodes, c.spec.Edges, c.spec.Embeddings = inputs(c.nodes), inputs(c.edges), inputs(c.arrays)
	if c.saved != nil {
		c.spec.Nodes, c.spec.Edges = c.saved.Nodes, c.saved.Edges
	}
	if err := c.parseColumns(cmd); err != nil {
		return err
	}
	for _, text := range c.kinds {
		name, kind, ok := strings.Cut(text, "=")
		switch {
		case !ok, !slices.Contains(dataset.Kinds, kind):
			return usage(cmd, "--kind is %q, want COLUMN=KIND; kinds are %s", text, strings.Join(dataset.Kinds, ", "))
		case c.spec.Kinds == nil:
			c.spec.Kinds = map[string]string{}
		}
		c.spec.Kinds[name] = kind
	}
	if c.split != "" {
		seed := c.spec.Split.Seed
		split, err := importer.ParseSplit(c.split)
		if err != nil {
			return usage(cmd, "--split is %q: %v", c.split, err)
		}
		if cmd.Flags().Changed("seed") {
			split.Seed = seed
		}
		c.spec.Split = split
	}
	if c.spec.Rejects == "" {
		c.spec.Rejects = rejectsOf(c.out.path)
	}
	c.spec.Things = c.connectAs == "things"
	c.spec.Force, c.spec.ExactIDs = c.out.force, c.ids == "exact"
	c.spec.Name, c.spec.Times = strings.TrimSuffix(filepath.Base(c.out.path), ".bloom"), c.times
	return nil
}

func inputs(texts []string) (list []importer.Input) {
	for _, text := range texts {
		list = append(list, importer.ParseInput(text))
	}
	return list
}

func (c *importCommand) parseColumns(cmd *cobra.Command) error {
	switch c.columns {
	case "all":
	case "none":
		c.spec.Columns = []string{}
	default:
		c.spec.Columns = strings.Split(c.columns, ",")
	}
	for _, name := range c.spec.Columns {
		if !slices.Contains(importer.EdgeColumns, name) {
			return usage(cmd, "--edge-columns has %q, want all, none or some of %s", name,
				strings.Join(importer.EdgeColumns, ","))
		}
	}
	return nil
}

// rejectsEnd ends the names of files for rows that cannot be used.
const rejectsEnd = ".rejects.csv"

// rejectsOf returns the file for rows that cannot be used, next to another file and named after it.
func rejectsOf(file string) string { return strings.TrimSuffix(file, filepath.Ext(file)) + rejectsEnd }

// importSaved imports a graph that another program saved, and reports whether that was all: an export of Neo4j is
// tables.
func (c *importCommand) importSaved(cmd *cobra.Command, path string) (done bool, err error) {
	if c.out.path == "" {
		return false, usage(cmd, "--out is missing")
	}
	if strings.HasSuffix(strings.TrimSuffix(path, ".gz"), ".csv") {
		nodes, edges, ok, err := importer.Apoc(path)
		if ok || err != nil {
			c.saved = &importer.Spec{Nodes: nodes, Edges: edges}
			return false, err
		}
	}
	var extra []string
	cmd.Flags().Visit(func(f *pflag.Flag) {
		ours := cmd.LocalNonPersistentFlags().Lookup(f.Name) != nil
		if ours && !slices.Contains([]string{"out", "force", "json"}, f.Name) {
			extra = append(extra, "--"+f.Name)
		}
	})
	if len(extra) > 0 {
		return false, usage(cmd, "%s is for tables, which are given with --nodes and --edges; a data set such "+
			"as %s has labels and splits of its own", extra[0], path)
	}
	if err := c.out.allow(c.out.rules(isData, path)); err != nil {
		return false, err
	}
	d, err := format.Open(path)
	if err != nil {
		return false, err
	}
	defer d.Close()
	if err := native.Write(c.out.path, d); err != nil {
		return false, err
	}
	for _, note := range d.Notes {
		fmt.Fprintln(cmd.ErrOrStderr(), note)
	}
	return true, printLine(cmd, c.json, imported{c.out.path, audit.Describe(d), nil}, c.out.path)
}

func (c *importCommand) run(cmd *cobra.Command, args []string) error {
	if c.tables != "" && len(args) == 0 {
		return c.importTables(cmd)
	}
	if len(args) == 1 && len(c.nodes)+len(c.edges)+len(c.spec.Connect) == 0 {
		if done, err := c.importSaved(cmd, args[0]); done || err != nil {
			return err
		}
	}
	if err := c.parse(cmd, args); err != nil {
		return err
	}
	if err := c.allow(); err != nil {
		return err
	}
	line := show.NewProgress(cmd.ErrOrStderr(), "reading")
	c.spec.Progress = func(done, total int64) { line.Set(done, total, "") }
	var unwritten error
	c.spec.Keep = func(d *dataset.Dataset) error {
		unwritten = native.Write(c.out.path, d)
		return unwritten
	}
	d, report, err := importer.Run(cmd.Context(), c.spec)
	line.End()
	if unwritten != nil {
		return unwritten
	}
	if err != nil {
		return importError(cmd, err)
	}
	printImport(cmd.ErrOrStderr(), c.out.path, d, report)
	return printLine(cmd, c.json, imported{c.out.path, audit.Describe(d), report}, c.out.path)
}

// imported is the JSON output of an import.
type imported struct {
	Out string `json:"out"`
	audit.Description
	Import *importer.Report `json:"import,omitempty"` // nil of a saved graph
}

// allow refuses outputs that must not be replaced.
func (c *importCommand) allow() error {
	var inputs []string
	for _, in := range slices.Concat(c.spec.Nodes, c.spec.Edges, c.spec.Embeddings) {
		inputs = append(inputs, table.Files(in.Table)...)
	}
	if err := c.out.allow(c.out.rules(isData, inputs...)); err != nil {
		return err
	}
	return c.out.rules(isRejects, inputs...).Allow(c.spec.Rejects)
}

// importError turns an error that is not the fault of a table into an error of the command line.
func importError(cmd *cobra.Command, err error) error {
	var place *files.Error
	if errors.As(err, &place) {
		return badData(err)
	}
	if cmd.Context().Err() != nil {
		return err
	}
	return usage(cmd, "%w", err)
}
