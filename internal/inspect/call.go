package inspect

import (
	"encoding/json"
	"fmt"

	"github.com/bloomgml/bloom/recipe"
)

// Page is the engine behind one page.
type Page struct{ session *Session }

// Call answers a question of the page in JSON; what fails is an Answer with a sentence.
//
//	menu            Menu
//	open  Drawing   the descent, with what was learnt before
//	fresh Drawing   the same without
//	learn number    the descent after more epochs
func (p *Page) Call(what, argument string) string {
	answer, err := p.answer(what, argument)
	if err != nil {
		answer = map[string]string{"error": err.Error()}
	}
	text, err := json.Marshal(answer)
	if err != nil {
		text = []byte(`{"error":"the answer has numbers that are not finite"}`)
	}
	return string(text)
}

func (p *Page) answer(what, argument string) (any, error) {
	switch what {
	case "menu":
		return Menu(), nil
	case "open", "fresh":
		before := p.session
		if what == "fresh" {
			before = nil
		}
		var d Drawing
		if err := json.Unmarshal([]byte(argument), &d); err != nil {
			return nil, err
		}
		s, err := Open(d, before)
		if err != nil {
			return nil, err
		}
		p.session = s
		return s.Answer()
	case "learn":
		var epochs int
		if err := json.Unmarshal([]byte(argument), &epochs); err != nil || epochs < 1 || epochs > 1000 {
			return nil, fmt.Errorf("%q epochs, want 1 to 1000", argument)
		}
		if p.session == nil {
			return nil, fmt.Errorf("there is no drawing to learn from")
		}
		if err := p.session.Learn(epochs); err != nil {
			return nil, err
		}
		return p.session.Answer()
	}
	return nil, fmt.Errorf("unknown question %q", what)
}

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
			suits := recipe.Placeless(p.New)
			if f, ok := p.New.(recipe.Edge); ok {
				suits = f.Edges() == recipe.Undirected
			}
			if suits {
				menu[t.Name] = append(menu[t.Name], Choice{p.Name, p.Text})
			}
		}
	}
	return menu
}
