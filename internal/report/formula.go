package report

import (
	"html"
	"slices"
	"strings"
	"unicode"
)

// functions are the words of formulas; other words of two letters and more are text.
var functions = []string{"log", "exp", "cosh", "tanh", "max", "min", "softplus", "sigmoid", "range", "prox", "Re"}

// raised are characters that stand above the line, and what they are there.
var raised = map[rune]string{'²': "2", '³': "3", 'ᵀ': "T", '⁻': "−", '¹': "1", 'ˡ': "l"}

// typeset is HTML for a formula as texts have it, such as λ/2 ‖h_u C − h_v‖²: MathML, with words between formulas as
// they are. A line may break at words and before plus signs.
func typeset(text string) string {
	t := typesetter{in: []rune(text)}
	for t.at < len(t.in) {
		t.next()
	}
	t.flush()
	return t.out.String()
}

// typesetter goes through a text from left to right.
type typesetter struct {
	in    []rune
	at    int
	out   strings.Builder
	atoms []atom // of the formula that is being read
	depth int    // of brackets and norms
	norm  bool   // inside ‖ ‖
}

// atom is a piece of MathML.
type atom struct {
	markup   string
	operand  bool // a letter or a number, with what is below and above it
	operator bool // which has its own space
}

// next reads what stands at the place.
func (t *typesetter) next() {
	switch c := t.in[t.at]; {
	case c == ' ':
		t.space()
	case c == '_', c == '^':
		t.at++
		t.attach(map[rune]string{'_': "msub", '^': "msup"}[c], row(t.run(func(c rune) bool {
			return unicode.IsLetter(c) || unicode.IsDigit(c) || c == '^' || c == '½' || c == '−' && t.in[t.at-1] == '^'
		})))
	case raised[c] != "":
		var up []rune
		for _, c := range t.run(func(c rune) bool { return raised[c] != "" }) {
			up = append(up, []rune(raised[c])...)
		}
		t.attach("msup", row(up))
	case c >= '₀' && c <= '₉':
		t.at++
		t.attach("msub", row([]rune{c - '₀' + '0'}))
	case c == '∞':
		t.at++
		t.attach("msub", "<mi>∞</mi>")
	case c == '/':
		t.slash()
	case unicode.IsLetter(c), unicode.IsDigit(c), c == '½', c == '√':
		t.operand()
	default:
		t.operator(c)
	}
}

// run reads characters as long as ok holds for them.
func (t *typesetter) run(ok func(rune) bool) []rune {
	from := t.at
	for t.at < len(t.in) && ok(t.in[t.at]) {
		t.at++
	}
	return t.in[from:t.at]
}

// space is a thin one between operands; operators have their own.
func (t *typesetter) space() {
	t.at++
	c := ' '
	if t.at < len(t.in) {
		c = t.in[t.at]
	}
	switch {
	case len(t.atoms) == 0:
		t.out.WriteByte(' ')
	case c == '+' && t.depth == 0:
		t.flush()
		t.out.WriteByte(' ')
	case !t.atoms[len(t.atoms)-1].operator && (isOperand(c) || strings.ContainsRune("½‖(⟨", c)):
		t.atoms = append(t.atoms, atom{markup: `<mspace width="0.17em"/>`})
	}
}

// operand reads a number, letters, or a word.
func (t *typesetter) operand() {
	c := t.in[t.at]
	switch {
	case c == '½':
		t.at++
		t.add("<mfrac><mn>1</mn><mn>2</mn></mfrac>")
		return
	case c == '√':
		t.at++
		before := len(t.atoms)
		for t.at < len(t.in) && len(t.atoms) == before {
			t.next()
		}
		for t.at < len(t.in) && t.in[t.at] == '_' {
			t.next()
		}
		last := &t.atoms[len(t.atoms)-1]
		last.markup = "<msqrt>" + last.markup + "</msqrt>"
		return
	case unicode.IsDigit(c):
		t.add("<mn>" + string(t.run(func(c rune) bool { return unicode.IsDigit(c) || c == '.' })) + "</mn>")
		return
	}
	t.letters(t.run(func(c rune) bool { return unicode.IsLetter(c) || unicode.Is(unicode.Mn, c) }))
}

// letters adds a function, letters one by one, or text.
func (t *typesetter) letters(word []rune) {
	s := string(word)
	small := strings.ToLower(s) == s && len(word) > 1 && !slices.ContainsFunc(word, func(c rune) bool {
		return c > 'z' // Greek, or with a mark
	})
	alone := t.at-len(word) > 0 && t.in[t.at-len(word)-1] == ' ' && t.at < len(t.in) && t.in[t.at] == ' '
	switch {
	case slices.Contains(functions, s), len(word) == 3 && unicode.IsLower(word[1]) && unicode.IsUpper(word[0]):
		t.add("<mi>" + s + "</mi>")
	case small, s == "a" && alone, len(word) > 3:
		t.flush()
		t.out.WriteString(html.EscapeString(s))
	default:
		t.add(row(word))
	}
}

