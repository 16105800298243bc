package audit

import (
	"cmp"
	"math"
	"slices"
)

// verdict holds likelihood ratios r_k = p(terms | wrong in way k) / p(terms | right), by networks that did not see the
// thing.
type verdict struct {
	*evidence
	asIs  [][]float64
	wrong [][][]float64 // of the examples of each way
	// stands says, after bounds, which of them do.
	stands []bool
	// pi are the shares of ways, and odds the logarithms of the odds that things are wrong.
	pi, odds []float64
	most     float64 // after bounds: an upper estimate of the share of wrong things
}

// share returns the estimates of the share of wrong things.
func (v *verdict) share() Share { return Share{sum(v.pi), max(v.most, sum(v.pi))} }

// distinct is how well a broad way must be distinguished from things as they are, a tenth of which may be wrong, to
// count for others like it.
const distinct = 0.9

// share returns the share of descending ratios that are at least as large as one.
func share(r []float64, least float64) float64 {
	n, _ := slices.BinarySearchFunc(r, least, func(x, t float64) int { return cmp.Compare(t, x) })
	return float64(n) / float64(max(len(r), 1))
}

// How well right things must be distinguished from wrong ones for the share of a fault to be believed: not below
// untold, and wholly from believed on; faint is the factor that remains below, so things are still ranked by it. Right
// and wrong classes differ only in the class, so less is enough. Right edges that look random are common, and degrees
// alone tell some of them from random pairs, so edges need more.
const (
	untoldClasses, untoldRows, untoldEdges = 0.2, 0.4, 0.55

	believed = 0.2 // above these
	faint    = 0.03
)

// chance is the number of deviations that a difference of two shares may have by chance, the largest of all
// thresholds.
const chance = 2

// bounds returns upper estimates of the shares π_k of faults: the largest that leave no threshold t at which fewer
// things are suspicious than the wrong ones alone would be, r being ratios to things as they are (Blanchard, Lee,
// Scott 2010):
//
//	π_k = min_t  P(r_k ≥ t | as it is) / P(r_k ≥ t | wrong in way k)
//
// over thresholds that a tenth of the examples reach, the first with one deviation of its count on top. Examples made
// of wrong things may be right: a share ρ = π_k·undone of them, so that π_k = min / (1 + min·undone).
//
// A fault that looks like things as they are, such as noise instead of noise, would be everywhere. How well right
// things are told from wrong ones is told = max_t (P(r_k ≥ t | wrong) − P(r_k ≥ t | as it is)), less what chance would
// give, divided by 1 − π_k − ρ, as some of either are the other. If that is little, the bound is far from π_k, and the
// less it is the more the estimate of powerLaw counts instead, or 0 for classes and edges, for which it was no better.
//
// A broad way, such as noise of one size that stands for noise of any, does not match the data exactly: if it is
// distinct, all things count that look more like it than like what is there, minus the things that do so by mistake,
// as often as examples do not.
func (v *verdict) bounds() []float64 {
	pi := make([]float64, len(v.wrong))
	v.most = 0
	v.stands = make([]bool, len(v.wrong))
	for k, list := range v.wrong {
		real, made, above := column(v.known(k), k), column(list, k), 0
		least, told := 1.0, 0.0
		for i := len(made) / 10; i < len(made); i++ {
			for above < len(real) && real[above] >= made[i] {
				above++
			}
			wrong := float64(i+1) / float64(len(made))
			right := (float64(above) + 1 + math.Sqrt(float64(above))) / float64(len(real))
			least, told = min(least, right/wrong), max(told, wrong-right)
		}
		likely := 0.0
		if v.lawful {
			likely = powerLaw(real, made, least)
		}
		least /= 1 + least*v.undone
		told -= chance * math.Sqrt(1/float64(len(real))+1/float64(len(made)))
		told /= max(1-least*(1+v.undone), 0.1)
		least, likely = least*float64(len(real))/float64(len(v.asIs)), likely*float64(len(real))/float64(len(v.asIs))
		belief := min(max((told-v.untold)/believed, faint), 1)
		if pi[k] = least * belief; told > 0 {
			pi[k] += likely * (1 - belief)
		}
		like, found := share(real, 1), share(made, 1)
		if v.stands[k] = v.isBroad(k) && found >= distinct && like <= 0.5; v.stands[k] {
			pi[k] = max(pi[k], (like+found-1)/(2*found-1))
		}
		v.most = min(v.most+max(pi[k], least), 1)
	}
	return pi
}

