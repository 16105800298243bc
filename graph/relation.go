package graph

// groups lists items by key: ids[ptr[k]:ptr[k+1]] are the items of key k, ascending.
type groups struct {
	ptr []int64
	ids []int32
}

// items returns the items of key k.
func (s *groups) items(k int32) []int32 {
	a, b := s.ptr[k], s.ptr[k+1]
	return s.ids[a:b:b]
}

// groupBy groups the positions of key by their value, which is below keys.
func groupBy(key []int32, keys int) groups {
	at, ids := starts(key, nil, keys), make([]int32, len(key))
	for i, k := range key {
		ids[at[k+1]] = int32(i)
		at[k+1]++
	}
	return groups{at[: keys+1 : keys+1], ids}
}

// RelationEdges returns the ids of the edges of relation r, ascending.
func (g *Graph) RelationEdges(r int32) []int32 {
	s := g.byRelation()
	return s.items(r)
}

// RelationIn returns the pattern of the edges of relation r by target, like In but with a row only for nodes that have
// such edges, and these nodes: the patterns of many relations over many nodes fit in memory only this way. Every call
// makes it again, in time |V| + |E_r|.
func (g *Graph) RelationIn(r int32) (Pattern, []int32) {
	return newPattern(g.dst, g.src, g.RelationEdges(r), g.nodes, g.nodes).compact()
}

// RelationOut is RelationIn by source, like Out.
func (g *Graph) RelationOut(r int32) (Pattern, []int32) {
	return newPattern(g.src, g.dst, g.RelationEdges(r), g.nodes, g.nodes).compact()
}

// compact returns p without its empty rows, and the row of p that each remaining row was. Entries are shared with p.
func (p Pattern) compact() (Pattern, []int32) {
	var rows []int32
	ptr := []int64{0}
	for v := range p.Rows {
		if p.Ptr[v+1] > p.Ptr[v] {
			rows, ptr = append(rows, int32(v)), append(ptr, p.Ptr[v+1])
		}
	}
	return Pattern{len(rows), p.Cols, ptr, p.Idx, p.Edge}, rows
}

// NodesOfType returns the nodes of type t, ascending, in a new slice.
func (g *Graph) NodesOfType(t int32) []int32 {
	var nodes []int32
	for v := range g.nodes {
		if g.nodeType == nil && t == 0 || g.nodeType != nil && g.nodeType[v] == t {
			nodes = append(nodes, int32(v))
		}
	}
	return nodes
}
