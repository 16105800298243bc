package main

import (
	"encoding/csv"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/bloomgml/bloom/dataset"
	"github.com/bloomgml/bloom/dataset/catalogue"
	"github.com/bloomgml/bloom/internal/audit"
	"github.com/bloomgml/bloom/internal/command"
	"github.com/bloomgml/bloom/internal/host"
	"github.com/bloomgml/bloom/mat"
	"github.com/bloomgml/bloom/metric"
)

// faults plants faults in data sets and measures how well an audit finds them.
type faults struct {
	faults      []string
	shares      []float64
	known       string
	seeds, jobs int
}

func newFaults() *cobra.Command {
	c := &faults{}
	cmd := &cobra.Command{
		Use:   "faults DATA...",
		Short: "Plant faults in data sets, from 1 % to 40 %, and measure how well an audit finds them",
		Long: `Plant faults in data sets, from 1 % to 40 %, and measure how well an audit finds them.

Prints a row of a table for every data set, fault and share: the precision of the audit at k, the number of faults; the
same for the best of the single numbers that the audit is made of, which nobody knows beforehand; the true share of
faults and the ones that the audit reports, an estimate and an upper bound; and its expected calibration error. Mean and deviation over seeds 1, 2, …; a share of 0 plants
nothing.

--known names the faults that data has already, as "bloom audit --csv" names findings: columns what (row, class or
edge), id and target.`,
		Example: `  bloom-paper faults cora citeseer --seeds 3
  bloom-paper faults market.bloom --shares 0 --known truth.csv`,
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 || c.seeds < 1 || c.jobs < 1 {
				return command.Usage(cmd, "want the name of a data set, and one seed and one job or more")
			}
			return c.run(args, cmd.OutOrStdout())
		},
	}
	f := cmd.Flags()
	f.StringSliceVar(&c.faults, "faults", audit.Faults, "faults to plant")
	f.Float64SliceVar(&c.shares, "shares", []float64{0.01, 0.05, 0.1, 0.2, 0.4}, "shares of what is made wrong")
	f.StringVar(&c.known, "known", "", "a table of the faults that the data has already")
	f.IntVar(&c.seeds, "seeds", 3, "seeds of every row")
	f.IntVar(&c.jobs, "jobs", 1, "seeds and shares at the same time; threads are divided among them")
	return cmd
}

// run measures one data set after the other.
func (c *faults) run(names []string, out io.Writer) error {
	lanes, err := mat.NewLanes(c.jobs)
	if err != nil {
		return err
	}
	fmt.Fprintln(out, "| data | fault | share | audit | best single number | wrong, reported, at most | "+
		"calibration error |\n"+
		"|---|---|---|---|---|---|---|")
	for _, name := range names {
		d, err := catalogue.Open(name)
		if err != nil {
			return err
		}
		before, err := c.before(d)
		if err != nil {
			return err
		}
		for _, fault := range c.faults {
			trials, errs := make([]audit.Outcome, len(c.shares)*c.seeds), make([]error, len(c.shares)*c.seeds)
			var all host.Group
			for i := range trials {
				all.Go(func() {
					lanes.Do(func() {
						trials[i], errs[i] = measureFault(d, fault, c.shares[i/c.seeds], before, uint64(1+i%c.seeds))
					})
				})
			}
			all.Wait()
			for i, share := range c.shares {
				if err := errs[i*c.seeds]; err != nil {
					return fmt.Errorf("%s, %s: %w", name, fault, err)
				}
				title := strings.TrimSuffix(filepath.Base(name), ".bloom")
				fmt.Fprintf(out, "| %s | %s | %g | %s\n", title, fault, share, summary(trials[i*c.seeds:][:c.seeds]))
			}
		}
	}
	return nil
}

func measureFault(from *dataset.Dataset, fault string, share float64, known known, seed uint64) (audit.Outcome, error) {
	d, _ := audit.Of(from)
	before := known.rows
	switch fault {
	case audit.RandomEdges:
		before = known.edges
	case audit.Flipped:
		before = known.classes
	}
	d, bad, err := audit.Plant(d, fault, share, before, seed)
	if err != nil {
		return audit.Outcome{}, err
	}
	return audit.Judge(d, fault, bad, seed)
}

// summary returns the columns of a row after its share.
func summary(trials []audit.Outcome) string {
	var found, share, most, there, error []float64
	simple := map[string][]float64{}
	for _, t := range trials {
		found, share = append(found, t.Precision), append(share, t.Share)
		there, error = append(there, t.True), append(error, t.Calibration)
		most = append(most, t.Most)
		for method, x := range t.Signals {
			simple[method] = append(simple[method], x)
		}
	}
	best, top := "", -1.0
	for method, list := range simple {
		if m := metric.Mean(list); m > top || m == top && method < best {
			best, top = method, m
		}
	}
	return fmt.Sprintf("%.3f ± %.3f | %.3f ± %.3f %s | %.3f, %.3f, %.3f | %.3f |", metric.Mean(found),
		metric.SD(found), top, metric.SD(simple[best]), best, metric.Mean(there), metric.Mean(share), metric.Mean(most),
		metric.Mean(error))
}

// known are the faults that a data set has already; nil where nothing is known.
type known struct{ rows, classes, edges []bool }

// before reads the table of --known.
func (c *faults) before(d *dataset.Dataset) (k known, err error) {
	if c.known == "" {
		return k, nil
	}
	file, err := os.Open(c.known)
	if err != nil {
		return k, err
	}
	defer file.Close()
	lines, err := csv.NewReader(file).ReadAll()
	if err != nil || len(lines) == 0 {
		return k, err
	}
	n, m := d.Graph.NumNodes(), d.Graph.NumEdges()
	k = known{make([]bool, n), make([]bool, n), make([]bool, m)}
	node, edge := map[string]int32{}, map[[2]int32]int32{}
	for v := range int32(n) {
		node[strings.ToLower(d.NodeName(v))] = v
	}
	for e := range int32(m) {
		t := d.Graph.Edge(e)
		edge[[2]int32{t.U, t.V}], edge[[2]int32{t.V, t.U}] = e, e
	}
	at := func(name string) int { return slices.Index(lines[0], name) }
	what, id, target := at("what"), at("id"), at("target")
	if what < 0 || id < 0 || target < 0 {
		return k, fmt.Errorf("%s: want columns what, id and target", c.known)
	}
	for _, line := range lines[1:] {
		u, there := node[strings.ToLower(line[id])]
		switch v, joined := node[strings.ToLower(line[target])]; {
		case line[what] == "edge" && there && joined:
			if e, ok := edge[[2]int32{u, v}]; ok {
				k.edges[e] = true
			}
		case line[what] == "row" && there:
			k.rows[u] = true
		case line[what] == "class" && there:
			k.classes[u] = true
		}
	}
	return k, nil
}
