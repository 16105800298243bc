"""Seconds an epoch of mini-batch training, beside PyG: NeighborLoader and Cluster-GCN against train.sample of bloom.

A planted graph of the size of ogbn-arxiv (169,343 nodes, 1,157,799 edges, 128 features, 32 classes), half of the nodes
to train on, batches of 1,024, ten neighbours, two hops. Models: base (a linear layer, 8 steps of APPNP, a linear
layer) and gcn (two layers). Where PyG has no sampler of its own (pyg-lib or torch-sparse), neighbours are drawn by
tensor operations in the same way; where it has no METIS, clusters are ranges of nodes in the order of their classes.
An epoch is concluded from some batches. Prints a line a measurement: system, loader, model, width, seconds."""
import argparse, json, os, shutil, statistics, subprocess, tempfile, time
import torch, torch.nn.functional as F
from torch_geometric.data import Data
from torch_geometric.nn import APPNP, GCNConv

N, E, K, C = 169343, 1157799, 128, 32
BATCH, FANOUT = 1024, [10, 10]


def planted(seed=0):
    g = torch.Generator().manual_seed(seed)
    u = torch.randint(0, N, (E,), generator=g)
    same = torch.rand(E, generator=g) < 0.8
    v = torch.where(same, torch.randint(0, N // C, (E,), generator=g) * C + u % C, torch.randint(0, N, (E,), generator=g))
    edges = torch.stack([torch.cat([u, v]), torch.cat([v, u])])
    edges = torch.unique(edges[:, edges[0] != edges[1]], dim=1)
    y = torch.arange(N) % C
    x = torch.randn(N, K, generator=g) + 0.3 * torch.randn(C, K, generator=g)[y]
    return Data(x=x, y=y, edge_index=edges, train=torch.randperm(N, generator=g)[: N // 2])


class Base(torch.nn.Module):
    def __init__(self, width):
        super().__init__()
        self.pi, self.head, self.steps = torch.nn.Linear(K, width), torch.nn.Linear(width, C), APPNP(8, 0.5)

    def forward(self, x, edges):
        return self.head(F.relu(self.steps(self.pi(F.dropout(x, 0.5, self.training)), edges)))


class GCN(torch.nn.Module):
    def __init__(self, width):
        super().__init__()
        self.one, self.two = GCNConv(K, width), GCNConv(width, C)

    def forward(self, x, edges):
        return self.two(F.dropout(F.relu(self.one(x, edges)), 0.5, self.training), edges)


class Drawn:
    """NeighborLoader with tensor operations: up to ten neighbours of every node that came in last, with repeats."""

    def __init__(self, data):
        self.data, self.row, self.col = data, data.edge_index[0], data.edge_index[1]
        self.ptr = torch.zeros(N + 1, dtype=torch.long)
        self.ptr[1:] = torch.cumsum(torch.bincount(self.row, minlength=N), 0)
        self.local = torch.empty(N, dtype=torch.long)

    def __iter__(self):
        order = self.data.train[torch.randperm(len(self.data.train))]
        for seeds in order.split(BATCH):
            nodes, last, edges = seeds, seeds, []
            for k in FANOUT:
                degree = self.ptr[last + 1] - self.ptr[last]
                last = last[degree > 0]
                degree = degree[degree > 0]
                at = self.ptr[last][:, None] + (torch.rand(len(last), k) * degree[:, None]).long()
                near = self.col[at]
                edges.append(torch.stack([near.flatten(), last.repeat_interleave(k)]))
                known = torch.zeros(N, dtype=torch.bool)
                known[nodes] = True
                last = torch.unique(near[~known[near]])
                nodes = torch.cat([nodes, last])
            self.local[nodes] = torch.arange(len(nodes))
            pairs = torch.unique(torch.cat(edges, 1), dim=1)
            yield self.data.x[nodes], self.local[pairs], self.data.y[seeds], slice(0, len(seeds))


class Clusters:
    """Cluster-GCN: the edges inside of ten clusters of about a hundred nodes at a time, as ranges by class."""

    def __init__(self, data, parts=1650):
        self.data, order = data, torch.argsort(data.y, stable=True)
        self.parts = order.chunk(parts)
        self.train = torch.zeros(N, dtype=torch.bool)
        self.train[data.train] = True

    def __iter__(self):
        from torch_geometric.utils import subgraph
        order = torch.randperm(len(self.parts))
        for some in order.split(20):
            nodes = torch.cat([self.parts[i] for i in some])
            edges, _ = subgraph(nodes, self.data.edge_index, relabel_nodes=True, num_nodes=N)
            nodes = torch.sort(nodes).values
            pick = self.train[nodes]
            yield self.data.x[nodes], edges, self.data.y[nodes][pick], pick


def own(loader, seeds):
    for b in loader:
        if seeds:
            yield b.x, b.edge_index, b.y[: b.batch_size], slice(0, b.batch_size)
        else:
            yield b.x, b.edge_index, b.y[b.mask], b.mask


def loaders(data):
    try:
        from torch_geometric.loader import NeighborLoader
        loader = NeighborLoader(data, FANOUT, input_nodes=data.train, batch_size=BATCH, shuffle=True)
        next(iter(loader))
        yield "NeighborLoader", (N // 2 + BATCH - 1) // BATCH, lambda: own(loader, True)
    except Exception as e:
        print(f"# NeighborLoader: {type(e).__name__}: {str(e)[:90]}: drawn by tensor operations", flush=True)
        drawn = Drawn(data)
        yield "neighbours", (N // 2 + BATCH - 1) // BATCH, lambda: iter(drawn)
    try:
        from torch_geometric.loader import ClusterData, ClusterLoader
        mask = torch.zeros(N, dtype=torch.bool)
        mask[data.train] = True
        loader = ClusterLoader(ClusterData(Data(x=data.x, y=data.y, edge_index=data.edge_index, mask=mask), 1650,
                                           log=False), batch_size=20, shuffle=True)
        yield "ClusterLoader", 83, lambda: own(loader, False)
    except Exception as e:
        print(f"# ClusterData: {type(e).__name__}: {str(e)[:90]}: ranges by class", flush=True)
        clusters = Clusters(data)
        yield "clusters", 83, lambda: iter(clusters)


def peer(model, batches, count, most=12):
    opt, times, begin = torch.optim.Adam(model.parameters(), 0.01), [], time.perf_counter()
    for i, (x, edges, y, pick) in zip(range(most), batches()):
        opt.zero_grad()
        F.cross_entropy(model(x, edges)[pick], y).backward()
        opt.step()
        now = time.perf_counter()
        times.append(now - begin)
        begin = now
    return statistics.median(times[2:]) * count


def bloom(binary, recipe, width, gamma):
    """Of runs with 2 and with 6 epochs, the difference: reading, drawing, compiling and the evaluation drop out."""
    seconds = {}
    for epochs in (2, 6):
        out = tempfile.mkdtemp()
        args = [f"train.epochs={epochs}", "train.every=1000", f"train.sample.batch={BATCH}", f"model.hidden={width}",
                "model.dropout=0.5"]
        args += ["energy.steps=8", "model.before=1", "model.after=2"] if recipe == "base" else ["model.layers=2"]
        if gamma:
            args.append(f"train.sample.gamma={gamma}")
        data = f"planted:nodes={N},edges={E},features={K},classes={C},train=0.5"
        if not os.path.exists("planted.bloom"):
            subprocess.run([binary, "data", "blocks", data, "planted.bloom"], check=True, capture_output=True)
        r = subprocess.run([binary, "train", "--data", "planted.bloom", "--recipe", recipe, "--json", "--out",
                            out + "/r"] + [f"--set={a}" for a in args], capture_output=True, text=True)
        if r.returncode:
            print("# bloom:", r.stderr[-300:])
            return float("nan")
        seconds[epochs] = json.loads(r.stdout)["seconds"]
        shutil.rmtree(out)
    return (seconds[6] - seconds[2]) / 4


if __name__ == "__main__":
    p = argparse.ArgumentParser()
    p.add_argument("--bloom", default="./bin/bloom")
    p.add_argument("--threads", type=int, default=2)
    a = p.parse_args()
    torch.set_num_threads(a.threads)
    os.environ["BLOOM_THREADS"] = str(a.threads)
    work = [("base", 64), ("base", 256), ("gcn", 256)]
    for recipe, width in work:
        print("bloom parts", recipe, width, f"{bloom(a.bloom, recipe, width, 0):.2f}", flush=True)
    print("bloom tied base 64", f"{bloom(a.bloom, 'base', 64, 1):.2f}", flush=True)
    data = planted()
    for name, count, batches in loaders(data):
        for recipe, width in work:
            model = {"base": Base, "gcn": GCN}[recipe](width)
            print("pyg", name, recipe, width, f"{peer(model, batches, count):.2f}", flush=True)
