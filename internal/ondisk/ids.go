package ondisk

import (
	"strconv"

	"github.com/bloomgml/bloom/internal/files"
)

// IDs returns the ids of the nodes of block i.
func (s *Store) IDs(i int) ([]string, error) {
	b := s.m.Blocks[i]
	names := make([]string, b.Rows)
	if !s.Named {
		for r := range names {
			names[r] = strconv.Itoa(s.first[i] + r)
		}
		return names, nil
	}
	all := make([]byte, 4*b.Rows+int(b.IDBytes))
	if err := s.read(ids, i, all); err != nil {
		return nil, err
	}
	ends, text := make([]uint32, b.Rows), all[4*b.Rows:]
	copy(bytesOf(ends), all)
	fromFile(ends)
	at := uint32(0)
	for r, end := range ends {
		if end < at || int(end) > len(text) {
			return nil, files.ErrorAtByte(s.path(ids), s.offset[ids][i]+4*int64(r), "an id from byte %d to %d of %d",
				at,
				end, len(text))
		}
		names[r] = string(text[at:end])
		at = end
	}
	return names, nil
}

// Names returns the ids of the given nodes, which must ascend.
func (s *Store) Names(nodes []int32) ([]string, error) {
	names, at := make([]string, 0, len(nodes)), 0
	for i := range s.Blocks() {
		first, end := s.Rows(i)
		if at == len(nodes) || int(nodes[at]) >= end {
			continue
		}
		list, err := s.IDs(i)
		if err != nil {
			return nil, err
		}
		for ; at < len(nodes) && int(nodes[at]) < end; at++ {
			names = append(names, list[int(nodes[at])-first])
		}
	}
	return names, nil
}