// row is letters, one after the other, with the marks that they carry, and digits.
func row(text []rune) string {
	var b strings.Builder
	n := 0
	for i := 0; i < len(text); n++ {
		end := i + 1
		for end < len(text) && unicode.Is(unicode.Mn, text[end]) {
			end++
		}
		name := "mi"
		switch c := text[i]; {
		case unicode.IsDigit(c):
			name = "mn"
		case !unicode.IsLetter(c):
			name = "mo"
		}
		b.WriteString("<" + name + ">" + html.EscapeString(string(text[i:end])) + "</" + name + ">")
		i = end
	}
	if n == 1 {
		return b.String()
	}
	return "<mrow>" + b.String() + "</mrow>"
}

// add adds an operand.
func (t *typesetter) add(markup string) {
	t.atoms = append(t.atoms, atom{markup: markup, operand: true})
}

// attach puts something below or above the last atom.
func (t *typesetter) attach(name, what string) {
	if len(t.atoms) == 0 {
		t.add("<mrow></mrow>")
	}
	last := &t.atoms[len(t.atoms)-1]
	last.markup = "<" + name + ">" + last.markup + what + "</" + name + ">"
}

// slash is a fraction of two operands, and a slash elsewhere.
func (t *typesetter) slash() {
	t.at++
	over := len(t.atoms) - 1
	if over < 0 || !t.atoms[over].operand || t.at == len(t.in) || !isOperand(t.in[t.at]) {
		t.atoms = append(t.atoms, atom{markup: "<mo>/</mo>", operator: true})
		return
	}
	t.operand()
	for t.at < len(t.in) && (t.in[t.at] == '_' || raised[t.in[t.at]] != "") {
		t.next()
	}
	if len(t.atoms) != over+2 {
		return // a word came, and ended the formula
	}
	t.atoms[over].markup = "<mfrac>" + t.atoms[over].markup + t.atoms[over+1].markup + "</mfrac>"
	t.atoms = t.atoms[:over+1]
}

func isOperand(c rune) bool { return unicode.IsLetter(c) || unicode.IsDigit(c) || c == '√' }

// operator adds anything else.
func (t *typesetter) operator(c rune) {
	t.at++
	fence := ` stretchy="false"`
	switch {
	case c == '‖':
		t.norm = !t.norm
		fence += map[bool]string{true: ` form="prefix"`, false: ` form="postfix"`}[t.norm]
		t.depth += map[bool]int{true: 1, false: -1}[t.norm]
	case strings.ContainsRune("([⟨", c):
		t.depth++
	case strings.ContainsRune(")]⟩", c):
		t.depth--
	case c == '+' && len(t.atoms) == 0:
		fence = ` form="infix"`
	case c == '−' && len(t.atoms) > 0 && t.atoms[len(t.atoms)-1].operator:
		fence = ` form="prefix"`
	case c == ',' || c == ';' || c == ':' || c == '.' || c == '|':
		if t.depth == 0 {
			t.flush()
			t.out.WriteString(html.EscapeString(string(c)))
			return
		}
		fence = ""
	default:
		fence = ""
	}
	t.atoms = append(t.atoms, atom{markup: "<mo" + fence + ">" + html.EscapeString(string(c)) + "</mo>",
		operator: !strings.ContainsRune(")]⟩‖", c) || t.norm})
}

// flush ends a formula.
func (t *typesetter) flush() {
	spaces := ""
	for len(t.atoms) > 0 && strings.HasPrefix(t.atoms[len(t.atoms)-1].markup, "<mspace") {
		t.atoms, spaces = t.atoms[:len(t.atoms)-1], " "
	}
	switch number, ok := t.number(); {
	case ok:
		t.out.WriteString(number)
	case len(t.atoms) > 0:
		t.out.WriteString("<math>")
		for _, a := range t.atoms {
			t.out.WriteString(a.markup)
		}
		t.out.WriteString("</math>")
	}
	t.out.WriteString(spaces)
	t.atoms, t.depth, t.norm = nil, 0, false
}

// number is a formula that is nothing but a number, which is text.
func (t *typesetter) number() (string, bool) {
	if len(t.atoms) != 1 {
		return "", false
	}
	inside, ok := strings.CutPrefix(t.atoms[0].markup, "<mn>")
	return strings.TrimSuffix(inside, "</mn>"), ok
}
