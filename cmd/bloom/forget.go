package main

import (
	"encoding/json"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/bloomgml/bloom/internal/command"
	"github.com/bloomgml/bloom/internal/forget"
	"github.com/bloomgml/bloom/internal/show"
	"github.com/bloomgml/bloom/task/kinds"
)

const forgetHelp = `Make a run again as if nodes, edges or labels had never been there.

--nodes is a table of ids, --edges of the ids of both ends of edges, and --labels of the ids of nodes that stay without
their labels. --out is the folder of the new run, which needs nothing of the old one: it has the data without them as
data.bloom. RUN is not changed.

The model is made from the remaining data alone: solved again (recipe closed), or trained again with the settings of the
run; recipes that were compared are compared again. That is exact. With --tolerance, a run in which only a linear head
with weight decay is trained takes Newton steps instead, if they are proven to end within that distance of the weights
that fit the remaining data best.

Every file of the new folder is searched for what was forgotten; if anything is found, the command fails and nothing is
kept. receipt.json says what was done, when, how and within which bound, without the ids. The old run and its data still
hold the rows: deleting them is left to you.`

func newForget() *cobra.Command {
	var r forget.Request
	var data string
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "forget RUN",
		Short: "Make a run again as if nodes, edges or labels had never been there",
		Long:  forgetHelp,
		Example: `  bloom train --data csbm:nodes=300,features=4 --recipe base --out run --set train.epochs=50
  printf 'n17\nn4\n' > gone.csv
  bloom forget run --nodes gone.csv --out run-without
  bloom predict run-without --node n5`,
		Args: command.Args(1, 1, "one run folder, got %d arguments; bloom train makes one"),
		RunE: func(cmd *cobra.Command, args []string) error {
			r.Run = args[0]
			receipt, err := forgets(cmd, r, data)
			if err == nil && asJSON {
				err = json.NewEncoder(cmd.OutOrStdout()).Encode(receipt)
			}
			return err
		}}
	f := cmd.Flags()
	f.StringVar(&r.Nodes, "nodes", "", "a `table` of ids of nodes to forget, with their edges and labels")
	f.StringVar(&r.Edges, "edges", "", "a `table` of edges to forget: the ids of both ends, and perhaps the relation")
	f.StringVar(&r.Labels, "labels", "", "a `table` of ids of nodes whose labels to forget")
	f.StringVar(&r.Out, "out", "", "the `folder` of the new run, which must not exist")
	f.Float64Var(&r.Tolerance, "tolerance", 0, "do not train again if the weights are within this distance of the "+
		"weights that fit the remaining data best; 0 always trains again")
	f.BoolVar(&asJSON, "json", false, "print the receipt as one JSON object")
	dataFlag(cmd, &data)
	return cmd
}

// forgets makes the new run and says what was done; data is where that of the old run is, or empty.
func forgets(cmd *cobra.Command, r forget.Request, data string) (*forget.Receipt, error) {
	cfg, err := runConfig(cmd, r.Run)
	if err != nil {
		return nil, err
	}
	if err := r.Check(); err != nil {
		return nil, runError(cmd, err)
	}
	if r.Data, err = openRun(cmd, r.Run, cfg, data); err != nil {
		return nil, runError(cmd, err)
	}
	text := newTrainText(cmd.ErrOrStderr(), kinds.Of(cfg))
	r.Config, r.Progress, r.Notice = *cfg, text.progress, notice(cmd)
	r.Page = func(dir string) error {
		own, err := runConfig(cmd, dir)
		if err != nil {
			return err
		}
		return writePage(dir, own)
	}
	receipt, err := forget.Run(cmd.Context(), r)
	text.line.End()
	if err != nil {
		return nil, runError(cmd, err)
	}
	w := cmd.ErrOrStderr()
	fmt.Fprint(w, receipt.Text())
	for _, x := range receipt.Left {
		fmt.Fprintf(w, "still in  %s\n", show.Safe(x))
	}
	fmt.Fprintf(w, "files     %s\nnext      %s\n", show.Safe(r.Out), show.ShellCommand("bloom", "predict", r.Out))
	return receipt, nil
}
