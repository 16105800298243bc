"""Seconds an epoch of mini-batch training: train.sample of bloom beside NeighborLoader and Cluster-GCN of PyG.

Both read the same folders of blocks, made by `bloom data blocks` where they are missing: pubmed with 60 % of its nodes
to train on, tolokers, and a planted graph of the size of ogbn-arxiv with half of them. An epoch sees every training
node once, 1,024 a batch, with ten neighbours of each and so many hops as the model has layers (two for the descents).
Models have 256 columns: gcn, sage, base (an MLP of two layers, 8 steps of APPNP, a linear layer) and robust (the same
with steps of the Huber energy). PyG is tried with lists of edges and with sparse matrices. Clusters are those of METIS,
about 100 nodes each, as many a batch as have 1,024 training nodes, and of bloom its own, as many of them
(train.sample.clusters). A turn of bloom, one of each loader and one of bloom again, with neighbours and with clusters
as --systems says; prints system, loader, workload and the median seconds of an epoch. Where five epochs take longer than
--most, an epoch is concluded from the median batch. With --cpu seconds are those of the processor, on one thread each,
for a machine that has other work: of bloom the difference of runs with 2 and 6 epochs."""
import argparse, glob, json, os, resource, shutil, statistics, struct, subprocess, tempfile, time
import numpy as np
import torch, torch.nn.functional as F
from torch_geometric.data import Data
from torch_geometric.loader import ClusterData, ClusterLoader, NeighborLoader
from torch_geometric.nn import APPNP, GCNConv, SAGEConv
from torch_geometric.transforms import ToSparseTensor
from torch_geometric.utils import spmm

BATCH, FANOUT, WIDTH, STEPS = 1024, 10, 256, 8
PLANTED = "planted:nodes=169343,edges=1157799,features=128,classes=32,train=0.5"
MODELS = {"gcn": 2, "sage": 2, "sage3": 3, "base": 2, "robust": 2}  # hops


def folder(bloom, work, name):
    """The folder of blocks of a data set."""
    path = os.path.join(work, name + ".bloom")
    if os.path.exists(path):
        return path
    data = [PLANTED if name == "planted" else name]
    if name == "pubmed":  # its own split has 60 nodes to train on; without the column it is 60, 20 and 20 %
        tables = os.path.join(work, "tables")
        subprocess.run([bloom, "data", "export", name, tables, "--force"], check=True, capture_output=True)
        data = ["--edges", tables + "/edges.csv", "--nodes", tables + "/nodes.csv", "--label", "label", "--ignore",
                "split"]
    subprocess.run([bloom, "data", "blocks", *data, path], check=True, capture_output=True)
    return path


def read(path):
    """A folder of blocks, see internal/ondisk."""
    with open(path + "/blocks.json") as f:
        info = json.loads(f.read().split("\n", 1)[1])
    near, label = np.fromfile(path + "/adjacency.bin", np.int32), np.fromfile(path + "/labels.bin", np.uint8)
    degrees, targets, classes, parts = [], [], [], []
    for b in info["blocks"]:
        rows = b["rows"]
        degrees.append(near[:rows])
        targets.append(near[rows:rows + b["entries"]])
        near = near[rows + b["entries"]:]
        classes.append(label[:4 * rows].view(np.int32))
        parts.append(label[4 * rows:5 * rows])
        label = label[rows * (4 + info["splits"]):]
    n = info["nodes"]
    sources = np.repeat(np.arange(n), np.concatenate(degrees))
    x = np.fromfile(path + "/features.bin", np.float32).reshape(n, info["columns"])
    edges = np.stack([np.concatenate(targets).astype(np.int64), sources])
    return Data(x=torch.from_numpy(x), y=torch.from_numpy(np.concatenate(classes)).long(),
                edge_index=torch.from_numpy(edges), train=torch.from_numpy(np.concatenate(parts) == 1))


class Stack(torch.nn.Module):
    def __init__(self, conv, columns, classes, layers):
        super().__init__()
        sizes = [columns] + [WIDTH] * (layers - 1) + [classes]
        self.layers = torch.nn.ModuleList(conv(a, b) for a, b in zip(sizes, sizes[1:]))

    def forward(self, x, edges):
        for layer in self.layers[:-1]:
            x = F.dropout(F.relu(layer(x, edges)), 0.5, self.training)
        return self.layers[-1](x, edges)


