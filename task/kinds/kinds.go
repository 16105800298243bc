// Package kinds is the table of everything that can be learnt from a graph: the only place that distinguishes kinds
// of runs.
package kinds

import (
	"github.com/bloomgml/bloom/config"
	"github.com/bloomgml/bloom/task"
	"github.com/bloomgml/bloom/task/event"
	"github.com/bloomgml/bloom/task/fact"
	"github.com/bloomgml/bloom/task/node"
	"github.com/bloomgml/bloom/task/pair"
)

var table []task.Kind

func init() {
	Add(node.Kind{})
	Add(pair.Kind{})
	Add(event.Kind{})
	Add(fact.Kind{})
}

// Add adds a kind: its name becomes a valid value of key task of a config.
func Add(k task.Kind) {
	config.AddTask(k.Task())
	table = append(table, k)
}

// Of returns the kind of a config.
func Of(c *config.Config) task.Kind {
	for _, k := range table {
		if k.Has(c) {
			return k
		}
	}
	return table[0] // which says what is wrong
}
