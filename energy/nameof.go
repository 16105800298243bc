package energy

// NameOf is what reports and errors call a term: its Name, if it has one, else its type.
func NameOf(term any) string { return nameOf(term) }
