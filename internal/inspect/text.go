package inspect

import (
	"slices"

	"github.com/bloomgml/bloom/recipe"
)

// formula is the energy for people.
func formula(r *recipe.Recipe) Formula {
	t := Formula{F: []string{}, Kappa: []string{}, Eta: "0", Where: []string{}}
	for _, f := range r.F {
		x := f.Text()
		t.F = append(t.F, x.F)
		t.Where = add(t.Where, x.Where)
	}
	for _, k := range r.Kappa {
		x := k.Text()
		t.Kappa = append(t.Kappa, x.Kappa)
		t.Where = add(t.Where, x.Where)
	}
	if r.Eta != nil {
		t.Eta = r.Eta.Text().Eta
	}
	return t
}

// add appends what is not in the list yet.
func add(list, more []string) []string {
	for _, s := range more {
		if !slices.Contains(list, s) {
			list = append(list, s)
		}
	}
	return list
}

// layer is message, aggregation and update for people.
func layer(r *recipe.Recipe) Layer {
	t := Layer{Message: []string{}, Inverse: []string{}}
	for _, f := range r.F {
		x := f.Text()
		t.Message, t.Inverse = append(t.Message, x.ToV), append(t.Inverse, x.ToU)
	}
	g := "g_v = a_v"
	for _, k := range r.Kappa {
		g += " + " + k.Text().Grad
	}
	t.Aggregate = []string{"a_v = " + sum(len(r.F)), g}
	u := r.Update()
	t.Update, t.Where = u.Lines, u.Where
	return t
}

// sum is the aggregate of all messages to v.
func sum(terms int) string {
	if terms == 0 {
		return "0"
	}
	return "Σ_(u,r,v) μ + Σ_(v,r,u) μ⁻"
}
