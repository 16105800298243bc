package swap

import (
	"encoding/binary"
	"errors"
	"hash/crc32"
	"math"
	"os"
	"path/filepath"

	"github.com/bloomgml/bloom/graph"
	"github.com/bloomgml/bloom/internal/files"
)

// Source tells the facts to train on. It is asked more than once and says the same.
type Source interface {
	Facts(yield func(graph.Triple) error) error
}

// buckets are the facts by the parts of their heads and tails, in a file that does not change.
type buckets struct {
	file *os.File
	path string
	at   []int64  // where bucket p·i + j begins, in facts
	sums []uint32 // CRC-32C of every bucket
	p    int
	rows int // of a part
	room []byte
}

// factBytes is what a fact takes: three numbers, little endian.
const factBytes = 12

// bucketsName is the file of a folder that has them.
const bucketsName = "buckets.bin"

// createBuckets goes through the source twice: to count, and to write. Facts of a bucket keep their order.
func createBuckets(dir string, src Source, plan Plan) (*buckets, error) {
	b := &buckets{p: plan.Parts, rows: plan.Rows(), at: make([]int64, plan.Parts*plan.Parts+1),
		sums: make([]uint32, plan.Parts*plan.Parts), path: filepath.Join(dir, bucketsName)}
	err := src.Facts(func(t graph.Triple) error {
		if t.U < 0 || t.V < 0 || t.R < 0 || int(t.U) >= plan.Entities || int(t.V) >= plan.Entities ||
			int(t.R) >= plan.Relations {
			return files.Errorf(dir, "the fact %v is not about %d entities and %d relations", t, plan.Entities,
				plan.Relations)
		}
		b.at[b.of(t)+1]++
		return nil
	})
	if err != nil {
		return nil, err
	}
	for i := range b.sums {
		b.at[i+1] += b.at[i]
	}
	if b.file, err = os.Create(b.path + ".tmp"); err != nil {
		return nil, files.Because(b.path, err)
	}
	err = b.write(src)
	if err == nil {
		err = b.file.Sync()
	}
	if err = errors.Join(err, b.file.Close()); err == nil {
		err = os.Rename(b.path+".tmp", b.path)
	}
	if err != nil {
		_ = os.Remove(b.path + ".tmp") // the error that matters is err
		return nil, files.OrAt(err, files.Because(b.path, err))
	}
	return b, nil
}

// open opens the file, which must have as many facts as it was written with.
func (b *buckets) open() (err error) {
	if b.file, err = os.Open(b.path); err != nil {
		return files.Because(b.path, err)
	}
	info, err := b.file.Stat()
	if err != nil {
		return errors.Join(files.Because(b.path, err), b.file.Close())
	}
	if want := b.at[len(b.at)-1] * factBytes; info.Size() != want {
		return errors.Join(files.Errorf(b.path, "%d bytes, and its facts have %d: the file was cut", info.Size(), want),
			b.file.Close())
	}
	return nil
}

// of is the bucket of a fact.
func (b *buckets) of(t graph.Triple) int { return int(t.U)/b.rows*b.p + int(t.V)/b.rows }

// bucketBuffers is what the buffers of all buckets may take while they are written.
const bucketBuffers = 16 << 20

// write puts facts into their places.
func (b *buckets) write(src Source) error {
	buffers, next := make([][]byte, len(b.sums)), append([]int64(nil), b.at...)
	room := max(16, min(4096, bucketBuffers/len(buffers)/factBytes)) * factBytes
	flush := func(k int) error {
		x := buffers[k]
		if _, err := b.file.WriteAt(x, next[k]*factBytes); err != nil {
			return files.Because(b.path, err)
		}
		next[k] += int64(len(x) / factBytes)
		b.sums[k] = crc32.Update(b.sums[k], castagnoli, x)
		buffers[k] = x[:0]
		return nil
	}
	err := src.Facts(func(t graph.Triple) error {
		k := b.of(t)
		if buffers[k] == nil {
			buffers[k] = make([]byte, 0, room)
		}
		buffers[k] = appendFact(buffers[k], t)
		if len(buffers[k]) < room {
			return nil
		}
		return flush(k)
	})
	for k := range buffers {
		if err == nil {
			err = flush(k)
		}
	}
	return err
}

// count is how many facts a bucket has.
func (b *buckets) count(x [2]int) int {
	k := b.p*x[0] + x[1]
	return int(b.at[k+1] - b.at[k])
}

// most is the largest number of facts that a stage has.
func (b *buckets) most(stages []stage) int {
	most := 0
	for _, s := range stages {
		most = max(most, b.inStage(s))
	}
	return most
}

// inStage is how many facts a stage has.
func (b *buckets) inStage(s stage) (n int) {
	for _, x := range s.buckets {
		n += b.count(x)
	}
	return n
}

// within is how many facts of a stage have both ends in the part that came.
func (b *buckets) within(s stage) int {
	for _, x := range s.buckets {
		if x == [2]int{s.came, s.came} {
			return b.count(x)
		}
	}
	return 0
}

// appendFact writes a fact to the end of b.
func appendFact(b []byte, t graph.Triple) []byte {
	for _, x := range []int32{t.U, t.R, t.V} {
		b = binary.LittleEndian.AppendUint32(b, uint32(x))
	}
	return b
}

// factOf is the fact at the beginning of b.
func factOf(b []byte) graph.Triple {
	word := func(j int) int32 { return int32(binary.LittleEndian.Uint32(b[4*j:])) }
	return graph.Triple{U: word(0), R: word(1), V: word(2)}
}

// read yields the facts of a bucket.
func (b *buckets) read(x [2]int, add func(graph.Triple)) error {
	k, n := b.p*x[0]+x[1], b.count(x)
	if b.room == nil {
		b.room = make([]byte, 1<<14*factBytes)
	}
	sum := uint32(0)
	for done := 0; done < n; {
		m := min(n-done, len(b.room)/factBytes)
		at := (b.at[k] + int64(done)) * factBytes
		part := b.room[:m*factBytes]
		if _, err := b.file.ReadAt(part, at); err != nil {
			return files.Because(b.path, err)
		}
		sum = crc32.Update(sum, castagnoli, part)
		for i := range m {
			add(factOf(part[factBytes*i:]))
		}
		done += m
	}
	if sum != b.sums[k] {
		return files.Errorf(b.path, "bucket (%d, %d) has the checksum %08x, not %08x: the file has changed", x[0], x[1],
			sum, b.sums[k])
	}
	return nil
}

// maxFacts is how many facts a stage may have: they are numbered.
const maxFacts = math.MaxInt32 - 1