class Huber(torch.nn.Module):
    """Steps of Σ ½‖h_u − h_v‖² + Σ huber(h − π)."""

    def forward(self, p, edges):
        if isinstance(edges, torch.Tensor) and edges.layout == torch.strided:
            edges = torch.sparse_coo_tensor(edges.flip(0), torch.ones(edges.size(1)), (len(p), len(p)))
        degree = spmm(edges, torch.ones(len(p), 1))
        h = p
        for _ in range(STEPS):
            h = h - (degree * h - spmm(edges, h) + torch.clamp(h - p, -1, 1)) / (1 + degree)
        return h


class Descent(torch.nn.Module):
    def __init__(self, steps, columns, classes):
        super().__init__()
        self.one, self.two = torch.nn.Linear(columns, WIDTH), torch.nn.Linear(WIDTH, WIDTH)
        self.head, self.steps = torch.nn.Linear(WIDTH, classes), steps

    def forward(self, x, edges):
        return self.head(self.steps(self.two(F.dropout(F.relu(self.one(x)), 0.5, self.training)), edges))


def model_of(name, columns, classes):
    if name in ("base", "robust"):
        return Descent(APPNP(STEPS, 0.5) if name == "base" else Huber(), columns, classes)
    return Stack(GCNConv if name == "gcn" else SAGEConv, columns, classes, MODELS[name])


class Metis(ClusterData):
    """Clusters by METIS as pymetis has it, kept in a file: PyG has METIS with pyg-lib alone."""

    def __init__(self, path, data, parts):
        self.path = path
        super().__init__(data, parts, log=False)

    def _metis(self, edge_index, num_nodes):
        if not os.path.exists(self.path):
            import pymetis
            target, source = edge_index.numpy()  # ordered by source, see read
            ptr = np.concatenate([[0], np.cumsum(np.bincount(source, minlength=num_nodes))])
            graph = pymetis.CSRAdjacency(ptr, target)
            np.save(self.path, np.array(pymetis.part_graph(self.num_parts, graph)[1]))
        return torch.from_numpy(np.load(self.path)).long()


def division(data, each):
    """How many batches an epoch has, and how many clusters."""
    count = (int(data.train.sum()) + BATCH - 1) // BATCH
    return count, data.num_nodes // each if each else count


