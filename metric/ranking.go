package metric

import "math"

// Ranking is the position of one true entity among the candidates of its query, counted rather than sorted.
type Ranking struct {
	Greater   int // candidates with a greater score
	Equal     int // candidates with the same score, the true one not counted
	Negatives int // all candidates but the true one, after known facts were taken out
}

// Ties is the rank of an entity that shares its score with others.
type Ties uint8

// The tie rules. A model that gives everything the same score has Hits@10 = 1 under Optimistic and
// 0 under Pessimistic, which is why a figure without its rule says little.
const (
	Realistic   Ties = iota // 1 + Greater + Equal/2, the mean over orders of the equal ones
	Optimistic              // 1 + Greater
	Pessimistic             // 1 + Greater + Equal; NBFNet counts so
)

// Rank returns the rank of the true entity, from 1; under Realistic it may end in ½.
func (r Ranking) Rank(t Ties) float64 {
	switch t {
	case Optimistic:
		return float64(1 + r.Greater)
	case Pessimistic:
		return float64(1 + r.Greater + r.Equal)
	}
	return float64(1+r.Greater) + float64(r.Equal)/2
}

// average returns the mean of f over rankings.
func average(rs []Ranking, f func(Ranking) float64) float64 {
	sum := 0.0
	for _, r := range rs {
		sum += f(r)
	}
	return sum / float64(len(rs))
}

// MRR returns the mean of 1/rank.
func MRR(rs []Ranking, t Ties) float64 {
	return average(rs, func(r Ranking) float64 { return 1 / r.Rank(t) })
}

// MeanRank returns the mean of the ranks.
func MeanRank(rs []Ranking, t Ties) float64 {
	return average(rs, func(r Ranking) float64 { return r.Rank(t) })
}

// Hits returns the share of ranks ≤ k.
func Hits(rs []Ranking, k int, t Ties) float64 {
	return average(rs, func(r Ranking) float64 {
		if r.Rank(t) <= float64(k) {
			return 1
		}
		return 0
	})
}

// SampledHits estimates Hits@k among the true entity and m negatives drawn at random from the negatives of the full
// ranking: with p = (rank − 1)/negatives, the probability that one of them is ahead,
//
//	Σ_{i<k} binom(m, i) pⁱ (1−p)^(m−i)
//
// is the probability that fewer than k are, drawing with replacement. Source: NBFNet (Zhu et al.
// 2021), where it is called hits@10_50, with m = 49 in its PyG port and m = 50 in the original.
func SampledHits(rs []Ranking, k, m int, t Ties) float64 {
	return average(rs, func(r Ranking) float64 {
		if r.Negatives == 0 {
			return 1
		}
		return binomialBelow(k, m, (r.Rank(t)-1)/float64(r.Negatives))
	})
}

// binomialBelow returns the probability that fewer than k of m events of probability p happen.
func binomialBelow(k, m int, p float64) float64 {
	sum, ways := 0.0, 1.0
	for i := 0; i < k && i <= m; i++ {
		sum += ways * math.Pow(p, float64(i)) * math.Pow(1-p, float64(m-i))
		ways *= float64(m-i) / float64(i+1)
	}
	return min(sum, 1)
}
