package report

import "testing"

// TestTypeset: variables are in italics, indices and exponents off the line, and words stay words.
func TestTypeset(t *testing.T) {
	for text, want := range map[string]string{
		"λ/2 ‖h_u C‖²":    "<i>λ</i>/2 ‖<i>h</i><sub><i>u</i></sub> <i>C</i>‖²",
		"h̄_uv < 0":       "<i>h̄</i><sub><i>uv</i></sub> &lt; 0",
		"k and q, a word": "<i>k</i> and <i>q</i>, a word",
		"Σ log cosh(x_1)": "Σ log cosh(<i>x</i><sub>1</sub>)",
		"β₁ˡ = 0.9":       "<i>β</i><sub>1</sub><sup><i>l</i></sup> = 0.9",
		"D^−½ XW":         "<i>D</i><sup>−½</sup> <i>XW</i>",
		"I∞[exp(iθ_r)]":   "<i>I</i><sub>∞</sub>[exp(<i>iθ</i><sub><i>r</i></sub>)]",
		"Adam, 16 steps":  "Adam, 16 steps",
		`<b "x">`:         "&lt;<i>b</i> &#34;<i>x</i>&#34;&gt;",
	} {
		if got := typeset(text); got != want {
			t.Errorf("%s:\n%s\nwant\n%s", text, got, want)
		}
	}
}
