package kernel

import "math"

// MaxAbs returns max_i |x[i]|: NaN if any entry is NaN, 0 if x is empty.
func MaxAbs(x []Real) Real {
	part := chunkMaxAbs(x)
	defer partials.release(part)
	return maxAbsPortable(part)
}

// FirstNonFinite returns the index of the first NaN or Inf, −1 if all are finite.
func FirstNonFinite(x []Real) int {
	part := chunkMaxAbs(x)
	defer partials.release(part)
	c := firstNonFinite(part)
	if c < 0 {
		return -1
	}
	lo, hi := entryRange(c, len(x))
	return lo + firstNonFinite(x[lo:hi])
}

// chunkMaxAbs is MaxAbs of every chunk of x, in a buffer of partials.
func chunkMaxAbs(x []Real) []Real {
	chunks := entryChunks(len(x))
	part := partials.acquire(chunks)
	if chunks > 1 {
		largestJobs.run(chunks, largestJob{part, x})
	} else if chunks == 1 {
		part[0] = maxAbsRange(x)
	}
	return part
}

// largestJob is part[c] = MaxAbs of chunk c.
type largestJob struct{ part, x []Real }

var largestJobs jobs[largestJob, *largestJob]

func (j *largestJob) do(c int) {
	lo, hi := entryRange(c, len(j.x))
	j.part[c] = maxAbsRange(j.x[lo:hi])
}

func maxAbsPortable(x []Real) Real {
	var m Real
	for _, v := range x {
		m = max(m, v, -v) // NaN wins
	}
	return m
}

func firstNonFinite(x []Real) int {
	for i, v := range x {
		if f := float64(v); math.IsNaN(f) || math.IsInf(f, 0) {
			return i
		}
	}
	return -1
}
