package main

import (
	"github.com/spf13/cobra"
)

// askFlags are those that ask a question.
func (c *runCommand) askFlags(cmd *cobra.Command) {
	c.nameFact(cmd, "of a knowledge graph: the `entity` whose tails are asked for",
		"the `relation` that is asked about", "the `entity` whose heads are asked for")
	cmd.Flags().IntVar(&c.Top, "top", 10, "answers to show")
	cmd.Flags().BoolVar(&c.Fresh, "new", false, "leave out answers that are facts of the graph already")
	c.factFlags = append(c.factFlags, "top", "new")
}

// nameFact are the flags that name a fact, with what each of them says.
func (c *runCommand) nameFact(cmd *cobra.Command, head, relation, tail string) {
	f := cmd.Flags()
	f.StringVar(&c.Fact.Head, "head", "", head)
	f.StringVar(&c.Fact.Relation, "relation", "", relation)
	f.StringVar(&c.Fact.Tail, "tail", "", tail)
	c.factFlags = []string{"head", "relation", "tail"}
}
