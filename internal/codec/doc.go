// Package codec reads and writes single formats: arrays of NumPy (.npy, .npz), Python pickles and files of torch.save,
// safetensors, event files of TensorBoard, and RDF as N-Triples. Tables are in package table.
//
// # NumPy
//
// ReadNPY and WriteNPY are for the array files of NumPy: .npy, one array, and .npz, a zip archive of them.
//
//	a, err := codec.ReadNPY("labels.npy", nil)
//	class, err := a.Ints()
//
//	z, err := codec.OpenNPZ("minesweeper.npz", nil)
//	defer z.Close()
//	x, err := z.Read("node_features")
//
// Versions 1.0, 2.0 and 3.0 of the format are read, arrays in C and in Fortran order, of any number of dimensions, with
// elements that are bool, int8 to int64, uint8 to uint64, float16 to float64, byte strings or texts, in either byte
// order. Complex numbers, dates, records and Python objects are refused: the last are pickles, which can run code.
//
// A file is not believed. No memory is taken for a number in a header before it is known that the
// file can hold as much; see ReadNPY for the bound on what is then read.
//
// Chosen: written by hand. The one library there is, sbinet/npyio (0.6.0, of January 2022), allocates whatever a header
// claims, fills what a truncated file lacks with zeros without a word, panics on headers that are cut short, reads no
// version 3.0 and gives its slices in the order of the file, Fortran or not.
//
// # Pickles
//
// ReadPickle reads the Python pickles in which the Planetoid graphs are published, and the files of torch.save that
// hold graphs. Python's own reader calls whatever function a pickle names; this one knows a few names, makes plain Go
// values for them and refuses every other, with its place in the file.
//
// The values are:
//
//	None                           nil
//	bool, int                      bool, int64
//	str of Python 2                []byte, a part of the input
//	tuple, list                    Tuple, *List
//	dict, defaultdict(list)        *Dict
//	numpy.ndarray                  *Array
//	scipy.sparse.csr_matrix        *Object
//
// ReadTorch reads what torch.save wrote in the same way. It knows tensors and the classes of PyTorch Geometric, of
// which it keeps the state:
//
//	str, float                     string, float64
//	torch.Tensor                   *Array
//	torch_geometric.…              *Object
//
// It knows the opcodes of protocol 2 that occur in such files, and SETITEM, which Python writes instead of SETITEMS if
// one item remains. There is no recursion: depth costs nothing. Memory is taken from a budget, value by value.
//
// Values may be shared, and a list may hold itself, as in Python.
//
// # Safetensors
//
// WriteSafetensors and ReadSafetensors know the file format of that name: named matrices that every other system can
// load, with nothing in it that can run.
//
//	uint64, little endian   N, the length of the header
//	N bytes                 JSON {"name": {"dtype", "shape", "data_offsets": [begin, end]}, "__metadata__": {…}}
//	the rest                the numbers, little endian, without holes
//
// The bytes are a function of the contents: names are sorted, and the header is filled with spaces to a multiple of 8.
//
// # Events
//
// An EventWriter writes the event files that TensorBoard shows.
//
// A file is a list of records, all numbers little endian:
//
//	uint64 length   uint32 masked CRC-32C of these 8 bytes   data   uint32 masked CRC-32C of data
//
// Data is the protocol buffer Event {wall_time 1 double, step 2 int64, file_version 3 string, summary 5 {value 1 {tag
// 1, simple_value 2 float}}}. The first record has the version "brain.Event:2".
//
// # N-Triples
//
// A TripleReader reads RDF in the N-Triples format, one statement a line:
//
//	<http://example.org/anna> <http://example.org/knows> _:b1 .
//	<http://example.org/anna> <http://example.org/age> "31"^^<http://www.w3.org/2001/XMLSchema#integer> .
//
// Chosen: characters that the grammar wants escaped in IRIs but public dumps hold plain, {}|^ and the
// backquote, are accepted there. Anything else that the grammar forbids is an error.
package codec
