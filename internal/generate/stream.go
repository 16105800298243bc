package generate

import (
	"fmt"
	"math"
	"math/bits"
	"strconv"
	"strings"

	"github.com/bloomgml/bloom/internal/ondisk"
	"github.com/bloomgml/bloom/internal/random"
	"github.com/bloomgml/bloom/mat"
)

// stream generates a graph of any size without holding it in memory: every edge and every row is a function of the seed
// and its number.
type stream struct {
	Name  string
	Keys  []key
	start func(v values) (edges, error)
}

// edges is what differs between streams: edge i, the class of a node, and how many nodes there are.
type edges interface {
	nodes() int
	edge(i uint64) (u, v int32)
	class(v int32) int32
}

// streamKeys are the keys that all streams have.
var streamKeys = []key{
	{"edges", 1e6, 1, 1e11, true, "number of edges that are drawn; loops and repeats among them are dropped"},
	{"classes", 16, 2, 1024, true, "number of classes, a power of two"},
	{"features", 64, 1, 4096, true, "number of features"},
	{"signal", 1, 0, 1e6, false, "length of the mean feature row of a class"},
	{"noise", 1, 0, 1e6, false, "deviation of every feature around its mean"},
	{"train", 0.2, 0, 0.5, false, "share of the nodes to train on, and again to validate on"},
	seedKey,
}

// streams lists all streams.
var streams = []stream{
	{"rmat", append([]key{{"nodes", 1 << 17, 4, 1 << 30, true, "number of nodes, a power of two"}}, streamKeys...),
		newRMAT},
	{"planted", append([]key{{"nodes", 1e5, 4, 1 << 30, true, "number of nodes"},
		{"homophily", 0.8, 0, 1, false, "probability that an edge joins nodes of one class"}}, streamKeys...),
		newPlanted},
}

// Stream returns a graph that is drawn while it is written, of any size:
//
//	rmat:nodes=1048576,edges=1e7,seed=3     a recursive matrix, whose degrees follow a power law
//	planted:nodes=1e6,edges=1e7             ends are drawn alike, of one class by homophily
//
// Classes are ranges of nodes for rmat, and the number of the node modulo classes for planted. Features are drawn as in
// csbm. ok is false if the name before the colon is not one of these.
func Stream(ref string) (s ondisk.Source, ok bool, err error) {
	name, spec, _ := strings.Cut(ref, ":")
	for _, x := range streams {
		if x.Name != name {
			continue
		}
		v, err := Generator{Keys: x.Keys}.parse(spec)
		if err != nil {
			return nil, true, fmt.Errorf("%s: %w", name, err)
		}
		if k := v.whole("classes"); k&(k-1) != 0 {
			return nil, true, fmt.Errorf("%s: classes=%d is not a power of two", name, k)
		}
		e, err := x.start(v)
		if err != nil {
			return nil, true, fmt.Errorf("%s: %w", name, err)
		}
		classes, columns := v.whole("classes"), v.whole("features")
		d := &drawn{edges: e, seed: v.seed(), count: uint64(v["edges"]), train: v["train"], noise: v["noise"],
			means: classMeans(classes, columns, v["signal"], random.New(v.seed(), random.Features))}
		d.info = ondisk.Info{Name: ref, Metric: "accuracy", Nodes: e.nodes(), Edges: int64(d.count),
			Columns: columns, Splits: 1, Classes: numbered("c", classes)}
		return d, true, nil
	}
	return nil, false, nil
}

// drawn is a stream with its values.
type drawn struct {
	edges
	info  ondisk.Info
	seed  uint64
	count uint64
	train float64
	noise float64
	means [][]float64 // of classes
}

func (d *drawn) Info() ondisk.Info { return d.info }

func (d *drawn) Pairs(yield func(u, v int32) error) error {
	for i := range d.count {
		if err := yield(d.edge(i)); err != nil {
			return err
		}
	}
	return nil
}

func (d *drawn) Row(v int32, x []mat.Real) error {
	rng, mean := random.At(d.seed, random.Features, int(v)), d.means[d.class(v)]
	for j := range x {
		x[j] = mat.Real(mean[j] + float64(d.noise*rng.NormFloat64()))
	}
	return nil
}