// powerLaw returns the share π of wrong things, at most the given one, if right things reach a threshold by a power of
// how often wrong ones do, as logarithms of ratios of two exponential distributions do:
//
//	P(r ≥ t | as it is) = (1 − π) a^(1+γ) + π a        a = P(r ≥ t | wrong), up to a fifth
//
// The counts between thresholds have Poisson's distribution. Of the shares that fit as well but for chance, it is the
// smallest: if wrong things look like right ones in every respect, any share fits.
func powerLaw(real, made []float64, most float64) (pi float64) {
	if len(real) == 0 || len(made) == 0 {
		return 0
	}
	n, best := float64(len(real)), math.Inf(-1)
	var fits []float64
	for p := 0.0; p <= most; p += 0.005 {
		fit := math.Inf(-1)
		for gamma := 0.02; gamma < 4; gamma *= 1.08 {
			sum, before, above := 0.0, 0.0, 0.0
			for _, a := range []float64{0.005, 0.01, 0.02, 0.05, 0.1, 0.15, 0.2} {
				seen, want := n*share(real, made[int(a*float64(len(made)))]), n*((1-p)*math.Pow(a, 1+gamma)+p*a)
				sum += (seen-above)*math.Log(want-before) - (want - before)
				before, above = want, seen
			}
			fit = max(fit, sum)
		}
		fits, best = append(fits, fit), max(best, fit)
	}
	return 0.005 * float64(slices.IndexFunc(fits, func(fit float64) bool { return fit >= best-chance*chance/2 }))
}

// common is how much of a broad way must occur for its examples to be weighed by what occurs.
const common = 0.1

// emphasise gives more weight to examples of broad ways that look like the data: if a fifth of the rows are noise of
// one size, noise of other sizes says little. An example with ratio r has ½ + ½ min(1, 1/r)/o, o being the mean of
// min(1, 1/r), the part that noise of all sizes and things as they are have in common.
func (v *verdict) emphasise() {
	v.emphasis = map[int][]float64{}
	for k, list := range v.wrong {
		weight, o := make([]float64, len(list)), 0.0
		for i, r := range list {
			weight[i] = min(1, 1/r[k])
			o += weight[i] / float64(len(list))
		}
		if !v.stands[k] || o < common {
			continue
		}
		for i, w := range weight {
			weight[i] = 0.5 + 0.5*w/o
		}
		v.emphasis[k] = weight
	}
}

// isBroad reports whether way k stands for others like it.
func (v *verdict) isBroad(k int) bool { return k >= v.broad[0] && k < v.broad[1] }

// known returns the ratios of things that tell how often way k happens. The row of another node, or its columns
// shuffled, has a usual size: what a network says of that about an odd row is a guess.
func (v *verdict) known(k int) [][]float64 {
	if k >= v.broad[0] && v.broad[0] > 0 || v.odd == nil {
		return v.asIs
	}
	var list [][]float64
	for i, r := range v.asIs {
		if !v.odd[i] {
			list = append(list, r)
		}
	}
	return list
}

// column is number k of every row, the largest first.
func column(rows [][]float64, k int) []float64 {
	c := make([]float64, len(rows))
	for i, r := range rows {
		c[i] = -r[k]
	}
	slices.Sort(c)
	for i := range c {
		c[i] = -c[i]
	}
	return c
}

// right returns how much each thing counts as right: 1 − Σ_k π_k r_k, r being ratios to things as they are, and 0 for
// things that a broad way stands for.
func (v *verdict) right(pi []float64) []float64 {
	return v.unless(func(i int) float64 {
		w := 1.0
		for k, p := range pi {
			w -= p * v.asIs[i][k]
		}
		return max(w, 0)
	})
}

// rightBy returns the same by the odds that things are wrong, r being ratios to things that are right.
func (v *verdict) rightBy(odds []float64) []float64 {
	return v.unless(func(i int) float64 { return 1 / (1 + math.Exp(odds[i])) })
}

// unless returns the weight of each thing, and 0 for things that a broad way stands for.
func (v *verdict) unless(weight func(i int) float64) []float64 {
	w := make([]float64, len(v.asIs))
	for i := range w {
		if !v.like(i) {
			w[i] = weight(i)
		}
	}
	return w
}

// like reports whether a broad way stands for thing i.
func (v *verdict) like(i int) bool {
	for k, r := range v.asIs[i] {
		if v.stands[k] && r >= 1 {
			return true
		}
	}
	return false
}

// stood returns the share of things that broad ways stand for.
func (v *verdict) stood() float64 {
	n := 0.0
	for i := range v.asIs {
		if v.like(i) {
			n++
		}
	}
	return n / float64(len(v.asIs))
}

