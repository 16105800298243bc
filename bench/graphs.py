"""Logistic regression and LightGBM on graphs with a published split, on own columns and with neighbours' means and degree.
python3 graphs.py DATA [NAME...]    (a folder with planetoid/ and heterophilous/; needs numpy, scipy, scikit-learn, lightgbm)
The first split of each; settings as in peers/tabular.py. Accuracy, or the area under the ROC curve of minesweeper and tolokers."""
import pickle, sys, time
import lightgbm as lgb, numpy as np, scipy.sparse as sp
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import roc_auc_score
data, names = sys.argv[1], sys.argv[2:] or ["cora", "citeseer", "pubmed", "minesweeper", "tolokers", "squirrel_filtered", "actor"]

def planetoid(name):
    part = lambda p: pickle.load(open(f"{data}/planetoid/ind.{name}.{p}", "rb"), encoding="latin1")
    allx, tx, ally, ty, graph = (part(p) for p in ("allx", "tx", "ally", "ty", "graph"))
    test = np.loadtxt(f"{data}/planetoid/ind.{name}.test.index", dtype=int); n, known = len(graph), allx.shape[0]
    X = sp.lil_matrix((n, allx.shape[1])); X[:known] = allx; X[test] = tx
    Y = np.zeros((n, ally.shape[1])); Y[:known] = ally; Y[test] = ty
    edges = np.array([(u, v) for u in graph for v in graph[u] if u != v])
    train = np.arange(len(part("y")))
    return np.asarray(X.todense()), Y.argmax(1), edges, train, test

def heterophilous(name):
    z = np.load(f"{data}/heterophilous/{name}.npz")
    return (z["node_features"].astype(float), z["node_labels"], np.r_[z["edges"], z["edges"][:, ::-1]],
            np.flatnonzero(z["train_masks"][0]), np.flatnonzero(z["test_masks"][0]))

for name in names:
    X, y, edges, train, test = planetoid(name) if name in ("cora", "citeseer", "pubmed") else heterophilous(name)
    A = sp.csr_matrix((np.ones(len(edges)), edges.T), shape=(len(y),) * 2); A.data[:] = 1
    degree = np.asarray(A.sum(1))
    near = np.c_[X, A @ X / np.maximum(degree, 1), degree]
    auc = name in ("minesweeper", "tolokers")
    for columns, Z in (("own columns", X), ("with neighbours", near)):
        for model in (LogisticRegression(max_iter=500), lgb.LGBMClassifier(n_estimators=150, learning_rate=.04, num_leaves=15,
                      min_child_samples=15, subsample=.8, subsample_freq=1, colsample_bytree=.6, verbose=-1, n_jobs=2)):
            start = time.process_time()
            p = model.fit(Z[train], y[train]).predict_proba(Z[test])
            score = roc_auc_score(y[test], p[:, 1]) if auc else (model.classes_[p.argmax(1)] == y[test]).mean()
            print(f"{name:18s} {columns:16s} {type(model).__name__:20s} {score:.4f}  {time.process_time() - start:.1f} s", flush=True)
