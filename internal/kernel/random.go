package kernel

import "math"

// Golden is 2⁶⁴ over the golden ratio, odd: consecutive multiples of it spread evenly over 64 bits. It is the increment
// of splitmix64.
const Golden = 0x9e3779b97f4a7c15

// Mix derives an independent seed from a seed and a counter (epoch, layer). For one seed,
// different counters give different results.
func Mix(seed, counter uint64) uint64 {
	return Splitmix(Splitmix(seed+Golden) + Golden*(counter+1))
}

// Splitmix applies the output function of splitmix64 (Steele, Lea, Flood 2014), a bijection in which every input bit
// flips every output bit with probability near one half.
func Splitmix(z uint64) uint64 {
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return z ^ z>>31
}

// Uniform fills dst with numbers of [lo, hi); number i depends on seed and i only.
//
//	dst[i] = lo + (hi−lo)·u(seed, i)
func Uniform(dst []Real, lo, hi Real, seed uint64) {
	runRandom(randomJob{dst, lo, hi, seed, false})
}

// Normal fills dst with numbers of N(mean, sd²); number i depends on seed and i only.
//
//	dst[i] = mean + sd·Φ⁻¹(u(seed, i))
func Normal(dst []Real, mean, sd Real, seed uint64) {
	runRandom(randomJob{dst, mean, sd, seed, true})
}

// randomJob is Uniform between a and b, or Normal with mean a and deviation b.
type randomJob struct {
	dst    []Real
	a, b   Real
	seed   uint64
	normal bool
}

var randomJobs jobs[randomJob, *randomJob]

func runRandom(j randomJob) {
	if chunks := entryChunks(len(j.dst)); chunks > 1 {
		randomJobs.run(chunks, j)
	} else if chunks == 1 {
		j.do(0)
	}
}

func (j *randomJob) do(c int) {
	lo, hi := entryRange(c, len(j.dst))
	for i := lo; i < hi; i++ {
		u := unitInterval(Mix(j.seed, uint64(i)))
		if j.normal {
			j.dst[i] = Real(float64(j.a) + float64(j.b)*math.Sqrt2*math.Erfinv(2*u-1))
		} else {
			j.dst[i] = belowHi(Real(float64(j.a)+(float64(j.b)-float64(j.a))*u), j.a, j.b)
		}
	}
}

// unitInterval returns a number in (0, 1) from the high 52 bits: the middle of one of 2⁵² equal parts.
func unitInterval(bits uint64) float64 { return (float64(bits>>12) + 0.5) * 0x1p-52 }

// belowHi returns v, or lo if rounding made it hi.
func belowHi(v, lo, hi Real) Real {
	if v >= hi {
		return lo
	}
	return v
}
