// Package kinds is the table of all that can be learnt of a graph: the one place where kinds of runs are told apart.
package kinds

import (
	"github.com/bloomgml/bloom/config"
	"github.com/bloomgml/bloom/task"
	"github.com/bloomgml/bloom/task/fact"
	"github.com/bloomgml/bloom/task/node"
	"github.com/bloomgml/bloom/task/pair"
)

var table []task.Kind

func init() {
	Add(node.Kind{})
	Add(pair.Kind{})
	Add(fact.Kind{})
}

// Add adds a kind: its word becomes one that key task of a config may have.
func Add(k task.Kind) {
	config.AddTask(k.Task())
	table = append(table, k)
}

// Of is the kind of a config.
func Of(c *config.Config) task.Kind {
	for _, k := range table {
		if k.Has(c) {
			return k
		}
	}
	return table[0] // which says what is wrong
}
