package codec

import (
	"archive/zip"
	"fmt"
	"io"
	"path"
	"slices"
	"strings"

	"github.com/bloomgml/bloom/internal/files"
)

// storages are the element types of PyTorch that are read.
var storages = map[global]string{
	"torch FloatStorage": "f4", "torch DoubleStorage": "f8", "torch HalfStorage": "f2",
	"torch LongStorage": "i8", "torch IntStorage": "i4", "torch ShortStorage": "i2", "torch CharStorage": "i1",
	"torch ByteStorage": "u1", "torch BoolStorage": "b1",
}

// isTorch reports whether a name may occur in a file of torch.save.
func isTorch(g global) bool {
	return storages[g] != "" || g == tensor || g == orderedDict || isGeometric(g)
}

// isGeometric reports whether a name is of PyTorch Geometric, whose classes are kept as an Object.
func isGeometric(g global) bool { return strings.HasPrefix(string(g), "torch_geometric.") }

// storage is memory that tensors share.
type storage struct {
	file  string
	dtype DType
	data  []byte
}

// torchFile is an open file of torch.save: a zip archive of ROOT/data.pkl and of numbers, ROOT/data/0 and so on.
type torchFile struct {
	path    string
	order   string // of the bytes of a number, < or >
	root    string
	members map[string]*zip.File
	read    map[string]*storage
}

// ReadTorch reads a file of torch.save within a budget; nil has no limit.
func ReadTorch(path string, b *files.Budget) (any, error) {
	f, size, err := openRegular(path, b)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	z, err := zip.NewReader(f, size)
	if err != nil {
		return nil, files.Errorf(path, "not a file of torch.save, or one of PyTorch before 1.6; "+
			"torch.save(torch.load(NAME), NAME) writes it again (%v)", err)
	}
	t, err := newTorchFile(path, z)
	if err != nil {
		return nil, err
	}
	if m := t.members[t.root+"/byteorder"]; m != nil {
		order, err := t.bytes(m, b)
		if err != nil {
			return nil, err
		}
		if string(order) == "big" {
			t.order = ">"
		}
	}
	data, err := t.bytes(t.members[t.root+"/data.pkl"], b)
	if err != nil {
		return nil, err
	}
	return (&decoder{file: path + ":" + t.root + "/data.pkl", data: data, budget: b, torch: t}).run()
}

// IsTorch reports whether a zip archive is a file of torch.save.
func IsTorch(z *zip.Reader) bool {
	return slices.ContainsFunc(z.File, func(m *zip.File) bool { return path.Base(m.Name) == "data.pkl" })
}

// newTorchFile lists the members of an archive.
func newTorchFile(file string, z *zip.Reader) (*torchFile, error) {
	t := &torchFile{path: file, order: "<", members: map[string]*zip.File{}, read: map[string]*storage{}}
	for _, m := range z.File {
		if root, ok := strings.CutSuffix(m.Name, "/data.pkl"); ok && !strings.Contains(root, "/") {
			t.root = root
		}
		t.members[m.Name] = m
	}
	if t.root == "" {
		return nil, files.Errorf(file, "a zip archive without data.pkl, which torch.save writes")
	}
	return t, nil
}

// bytes returns a member. PyTorch stores them as they are.
func (t *torchFile) bytes(m *zip.File, b *files.Budget) ([]byte, error) {
	name := t.path + ":" + m.Name
	if m.Method != zip.Store || m.UncompressedSize64 != m.CompressedSize64 || m.UncompressedSize64 > 1<<56 {
		return nil, files.Errorf(name, "is compressed, which torch.save does not do")
	}
	if err := b.Take(int64(m.UncompressedSize64), "its bytes"); err != nil {
		return nil, err
	}
	r, err := m.Open()
	if err != nil {
		return nil, files.InFile(name, err)
	}
	defer r.Close()
	data, err := io.ReadAll(io.LimitReader(r, int64(m.UncompressedSize64)+1))
	if err == nil && uint64(len(data)) != m.UncompressedSize64 {
		err = io.ErrUnexpectedEOF
	}
	if err != nil {
		return nil, files.Errorf(name, "%v", err)
	}
	return data, nil
}

