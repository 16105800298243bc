package ondisk

import (
	"slices"

	"github.com/bloomgml/bloom/mat"
)

// Jury is a set of validation and test nodes in addition to those of the observed part. They are evaluated part by
// part, many nodes count while memory stays small.
type Jury struct {
	Class       []int32 // of all its nodes, part by part
	Valid, Test []int32 // positions in Class
	graph       *Excerpt
	parts       *drawn // nil if no jury is needed
}

// Chosen: the number of validation nodes, and of test nodes, for an accuracy to about 1.5 %; but an evaluation of all
// parts should take no longer than an epoch, unless there are few of them.
const (
	juryNodes = 1 << 10
	juryParts = 16
)

// Jury draws the jury, once: validation and test nodes around which the observed part was not drawn, up to a limit. Its
// parts are half as large as training parts, which take more memory per node.
func (g *Excerpt) Jury() (*Jury, error) {
	if g.jury != nil {
		return g.jury, nil
	}
	k, err := Choose(g.Store, SettleOptions{Split: g.Split, Seed: g.Seed, Most: juryNodes, Thin: true})
	if err != nil {
		return nil, err
	}
	var seeds []int32
	for i, v := range k.Place {
		if _, asked := slices.BinarySearch(g.asked, v); !asked && k.Part[i] != Train {
			seeds = append(seeds, v)
		}
	}
	g.jury = &Jury{graph: g}
	if len(seeds) == 0 {
		return g.jury, nil
	}
	return g.jury, g.jury.writeParts(seeds)
}

// writeParts writes parts around the seeds.
func (j *Jury) writeParts(seeds []int32) error {
	g := j.graph
	o := g.ExcerptOptions.SampleOptions
	trained := (len(g.train) + o.Batch - 1) / o.Batch
	o.Batch = max(1, o.Batch/2)
	b := Divide(seeds, o, mat.Mix(g.Seed, 2))
	count := min(b.Len(), max(juryParts, trained))
	some := count
	if g.Some > 0 {
		some = min(some, g.Some)
	}
	f, err := NewScratch(g.Scratch, "jury")
	if err != nil {
		return err
	}
	j.parts = &drawn{count: count, file: f}
	return g.each(b, some, func(p *ExcerptPart) error {
		for _, r := range p.Seeds {
			if at := int32(len(j.Class)); p.in[r] == Valid {
				j.Valid = append(j.Valid, at)
			} else {
				j.Test = append(j.Test, at)
			}
			j.Class = append(j.Class, p.Class[r])
		}
		return g.writePart(j.parts, p)
	})
}

// Times returns how many parts each drawn part stands for, see Options.Some: 1 if all were drawn.
func (j *Jury) Times() float64 {
	if j.parts == nil {
		return 1
	}
	return float64(j.parts.count) / float64(max(1, len(j.parts.places)))
}

// Each yields the parts of the jury, in order.
func (j *Jury) Each(yield func(*ExcerptPart) error) error {
	if j.parts == nil {
		return nil
	}
	for i := range j.parts.places {
		if err := j.graph.Context.Err(); err != nil {
			return err
		}
		p, err := j.graph.read(j.parts, i)
		if err == nil {
			err = yield(p)
		}
		if err != nil {
			return err
		}
	}
	return nil
}
