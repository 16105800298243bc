package audit

import (
	"math"
	"slices"

	"github.com/bloomgml/bloom/dataset"
)

// usualRows reports the rows whose norm, and whose number of columns that are not 0, lie between the fences, and empty
// rows. The others, such as rows of noise among words, are judged, but others are not judged by them: one in five
// would be what columns have in common, and noise would look like what is usual. If they match their neighbourhoods,
// they are rows of another kind of node, and usual.
func usualRows(x dataset.Matrix, hood *neighbours) []bool {
	var filled []int32 // rows
	var norm, count []float64
	for i := range int32(x.Rows) {
		square, n := 0.0, 0.0
		for _, v := range x.Entries(int(i)) {
			if v != 0 {
				square += float64(v) * float64(v)
				n++
			}
		}
		if n > 0 {
			filled, norm, count = append(filled, i), append(norm, math.Log(square)/2), append(count, math.Log(n))
		}
	}
	usual := slices.Repeat([]bool{true}, x.Rows)
	if len(filled) == 0 {
		return usual
	}
	for _, size := range [][]float64{norm, count} {
		low, high := fences(size, coarse)
		low, high = withinGaps(size, low, high)
		for k, s := range size {
			usual[filled[k]] = usual[filled[k]] && low <= s && s <= high
		}
	}
	odd := slices.DeleteFunc(filled, func(i int32) bool { return usual[i] })
	if speak(x, hood, odd) {
		return slices.Repeat([]bool{true}, x.Rows)
	}
	return usual
}

// coarse is the least length of the half that fences of logarithms of sizes are made of: a size that is eight times as
// large or as small is usual.
const coarse = 0.7

// beyond is how far fences are from the shortest half, in lengths of it.
const beyond = 3

// fences returns the bounds of usual numbers: Tukey's far fences, with the shortest half of the numbers, of length at
// least least, instead of the interquartile range. If fewer than half of the numbers are wrong it lies among the right
// ones, wherever the wrong ones are; a quarter would move a quartile.
func fences(x []float64, least float64) (low, high float64) {
	half := shortestHalf(x)
	low, high = half.sorted[half.from], half.sorted[half.to]
	wide := max(high-low, least)
	return low - beyond*wide, high + beyond*wide
}

// half is the shortest interval that holds half of some numbers, from one to another of them.
type half struct {
	sorted   []float64
	from, to int
}

func shortestHalf(x []float64) half {
	h := half{sorted: slices.Sorted(slices.Values(x)), to: len(x) / 2}
	n := h.to
	for i := range h.sorted[:len(x)-n] {
		if h.sorted[i+n]-h.sorted[i] < h.sorted[h.to]-h.sorted[h.from] {
			h.from, h.to = i, i+n
		}
	}
	return h
}

// apart is the ratio of sizes, as a logarithm, that separates kinds of rows if no row lies between.
const apart = 1

// withinGaps draws fences of sizes closer, to the first gaps on both sides of their shortest half: rows with all
// columns are another kind than rows with a hundred at most, however different those are.
func withinGaps(x []float64, low, high float64) (float64, float64) {
	h := shortestHalf(x)
	for i := h.from; i > 0; i-- {
		if h.sorted[i]-h.sorted[i-1] > apart {
			low = max(low, h.sorted[i])
			break
		}
	}
	for i := h.to; i+1 < len(x); i++ {
		if h.sorted[i+1]-h.sorted[i] > apart {
			high = min(high, h.sorted[i])
			break
		}
	}
	return low, high
}

// Rows match their neighbourhoods if a share of speaking fit their neighbours better than another node's row does.
// Half do by chance. The share must also be this many deviations above that.
const speaking, deviations = 0.6, 3

// speak reports whether rows of some nodes, as a whole, are more like their neighbours' than each other's are.
func speak(x dataset.Matrix, hood *neighbours, nodes []int32) bool {
	around, own, all := make([]float64, x.Cols), 0.0, 0.0
	fit := func(i int32) float64 {
		inner, square := 0.0, 0.0
		for j, v := range x.Entries(int(i)) {
			inner += float64(v) * around[j]
			square += float64(v) * float64(v)
		}
		return inner / math.Sqrt(max(square, 1e-300))
	}
	for k, i := range nodes {
		clear(around)
		for _, u := range hood.neighboursOf(i) {
			square := 1e-300
			for _, v := range x.Entries(int(u)) {
				square += float64(v) * float64(v)
			}
			for j, v := range x.Entries(int(u)) {
				around[j] += float64(v) / math.Sqrt(square)
			}
		}
		mine, other := fit(i), fit(nodes[(k+1+len(nodes)/3)%len(nodes)])
		if mine == other {
			continue
		}
		if all++; mine > other {
			own++
		}
	}
	return all > 0 && own >= max(speaking*all, (all+deviations*math.Sqrt(all))/2)
}
