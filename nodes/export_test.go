package nodes

import (
	"github.com/bloomgml/bloom/internal/relax"
	"github.com/bloomgml/bloom/internal/settle"
)

// OnDiskOf is a graph whose states are relaxed, or rows that train, for tests that look into them.
func OnDiskOf(g *relax.Graph, r *settle.Rows) *OnDisk { return &OnDisk{graph: g, rows: r} }
