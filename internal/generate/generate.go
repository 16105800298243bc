// Package generate makes data sets from nothing but a few numbers.
//
//	d, ok, err := generate.Make("csbm:nodes=500,seed=3")
package generate

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/bloomgml/bloom/dataset"
	"github.com/bloomgml/bloom/internal/build"
	"github.com/bloomgml/bloom/internal/keys"
	"github.com/bloomgml/bloom/mat"
)

// Generator makes data sets from nothing but a few numbers. Its result is a function of them, on every platform.
type Generator struct {
	Name  string
	About string // one sentence
	Keys  []key
	make  func(v values) (*dataset.Dataset, error)
}

// key is a number that a generator takes.
type key struct {
	Name     string
	Default  float64
	Min, Max float64
	Whole    bool // no fraction
	About    string
}

// values are the numbers of all keys of a generator.
type values map[string]float64

func (v values) whole(key string) int { return int(v[key]) }
func (v values) seed() uint64         { return uint64(v["seed"]) }

// seedKey is the key that every generator has. 2⁵³ is where whole numbers stop being exact.
var seedKey = key{"seed", 0, 0, 1 << 53, true, "seed of all random numbers"}

// All returns the built-in generators.
func All() []Generator { return []Generator{minesweeper, csbm, smooth, karate, family} }

// Make makes the built-in data set that ref names: "minesweeper", or with values for some of its keys
// "minesweeper:size=50,seed=7". ok is false if the name before the colon is not a generator; the ref may then be
// something else. An unknown key or a value out of range is an error.
func Make(ref string) (d *dataset.Dataset, ok bool, err error) {
	name, spec, _ := strings.Cut(ref, ":")
	list := All()
	i := slices.IndexFunc(list, func(g Generator) bool { return g.Name == name })
	if i < 0 {
		return nil, false, nil
	}
	v, err := list[i].parse(spec)
	if err != nil {
		return nil, true, fmt.Errorf("%s: %w", name, err)
	}
	if d, err = list[i].make(v); err != nil {
		return nil, true, fmt.Errorf("%s: %w", ref, err)
	}
	d.Name = ref
	return d, true, nil
}

// parse reads key=value,key=value over the defaults.
func (g Generator) parse(spec string) (values, error) {
	v := values{}
	known := make([]string, len(g.Keys))
	for i, k := range g.Keys {
		v[k.Name] = k.Default
		known[i] = k.Name
	}
	pairs, err := keys.ParsePairs(spec, known)
	if err != nil {
		return nil, err
	}
	for _, k := range g.Keys {
		if text, given := pairs[k.Name]; given {
			if v[k.Name], err = k.parse(text); err != nil {
				return nil, err
			}
		}
	}
	return v, nil
}

// parse reads a value and checks its range.
func (k key) parse(text string) (float64, error) {
	x, err := strconv.ParseFloat(text, 64)
	switch {
	case err != nil:
		return 0, fmt.Errorf("%s=%s is not a number", k.Name, text)
	case k.Whole && x != math.Trunc(x):
		return 0, fmt.Errorf("%s=%s is not a whole number", k.Name, text)
	case !(x >= k.Min && x <= k.Max):
		return 0, fmt.Errorf("%s=%s is not between %v and %v", k.Name, text, k.Min, k.Max)
	}
	return x, nil
}

// tenSplits returns ten splits, each with its own seed.
func tenSplits(seed uint64, split func(seed uint64) (dataset.Split, error)) ([]dataset.Split, error) {
	splits := make([]dataset.Split, 10)
	for i := range splits {
		var err error
		if splits[i], err = split(mat.Mix(seed, uint64(i))); err != nil {
			return nil, err
		}
	}
	return splits, nil
}

// stratified returns ten splits whose parts have the given shares of every class.
func stratified(class []int32, seed uint64, train, valid, test float64) ([]dataset.Split, error) {
	return tenSplits(seed, func(seed uint64) (dataset.Split, error) {
		return build.Stratified(class, [3]float64{train, valid, test}, seed)
	})
}

// numbered returns n names: a letter and a number each.
func numbered(letter string, n int) []string {
	names := make([]string, n)
	for i := range names {
		names[i] = letter + strconv.Itoa(i)
	}
	return names
}
