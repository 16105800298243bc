"""LightGBM with the columns of a careful analyst on a world of bench/worlds.py, and the score of predictions.
python3 analyst.py FOLDER [BLOOM]    (needs numpy, pandas, scikit-learn, lightgbm)
prints the score of LightGBM on own columns and on an analyst's, and with BLOOM, a program, that of its default."""
import json, os, subprocess, sys, tempfile
import lightgbm as lgb
import numpy as np
import pandas as pd
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.metrics import average_precision_score
from sklearn.model_selection import KFold


class World:
    def __init__(self, where):
        with open(where + "/spec.json") as f:
            self.spec = json.load(f)
        self.where, self.label = where, self.spec["label"]
        self.nodes = pd.read_csv(where + "/nodes.csv", dtype=str, keep_default_na=False)
        self.key = self.nodes.columns[0]
        self.y = pd.read_csv(where + "/truth.csv").y.to_numpy(float)
        self.known = (self.nodes[self.label] != "").to_numpy()
        self.number = bool(self.spec.get("number"))
        # a skewed number is learnt on a log scale
        self.skewed = self.label == "wear"
        self.target = np.log(self.y - self.y.min() + 1) if self.skewed else self.y

    def score(self, p):
        y, p = self.y[~self.known], p[~self.known]
        if self.number:
            return f"RMSE {np.sqrt(np.mean((p - y) ** 2)):.3f} (mean {y.std():.3f})"
        return f"AP {average_precision_score(y, p):.3f} (constant {y.mean():.3f})"


def own(w):
    """Columns of a row: numbers, and dates with the days between them."""
    x, dates = pd.DataFrame(index=range(len(w.nodes))), {}
    for c in w.spec.get("money", []):
        x[c] = pd.to_numeric(w.nodes[c].str.replace(r"[^0-9.\-]", "", regex=True), errors="coerce")
    for c in w.spec.get("decimal", []):
        x[c] = pd.to_numeric(w.nodes[c].str.replace(",", ".", regex=False), errors="coerce")
    for c in w.spec["nums"]:
        x[c] = pd.to_numeric(w.nodes[c], errors="coerce")
    for c in w.spec["dates"]:
        dates[c] = pd.to_datetime(w.nodes[c], format="%d.%m.%Y" if w.spec.get("dayfirst") else "%Y-%m-%d")
        x[c] = (dates[c] - pd.Timestamp("2020-01-01")).dt.days
        x[c + "_weekday"] = dates[c].dt.day_of_week
    names = list(dates)
    for i, a in enumerate(names):
        for b in names[:i]:
            x[f"{a}-{b}"] = (dates[a] - dates[b]).dt.days
    return x


def flags(w, x, most):
    for c in w.spec["cats"]:
        if w.nodes[c].nunique() <= most:
            x = x.join(pd.get_dummies(w.nodes[c], prefix=c, dtype=float))
    return x


def categories(w, x):
    """Of every category its frequency, the out-of-fold mean label, and numbers against the median of the category."""
    n, basic, fold = len(x), [c for c in x if not c.endswith("_weekday")], np.full(len(x), -1)
    labelled = np.flatnonzero(w.known)
    for k, (_, rows) in enumerate(KFold(10, shuffle=True, random_state=0).split(labelled)):
        fold[labelled[rows]] = k
    mean = w.target[w.known].mean()
    for c in w.spec["cats"]:
        code = pd.factorize(w.nodes[c])[0]
        size = code.max() + 1
        x[c + "_frequency"] = np.bincount(code)[code]
        if size <= 12:
            x = x.join(pd.get_dummies(w.nodes[c], prefix=c, dtype=float))
        total = np.bincount(code[w.known], w.target[w.known], size)[code]
        count = np.bincount(code[w.known], minlength=size).astype(float)[code]
        for k in range(10):
            f = fold == k
            total[f] -= np.bincount(code[f], w.target[f], size)[code[f]]
            count[f] -= np.bincount(code[f], minlength=size)[code[f]]
        x[c + "_label"] = (total + 3 * mean) / (count + 3)
        x[c + "_labels"] = count
        if size >= 10:
            for b in basic:
                median = x[b].groupby(code).transform("median")
                x[f"{b}-{c}"], x[f"{b}/{c}"] = x[b] - median, x[b] / median
    return x


def mean_over(n, source, target, weight, values, ok=None):
    """The weighted mean over the targets of every source whose value is known."""
    kept = np.isfinite(values[target])
    if ok is not None:
        kept &= ok[target]
    weight = (weight * np.ones(len(source)))[kept]
    total = np.bincount(source[kept], weight * values[target[kept]], n)
    count = np.bincount(source[kept], weight, n)
    return np.where(count > 0, total / np.maximum(count, 1e-9), np.nan)


