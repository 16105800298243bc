package build

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"

	"github.com/bloomgml/bloom/dataset"
	"github.com/bloomgml/bloom/internal/keys"
	"github.com/bloomgml/bloom/internal/random"
	"github.com/bloomgml/bloom/mat"
)

// Corruption spoils the features of some nodes, so that one can see whether a model notices. It acts on features as
// training uses them: Scale first, then Corrupt. With z a row of noise, a row x becomes
//
//	replace   c·z
//	add       x + c·z
//	permute   the row of another corrupted node of the same type, all in one cycle
type Corruption struct {
	Rows float64 // share p of the nodes: floor(p·n) of them; 0 corrupts none
	Kind string  // empty means replace
	// the entries of z: gaussian, N(0, 1), or uniform, on [0, 1); empty means gaussian, and permute has none
	Noise string
	Scale float64 // c; 0 means 1
	// what a spoilt row is divided by: none, or l1, the sum of its absolute values; empty means none
	Norm string
}

const (
	replace, add, permute = "replace", "add", "permute"
	gaussian, uniform     = "gaussian", "uniform"
	unscaled, l1          = "none", "l1"
)

// withDefaults fills in defaults, and returns an error for unknown values.
func (c Corruption) withDefaults() (Corruption, error) {
	c.Kind, c.Noise, c.Norm = cmp.Or(c.Kind, replace), cmp.Or(c.Noise, gaussian), cmp.Or(c.Norm, unscaled)
	c.Scale = cmp.Or(c.Scale, 1)
	kinds, noises, norms := []string{replace, add, permute}, []string{gaussian, uniform}, []string{unscaled, l1}
	switch {
	case !(c.Rows >= 0 && c.Rows <= 1):
		return c, fmt.Errorf("rows=%v is not between 0 and 1", c.Rows)
	case math.IsNaN(c.Scale) || math.IsInf(c.Scale, 0):
		return c, fmt.Errorf("scale=%v is not a finite number", c.Scale)
	case !slices.Contains(kinds, c.Kind):
		return c, keys.NewUnknown("kind", c.Kind, kinds)
	case !slices.Contains(noises, c.Noise):
		return c, keys.NewUnknown("noise", c.Noise, noises)
	case !slices.Contains(norms, c.Norm):
		return c, keys.NewUnknown("norm", c.Norm, norms)
	}
	return c, nil
}

// ParseCorruption reads "rows=0.2,kind=replace,noise=gaussian,scale=1,norm=none". Omitted keys have their defaults;
// rows is required. An empty text corrupts nothing.
func ParseCorruption(spec string) (c Corruption, err error) {
	pairs, err := keys.ParsePairs(spec, []string{"rows", "kind", "noise", "scale", "norm"})
	if err != nil {
		return c, fmt.Errorf("corruption %q: %w", spec, err)
	}
	if _, given := pairs["rows"]; !given && spec != "" {
		return c, fmt.Errorf("corruption %q: rows is missing, as in rows=0.2", spec)
	}
	for key, to := range map[string]*float64{"rows": &c.Rows, "scale": &c.Scale} {
		if text, given := pairs[key]; given {
			if *to, err = strconv.ParseFloat(text, 64); err != nil {
				return c, fmt.Errorf("corruption %q: %s=%s is not a number", spec, key, text)
			}
		}
	}
	if pairs["scale"] != "" && c.Scale == 0 {
		return c, fmt.Errorf("corruption %q: scale=0 adds no noise", spec)
	}
	c.Kind, c.Noise, c.Norm = pairs["kind"], pairs["noise"], pairs["norm"]
	if c, err = c.withDefaults(); err != nil {
		return c, fmt.Errorf("corruption %q: %w", spec, err)
	}
	return c, nil
}

// Corrupt returns d with the features of floor(c.Rows·n) nodes corrupted, drawn from all n nodes that have features,
// and listed in Corrupted together with the nodes that d listed there. It shares everything else with d. Sparse
// features stay sparse; a corrupted row stores all of its columns. The noise of a node is a function of seed and node.
func Corrupt(d *dataset.Dataset, c Corruption, seed uint64) (*dataset.Dataset, error) {
	c, err := c.withDefaults()
	if err != nil {
		return nil, fmt.Errorf("corruption: %w", err)
	}
	places := featureRows(d)
	nodes := random.Subset(random.New(seed, random.Corruption), len(places), floorShare(c.Rows, len(places)))
	chosen := make([][]corruptPlace, len(d.Features))
	out := *d
	out.Corrupted = slices.Clone(d.Corrupted)
	for _, i := range nodes {
		p := places[i]
		chosen[p.kind] = append(chosen[p.kind], p)
		out.Corrupted = append(out.Corrupted, p.node)
	}
	slices.Sort(out.Corrupted)
	out.Corrupted = slices.Compact(out.Corrupted)
	out.Features = slices.Clone(d.Features)
	for t, rows := range chosen {
		if len(rows) > 0 {
			fresh := c.spoil(d.Features[t], rows, seed)
			if c.Norm == l1 {
				for _, row := range fresh {
					toUnitSum(row)
				}
			}
			out.Features[t] = d.Features[t].WithRows(func(v int32) []mat.Real { return fresh[v] })
		}
	}
	return &out, nil
}

// floorShare returns floor(p·n) for the number p that was meant: 0.29·100 is 29, not 28.999….
func floorShare(p float64, n int) int { return min(n, int(p*float64(n)+1e-9)) }

// corruptPlace locates the features of a node.
type corruptPlace struct{ node, kind, row int32 }

// featureRows lists the nodes that have features, ascending.
func featureRows(d *dataset.Dataset) []corruptPlace {
	types, next := d.Graph.NodeTypes(), make([]int32, d.Graph.NumTypes())
	var places []corruptPlace
	for v := range int32(d.Graph.NumNodes()) {
		p := corruptPlace{node: v}
		if types != nil {
			p.kind = types[v]
		}
		p.row = next[p.kind]
		next[p.kind]++
		if int(p.kind) < len(d.Features) && d.Features[p.kind].Cols > 0 {
			places = append(places, p)
		}
	}
	return places
}

func (c Corruption) spoil(x dataset.Matrix, rows []corruptPlace, seed uint64) map[int32][]mat.Real {
	fresh := make(map[int32][]mat.Real, len(rows))
	if c.Kind == permute {
		order := slices.Clone(rows)
		random.Shuffle(random.At(seed, random.Corruption, int(rows[0].kind)), order)
		for i, p := range order {
			row := make([]mat.Real, x.Cols)
			x.Row(row, int(order[(i+1)%len(order)].row))
			fresh[p.row] = row
		}
		return fresh
	}
	for _, p := range rows {
		row := make([]mat.Real, x.Cols)
		if c.Kind == add {
			x.Row(row, int(p.row))
		}
		rng := random.At(seed, random.Corruption, int(p.node))
		draw := rng.NormFloat64
		if c.Noise == uniform {
			draw = rng.Float64
		}
		for j := range row {
			row[j] += mat.Real(c.Scale * draw())
		}
		fresh[p.row] = row
	}
	return fresh
}

// toUnitSum divides a row by the sum of its absolute values; a row of zeros stays as it is.
func toUnitSum(row []mat.Real) {
	sum := 0.0
	for _, v := range row {
		sum += math.Abs(float64(v))
	}
	if sum == 0 {
		return
	}
	for j := range row {
		row[j] = mat.Real(float64(row[j]) / sum)
	}
}
