// Package pickle reads the Python pickles in which the Planetoid graphs and weights of PyTorch are published, and
// nothing else. Python's own reader calls whatever function a pickle names; this one knows nine names, makes plain Go
// values for them and refuses every other, with its place in the file.
//
// The values are:
//
//	None                           nil
//	bool, int, float               bool, int64, float64
//	str of Python 2 or 3           []byte, a part of the input
//	tuple, list                    Tuple, *List
//	dict, defaultdict, OrderedDict *Dict
//	numpy.ndarray                  *npy.Array
//	scipy.sparse.csr_matrix        *CSR
//	torch.Tensor of float32        *Tensor, whose numbers ReadCheckpoint finds in the archive around the pickle
//
// It knows the opcodes of protocol 2 that occur in these files, and SETITEM, which Python writes instead of SETITEMS if
// one item remains. There is no recursion: depth costs nothing. Memory is taken from a budget, value by value.
//
// Values may be shared, and a list may hold itself, as in Python.
package pickle
