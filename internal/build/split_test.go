package build

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/bloomgml/bloom/dataset"
)

// randomClasses are n classes below k, some of them unknown.
func randomClasses(seed uint64, n, k int) []int32 {
	rng := rand.New(rand.NewPCG(seed, 1))
	class := make([]int32, n)
	for v := range class {
		class[v] = int32(rng.IntN(k+1)) - 1
	}
	return class
}

// checkSplit wants ascending, disjoint parts of labelled nodes.
func checkSplit(t *testing.T, class []int32, s dataset.Split) {
	t.Helper()
	seen := map[int32]bool{}
	for _, part := range [][]int32{s.Train, s.Valid, s.Test} {
		if !slices.IsSorted(part) {
			t.Errorf("not ascending: %v", part)
		}
		for _, v := range part {
			if seen[v] || class[v] < 0 {
				t.Errorf("node %d of class %d is there twice or should not be", v, class[v])
			}
			seen[v] = true
		}
	}
}

func TestSplitsByShare(t *testing.T) {
	for seed := range uint64(30) {
		rng := rand.New(rand.NewPCG(seed, 2))
		n, k := rng.IntN(200), 1+rng.IntN(5)
		class := randomClasses(seed, n, k)
		shares := [3]float64{rng.Float64() / 3, rng.Float64() / 3, rng.Float64() / 3}
		if seed%3 == 0 {
			shares = [3]float64{0.5, 0.25, 0.25}
		}
		strata, err := Stratified(class, shares, seed)
		if err != nil {
			t.Fatal(err)
		}
		checkSplit(t, class, strata)
		total, size := make([]float64, k), 0
		for _, c := range class {
			if c >= 0 {
				total[c]++
				size++
			}
		}
		parts := [][]int32{strata.Train, strata.Valid, strata.Test}
		for i, part := range parts {
			count := make([]float64, k)
			for _, v := range part {
				count[class[v]]++
			}
			for c := range count {
				if math.Abs(count[c]-shares[i]*total[c]) > 1 {
					t.Errorf("seed %d: part %d has %v of %v nodes of class %d, share %v", seed, i, count[c], total[c],
						c, shares[i])
				}
			}
		}
		if seed%3 == 0 && len(strata.Train)+len(strata.Valid)+len(strata.Test) != size {
			t.Errorf("seed %d: shares of 1 leave nodes over", seed)
		}
	}
	for _, bad := range [][3]float64{{-0.1, 0, 0}, {0.5, 0.5, 0.1}, {math.NaN(), 0, 0}} {
		if _, err := Stratified(nil, bad, 0); err == nil {
			t.Errorf("shares %v were accepted", bad)
		}
	}
}

func TestPerClass(t *testing.T) {
	class := randomClasses(3, 400, 3)
	s, err := PerClass(class, 20, 50, 100, 7)
	if err != nil {
		t.Fatal(err)
	}
	checkSplit(t, class, s)
	count := make([]int, 3)
	for _, v := range s.Train {
		count[class[v]]++
	}
	if !slices.Equal(count, []int{20, 20, 20}) || len(s.Valid) != 50 || len(s.Test) != 100 {
		t.Errorf("%v a class, %d, %d", count, len(s.Valid), len(s.Test))
	}
	for _, bad := range [][3]int{{200, 0, 0}, {20, 200, 200}, {-1, 0, 0}} {
		if _, err := PerClass(class, bad[0], bad[1], bad[2], 0); err == nil {
			t.Errorf("sizes %v were accepted", bad)
		}
	}
}

// TestSplitGolden pins the random numbers: a seed in somebody's paper must mean the same split
// next year.
func TestSplitGolden(t *testing.T) {
	s, err := Stratified(make([]int32, 10), [3]float64{0.5, 0.2, 0.3}, 42)
	if err != nil {
		t.Fatal(err)
	}
	if want := (dataset.Split{Train: []int32{2, 3, 6, 7, 9}, Valid: []int32{4, 8},
		Test: []int32{0, 1, 5}}); !slices.Equal(s.Train, want.Train) || !slices.Equal(s.Valid, want.Valid) ||
		!slices.Equal(s.Test, want.Test) {
		t.Errorf("%v", s)
	}
}