func (d *drawn) Label(v int32, parts []ondisk.Part) int32 {
	switch u := unit(mat.Mix(mat.Mix(d.seed, uint64(random.Splits)), uint64(v))); {
	case u < d.train:
		parts[0] = ondisk.Train
	case u < 2*d.train:
		parts[0] = ondisk.Valid
	default:
		parts[0] = ondisk.Test
	}
	return d.class(v)
}

// ID is never called: nodes are numbers.
func (d *drawn) ID(v int32) string { return strconv.Itoa(int(v)) }

// unit returns a number from 0 to below 1 from the bits of x.
func unit(x uint64) float64 { return float64(x>>11) / (1 << 53) }

// classMeans draws means uniformly from the sphere whose radius is signal.
func classMeans(k, columns int, signal float64, rng interface{ NormFloat64() float64 }) [][]float64 {
	means := make([][]float64, k)
	for c := range means {
		mean, square := make([]float64, columns), 0.0
		for j := range mean {
			mean[j] = rng.NormFloat64()
			square += float64(mean[j] * mean[j])
		}
		for j := range mean {
			mean[j] *= signal / math.Sqrt(square)
		}
		means[c] = mean
	}
	return means
}

// rmat is the recursive matrix of Chakrabarti, Zhan and Faloutsos (2004): the bits of both ends are drawn together from
// the highest, (0,0), (0,1), (1,0) and (1,1) with the probabilities 0.57, 0.19, 0.19 and 0.05 of Graph500, to 2⁻¹⁶. As
// ends share their first bits more often than not, classes are the ranges of nodes with the same first bits.
type rmat struct {
	seed  uint64
	bits  int // of a node
	shift int // to the class
}

func newRMAT(v values) (edges, error) {
	n := uint64(v.whole("nodes"))
	if n&(n-1) != 0 {
		return nil, fmt.Errorf("nodes=%d is not a power of two", n)
	}
	if v.whole("classes") > int(n) {
		return nil, fmt.Errorf("classes=%d of %d nodes", v.whole("classes"), n)
	}
	b := bits.Len64(n) - 1
	return rmat{mat.Mix(v.seed(), uint64(random.Graph)), b, b - bits.Len(uint(v.whole("classes"))) + 1}, nil
}

func (r rmat) nodes() int          { return 1 << r.bits }
func (r rmat) class(v int32) int32 { return v >> r.shift }

func (r rmat) edge(i uint64) (u, v int32) {
	x := mat.Mix(r.seed, i)
	for b := range r.bits {
		if b%4 == 0 && b > 0 {
			x = mat.Mix(x, i)
		}
		q := x >> (16 * (b % 4)) & 0xffff
		u, v = u<<1, v<<1
		switch {
		case q < 37355:
		case q < 49807:
			v++
		case q < 62259:
			u++
		default:
			u, v = u+1, v+1
		}
	}
	return u, v
}

// planted is a graph whose edges depend only on the classes of their ends.
type planted struct {
	seed      uint64
	n         int
	classes   int
	homophily float64
}

func newPlanted(v values) (edges, error) {
	p := planted{mat.Mix(v.seed(), uint64(random.Graph)), v.whole("nodes"), v.whole("classes"), v["homophily"]}
	if p.n < 2*p.classes {
		return nil, fmt.Errorf("%d nodes are too few for %d classes of at least 2", p.n, p.classes)
	}
	return p, nil
}

func (p planted) nodes() int          { return p.n }
func (p planted) class(v int32) int32 { return v % int32(p.classes) }

func (p planted) edge(i uint64) (u, v int32) {
	a := mat.Mix(p.seed, i)
	b := mat.Mix(a, i)
	hi, _ := bits.Mul64(a, uint64(p.n))
	u = int32(hi)
	if unit(mat.Mix(b, i)) >= p.homophily {
		hi, _ = bits.Mul64(b, uint64(p.n))
		return u, int32(hi)
	}
	c := int(p.class(u))
	hi, _ = bits.Mul64(b, uint64((p.n-c+p.classes-1)/p.classes))
	return u, int32(int(hi)*p.classes + c)
}
