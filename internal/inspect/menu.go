package inspect

import (
	"github.com/bloomgml/bloom/part"
	"github.com/bloomgml/bloom/recipe"
)

// Choice is an entry of one of the library's tables.
type Choice struct {
	Name string `json:"name"` // as in files; empty for a number
	Text string `json:"text"`
}

// Menu returns what a drawing can choose from, by the name of the table: the parts of the library that need no
// relations, labels or queries.
func Menu() map[string][]Choice {
	menu := map[string][]Choice{}
	for _, t := range recipe.Parts() {
		for _, p := range t.Parts {
			if suits(p) {
				menu[t.Name] = append(menu[t.Name], Choice{p.Name, p.Text})
			}
		}
	}
	return menu
}

// suits reports whether a part needs nothing but an undirected graph with features.
func suits(p part.Part[any]) bool {
	if f, ok := p.New.(recipe.Edge); ok {
		return f.Edges() == recipe.Undirected
	}
	return recipe.Placeless(p.New)
}
