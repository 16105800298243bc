package swap

import (
	"fmt"

	"github.com/bloomgml/bloom/internal/files"
	"github.com/bloomgml/bloom/internal/host"
)

// Plan says what is trained, and how much of it is in memory at a time.
type Plan struct {
	Entities, Relations int
	Facts               int64
	Dim                 int // numbers an entity
	Parts               int // p
	Buffer              int // c, parts in memory at a time, at most p; 2 or more where p is above 1
}

// Rows is how many entities a part has; the last one may have fewer.
func (p Plan) Rows() int { return (p.Entities + p.Parts - 1) / p.Parts }

// check is the error for what cannot be.
func (p Plan) check() error {
	switch {
	case p.Entities < 2 || p.Relations < 1 || p.Facts < 1 || p.Dim < 1:
		return fmt.Errorf("swap: %d entities, %d relations, %d facts, %d numbers an entity", p.Entities, p.Relations,
			p.Facts, p.Dim)
	case p.Parts < 1 || p.Parts > p.Entities || (p.Parts-1)*p.Rows() >= p.Entities:
		return fmt.Errorf("swap: %d parts of %d entities leave one empty", p.Parts, p.Entities)
	case p.Buffer < 1 || p.Buffer > p.Parts || p.Buffer == 1 && p.Parts > 1:
		return fmt.Errorf("swap: %d of %d parts in memory", p.Buffer, p.Parts)
	}
	return nil
}

// Memory is about how many bytes training takes at its peak: rows in the window, a part on its way in and out, and the
// facts of the largest stage in the lists of a graph, with their questions in order.
func (p Plan) Memory(c Costs) int64 {
	rows := int64(p.Rows())
	row := int64(1+c.Memories)*int64(p.Dim)*realBytes + 12 // and where a batch has it
	window := int64(p.Buffer) * rows * row
	parts := 3 * rows * int64(p.Dim) * realBytes // on its way, on the host, and while it is ranked among
	return c.Fixed + window + parts + 32*p.stageFacts()
}

// stageFacts is about how many facts the largest stage has, half as much again as on average.
func (p Plan) stageFacts() int64 {
	n := float64(p.Buffer*p.Buffer) / float64(p.Parts*p.Parts) * float64(p.Facts)
	if p.Parts > p.Buffer {
		n *= 1.5
	}
	return int64(n)
}

// Disk is about how many bytes files take: the buckets, and parts of at most four times, the present ones, those of two
// checkpoints and those of the best epoch.
func (p Plan) Disk(c Costs) int64 {
	return factBytes*p.Facts + 4*int64(p.Entities)*int64(1+c.Memories)*int64(p.Dim)*realBytes
}

// mostParts is how many there are at most: buckets are their square.
const mostParts = 256

// Fit is p with the fewest parts that fit into limit, 4 of them in memory, or 2 and 3 where no 4 do: the more of all
// entities are in memory, the less is read.
func (p Plan) Fit(limit int64, c Costs) (Plan, error) {
	for parts := 1; parts <= min(mostParts, p.Entities); parts++ {
		p.Parts = parts
		if p.Buffer = min(4, parts); p.check() == nil && p.Memory(c) <= limit {
			return p, nil
		}
	}
	for p.Buffer = 3; p.Buffer >= 2; p.Buffer-- {
		if p.Parts = min(mostParts, p.Entities); p.check() == nil && p.Memory(c) <= limit {
			return p, nil
		}
	}
	least := p.Memory(c)
	return p, fmt.Errorf("%d entities of %d numbers take %s at least, of which %s do not depend on how many are in "+
		"memory at a time; the limit is %s", p.Entities, p.Dim, files.BytesText(least), files.BytesText(c.Fixed),
		files.BytesText(limit))
}

// Room is the error for a disk that is too small for all files.
func (p Plan) Room(dir string, c Costs) error {
	if free, ok := host.DiskFree(dir); ok && free < uint64(p.Disk(c)) {
		return files.Errorf(dir, "the disk has %d bytes free, and up to %d are needed", free, p.Disk(c))
	}
	return nil
}
