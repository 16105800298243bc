package event

import "github.com/bloomgml/bloom/mat"

// term is a piecewise linear function θ of one variable: weights at knots from lo to hi, at equal distances, constant
// outside. With one knot it is a weight.
type term struct {
	name   string
	lo, hi float64
	knots  int
	first  int     // of its weights
	scale  float64 // knots per unit
}

// The terms of a target, by their place in the table. They come three times: for sources that have met nobody, for
// those that have not met this target, and for those that have.
const (
	ofAgo = iota
	ofNumber
	ofKept
	ofActed
	ofMeetings
	ofFirsts = ofMeetings + scales
	ofTarget = ofFirsts + scales // how many these are

	forNobody = 0
	forOther  = ofTarget
	forMet    = 2 * ofTarget
)

// The terms of pairs.
const (
	metEver = 3*ofTarget + iota
	metRank
	metNumber
	metShare
	metNews
	metBeside
	otherBeside
	lastRun
	lastStays
	lastKept
	lastStale
	backEver
	backAgo
	backNumber
	backWaits
	self
	metCounts
	lastAgo  = metCounts + scales
	metAgo   = lastAgo + levels
	numTerms = metAgo + places
)

// Functions of the time since the last meeting differ by how often the source stays with its last target, from never
// to always, and by how many other targets it has met since: none, one, two or three, more.
const (
	levels = 5
	places = 4
)

// longest is clock.ago of a training period, and a little more.
const longest = 14

func table() []term {
	share := func(name string, knots int) term { return term{name: name, hi: 1, knots: knots} }
	ago := func(name string) term { return term{name: name, hi: longest, knots: longest + 1} }
	number := func(name string, largest int) term { // log₂ of a number
		return term{name: name, hi: float64(largest), knots: largest + 1}
	}
	decayed := func(name string) term { return term{name: name, lo: -6, hi: 6, knots: 13} }
	list := make([]term, numTerms)
	for of, who := range map[int]string{forNobody: "new source, ", forOther: "not met, ", forMet: "met, "} {
		list[of+ofAgo] = ago(who + "time since anybody met the target")
		list[of+ofNumber] = number(who+"events of the target", 10)
		list[of+ofKept] = share(who+"how often sources stay with the target", 6)
		list[of+ofActed] = ago(who + "time since the target was a source")
		for k, life := range halfLives {
			list[of+ofMeetings+k] = decayed(who + "events of the target" + life)
			list[of+ofFirsts+k] = decayed(who + "new sources of the target" + life)
		}
	}
	list[metEver] = term{name: "the pair has met", knots: 1}
	list[metRank] = term{name: "other targets met since", hi: 6, knots: 13}
	list[metNumber] = number("meetings of the pair", 8)
	list[metShare] = share("share of the source's events", 9)
	list[metNews] = share("how often the source meets new targets", 9)

	for k, who := range map[int]string{metBeside: "met, ", otherBeside: "not met, "} {
		list[k] = term{name: who + "visited together with the source's last targets", lo: -6, hi: 1, knots: 8}
	}
	list[lastRun] = number("last target, events in a row", 7)
	list[lastStays] = share("last target, how often the source stays", 9)
	list[lastKept] = share("last target, how often sources stay with it", 9)
	list[lastStale] = ago("last target, time since the last event that was learnt")
	list[backEver] = term{name: "the target has met the source", knots: 1}
	list[backAgo] = ago("time since the target met the source")
	list[backNumber] = number("times the target met the source", 8)
	list[backWaits] = ago("the target met the source last, time since")
	list[self] = term{name: "the source itself", knots: 1}
	for k, life := range halfLives {
		list[metCounts+k] = decayed("meetings of the pair" + life)
	}
	for k := range levels {
		list[lastAgo+k] = ago("last target, time since the pair met, by how often the source stays")
	}
	for k := range places {
		list[metAgo+k] = ago("time since the pair met")
	}
	return placed(list)
}

// halfLives are the scales in words.
var halfLives = [scales]string{", half-life a thousandth of the training period", ", half-life a hundredth",
	", half-life a tenth", ", half-life the whole"}

// placed gives the terms their weights.
func placed(list []term) []term {
	first := 0
	for k := range list {
		t := &list[k]
		t.first, first = first, first+t.knots
		if t.knots > 1 {
			t.scale = float64(t.knots-1) / (t.hi - t.lo)
		}
	}
	return list
}

// hat is a weight that a pair reads, and by how much.
type hat struct {
	at int32
	by mat.Real
}

// hats adds the weights that θ(x) reads: one, or two next to each other.
func (t *term) hats(r []hat, x float64) []hat {
	i, f := t.knot(x)
	if f == 0 {
		return append(r, hat{int32(i), 1})
	}
	return append(r, hat{int32(i), 1 - f}, hat{int32(i + 1), f})
}

// knot returns the weight at or before x, and how far x is on the way to the next.
func (t *term) knot(x float64) (i int, f mat.Real) {
	x = (x - t.lo) * t.scale
	if !(x > 0) {
		return t.first, 0
	}
	if x >= float64(t.knots-1) {
		return t.first + t.knots - 1, 0
	}
	i = int(x)
	return t.first + i, mat.Real(x - float64(i))
}

// read returns θ(x).
func (t *term) read(w []mat.Real, x float64) mat.Real {
	i, f := t.knot(x)
	if f == 0 {
		return w[i]
	}
	return w[i] + f*(w[i+1]-w[i])
}
