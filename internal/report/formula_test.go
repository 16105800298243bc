package report

import (
	"encoding/xml"
	"io"
	"strings"
	"testing"

	"github.com/bloomgml/bloom/internal/recipe"
)

// TestTypeset: formulas become MathML, and words stay words.
func TestTypeset(t *testing.T) {
	for text, want := range map[string]string{
		"h_u C": `<math><msub><mi>h</mi><mi>u</mi></msub><mspace width="0.17em"/><mi>C</mi></math>`,
		"λ/2 x²": `<math><mfrac><mi>λ</mi><mn>2</mn></mfrac><mspace width="0.17em"/><msup><mi>x</mi><mn>2</mn></msup>` +
			`</math>`,
		"a/√d_v":                      `<math><mfrac><mi>a</mi><msqrt><msub><mi>d</mi><mi>v</mi></msub></msqrt></mfrac></math>`,
		"½ k_uv":                      `<math><mfrac><mn>1</mn><mn>2</mn></mfrac><mspace width="0.17em"/><msub><mi>k</mi><mrow><mi>u</mi><mi>v</mi></mrow></msub></math>`,
		"x < 0":                       "<math><mi>x</mi><mo>&lt;</mo><mn>0</mn></math>",
		"k and q, a word":             "<math><mi>k</mi></math> and <math><mi>q</mi></math>, a word",
		"log(h̄)":                     `<math><mi>log</mi><mo stretchy="false">(</mo><mi>h̄</mi><mo stretchy="false">)</mo></math>`,
		"x + y":                       `<math><mi>x</mi></math> <math><mo form="infix">+</mo><mi>y</mi></math>`,
		"β₁ = 0.9":                    "<math><msub><mi>β</mi><mn>1</mn></msub><mo>=</mo><mn>0.9</mn></math>",
		"proximal gradient, 16 steps": "proximal gradient, 16 steps",
	} {
		if got := typeset(text); got != want {
			t.Errorf("%s:\n%s\nwant\n%s", text, got, want)
		}
	}
}

// TestTypesetRecipes: the formulas of all recipes are well formed, and have every letter that the text has.
func TestTypesetRecipes(t *testing.T) {
	for _, r := range recipe.All() {
		var texts []string
		for _, f := range r.F {
			texts = append(append(texts, f.Text().F), f.Text().Where...)
		}
		for _, k := range r.Kappa {
			texts = append(texts, k.Text().Kappa)
		}
		if r.Eta != nil {
			eta, _ := r.Eta.Text()
			texts = append(texts, eta)
		}
		u := r.Update()
		for _, text := range append(append(texts, u.Name), u.Where...) {
			got := typeset(text)
			plain, err := plainText(got)
			if err != nil {
				t.Errorf("%s: %q: %v in %s", r.Name, text, err, got)
			}
			if want := onlyLetters(strings.ReplaceAll(text, "ˡ", "l")); onlyLetters(plain) != want {
				t.Errorf("%s: %q has letters %q, not %q", r.Name, text, onlyLetters(plain), want)
			}
		}
	}
}

// plainText is the text of HTML that is well formed.
func plainText(markup string) (string, error) {
	var b strings.Builder
	in := xml.NewDecoder(strings.NewReader("<p>" + markup + "</p>"))
	for {
		token, err := in.Token()
		if err == io.EOF {
			return b.String(), nil
		}
		if err != nil {
			return "", err
		}
		if text, ok := token.(xml.CharData); ok {
			b.Write(text)
		}
	}
}

// onlyLetters leaves letters out of which formulas are made.
func onlyLetters(s string) string {
	return strings.Map(func(c rune) rune {
		if c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= 'α' && c <= 'ω' {
			return c
		}
		return -1
	}, s)
}
