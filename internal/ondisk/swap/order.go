package swap

import "slices"

// stage is the parts that are in memory at a time, and the buckets that are trained on meanwhile.
type stage struct {
	slots   []int    // the part in every slot
	buckets [][2]int // (part of the head, part of the tail)
	// came is the part that was not there in the stage before, and met the parts that it has buckets with; −1 for the
	// first stage, all of whose buckets are trained on
	came int
	met  []int
}

// order is a sequence of stages in which any two of p parts meet, c being in memory at a time: c − 1 stay while the
// others pass through the last slot one after the other, and then leave for good in favour of c − 1 of these (Marius,
// algorithm BETA). From one stage to the next one part is read.
//
// Every bucket is trained on in the first stage that has both of its parts, also where stages go backwards.
func order(p, c int) []stage {
	in, out := upTo(0, c), upTo(c, p)
	states := [][]int{slices.Clone(in)}
	for len(out) > 0 {
		for i := range out {
			in[c-1], out[i] = out[i], in[c-1]
			states = append(states, slices.Clone(in))
		}
		n := min(c-1, len(out))
		for i := range n {
			in[i] = out[i]
			states = append(states, slices.Clone(in))
		}
		out = out[n:]
	}
	done := map[[2]int]bool{}
	stages := make([]stage, len(states))
	for i, slots := range states {
		s := stage{slots: placed(slots, p), buckets: fresh(slots, done), came: -1}
		for _, part := range slots {
			if i > 0 && !slices.Contains(states[i-1], part) {
				s.came = part
			}
		}
		for _, b := range s.buckets {
			if b[0] == s.came {
				s.met = append(s.met, b[1])
			}
		}
		stages[i] = s
	}
	return stages
}

// upTo are the numbers from a to before b.
func upTo(a, b int) []int {
	list := make([]int, 0, max(0, b-a))
	for ; a < b; a++ {
		list = append(list, a)
	}
	return list
}

// placed is the slots with the last of p parts, which may be shorter than the others, in the last slot: rows without an
// entity then come after all others.
func placed(slots []int, p int) []int {
	last := len(slots) - 1
	if i := slices.Index(slots, p-1); i >= 0 {
		slots[i], slots[last] = slots[last], slots[i]
	}
	return slots
}

// fresh are the buckets of parts that have not been done, which they then are.
func fresh(parts []int, done map[[2]int]bool) (list [][2]int) {
	sorted := slices.Sorted(slices.Values(parts))
	for _, i := range sorted {
		for _, j := range sorted {
			if b := [2]int{i, j}; !done[b] {
				done[b] = true
				list = append(list, b)
			}
		}
	}
	return list
}

// Swaps is how many parts an epoch reads after the first c:
//
//	(p − c) + k (p − c) − (c − 1) k (k − 1)/2        k = ⌈(p − c)/(c − 1)⌉
//
// The next epoch goes through the stages backwards and begins with the parts that are in memory.
func Swaps(p, c int) int {
	if p <= c {
		return 0
	}
	k := (p - c + c - 2) / (c - 1)
	return (p - c) + k*(p-c) - (c-1)*k*(k-1)/2
}

// LeastSwaps is what no order can do with less: a part that comes in meets c − 1 others, and p(p − 1)/2 pairs are to
// meet, of which the first c parts are c(c − 1)/2,
//
//	⌈(p(p − 1)/2 − c(c − 1)/2) / (c − 1)⌉
func LeastSwaps(p, c int) int {
	if p <= c {
		return 0
	}
	return (p*(p-1)/2 - c*(c-1)/2 + c - 2) / (c - 1)
}