def loaders(path, data, hops, only, each):
    """Of PyG's: a name, how many batches an epoch has, the loader, and which rows of a batch the loss is about."""
    count, n = division(data, each)
    if "neighbour" in only:
        near = NeighborLoader(data, [FANOUT] * hops, input_nodes=data.train, batch_size=BATCH, shuffle=True)
        yield "NeighborLoader", count, near, lambda b: slice(0, b.batch_size)
    if "cluster" in only:
        name = path + (".clusters.npy" if each else ".parts.npy")
        parts = ClusterLoader(Metis(name, data, n), batch_size=max(1, n // count), shuffle=True)
        yield "ClusterLoader", len(parts), parts, lambda b: b.train


def epochs(model, loader, count, pick, sparse, most, clock):
    """The seconds of an epoch."""
    opt, layout = torch.optim.Adam(model.parameters(), 0.01), ToSparseTensor(layout=torch.sparse_csr)
    whole, batches, start = [], [], time.perf_counter()
    while len(whole) < 6 and (time.perf_counter() - start < most or len(batches) < 6):
        begin = last = clock()
        for b in loader:
            rows, edges = pick(b), b.edge_index
            if sparse:
                b = layout(b)
                edges = b.adj_t
            opt.zero_grad()
            F.cross_entropy(model(b.x, edges)[rows], b.y[rows]).backward()
            opt.step()
            batches.append(clock() - last)
            last = clock()
            if time.perf_counter() - start > most and len(batches) >= 6:
                break
        else:
            whole.append(clock() - begin)
    if len(whole) > 1:
        return statistics.median(whole[1:]), f"{len(whole) - 1} epochs"
    return statistics.median(batches[2:]) * count, f"{len(batches) - 2} batches"


def walls(path):
    """When epochs ended: the times of the events in a file of TensorBoard."""
    with open(path, "rb") as f:
        all, at = f.read(), 0
    while at < len(all):
        size, = struct.unpack_from("<Q", all, at)
        yield struct.unpack_from("<d", all, at + 13)[0]
        at += 16 + size


def settings(name, count, clusters, more):
    """The recipe of a model and its settings, for so many epochs, with so many clusters or, for 0, neighbours."""
    recipe = "sage" if name == "sage3" else name
    args = [f"train.epochs={count}", "train.every=1000", "train.patience=0", f"train.sample.batch={BATCH}",
            f"model.hidden={WIDTH}", "model.dropout=0.5", "model.input_dropout=0", "model.norm=none",
            "model.residual=false", *more]
    args += [f"train.sample.clusters={clusters}"] if clusters else [f"train.sample.fanout={FANOUT}",
                                                                    f"train.sample.hops={MODELS[name]}"]
    if recipe in ("base", "robust"):
        args += [f"energy.steps={STEPS}", "model.before=2", "model.after=1"]
    else:
        args += [f"model.layers={MODELS[name]}", "model.blocks=false", "model.separate=false"]
    return ["--recipe", recipe] + [f"--set={a}" for a in args]


def train(binary, path, threads, args):
    """When the epochs of a run ended, and the seconds of the processor that it took."""
    out, before = tempfile.mkdtemp(), resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run([binary, "train", "--data", path, "--threads", str(threads), "--out", out + "/r", *args], check=True,
                   capture_output=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    ends = list(walls(glob.glob(out + "/r/events*")[0]))[1:]
    shutil.rmtree(out)
    return ends, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def bloom(binary, path, name, threads, clusters, more, cpu):
    """The seconds of an epoch: the first, which compiles, and the last, which is measured too, do not count."""
    if cpu:
        few, many = (train(binary, path, threads, settings(name, count, clusters, more))[1] for count in (2, 6))
        return (many - few) / 4, "4 epochs"
    ends, _ = train(binary, path, threads, settings(name, 8, clusters, more))
    gaps = [b - a for a, b in zip(ends, ends[1:])][:-1]
    return statistics.median(gaps), f"{len(gaps)} epochs"


if __name__ == "__main__":
    p = argparse.ArgumentParser()
    p.add_argument("--bloom", default="./bin/bloom")
    p.add_argument("--work", default=".", help="where the folders of blocks are")
    p.add_argument("--threads", type=int, default=2)
    p.add_argument("--only", default="pubmed/gcn,pubmed/sage,pubmed/sage3,pubmed/base,pubmed/robust,tolokers/gcn,"
                   "tolokers/sage,tolokers/sage3,tolokers/base,tolokers/robust,planted/gcn,planted/sage,planted/base,"
                   "planted/robust")
    p.add_argument("--systems", default="bloom,neighbour,cluster")
    p.add_argument("--each", type=int, default=100, help="nodes of a cluster; 0 for as many clusters as batches")
    p.add_argument("--set", action="append", default=[], help="a setting of bloom")
    p.add_argument("--turns", type=int, default=2, help="of bloom: one before PyG, the others after it")
    p.add_argument("--most", type=float, default=60, help="seconds for a measurement of PyG")
    p.add_argument("--cpu", action="store_true", help="seconds of the processor, on one thread")
    a = p.parse_args()
    a.threads = 1 if a.cpu else a.threads
    clock = time.process_time if a.cpu else time.perf_counter
    torch.set_num_threads(a.threads)
    for work in a.only.split(","):
        data, name = work.split("/")
        path = folder(a.bloom, a.work, data)
        say = lambda who, seconds, of: print(f"{who:24} {work:16} {seconds:.4f} s  {of}", flush=True)
        graph = read(path)
        kinds = {"neighbour": 0, "cluster": division(graph, a.each)[1]} if "bloom" in a.systems else {}

        def turn():
            for kind, clusters in kinds.items():
                if kind in a.systems:
                    say(f"bloom {kind}s", *bloom(a.bloom, path, name, a.threads, clusters, a.set, a.cpu))

        turn()
        for loader, count, batches, pick in loaders(path, graph, MODELS[name], a.systems, a.each):
            for sparse in (False, True):
                try:
                    model = model_of(name, graph.num_features, int(graph.y.max()) + 1)
                    say(f"PyG {loader}{' csr' if sparse else ''}", *epochs(model, batches, count, pick, sparse, a.most,
                                                                              clock))
                except (RuntimeError, TypeError, ValueError) as e:
                    print(f"# PyG {loader}, sparse {sparse}: {type(e).__name__}: {str(e)[:120]}", flush=True)
        for _ in range(a.turns - 1):
            turn()