// persistent executes BINPERSID: ('storage', torch.FloatStorage, '0', 'cpu', 12) is memory outside of the pickle.
func (d *decoder) persistent() {
	id, ok := d.pop().(Tuple)
	if d.err != nil {
		return
	}
	if !ok || d.torch == nil || len(id) != 5 || id[0] != any("storage") {
		d.fail("something outside of the pickle that is not the memory of a tensor")
		return
	}
	class, isClass := id[1].(global)
	key, isKey := id[2].(string)
	n, isNumber := id[4].(int64)
	if !isClass || !isKey || !isNumber || storages[class] == "" {
		d.fail("memory of a tensor that is not named by type, key, place and length")
		return
	}
	dtype, err := ParseDType(d.torch.order + storages[class])
	if err != nil {
		d.fail("%v", err)
		return
	}
	d.push(d.storage(key, dtype, n))
}

// storage reads memory, once.
func (d *decoder) storage(key string, dtype DType, n int64) *storage {
	s := d.torch.read[key]
	if s == nil {
		m := d.torch.members[d.torch.root+"/data/"+key]
		if m == nil {
			d.fail("the memory %q of a tensor is missing", key)
			return nil
		}
		data, err := d.torch.bytes(m, d.budget)
		if err != nil {
			d.err = err
			return nil
		}
		s = &storage{d.torch.path + ":" + m.Name, dtype, data}
		d.torch.read[key] = s
	}
	if s.dtype != dtype || n < 0 || n > 1<<56 || int64(len(s.data)) != n*int64(dtype.Size) {
		d.fail("the memory %q of a tensor has %d bytes, want %d numbers of type %v", key, len(s.data), n, dtype)
	}
	return s
}

// newTensor executes _rebuild_tensor_v2(storage, offset, size, stride, requires_grad, hooks).
func (d *decoder) newTensor(args Tuple) *Array {
	if len(args) < 6 {
		d.fail("a tensor that is not made of memory, offset, size and strides")
		return nil
	}
	s, isStorage := args[0].(*storage)
	offset, isNumber := args[1].(int64)
	size, isSize := whole(args[2])
	stride, isStride := whole(args[3])
	right := isStorage && isNumber && isSize && isStride && len(size) == len(stride)
	if !right || s == nil || len(size) > MaxDims {
		d.fail("a tensor that is not made of memory, offset, size and strides")
		return nil
	}
	data, err := s.layOut(offset, size, stride, d.budget)
	if err != nil {
		d.stop(err)
		return nil
	}
	a, err := NewArray(s.file, 0, s.dtype, size, false, data, d.budget)
	if err != nil {
		d.stop(err)
	}
	return a
}

// whole returns a tuple of whole numbers from 0.
func whole(v any) ([]int, bool) {
	t, ok := v.(Tuple)
	numbers := make([]int, len(t))
	for i, v := range t {
		n, isNumber := v.(int64)
		ok = ok && isNumber && n >= 0 && n < 1<<48
		numbers[i] = int(n)
	}
	return numbers, ok
}

// layOut returns the elements of a tensor row by row: element i of dimension k is stride[k] further than element i − 1.
// They are copied unless they lie so already.
func (s *storage) layOut(offset int64, size, stride []int, b *files.Budget) ([]byte, error) {
	count, last, plain := 1, offset, true
	for k := len(size) - 1; k >= 0; k-- {
		plain = plain && (stride[k] == count || size[k] == 1)
		if size[k] == 0 {
			return nil, nil
		}
		if count > 1<<48/size[k] {
			return nil, files.Errorf(s.file, "a tensor of size %v", size)
		}
		count *= size[k]
		if steps := int64(size[k] - 1); steps > 0 && int64(stride[k]) > (1<<56)/steps {
			return nil, files.Errorf(s.file, "a tensor with strides %v", stride)
		}
		last += int64(size[k]-1) * int64(stride[k])
	}
	width := int64(s.dtype.Size)
	if offset < 0 || offset > 1<<56 || last < 0 || last >= int64(len(s.data))/width {
		return nil, files.Errorf(s.file, "a tensor of size %v and strides %v ends beyond its %d numbers", size, stride,
			int64(len(s.data))/width)
	}
	if plain {
		return s.data[offset*width : (offset+int64(count))*width], nil
	}
	if err := b.Take(int64(count)*width, fmt.Sprintf("a tensor of size %v", size)); err != nil {
		return nil, err
	}
	out := make([]byte, 0, int64(count)*width)
	at := make([]int, len(size))
	for range count {
		out = append(out, s.data[offset*width:(offset+1)*width]...)
		for k := len(size) - 1; k >= 0; k-- { // the next element
			at[k]++
			offset += int64(stride[k])
			if at[k] < size[k] {
				break
			}
			offset -= int64(at[k]) * int64(stride[k])
			at[k] = 0
		}
	}
	return out, nil
}
