package kernel

import (
	"math"
	"math/bits"
	"testing"
)

func TestDropoutBodies(t *testing.T) {
	rng := entryRand()
	for _, n := range entrySizes() {
		x := withSpecials(rng, n)
		for _, p := range []Real{0, 0.1, 0.5, 0.9, 1} {
			want := make([]Real, n)
			for i, v := range x {
				if p < 1 && hash32(uint32(i), Mix(99, 0)) >= uint32(float64(p)*(1<<32)) {
					want[i] = v * Real(1/(1-float64(p)))
				}
			}
			eachLevel(t, func(t *testing.T) {
				src, dst := copyGuarded(x), newGuarded(n)
				Dropout(dst.x, src.x, 0, p, 99)
				sameNumbers(t, dst.x, want)
				dst.check(t, "dropout")
				Dropout(src.x, src.x, 0, p, 99)
				sameNumbers(t, src.x, want)
				src.check(t, "dropout in place")
			})
		}
	}
}

// sameNumbers is bit equality, but any NaN equals any other.
func sameNumbers(t *testing.T, got, want []Real) {
	t.Helper()
	for i := range want {
		if got[i] != want[i] && (got[i] == got[i] || want[i] == want[i]) {
			t.Fatalf("[%d] = %g, want %g", i, got[i], want[i])
		}
	}
}

// Positions beyond 2³² have another key, and bodies agree on any start.
func TestDropoutHighPositions(t *testing.T) {
	if dropoutKey(5, 0) == dropoutKey(5, 1) {
		t.Error("same key for both halves")
	}
	x := make([]Real, 100)
	Fill(x, 1)
	want := make([]Real, 100)
	dropoutPortable(want, x, math.MaxUint32-50, 77, 1<<31, 2)
	eachLevel(t, func(t *testing.T) {
		got := make([]Real, 100)
		dropoutRange(got, x, math.MaxUint32-50, 77, 1<<31, 2)
		sameBits(t, "start near 2³²", got, want)
	})
}

// Some numbers of a matrix are dropped as they are among all of it, on both sides of 2³² too.
func TestDropoutFrom(t *testing.T) {
	x := make([]Real, 100)
	Fill(x, 1)
	for _, first := range []int{0, 37, 1<<32 - 50} {
		want := make([]Real, 100)
		for i := range want {
			at := uint64(first + i)
			dropoutPortable(want[i:i+1], x[i:i+1], uint32(at), dropoutKey(5, at>>32), 1<<31, 2)
		}
		got := make([]Real, 100)
		Dropout(got, x, first, 0.5, 5)
		sameBits(t, "some numbers", got, want)
	}
}

// Statistics of the kept positions, each within five standard deviations of its expectation: a
// sound hash fails one of the 360 checks once in ten thousand choices of seeds, and these are fixed.
func TestDropoutStatistics(t *testing.T) {
	const n = 1 << 16
	mask := func(seed uint64, p Real) []float64 {
		x := make([]Real, n)
		Fill(x, 1)
		Dropout(x, x, 0, p, seed)
		m := make([]float64, n)
		for i, v := range x {
			if v != 0 {
				m[i] = 1
			}
		}
		return m
	}
	sigmas := func(what string, seed uint64, sum, mean, variance float64) {
		if z := (sum - n*mean) / math.Sqrt(n*variance); math.Abs(z) > 5 {
			t.Errorf("seed %d, %s: %.1f standard deviations off", seed, what, z)
		}
	}
	for _, p := range []Real{0.1, 0.5, 0.8} {
		keep := 1 - float64(p)
		last := mask(0, p)
		for seed := uint64(1); seed <= 20; seed++ {
			m := mask(seed, p)
			sum := 0.0
			for _, v := range m {
				sum += v
			}
			sigmas("mean", seed, sum, keep, keep*(1-keep))
			// (m − keep)(m' − keep) has mean 0 and variance (keep(1−keep))² if independent.
			pair := func(what string, other func(i int) float64) {
				sum := 0.0
				for i := range m {
					sum += (m[i] - keep) * (other(i) - keep)
				}
				sigmas(what, seed, sum, 0, keep*(1-keep)*keep*(1-keep))
			}
			pair("neighbours", func(i int) float64 { return m[(i+1)%n] })
			pair("rows of 64", func(i int) float64 { return m[(i+64)%n] })
			pair("rows of 500", func(i int) float64 { return m[(i+500)%n] })
			pair("flipped bit", func(i int) float64 { return m[i^4096] })
			pair("next seed", func(i int) float64 { return last[i] })
			last = m
		}
	}
}

// Flipping any bit of position or key flips every bit of the hash about half the time.
func TestHashAvalanche(t *testing.T) {
	rng := entryRand()
	const tries = 4000
	for bit := range 96 {
		var flips [32]int
		total := 0
		for range tries {
			i, key := rng.Uint32(), rng.Uint64()
			var d uint32
			if bit < 32 {
				d = hash32(i, key) ^ hash32(i^1<<bit, key)
			} else {
				d = hash32(i, key) ^ hash32(i, key^1<<(bit-32))
			}
			total += bits.OnesCount32(d)
			for b := range flips {
				flips[b] += int(d >> b & 1)
			}
		}
		// The high half of the key enters before the second multiplication only: its bits reach
		// most, not all, of the hash with probability one half, which is enough for a key.
		if share := float64(total) / (32 * tries); bit < 64 && math.Abs(share-0.5) > 0.02 || share < 0.3 {
			t.Errorf("bit %d flips %.3f of the hash", bit, share)
		}
	}
}

func TestMix(t *testing.T) {
	seen := map[uint64]bool{}
	for seed := range uint64(100) {
		for c := range uint64(100) {
			seen[Mix(seed, c)] = true
		}
	}
	if len(seen) != 100*100 {
		t.Errorf("%d different seeds of 10000", len(seen))
	}
}
