package kernel

// Dropout zeroes each number with probability p and scales the others, a function of seed and
// position only, which counts from first on; its derivative is Dropout with the same seed. dst may be x.
//
//	dst[i] = x[i]/(1−p) if hash(seed, first + i) ≥ p·2³², else 0
func Dropout(dst, x []Real, first int, p Real, seed uint64) {
	if p >= 1 {
		Fill(dst, 0)
		return
	}
	j := dropoutJob{dst, x[:len(dst)], first, uint32(float64(p) * (1 << 32)), Real(1 / (1 - float64(p))), seed}
	if chunks := entryChunks(len(dst)); chunks > 1 {
		dropoutJobs.run(chunks, j)
	} else if chunks == 1 {
		j.do(0)
	}
}

// dropoutJob keeps the numbers whose hash is at least threshold.
type dropoutJob struct {
	dst, x    []Real
	first     int
	threshold uint32
	scale     Real
	seed      uint64
}

var dropoutJobs jobs[dropoutJob, *dropoutJob]

func (j *dropoutJob) do(c int) {
	lo, hi := entryRange(c, len(j.dst))
	for lo < hi {
		at := uint64(j.first + lo)
		to := int(min(uint64(hi-lo), 1<<32-at%(1<<32))) + lo
		dropoutRange(j.dst[lo:to], j.x[lo:to], uint32(at), dropoutKey(j.seed, at>>32), j.threshold, j.scale)
		lo = to
	}
}

// dropoutKey returns the key of the 2³² positions whose high half is given.
func dropoutKey(seed, high uint64) uint64 { return Mix(seed, high) }

func dropoutPortable(dst, x []Real, start uint32, key uint64, threshold uint32, scale Real) {
	for i, v := range x {
		if hash32(start+uint32(i), key) >= threshold {
			dst[i] = v * scale
		} else {
			dst[i] = 0
		}
	}
}

// hash32 mixes a position with a key: the two multiplications of lowbias32 (Wellons), with one
// half of the key before each. With one half only, the masks of two seeds would be the same up to
// a permutation of positions.
func hash32(i uint32, key uint64) uint32 {
	h := i ^ uint32(key)
	h ^= h >> 16
	h *= 0x7feb352d
	h ^= uint32(key >> 32)
	h ^= h >> 15
	h *= 0x846ca68b
	h ^= h >> 16
	return h
}

// dropoutRange is Dropout on one chunk, whose first position has the low half start.
func dropoutRange(dst, x []Real, start uint32, key uint64, threshold uint32, scale Real) {
	level := Active()
	if level == Portable {
		dropoutPortable(dst, x, start, key, threshold, scale)
		return
	}
	low, high := uint32(key), uint32(key>>32)
	entryLevels[level].dropout(entryPtr(dst), entryPtr(x), len(dst), start, low, high, threshold, scale)
}
