"""LightGBM with the columns of a careful analyst on worlds of bench/worlds.py, and the scores of bloom.
python3 analyst.py [--bloom PROGRAM [--train ARGUMENTS]] FOLDER...    (needs numpy, pandas, scikit-learn, lightgbm)
prints scores with their standard errors over rows: of LightGBM on own columns and on an analyst's, and of bloom."""
import argparse, json, os, subprocess, tempfile, time
import lightgbm as lgb
import numpy as np
import pandas as pd
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.metrics import average_precision_score, f1_score


def number(cells):
    """Numbers as people write them; 1.234,50 is not one, as 1234,50 is."""
    comma = cells.str.fullmatch(r"-?\d+,\d\d?") | (cells == "")
    cells = cells.str.replace(",", "." if comma.all() else "", regex=False)
    return pd.to_numeric(cells.str.replace(r"[^0-9.\-]", "", regex=True), errors="coerce")


def kind(cells):
    """What a column is; digits after a leading 0 are no number."""
    some = cells[cells != ""]
    for name, form in (("date", r"\d{4}-\d\d-\d\d.*|\d\d[./]\d\d[./]\d{4}"),
                       ("number", r"[€$]?\s?-?[\d,]*\.?\d+\s?(EUR|t|%|h|d)?")):
        if some.str.fullmatch(form).mean() > .9 and not some.str.fullmatch(r"0\d+").any():
            return name
    return "text" if some.str.count(" ").mean() > 3.5 else "category"


def day(cells):
    """Days since the first; the day comes first where that is possible."""
    first = cells.str.fullmatch(r"\d\d[./]\d\d[./]\d{4}").any() and (cells.str[3:5] <= "12").all()
    form = {".": "%d.%m.%Y", "/": "%d/%m/%Y" if first else "%m/%d/%Y"}.get(str(cells.iloc[0])[2:3], "ISO8601")
    when = pd.to_datetime(cells, format=form)
    return when, ((when - when.min()) / pd.Timedelta("1D")).to_numpy()


class World:
    def __init__(self, where):
        self.where = where
        with open(where + "/spec.json") as f:
            self.spec = json.load(f)
        self.tables = {f[:-4]: pd.read_csv(f"{where}/{f}", dtype=str, keep_default_na=False)
                       for f in sorted(os.listdir(where)) if f.endswith(".csv") and f != "truth.csv"}
        self.nodes = self.tables.pop(self.spec["nodes"])
        self.key, self.label, self.n = self.spec["key"], self.spec["label"], len(self.nodes)
        self.known = (self.nodes[self.label] != "").to_numpy()
        self.index = {k: i for i, k in enumerate(self.nodes[self.key])}
        self.y = pd.read_csv(where + "/truth.csv").y.to_numpy()
        self.number, self.sets = self.spec.get("number"), self.spec.get("sets")
        if self.sets:
            self.names = sorted(set("|".join(self.y).split("|")))
            self.y = np.array([[t in s.split("|") for t in self.names] for s in self.y]).astype(float)
        # numbers are learnt on a log scale
        self.target = np.log(self.y - min(0, self.y.min()) + 1) if self.number else self.y
        rng, rows = np.random.default_rng(0), np.flatnonzero(self.known)
        self.fold = np.full(self.n, -1)
        self.fold[rows] = rng.permutation(len(rows)) % 10

    def score(self, p):
        """The score of rows without a label, and its standard error by drawing rows again."""
        if self.sets:
            measure = lambda i: f1_score(self.y[i], p[i], average="micro")
        elif self.number:
            measure = lambda i: np.sqrt(np.mean((p[i] - self.y[i]) ** 2))
        else:
            measure = lambda i: average_precision_score(self.y[i], p[i])
        rows, rng = np.flatnonzero(~self.known), np.random.default_rng(0)
        return measure(rows), np.std([measure(rng.choice(rows, len(rows))) for _ in range(60)])


def own(w):
    """Columns of a row: numbers, dates with the days between them, flags of small categories, words."""
    x, kinds, dates = pd.DataFrame(index=range(w.n)), {}, {}
    for c in w.nodes.columns.drop([w.key, w.label]):
        cells = w.nodes[c]
        kinds[c] = kind(cells)
        if kinds[c] == "number":
            x[c] = number(cells)
        elif kinds[c] == "date":
            when, dates[c] = day(cells)
            x[c], x[c + "_weekday"] = dates[c], when.dt.day_of_week
            dates[c] = when
        elif kinds[c] == "text":
            words = TfidfVectorizer(min_df=8).fit_transform(cells).toarray()
            x = x.join(pd.DataFrame(words).add_prefix(f"{c}_word_"))
            x[c + "_length"] = cells.str.len()
        elif cells.nunique() <= 12:
            x = x.join(pd.get_dummies(cells, prefix=c, dtype=float))
    names = list(dates)
    for i, a in enumerate(names):
        for b in names[:i]:
            x[f"{a}-{b}"] = (dates[a] - dates[b]).dt.days
    return x, kinds


