"""LightGBM on three draws of five tables, on one thread, with the seconds of the processor, and the same tables for `go test ./internal/fit -run Tables -tables FOLDER -v`.
python3 tables.py STRANGERS TOLOKERS.npz FOLDER    (needs lightgbm, pandas, scikit-learn)"""
import csv, io, itertools, json, os, sys, time
import lightgbm as lgb, numpy as np, pandas as pd
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.metrics import roc_auc_score

strangers, tolokers, folder = sys.argv[1:]
os.makedirs(folder, exist_ok=True)

def text(path):
    out = []
    for line in open(path, "rb").read().split(b"\r\n"):
        try: out.append(line.decode("utf-8-sig"))
        except UnicodeDecodeError: out.append(line.decode("latin-1"))
    return "\n".join(out)

def market(rng):
    """Own columns, cleaned as peers/tabular.py does, and the true labels; three tenths of the rows train."""
    rows = [r for r in csv.reader(io.StringIO(text(strangers + "/market/accounts.csv"))) if r]
    d = pd.DataFrame([(r + [""] * 12)[:12] for r in rows[1:]], columns=rows[0])
    d["account_id"] = d.account_id.str.lower(); d = d.drop_duplicates("account_id").set_index("account_id")
    X = pd.DataFrame(index=d.index)
    X["revenue"] = pd.to_numeric(d.revenue.str.replace(r"[^0-9.]", "", regex=True), errors="coerce")
    X["refund"] = pd.to_numeric(d.refund_rate.str.rstrip("%"), errors="coerce")
    for c in ("logins_30d", "devices"): X[c] = pd.to_numeric(d[c], errors="coerce")
    day = pd.to_datetime(d.signup_date, format="%d/%m/%Y", errors="coerce").fillna(
        pd.to_datetime(d.signup_date, format="%Y-%m-%d", errors="coerce"))
    X["age"] = (pd.Timestamp("2025-02-09") - day).dt.days
    for c in ("country", "plan"): X = X.join(pd.get_dummies(d[c].str.strip().str.lower(), prefix=c, dtype=float))
    v = TfidfVectorizer(min_df=5); B = v.fit_transform(d.bio.fillna("")).toarray()
    truth = pd.read_csv(strangers + "/market/truth.csv").set_index("id").fraud.reindex(d.index).values
    return np.c_[X.values, B], truth.astype(float), rng.random(len(d)) < .3, "logistic", []

def flats(rng):
    d = pd.read_csv(strangers + "/flats/flats.csv", sep=";", decimal=",").set_index("flat")
    T = pd.read_csv(strangers + "/flats/truth.csv").set_index("flat").price.reindex(d.index).values
    X = pd.get_dummies(d[["m2", "rooms", "year", "heating"]], dtype=float)
    return X.values, np.log(np.where(d.price.notna(), d.price, T)), rng.random(len(d)) < .5, "squared", []

def toloka(rng):
    z = np.load(tolokers)
    return z["node_features"].astype(float), z["node_labels"].astype(float), z["train_masks"][rng.integers(10)], "logistic", []

def regression(rng):
    X = rng.normal(size=(50_000, 50)); X[rng.random(X.shape) < .05] = np.nan
    Z = np.nan_to_num(X)
    y = np.sin(2 * Z[:, 0]) + Z[:, 1] * Z[:, 2] + np.abs(Z[:, 3]) + (Z[:, 4] > 0) * Z[:, 5] + .3 * rng.normal(size=len(X))
    return X, y, np.arange(len(X)) < 40_000, "squared", []

def categorical(rng):
    n, sizes = 30_000, [5, 8, 30, 100, 200]
    C = np.c_[tuple(rng.integers(0, k, n) for k in sizes)]; N = rng.normal(size=(n, 5))
    effect = [rng.normal(size=k) for k in sizes]
    s = sum(e[C[:, j]] for j, e in enumerate(effect)) + N[:, 0] * (C[:, 0] < 2) + N[:, 1]
    return np.c_[C, N], (rng.random(n) < 1 / (1 + np.exp(-s))).astype(float), np.arange(n) < 20_000, "logistic", sizes

for make, draw in itertools.product((market, flats, toloka, regression, categorical), range(3)):
    X, y, train, loss, sizes = make(np.random.default_rng(draw))
    name = f"{make.__name__}.{draw}"
    X.astype("<f8").T.tofile(f"{folder}/{name}.x"); y.astype("<f8").tofile(f"{folder}/{name}.y")
    train.astype("u1").tofile(f"{folder}/{name}.train")
    kw = dict(n_estimators=150, learning_rate=.1, num_leaves=31, min_child_samples=20, verbose=-1, n_jobs=1)
    start = time.process_time()
    cls = lgb.LGBMClassifier if loss == "logistic" else lgb.LGBMRegressor
    m = cls(**kw).fit(X[train], y[train], categorical_feature=list(range(len(sizes))))
    p = m.predict_proba(X[~train])[:, 1] if loss == "logistic" else m.predict(X[~train])
    took = time.process_time() - start
    score = roc_auc_score(y[~train], p) if loss == "logistic" else float(np.sqrt(np.mean((p - y[~train]) ** 2)))
    json.dump(dict(rows=len(X), columns=X.shape[1], loss=loss, categories=sizes, score=score, seconds=took),
              open(f"{folder}/{name}.json", "w"))
    print(f"{name:12s} {train.sum():7d} x {X.shape[1]:3d}  {loss:9s} score {score:.4f}  {took:.2f} s", flush=True)
