package node

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"

	"github.com/bloomgml/bloom/internal/keys"
	"github.com/bloomgml/bloom/mat"
	"github.com/bloomgml/bloom/metric"
	"github.com/bloomgml/bloom/train"
)

// rareShare is the share of the training nodes below which a class is rare: it is looked for rather than told apart.
const rareShare = 0.1

// rare returns the class that the fewest training nodes have, and whether that is rare.
func (c *classes) rare() (class int, is bool) {
	for y, n := range c.counts {
		if n < c.counts[class] {
			class = y
		}
	}
	return class, len(c.counts) > 1 && c.counts[class] < rareShare*float64(len(c.train))
}

// firstNodes is the number of most probable nodes that a user is assumed to look at.
const firstNodes = 100

// foundRare returns how many nodes of the rare class are among the most probable ones of nodes, by logits z. A score
// that the last of them shares with others counts as if one of these was drawn. It is nil if no class is rare.
func (t *Task) foundRare(z []mat.Real, nodes []int32) *train.Rare {
	c, ok := t.goal.(*classes)
	if !ok || len(nodes) == 0 {
		return nil
	}
	class, is := c.rare()
	if !is {
		return nil
	}
	type scored struct {
		p   float64
		has bool
	}
	list, all := make([]scored, len(nodes)), 0.0
	for i, v := range nodes {
		row := z[int(v)*len(c.Names) : (int(v)+1)*len(c.Names)]
		list[i] = scored{logOdds(row, class), c.Class[v] == int32(class)}
		if list[i].has {
			all++
		}
	}
	slices.SortFunc(list, func(a, b scored) int { return cmp.Compare(b.p, a.p) })
	n, hits := min(firstNodes, len(list)), 0.0
	for from := 0; from < n; {
		to, has := from, 0.0
		for to < len(list) && list[to].p == list[from].p {
			if list[to].has {
				has++
			}
			to++
		}
		hits += has * float64(min(to, n)-from) / float64(to-from)
		from = to
	}
	r := &train.Rare{Class: c.Names[class], Share: all / float64(len(list)), First: n, Precision: hits / float64(n)}
	if r.Share > 0 {
		r.Lift = r.Precision / r.Share
	}
	return r
}

// logOdds returns the log-odds of a class by a row of logits.
func logOdds(row []mat.Real, class int) float64 {
	top := math.Inf(-1)
	for y, x := range row {
		if y != class {
			top = max(top, float64(x))
		}
	}
	sum := 0.0
	for y, x := range row {
		if y != class {
			sum += math.Exp(float64(x) - top)
		}
	}
	return float64(row[class]) - top - math.Log(sum)
}

// rareNodesText returns how many of the rare class are among the most probable nodes, as a sentence; empty if none
// is.
func rareNodesText(r *train.Rare) string {
	if r == nil {
		return ""
	}
	return fmt.Sprintf(" Of the %d nodes that are most probably %q, %.0f are: %.3g times the number expected by "+
		"chance.", r.First, r.Class, r.Precision*float64(r.First), r.Lift)
}

// cost holds the costs of mistakes about the rarer of two classes: missing a node of it, and taking another node for
// it.
type cost struct{ miss, alarm float64 }

// parseCost reads miss=50,alarm=1; an empty text is the zero cost. The error is a *train.BadSetting.
func parseCost(text string) (c cost, err error) {
	pairs, err := keys.ParsePairs(text, []string{"miss", "alarm"})
	if err != nil {
		return c, &train.BadSetting{Key: "train.cost", Value: text,
			Want: "something like miss=50,alarm=1; " + err.Error()}
	}
	for key, to := range map[string]*float64{"miss": &c.miss, "alarm": &c.alarm} {
		value, given := pairs[key]
		if !given {
			*to = 1
			continue
		}
		if *to, err = strconv.ParseFloat(value, 64); err != nil || !(*to > 0 && *to < 1e12) {
			return c, &train.BadSetting{Key: "train.cost", Value: text,
				Want: fmt.Sprintf("something like miss=50,alarm=1; %s=%s is not a number above 0", key, value)}
		}
	}
	return c, nil
}

// saved returns minus the cost of the answers that were counted, by which a threshold is chosen.
func (c cost) saved(rare int) func(metric.Counts) float64 {
	return func(n metric.Counts) float64 {
		return -c.miss*float64(n[rare].Missed) - c.alarm*float64(n[rare].Wrong)
	}
}