def out_of_fold(w, target, row, group):
    """For pairs of a row and its group the mean target of the group without the row's own fold, and their number."""
    size, mean = group.max() + 1, target[w.known].mean()
    known, label = w.known[row].astype(float), np.where(w.known, target, 0)[row]
    total, count = np.bincount(group, label, size)[group], np.bincount(group, known, size)[group]
    for k in range(10):
        f = w.fold[row] == k
        total[f] -= np.bincount(group[f], label[f], size)[group[f]]
        count[f] -= np.bincount(group[f], known[f], size)[group[f]]
    return (total + 4 * mean) / (count + 4), count


def mean_over(n, source, target, weight, values, ok=None):
    """The weighted mean over the targets of every source whose value is known."""
    kept = np.isfinite(values[target])
    if ok is not None:
        kept &= ok[target]
    weight = (weight * np.ones(len(source)))[kept]
    total = np.bincount(source[kept], weight * values[target[kept]], n)
    count = np.bincount(source[kept], weight, n)
    return np.where(count > 0, total / np.maximum(count, 1e-12), np.nan)


def of_rows(n, group):
    return lambda f: group.agg(f).reindex(range(n)).to_numpy(float)


def statistics(w, x, numbers, name, e, a, b, size, time, new):
    """Of every node the number, size and times of its rows of edges."""
    table = pd.DataFrame(dict(a=a, b=b))
    new[name + "count"] = np.bincount(a, minlength=w.n)
    new[name + "partners"] = of_rows(w.n, table.groupby("a").b)("nunique")
    new[name + "repeats"] = table.groupby(["a", "b"]).size().groupby("a").max().reindex(range(w.n)).to_numpy(float)
    if size is not None:
        of = of_rows(w.n, table.assign(size=size).groupby("a")["size"])
        for f in ("sum", "mean", "max", "std", "median"):
            new[name + f] = of(f)
        for c in numbers:
            new[f"{name}sum/{c}"] = new[name + "sum"] / x[c].replace(0, np.nan).to_numpy()
    if time is not None:
        when, days = time
        of, every, third = of_rows(w.n, table.assign(t=days).groupby("a").t), np.arange(len(a)), days.max() / 3
        for f in ("min", "max", "mean"):
            new[f"{name}time_{f}"] = of(f)
        for f, share in (("trend", (days > 2 * third) * 1. - (days < third)),
                         ("evening", (when.dt.hour.to_numpy() >= 18) * 1.),
                         ("weekend", (when.dt.day_of_week.to_numpy() >= 5) * 1.)):
            new[name + f] = mean_over(w.n, a, every, 1, share)


def near(w, x, target, numbers, name, a, b, size, time, new):
    """Columns and labels of neighbours, by size and recency."""
    for c in x:
        new[f"{name}near_{c}"] = mean_over(w.n, a, b, 1, x[c].to_numpy(float))
    new[name + "label"] = mean_over(w.n, a, b, 1, target, w.known)
    new[name + "labels"] = np.bincount(a[w.known[b]], minlength=w.n)
    if size is not None:
        new[name + "label_by_size"] = mean_over(w.n, a, b, size, target, w.known)
        new[name + "label_by_closeness"] = mean_over(w.n, a, b, 1 / (size + 1), target, w.known)
        for c in numbers:
            new[f"{name}near_by_size_{c}"] = mean_over(w.n, a, b, size, x[c].to_numpy(float))
    if time is not None:
        recent = np.exp((time[1] - time[1].max()) / (time[1].max() / 5))
        new[name + "label_by_time"] = mean_over(w.n, a, b, recent, target, w.known)


def things(w, target, name, end, names, a, b, new):
    """Labels of those who share a thing, how many they are, and the columns of the thing."""
    pairs = pd.DataFrame(dict(a=a, b=b)).drop_duplicates()
    a, b = pairs.a.to_numpy(), pairs.b.to_numpy()
    label, count = out_of_fold(w, target, a, b)
    group = pd.DataFrame(dict(a=a, label=label, count=count, others=np.bincount(b)[b])).groupby("a")
    for c, f in (("label", "mean"), ("label", "max"), ("count", "sum"), ("others", "max"), ("others", "mean")):
        new[f"{name}{c}_{f}"] = of_rows(w.n, group[c])(f)
    for t in w.tables.values():
        if t.columns[0] == end and t[end].is_unique:
            for c in t.columns[1:]:
                v = number(t.set_index(end)[c].reindex(names).fillna(""))
                if v.notna().mean() > .5:
                    new[name + c] = mean_over(w.n, a, b, 1, v.to_numpy(float))


