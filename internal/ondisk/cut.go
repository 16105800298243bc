package ondisk

// line is how many numbers fit into a cache line.
const line = 16

// Cut cuts columns into panels of most at the most: their first columns, then the number of all. Where there is room
// for it panels have whole lines in every row but for one panel, which has the rest: a row of 17 numbers is two lines
// to the memory, from where most neighbours come on a large graph, and one of 16 is one. Else panels are alike.
func Cut(columns, most int) []int {
	width, first := most/line*line, 0
	if width == 0 || columns <= most {
		count := max(1, (columns+most-1)/most)
		width = max(1, (columns+count-1)/count)
		first = min(width, columns)
	} else {
		first = columns - (columns-most+width-1)/width*width
	}
	cut := []int{0}
	for at := first; at < columns; at += width {
		cut = append(cut, at)
	}
	return append(cut, columns)
}

// Widest returns the number of columns of the widest panel.
func Widest(cut []int) (most int) {
	for k := range len(cut) - 1 {
		most = max(most, cut[k+1]-cut[k])
	}
	return most
}
