package main

import (
	"fmt"
	"io"
	"slices"
	"strconv"

	"github.com/spf13/cobra"

	"github.com/bloomgml/bloom/link"
)

// newcomerFlags are those of new facts.
func (c *runCommand) newcomerFlags(cmd *cobra.Command) {
	f := cmd.Flags()
	f.StringVar(&c.triples, "triples", "", "of a knowledge graph: a text `file` with a new fact head ⇥ relation ⇥ "+
		"tail a line")
	f.IntVar(&c.steps, "steps", 10, "of a knowledge graph: steps of the descent")
	f.StringVar(&c.save, "save", "", "of a knowledge graph: a new run `folder` for the model with the new entities")
	c.factFlags = []string{"triples", "steps", "save"}
}

// add embeds the entities of new facts.
func (t factsRun) add(cmd *cobra.Command, c *runCommand) error {
	switch {
	case cmd.Flags().Changed("nodes") || cmd.Flags().Changed("edges"):
		return usage(cmd, "--nodes and --edges are for classes of nodes; a knowledge graph takes --triples")
	case c.triples == "":
		return usage(cmd, "which facts? name their file with --triples")
	case c.steps < 1:
		return usage(cmd, "--steps is %d, want 1 or more", c.steps)
	}
	facts, err := link.ReadFacts(c.triples)
	if err != nil {
		return &dataError{err}
	}
	now, added, err := t.Add(facts, link.Settle{L: c.steps})
	if err != nil {
		return err
	}
	fmt.Fprintf(cmd.ErrOrStderr(), "%d new entities with %d facts took %d steps; %d facts between old entities "+
		"changed nothing. No relation and no old entity changed.\n",
		added.Entities, added.Added.Facts, c.steps, added.Idle)
	if c.save != "" {
		if err := now.Save(c.save, added); err != nil {
			return err
		}
		fmt.Fprintf(cmd.ErrOrStderr(), "files %s\n", c.save)
	}
	return c.write(cmd, func(w io.Writer) error {
		return writeRows(w, c.json, []string{"entity", "facts", "rank"}, slices.Values(added.Newcomers),
			func(x link.Newcomer) []string { return []string{x.Entity, strconv.Itoa(x.Facts), decimal(x.Rank)} })
	})
}
