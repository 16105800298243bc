package main

import (
	"context"
	"fmt"
	"strings"

	"github.com/bloomgml/bloom/config"
	"github.com/bloomgml/bloom/dataset/catalogue"
	"github.com/bloomgml/bloom/internal/inspect"
	"github.com/bloomgml/bloom/internal/terminal"
	"github.com/bloomgml/bloom/nodes"
)

// levelled is the work on one energy and, where c trains a stack, on every level of it.
func levelled(c *config.Config, one inspection) inspection {
	if c.Stack.Levels < 2 {
		return one
	}
	return func(ctx context.Context, o inspect.Options) (*inspect.Report, error) {
		r, err := one(ctx, o)
		if err == nil {
			r.Levels, err = levelsOf(*c, o)
		}
		return r, err
	}
}

// levelsOf is how far every level of the network of c descends before it is trained, on a random graph with features.
func levelsOf(c config.Config, o inspect.Options) ([]inspect.Level, error) {
	d, err := catalogue.Open(fmt.Sprintf("csbm:nodes=%d,degree=4,seed=%d", max(o.Nodes, 24), o.Seed%1e6))
	if err != nil {
		return nil, err
	}
	energy := *c.Energy
	if c.Energy = &energy; o.Steps >= 0 {
		energy.L = o.Steps
	}
	e, err := nodes.NewEncoder(c, d, o.Seed)
	if err != nil {
		return nil, err
	}
	all, err := e.Stack.Evidence(e.On)
	var list []inspect.Level
	for k, x := range all {
		list = append(list, inspect.Level{Level: k + 1, Energy: x.Energy, Drop: x.Drop(), Residual: x.Residual})
	}
	return list, err
}

// printLevels writes a line for every level of a stack.
func printLevels(text *strings.Builder, p terminal.Paint, levels []inspect.Level) {
	if len(levels) == 0 {
		return
	}
	fmt.Fprintf(text, "\n%s\n  %s\n", p.Strong("Energy per level, untrained, on a random graph with features"),
		p.Dim(fmt.Sprintf("%5s  %12s  %12s  %10s", "level", "before", "after", "change")))
	for _, l := range levels {
		first, last := l.Energy[0], l.Energy[len(l.Energy)-1]
		fmt.Fprintf(text, "  %5d  %12.6g  %12.6g  %10.2e\n", l.Level, first, last, last-first)
	}
}
