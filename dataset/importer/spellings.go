package importer

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode"

	"github.com/bloomgml/bloom/dataset"
)

// yesWords and noWords are spellings of yes and no in lower case.
var (
	yesWords = []string{"yes", "y", "true", "t", "1", "1.0", "ja", "j", "oui", "si", "sí", "wahr", "vrai", "on",
		"sim", "da", "да", "tak", "vero", "verdadero", "evet", "✓", "✔"}
	noWords = []string{"no", "n", "false", "f", "0", "0.0", "nein", "non", "falsch", "faux", "off", "não",
		"nao", "nu", "нет", "nie", "nej", "nee", "falso", "hayır", "✗", "✘"}
)

// truths returns which of names, the most frequent first, are other spellings of yes and no; nil if there is one
// spelling of each, or a name that is neither.
func truths(names []string) map[string]string {
	yes, no, same := "", "", map[string]string{}
	names = slices.Clone(names)
	// words before letters
	slices.SortStableFunc(names, func(a, b string) int { return min(2, len(b)) - min(2, len(a)) })
	for _, name := range names {
		word := strings.ToLower(strings.TrimSpace(name))
		first := &yes
		switch {
		case slices.Contains(noWords, word):
			first = &no
		case !slices.Contains(yesWords, word):
			return nil
		}
		if *first == "" {
			*first = name
		} else {
			same[name] = *first
		}
	}
	if len(same) == 0 || yes == "" || no == "" {
		return nil
	}
	return same
}

// sureSpellings returns those of same that are beyond doubt: words for yes and no, names of two letters or more that
// differ by case, spaces and punctuation alone, and names a twentieth as frequent that differ by a letter.
func (p *columnProfile) sureSpellings(same map[string]string) map[string]string {
	if sure := truths(byCount(p.levels)); sure != nil {
		return sure
	}
	sure, total := map[string]string{}, maps.Clone(p.levels)
	for name, to := range same {
		total[to] += p.levels[name]
	}
	for name, to := range same {
		if bare := bareLevel(name); bare == bareLevel(to) && len(bare) > 1 || 20*p.levels[name] <= total[to] {
			sure[name] = to
		}
	}
	return sure
}

// sameClasses merges classes that are spellings of others: those that are beyond doubt, and with Spec.Merge all that
// look alike; otherwise it reports these. The classes are in lists.
func (n *nodeImport) sameClasses(lists ...[]string) (why string) {
	p := columnProfile{levels: map[string]int{}}
	for _, texts := range lists {
		for _, text := range texts {
			if text != "" {
				p.levels[text]++
			}
		}
	}
	same := p.spellings()
	if n.merges(n.spec.Label) || len(same) == 0 {
		n.sameLabels = same
	} else if !slices.Contains(n.spec.Merge, mergeNone) {
		n.sameLabels = p.sureSpellings(same)
	}
	for _, texts := range lists {
		for i, text := range texts {
			if to, found := n.sameLabels[text]; found {
				texts[i] = to
			}
		}
	}
	if len(n.sameLabels) > 0 {
		why = fmt.Sprintf("; %s are read as the class in brackets; --merge none keeps them apart",
			spelled(n.sameLabels))
	}
	for name := range n.sameLabels {
		delete(same, name)
	}
	if len(same) > 0 {
		n.notes = append(n.notes, Warning+fmt.Sprintf("classes with similar spellings: %s; --merge %s merges them",
			spelled(same), flagValue(n.spec.Label)))
	}
	return why
}

// flagValue returns the name of a column as the shell needs it behind a flag.
func flagValue(name string) string {
	if strings.IndexFunc(name, func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r) && !strings.ContainsRune("_-.,/:@%+=", r)
	}) < 0 && name != "" {
		return name
	}
	return "'" + strings.ReplaceAll(name, "'", `'\''`) + "'"
}

// mergeNone is what Spec.Merge has if spellings of a label are not merged.
const mergeNone = "none"

// spelled names spellings and what they look like.
func spelled(same map[string]string) string {
	var list []string
	for _, name := range slices.Sorted(maps.Keys(same)) {
		list = append(list, fmt.Sprintf("%.20q (%.20s)", name, same[name]))
	}
	if len(list) > 3 {
		return fmt.Sprintf("%s and %d more", strings.Join(list[:3], ", "), len(list)-3)
	}
	return strings.Join(list, ", ")
}

// spellings returns levels that look like another, more frequent one.
//
// Chosen: they are all words for yes and no; or they differ by case, spaces and punctuation, or, being letters, at
// least four, and at most a fifth as frequent, by one letter, or by two that stand the other way round.
func (p *columnProfile) spellings() map[string]string {
	names := byCount(p.levels)
	if len(names) > 512 {
		return nil
	}
	if same := truths(names); same != nil {
		return same
	}
	same := map[string]string{}
	for i, name := range names {
		bare := bareLevel(name)
		if len(bare) > 40 { // a text
			continue
		}
		for _, other := range names[:i] {
			if _, merged := same[other]; merged {
				continue
			}
			to := bareLevel(other)
			if bare == to && bare != "" || 5*p.levels[name] <= p.levels[other] && oneLetter([]rune(bare), []rune(to)) {
				same[name] = other
				break
			}
		}
	}
	if len(same) == 0 {
		return nil
	}
	return same
}

// withZeros returns codes such as 117 that are there with zeros before them too, as 0117, of which a spreadsheet took
// them away; the longest is right.
func (p *columnProfile) withZeros() map[string]string {
	longest, same := map[string]string{}, map[string]string{}
	names := slices.SortedFunc(maps.Keys(p.levels), func(a, b string) int {
		return cmp.Or(len(b)-len(a), strings.Compare(a, b))
	})
	for _, name := range names {
		key := string(dataset.FoldID(nil, []byte(name)))
		if first, there := longest[key]; there {
			same[name] = first
		} else {
			longest[key] = name
		}
	}
	if len(same) == 0 {
		return nil
	}
	return same
}

// bareLevel returns a level in lower case, without spaces and punctuation.
func bareLevel(name string) string {
	return strings.Map(func(r rune) rune {
		if !unicode.IsLetter(r) && !unicode.IsDigit(r) && r != '+' && r != '-' {
			return -1
		}
		return unicode.ToLower(r)
	}, name)
}

// oneLetter reports whether two words of at least four letters differ by one, or by two that are exchanged.
func oneLetter(a, b []rune) bool {
	if len(a) > len(b) {
		a, b = b, a
	}
	if len(a) < 4 || len(b)-len(a) > 1 || slices.ContainsFunc(b, unicode.IsDigit) {
		return false
	}
	i := 0
	for i < len(a) && a[i] == b[i] {
		i++
	}
	if len(a) < len(b) {
		return slices.Equal(a[i:], b[i+1:])
	}
	if i+1 < len(a) && a[i] == b[i+1] && a[i+1] == b[i] && slices.Equal(a[i+2:], b[i+2:]) {
		return true
	}
	return i < len(a) && slices.Equal(a[i+1:], b[i+1:])
}
