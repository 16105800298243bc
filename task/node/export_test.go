package node

import "github.com/bloomgml/bloom/internal/ondisk"

// OnDiskOf is a graph on the disk whose training rows are r.
func OnDiskOf(r *ondisk.Rows) *OnDisk { return &OnDisk{rows: r} }
