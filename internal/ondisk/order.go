package ondisk

import (
	"cmp"
	"errors"
	"os"
	"slices"

	"github.com/bloomgml/bloom/internal/files"
)

// rows reads an adjacency that was just written, row by row.
type rows struct {
	file   *os.File
	codes  *os.File // of relations; nil if there is only one
	path   string
	nodes  int
	blocks []span
	room   []int32
	code   []int32
}

// close closes the files.
func (r *rows) close() error {
	if r.codes == nil {
		return r.file.Close()
	}
	return errors.Join(r.file.Close(), r.codes.Close())
}

// each yields every node with its neighbours, and their codes if there are relations; both are valid until the next
// call.
func (r *rows) each(yield func(u int32, near, code []int32) error) error {
	if _, err := r.file.Seek(0, 0); err != nil {
		return files.Because(r.path, err)
	}
	u := int32(0)
	for _, b := range r.blocks {
		r.room = sized(r.room, b.Rows+int(b.Entries))
		if err := readFull(r.file, bytesOf(r.room)); err != nil {
			return files.Because(r.path, err)
		}
		fromFile(r.room)
		idx, code := r.room[b.Rows:], []int32(nil)
		if r.codes != nil {
			r.code = sized(r.code, int(b.Entries))
			if err := readFull(r.codes, bytesOf(r.code)); err != nil {
				return files.Because(r.codes.Name(), err)
			}
			fromFile(r.code)
			code = r.code
		}
		for _, d := range r.room[:b.Rows] {
			if err := yield(u, idx[:d], code[:min(int(d), len(code))]); err != nil {
				return err
			}
			idx, code = idx[d:], code[min(int(d), len(code)):]
			u++
		}
	}
	return nil
}

// choose computes the order.
func (b *builder) choose() error {
	if !b.reorders() {
		return nil
	}
	r, err := b.openPlain()
	if err != nil {
		return err
	}
	rank := make([]int32, b.Set.Nodes)
	place := degreeRank(rank)
	if b.Order == "ldg" {
		place = NewPartition(b.Set.Nodes, (b.Set.Nodes+blockRows-1)/blockRows).Join(rank)
	}
	err = r.each(func(u int32, near, _ []int32) error {
		if u%blockRows == 0 {
			if err := b.progress("order", int64(u), int64(b.Set.Nodes)); err != nil {
				return err
			}
		}
		place(u, near)
		return nil
	})
	if err = first(err, r.close()); err != nil {
		return err
	}
	b.order = make([]int32, b.Set.Nodes)
	for v := range b.order {
		b.order[v] = int32(v)
	}
	slices.SortFunc(b.order, func(u, v int32) int {
		return cmp.Or(cmp.Compare(rank[u], rank[v]), cmp.Compare(u, v))
	})
	return nil
}

// degreeRank ranks nodes by degree, largest first.
func degreeRank(rank []int32) func(u int32, near []int32) {
	return func(u int32, near []int32) { rank[u] = -int32(len(near)) }
}