// shares estimates the share π_k of things that are wrong in each way, by expectation and maximisation of
//
//	Σ_i log(1 − Σ_k π_k + Σ_k π_k r_ik)
//
// each at most its bound, and with half a thing in every way, so that no way is impossible. The energy of a thing is
// log Σ_k π_k r_k − log(1 − Σ_k π_k), the logarithm of the odds that it is wrong.
func (v *verdict) shares(bound []float64) (pi, odds []float64) {
	kinds, n := len(v.wrong), float64(len(v.asIs))
	pi, odds = make([]float64, kinds), make([]float64, len(v.asIs))
	for k := range pi {
		pi[k] = max(min(bound[k], 0.1), 1/n) / 2
	}
	for range 200 {
		left, next := 1-sum(pi), make([]float64, kinds)
		for i, r := range v.asIs {
			wrong := 0.0
			for k, p := range pi {
				wrong += p * r[k]
			}
			for k, p := range pi {
				next[k] += p * r[k] / (left + wrong)
			}
			odds[i] = math.Log(wrong) - math.Log(left)
		}
		for k := range pi {
			pi[k] = (min(next[k], n*bound[k]) + 0.5) / (n + 0.5*float64(kinds+1))
		}
	}
	return pi, odds
}

// mirrored makes probabilities of the ratios r of the first networks, which learnt from things of which a share π is
// wrong, and from examples of which ρ = π·undone are right. With W and R the densities of wrong and of right things,
//
//	r = ((1 − ρ) W + ρ R) / ((1 − π) R + π W)    p = π W / ((1 − π) R + π W) = π (r (1 − π) − ρ) / (1 − π − ρ)
//
// whose mean is π. Later networks rank better if little is wrong, and the simplest term if much is: things have these
// probabilities in the order of the mean of their ranks by the two.
func (v *verdict) mirrored(first *verdict, bound float64) {
	pi := max(bound, v.pi[0])
	rho := pi * v.undone
	plain := make([]float64, len(v.odds))
	for i, t := range v.evidence.asIs {
		plain[i] = -t[v.simplest]
	}
	ranks := normalScores(v.odds)
	for i, z := range normalScores(plain) {
		ranks[i] += z
	}
	p, order := make([]float64, len(v.odds)), make([]int, len(v.odds))
	for i, r := range first.asIs {
		p[i], order[i] = pi*(r[0]*(1-pi)-rho)/max(1-pi-rho, 0.05), i
	}
	slices.Sort(p)
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(ranks[a], ranks[b]) })
	for k, i := range order {
		x := min(max(p[k], smallest), 1-smallest)
		v.odds[i] = math.Log(x/(1-x)) + smallest*ranks[i] // equal ones keep their order
	}
	v.pi[0] = pi
}

// simplify orders things that are probably right by the simplest term, alone or with the networks, if that tells
// examples of the first way from things as they are better: where little distinguishes them, networks that look at all
// terms miss some of it.
func (v *verdict) simplify() {
	n := len(v.asIs)
	net, plain := make([]float64, 0, 2*n), make([]float64, 0, 2*n)
	for k, list := range [][][]float64{v.evidence.asIs, v.evidence.wrong[0]} {
		for i, t := range list {
			ratios := [][][]float64{v.asIs, v.wrong[0]}[k][i]
			net, plain = append(net, ratios[0]), append(plain, -t[v.simplest])
		}
	}
	both := normalScores(net)
	for i, z := range normalScores(plain) {
		both[i] += z
	}
	best, most := net, found(net, n)
	for _, score := range [][]float64{plain, both} {
		if x := found(score, n); x > most {
			best, most = score, x
		}
	}
	if &best[0] == &net[0] {
		return
	}
	var order []int
	var odds []float64
	for i, x := range v.odds {
		if x < 0 {
			order, odds = append(order, i), append(odds, x)
		}
	}
	slices.Sort(odds)
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(best[a], best[b]) })
	for k, i := range order {
		v.odds[i] = odds[k] + smallest*float64(k)/float64(n) // equal ones keep their order
	}
}

// found returns which part of the wrong things have the largest scores, where as many things are looked at: the mean
// over shares of wrong things. The first n scores belong to things as they are, the others to wrong ones.
func found(score []float64, n int) (mean float64) {
	order := make([]int, len(score))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(a, b int) int { return cmp.Compare(score[b], score[a]) })
	shares := []float64{0.01, 0.05, 0.1, 0.2, 0.4}
	for _, share := range shares {
		right, wrong := 0.0, 0.0
		for _, i := range order {
			if i < n {
				right += 1 / float64(n)
			} else {
				wrong += 1 / float64(len(score)-n)
			}
			if share*wrong+(1-share)*right >= share {
				break
			}
		}
		mean += wrong / float64(len(shares))
	}
	return mean
}

// probability of being wrong of a thing with some ratios.
func (v *verdict) probability(ratios []float64) float64 {
	wrong := 0.0
	for k, p := range v.pi {
		wrong += p * ratios[k]
	}
	return wrong / (wrong + 1 - sum(v.pi))
}

func sum(xs []float64) (s float64) {
	for _, x := range xs {
		s += x
	}
	return s
}
