package main

import (
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/bloomgml/bloom/ad"
	"github.com/bloomgml/bloom/input"
	"github.com/bloomgml/bloom/internal/npy"
	"github.com/bloomgml/bloom/mat"
	"github.com/bloomgml/bloom/nodes"
)

func newEmbed() *cobra.Command {
	cmd, c := newRunCommand("embed", "Print the embedding of every node or entity",
		`A row a node: its id, and the d numbers of h after the last step. A file that ends in .npy gets the n×d
matrix for NumPy, in the order of the ids in predictions.csv.`,
		`  bloom train --data karate --recipe base --out karate --set train.epochs=50
  bloom embed karate
  bloom embed karate --out h.npy`,
		opened.embed)
	f := cmd.Flags()
	c.out.flags(cmd, "write to this `file` instead of standard output; .npy for NumPy")
	f.BoolVar(&c.json, "json", false, "print one JSON object a node or entity")
	return cmd
}

// embed prints a row a node.
func (t classesRun) embed(cmd *cobra.Command, c *runCommand) error {
	if t.Stack == nil {
		return &nodes.NoEnergy{Recipe: t.Config.Recipe}
	}
	v, err := t.Stack.Embed(input.Evaluation(), t.On)
	if err != nil {
		return err
	}
	prog := ad.Compile(v)
	if err := prog.Run(); err != nil {
		return err
	}
	if err := prog.Value(v).CheckFinite(); err != nil {
		return badData(fmt.Errorf("%s: the embedding of a node is not finite: %w", t.Dir, err))
	}
	return c.writeRows(cmd, prog.Value(v), func(v int32) string { return t.Data.NodeName(v) })
}

// embed prints a row an entity.
func (t factsRun) embed(cmd *cobra.Command, c *runCommand) error {
	m, err := t.Embedded()
	if err != nil {
		return err
	}
	return c.writeRows(cmd, m.H.Value(), m.Entities.At)
}

// embedded is a row of H; the keys stay.
type embedded struct {
	H  []mat.Real `json:"h"`
	ID string     `json:"id"`
}

// writeRows writes the rows of h with their names: id,h0,h1,….
func (c *runCommand) writeRows(cmd *cobra.Command, h *mat.Dense, name func(int32) string) error {
	header := []string{"id"}
	for j := range h.Cols() {
		header = append(header, fmt.Sprintf("h%d", j))
	}
	all, d := h.Slice(), h.Cols()
	rows := func(yield func(embedded) bool) {
		for v := range h.Rows() {
			if !yield(embedded{all[v*d : (v+1)*d], name(int32(v))}) {
				return
			}
		}
	}
	return c.write(cmd, func(w io.Writer) error {
		if strings.HasSuffix(c.out.path, ".npy") {
			return npy.Write(w, []int{h.Rows(), h.Cols()}, all)
		}
		return writeRows(w, c.json, header, rows, func(x embedded) []string {
			line := []string{x.ID}
			for _, v := range x.H {
				line = append(line, strconv.FormatFloat(float64(v), 'g', -1, 32))
			}
			return line
		})
	})
}
