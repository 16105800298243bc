#!/usr/bin/env python3
"""Runs the workloads of `bloom bench` and of pyg_bench.py on the same cores, one after the other, and prints
seconds per epoch and their ratio as a Markdown table. Needs Python with PyTorch and PyG, and a built bloom.

    python3 bench/compare.py --bloom ./bloom --cores 0,1 --rounds 3 > table.md

Every round measures each workload once with each program; the table has medians over rounds.
"""
import argparse, json, os, statistics, subprocess, sys

SHAPES = ["cora", "pubmed", "roman", "tolokers", "arxiv"]
HERE = os.path.dirname(os.path.abspath(__file__))


def pinned(cores, cmd):
    """Standard output of cmd, run on the given cores only."""
    env = dict(os.environ, OMP_NUM_THREADS=str(len(cores)), MKL_NUM_THREADS=str(len(cores)))
    run = subprocess.run(["taskset", "-c", ",".join(cores)] + cmd, capture_output=True, text=True, env=env)
    if run.returncode:
        print(run.stderr, file=sys.stderr)
    return run.stdout


def ours(bloom, cores, shape):
    """Seconds per epoch of bloom for every energy of a shape."""
    out = pinned(cores, [bloom, "bench", "--only", shape, "--threads", str(len(cores)), "--json"])
    return {r["workload"]: r["seconds"] for r in map(json.loads, out.splitlines())}


def torch(cores, shape, style, epochs):
    """Seconds per epoch of PyTorch for every energy of a shape."""
    script = os.path.join(HERE, "pyg_bench.py")
    out = pinned(cores, [sys.executable, script, "--only", shape, "--style", style,
                         "--threads", str(len(cores)), "--epochs", str(epochs)])
    lines = [x.split() for x in out.splitlines() if x.startswith(shape) and "failed" not in x]
    return {x[0]: float(x[-1]) for x in lines}


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("--bloom", default="./bloom")
    ap.add_argument("--cores", default="0,1")
    ap.add_argument("--rounds", type=int, default=1)
    ap.add_argument("--epochs", type=int, default=5)
    ap.add_argument("--style", default="tuned")
    ap.add_argument("--only", default=",".join(SHAPES), help="comma-separated shapes, or workloads as roman/hetero")
    a = ap.parse_args()
    cores, seconds = a.cores.split(","), {}
    for r in range(a.rounds):
        for shape in a.only.split(","):
            for who, result in ("bloom", ours(a.bloom, cores, shape)), ("torch", torch(cores, shape, a.style, a.epochs)):
                for name, s in result.items():
                    seconds.setdefault(name, {}).setdefault(who, []).append(s)
                    print(f"round {r + 1} {name} {who} {s:.6f}", file=sys.stderr, flush=True)
    print("| workload | bloom, s/epoch | PyTorch, s/epoch | ratio |\n|---|---|---|---|")
    for name, s in seconds.items():
        b, t = (statistics.median(s.get(who, [float("nan")])) for who in ("bloom", "torch"))
        print(f"| {name} | {b:.6f} | {t:.6f} | {t / b:.1f}× |", flush=True)


if __name__ == "__main__":
    main()
