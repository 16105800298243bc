package node

import "github.com/bloomgml/bloom/internal/ondisk/settle"

// OnDiskOf is a graph on the disk whose training rows are r.
func OnDiskOf(r *settle.Rows) *OnDisk { return &OnDisk{rows: r} }
