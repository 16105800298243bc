package main

import (
	"encoding/csv"
	"encoding/json"
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
	f.StringVar(&c.out, "out", "", "write to this `file` instead of standard output; .npy for NumPy")
	f.BoolVar(&c.json, "json", false, "print one JSON object a node or entity")
	return cmd
}

// embed prints a row a node.
func (t classesRun) embed(cmd *cobra.Command, c *runCommand) error {
	if t.Model == nil {
		return &nodes.NoEnergy{Recipe: t.Config.Recipe}
	}
	v, err := t.Model.Embed(input.Evaluation(), t.On)
	if err != nil {
		return err
	}
	prog := ad.Compile(v)
	if err := prog.Run(); err != nil {
		return err
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

// writeRows writes the rows of h with their names.
func (c *runCommand) writeRows(cmd *cobra.Command, h *mat.Dense, name func(int32) string) error {
	return c.write(cmd, func(w io.Writer) error {
		switch {
		case strings.HasSuffix(c.out, ".npy"):
			return npy.Write(w, []int{h.Rows(), h.Cols()}, h.Slice())
		case c.json:
			return eachRow(h, name, func(id string, row []mat.Real) error {
				return json.NewEncoder(w).Encode(map[string]any{"id": id, "h": row})
			})
		}
		return embedCSV(w, h, name)
	})
}

// embedCSV writes id,h0,h1,….
func embedCSV(w io.Writer, h *mat.Dense, name func(int32) string) error {
	out := csv.NewWriter(w)
	header := []string{"id"}
	for j := range h.Cols() {
		header = append(header, fmt.Sprintf("h%d", j))
	}
	if err := out.Write(header); err != nil {
		return err
	}
	err := eachRow(h, name, func(id string, row []mat.Real) error {
		line := []string{id}
		for _, x := range row {
			line = append(line, strconv.FormatFloat(float64(x), 'g', -1, 32))
		}
		return out.Write(line)
	})
	out.Flush()
	if err != nil {
		return err
	}
	return out.Error()
}

// eachRow calls f with the name and the row of every node.
func eachRow(h *mat.Dense, name func(int32) string, f func(id string, row []mat.Real) error) error {
	all, d := h.Slice(), h.Cols()
	for v := range h.Rows() {
		if err := f(name(int32(v)), all[v*d:(v+1)*d]); err != nil {
			return err
		}
	}
	return nil
}
