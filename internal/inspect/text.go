package inspect

import (
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/bloomgml/bloom/recipe"
)

// Describe writes the formula of a recipe and the layer that follows from it.
func Describe(r *recipe.Recipe) (Formula, Layer) {
	edges, nodes := distinct(r)
	f := Formula{F: []string{}, Kappa: []string{}, Eta: "0", Where: []string{}}
	l := Layer{Message: []string{}, Inverse: []string{}}
	for _, x := range edges {
		f.F, f.Where = append(f.F, x.F), appendNew(f.Where, x.Where)
		l.Message, l.Inverse = append(l.Message, x.ToV), append(l.Inverse, x.ToU)
	}
	g := "g_v = a_v"
	for _, x := range nodes {
		f.Kappa, f.Where = append(f.Kappa, x.Kappa), appendNew(f.Where, x.Where)
		g += " + " + x.Grad
	}
	if r.Eta != nil {
		f.Eta, _ = r.Eta.Text()
	}
	u := r.Update()
	l.Aggregate, l.Update, l.Where = []string{"a_v = " + sum(r.F), g}, u.Lines, u.Where
	return f, l
}

// appendNew appends what is not in the list yet.
func appendNew(list, more []string) []string {
	for _, s := range more {
		if !slices.Contains(list, s) {
			list = append(list, s)
		}
	}
	return list
}

// distinct returns the texts of all terms, letters that mean different things in different terms being numbered.
func distinct(r *recipe.Recipe) (edges []recipe.EdgeText, nodes []recipe.NodeText) {
	var wheres [][]string
	for _, f := range r.F {
		wheres = append(wheres, f.Text().Where)
	}
	for _, k := range r.Kappa {
		wheres = append(wheres, k.Text().Where)
	}
	letters := ambiguous(wheres)
	for i, f := range r.F {
		number, x := numbering(letters, i+1), f.Text()
		edges = append(edges, recipe.EdgeText{F: number.Replace(x.F), ToV: number.Replace(x.ToV),
			ToU: number.Replace(x.ToU), Where: replaceAll(number, x.Where)})
	}
	for i, k := range r.Kappa {
		number, x := numbering(letters, len(r.F)+i+1), k.Text()
		nodes = append(nodes, recipe.NodeText{Kappa: number.Replace(x.Kappa), Grad: number.Replace(x.Grad),
			Where: replaceAll(number, x.Where)})
	}
	return edges, nodes
}

// ambiguous returns the Greek letters that two terms define differently.
func ambiguous(wheres [][]string) []string {
	meaning, letters := map[string]string{}, []string{}
	for _, where := range wheres {
		own := map[string]string{}
		for _, s := range where {
			r, n := utf8.DecodeRuneInString(s)
			if strings.ContainsRune("λτδρα", r) {
				own[s[:n]] += s
			}
		}
		for letter, text := range own {
			if was, ok := meaning[letter]; ok && was != text && !slices.Contains(letters, letter) {
				letters = append(letters, letter)
			}
			meaning[letter] = text
		}
	}
	return letters
}

// numbering gives letters the number of a term as a subscript.
func numbering(letters []string, term int) *strings.Replacer {
	var pairs []string
	subscript := strings.Map(func(r rune) rune { return r - '0' + '₀' }, strconv.Itoa(term))
	for _, letter := range letters {
		pairs = append(pairs, letter, letter+subscript)
	}
	return strings.NewReplacer(pairs...)
}

func replaceAll(r *strings.Replacer, list []string) []string {
	out := make([]string, len(list))
	for i, s := range list {
		out[i] = r.Replace(s)
	}
	return out
}

// sum returns the aggregate of all messages to v. Terms for undirected edges treat both ends the same: there μ⁻ is μ
// with the ends exchanged.
func sum(terms []recipe.Edge) string {
	if len(terms) == 0 {
		return "0"
	}
	for _, f := range terms {
		if f.Edges() != recipe.Undirected {
			return "Σ_(u,r,v)∈E μ + Σ_(v,r,u)∈E μ⁻, over the edges into v and out of v"
		}
	}
	return "Σ_(u,v)∈E μ, over the neighbours u of v"
}