def edges(w, x, target, numbers):
    new = {}
    for name, e in w.tables.items():
        if not e.iloc[:50, 0].isin(w.index).all():
            continue
        a, size, time = e.iloc[:, 0].map(w.index).to_numpy(), None, None
        for c in e.columns[2:]:
            if kind(e[c]) == "date":
                time = day(e[c])
            else:
                size = number(e[c]).to_numpy()
        if not e.iloc[:50, 1].isin(w.index).all():
            b, names = pd.factorize(e.iloc[:, 1])
            statistics(w, x, numbers, name + "_", e, a, b, size, time, new)
            things(w, target, name + "_", e.columns[1], names, a, b, new)
            continue
        b = e.iloc[:, 1].map(w.index).to_numpy()
        sides = [("_out_", a, b), ("_in_", b, a)]
        if "--undirected" in w.spec["args"]:
            sides, size = [("_", np.r_[a, b], np.r_[b, a])], np.r_[size, size]
        for side, p, q in sides:
            statistics(w, x, numbers, name + side, e, p, q, size, time, new)
            near(w, x, target, numbers, name + side, p, q, size, time, new)
    return new


def analyst(w, target):
    """All columns: also of every large category its frequency, labels, and numbers against its median; ratios."""
    x, kinds = own(w)
    numbers, new = [c for c in x if kinds.get(c) == "number" or "-" in c], {}
    for c in kinds:
        group = pd.factorize(w.nodes[c])[0]
        if kinds[c] != "category" and not (kinds[c] == "text" and group.max() < .7 * w.n) or group.max() < 12:
            continue
        new[c + "_frequency"] = np.bincount(group)[group]
        new[c + "_label"], new[c + "_labels"] = out_of_fold(w, target, np.arange(w.n), group)
        for b in numbers:
            median = x[b].groupby(group).transform("median")
            new[f"{b}-{c}"], new[f"{b}/{c}"] = x[b] - median, x[b] / median.replace(0, np.nan)
    for i, a in enumerate(numbers):
        for b in numbers[:i]:
            new[f"{a}/{b}"] = x[a] / x[b].replace(0, np.nan)
    new |= edges(w, x, target, numbers)
    return x.join(pd.DataFrame(new))


def boosted(w, x, target, seeds=2, rounds=300, rate=.03):
    """The mean of some seeds."""
    z, answers = x.to_numpy(float), []
    for seed in range(seeds):
        settings = dict(n_estimators=rounds, learning_rate=rate, num_leaves=15, min_child_samples=15, subsample=.8,
                        subsample_freq=1, colsample_bytree=.4, reg_lambda=1, verbose=-1, random_state=seed, n_jobs=1)
        if w.number:
            answers.append(lgb.LGBMRegressor(**settings).fit(z[w.known], target[w.known]).predict(z))
        else:
            answers.append(lgb.LGBMClassifier(**settings).fit(z[w.known], target[w.known]).predict_proba(z)[:, 1])
    return np.mean(answers, 0)


def lightgbm(w, columns):
    """What LightGBM says of every row; of sets, which words have a probability above 0.35."""
    if w.sets:
        p = [boosted(w, columns(w, w.y[:, k]), w.y[:, k], 1, 120, .06) for k in range(len(w.names))]
        return (np.array(p).T > .35).astype(int)
    p = boosted(w, columns(w, w.target), w.target)
    return np.exp(p) - 1 + min(0, w.y.min()) if w.number else p


def bloom(w, program, train):
    """What bloom says, by default or with arguments of bloom train, and its seconds."""
    with tempfile.TemporaryDirectory() as work:
        run = lambda *args: subprocess.run([program, *args], check=True, capture_output=True, text=True,
                                           cwd=w.where).stdout
        data, out, began = work + "/world.bloom", work + "/run", time.time()
        run("data", "import", *w.spec["args"], "--label", w.label, "--out", data)
        run("train", "--data", data, "--out", out, *train)
        seconds, answers = time.time() - began, map(json.loads, run("predict", out, "--json").splitlines())
        answers = {a["id"]: a for a in answers if "id" in a}
    rows = [answers[k] for k in w.nodes[w.key]]
    if w.sets:
        p = np.array([[t in r.get("class", "").split(";") for t in w.names] for r in rows]).astype(int)
    elif w.number:
        p = np.array([r["value"] for r in rows])
    else:
        p = np.array([r["probabilities"]["yes"] for r in rows])
    return p, f"{seconds:.0f} s"


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--bloom")
    parser.add_argument("--train", default="")
    parser.add_argument("--only", action="store_true", help="without LightGBM")
    parser.add_argument("folder", nargs="+")
    a = parser.parse_args()
    for folder in a.folder:
        w = World(folder)

        def show(what, p, more=""):
            print("%-32s %-14s %.4f ± %.4f  %s" % (folder, what, *w.score(p), more), flush=True)

        if not a.only:
            show("own columns", lightgbm(w, lambda w, target: own(w)[0]))
            show("analyst", lightgbm(w, analyst))
        if a.bloom:
            show("bloom", *bloom(w, a.bloom, a.train.split()))