def edges(w, x, basic):
    """Of every node and direction: statistics of edges, and columns and labels of neighbours by size and recency."""
    spec, n, new = w.spec, len(x), {}
    e = pd.read_csv(w.where + "/edges.csv", dtype=str)
    index = {k: i for i, k in enumerate(w.nodes[w.key])}
    source, target = (e[c].map(index).to_numpy() for c in spec["ends"])
    size, time = pd.to_numeric(e[spec["amount"]]).to_numpy(), None
    if spec.get("time"):
        when = pd.to_datetime(e[spec["time"]], dayfirst=bool(spec.get("dayfirst")) and w.label != "left")
        time = ((when - when.min()) / pd.Timedelta("1D")).to_numpy()
        hour, weekday = when.dt.hour.to_numpy(), when.dt.day_of_week.to_numpy()
    sides = [("out", source, target), ("in", target, source)]
    if spec.get("undirected"):
        sides, size = [("", np.r_[source, target], np.r_[target, source])], np.r_[size, size]
    own = [c for c in x if c in basic or c.endswith("_label") or "/" in c or "-" in c]
    money = spec.get("money", []) + spec.get("decimal", [])
    for side, a, b in sides:
        table = pd.DataFrame(dict(a=a, w=size, b=b))
        group = table.groupby("a")
        new["count" + side] = np.bincount(a, minlength=n)
        new["partners" + side] = group.b.nunique().reindex(range(n)).fillna(0).values
        for f in ("sum", "mean", "max", "std", "median"):
            new[f + side] = group.w.agg(f).reindex(range(n)).values
        new["repeats" + side] = table.groupby(["a", "b"]).size().groupby("a").max().reindex(range(n)).values
        every = np.arange(len(a))
        if time is not None:
            group = table.assign(t=time).groupby("a").t
            for f in ("min", "max", "mean"):
                new["time_" + f + side] = group.agg(f).reindex(range(n)).values
            third = time.max() / 3
            new["trend" + side] = mean_over(n, a, every, 1, (time > 2 * third) * 1. - (time < third))
            new["weekend" + side] = mean_over(n, a, every, 1, (weekday >= 5) * 1.)
            new["evening" + side] = mean_over(n, a, every, 1, (hour >= 18) * 1.)
        for c in own:
            new[f"near{side}_{c}"] = mean_over(n, a, b, 1, x[c].to_numpy(float))
        for c in basic:
            new[f"near_by_size{side}_{c}"] = mean_over(n, a, b, size, x[c].to_numpy(float))
        new["label" + side] = mean_over(n, a, b, 1, w.target, w.known)
        new["label_by_size" + side] = mean_over(n, a, b, size, w.target, w.known)
        new["labels" + side] = np.bincount(a[w.known[b]], minlength=n)
        if time is not None:
            recent = np.exp((time - time.max()) / (time.max() / 5))
            new["label_by_time" + side] = mean_over(n, a, b, recent, w.target, w.known)
        for c in money:
            new[f"sum{side}/{c}"] = new["sum" + side] / x[c]
    return x.join(pd.DataFrame(new))


def analyst(w):
    x = own(w)
    basic, money = list(x), w.spec.get("money", []) + w.spec.get("decimal", [])
    x = categories(w, x)
    for i, a in enumerate(money):
        for b in (money + w.spec["nums"])[i + 1:]:
            x[f"{a}/{b}"] = x[a] / x[b]
    if text := w.spec.get("text"):
        words = TfidfVectorizer(min_df=10)
        x = x.join(pd.DataFrame(words.fit_transform(w.nodes[text]).toarray()).add_prefix("word_"))
        x["length"] = w.nodes[text].str.len()
    return edges(w, x, basic) if w.spec.get("ends") else x


def boosted(w, x):
    """The mean of two seeds."""
    z, answers = x.to_numpy(float), []
    for seed in range(2):
        settings = dict(n_estimators=300, learning_rate=.03, num_leaves=15, min_child_samples=15, subsample=.8,
                        subsample_freq=1, colsample_bytree=.4, reg_lambda=1, verbose=-1, random_state=seed, n_jobs=1)
        if w.number:
            model = lgb.LGBMRegressor(**settings).fit(z[w.known], w.target[w.known])
            answers.append(model.predict(z))
        else:
            model = lgb.LGBMClassifier(**settings).fit(z[w.known], w.y[w.known])
            answers.append(model.predict_proba(z)[:, 1])
    p = np.mean(answers, 0)
    return np.exp(p) + w.y.min() - 1 if w.skewed else p


def default(w, bloom):
    """What bloom says of every node without settings, but for a budget of 150 s."""
    with tempfile.TemporaryDirectory() as work:
        run = lambda *args: subprocess.run([bloom, *args], check=True, capture_output=True, text=True).stdout
        tables = ["--edges", w.where + "/edges.csv"] if w.spec.get("ends") else ["--connect", w.spec["connect"]]
        if w.spec.get("undirected"):
            tables.append("--undirected")
        data, out = work + "/world.bloom", work + "/run"
        run("data", "import", "--nodes", w.where + "/nodes.csv", *tables, "--label", w.label, "--out", data)
        run("train", "--data", data, "--out", out, "--budget", "150s")
        answers = {a["id"]: a for a in map(json.loads, run("predict", out, "--json").splitlines())}
    if w.number:
        return np.array([answers[k]["value"] for k in w.nodes[w.key]])
    return np.array([answers[k]["probabilities"]["yes"] for k in w.nodes[w.key]])


if __name__ == "__main__":
    world = World(sys.argv[1])
    name = os.path.basename(os.path.normpath(sys.argv[1]))
    print(name, "own columns", world.score(boosted(world, flags(world, own(world), 64))), flush=True)
    columns = analyst(world)
    print(name, columns.shape[1], "columns", world.score(boosted(world, columns)), flush=True)
    if len(sys.argv) > 2:
        print(name, "bloom", world.score(default(world, sys.argv[2])), flush=True)
