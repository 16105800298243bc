"""Tables of five made-up companies, whose labels follow from rows, edges and what rows share, with noise.
python3 worlds.py SEED FOLDER    (needs numpy, scipy, pandas)
writes FOLDER/NAME/{nodes,edges,truth}.csv and spec.json, what bench/analyst.py has to know of the columns."""
import json, os, sys
import numpy as np
import pandas as pd
from scipy.spatial import cKDTree

seed, folder = int(sys.argv[1]), sys.argv[2]


def write(name, nodes, edges, truth, labelled, **spec):
    """Writes a world; nodes that are not labelled have an empty cell."""
    where = f"{folder}/{name}"
    os.makedirs(where, exist_ok=True)
    key, label = nodes.columns[0], spec["label"]
    pd.DataFrame({key: nodes[key], "y": truth}).to_csv(where + "/truth.csv", index=False)
    given = pd.Series(truth).astype(object).where(labelled, "")
    nodes[label] = given if spec.get("number") else given.map({1: "yes", 0: "no", "": ""})
    nodes.to_csv(where + "/nodes.csv", index=False)
    if edges is not None:
        edges.to_csv(where + "/edges.csv", index=False)
    with open(where + "/spec.json", "w") as f:
        json.dump(spec, f)


def top(score, share, rng, noise):
    """1 for the given share of rows with the highest noisy scores."""
    noisy = score / score.std() + rng.normal(size=len(score)) * noise
    return (noisy >= np.quantile(noisy, 1 - share)).astype(int)


def standard(x):
    return (x - np.mean(x)) / np.std(x)


def shares(x):
    return x / x.sum()


def neighbours_mean(n, source, target, weight, x):
    """The weighted mean of x over the targets of every source; the mean of all for nodes without any."""
    total, count = np.zeros(n), np.zeros(n)
    np.add.at(total, source, weight * x[target])
    np.add.at(count, source, weight)
    return np.where(count > 0, total / np.maximum(count, 1e-9), np.mean(x))


def days(rng, n, start="2024-01-01", length=365):
    return pd.Timestamp(start) + pd.to_timedelta(rng.random(n) * length, unit="D")


def ends(rng, n, source, group, groups, within):
    """A target for every source, in its own group with the probability within; without loops."""
    members = [np.where(group == k)[0] for k in range(groups)]
    target = np.array([rng.choice(members[group[s]]) if rng.random() < within else rng.integers(n) for s in source])
    return target, source != target


def staff():
    """Who leaves: pay below that of the team, messages that cease, friends who leave."""
    rng, n, teams, m = np.random.default_rng(100 + seed), 3000, 120, 42000
    team = rng.integers(0, teams, n)
    usual = np.exp(10.6 + .35 * rng.normal(size=teams))
    salary = usual[team] * np.exp(.2 * rng.normal(size=n))
    tenure = rng.gamma(1.5, 3, n)
    age = np.clip(22 + tenure + rng.gamma(4, 3, n), 20, 66)
    overtime = rng.gamma(2, 3, n)
    site = rng.choice(["Lyon", "Graz", "Porto", "Leeds"], n)
    mood = rng.normal(size=n) * .6 + rng.normal(size=teams)[team] * .5
    source = rng.choice(n, m, p=shares(rng.gamma(1.2, 1, n)))
    target, ok = ends(rng, n, source, team, teams, .65)
    when = rng.random(m)
    when = when ** np.where(rng.random(m) < .7, np.exp(.9 * mood[source]), 1)
    source, target, when = source[ok], target[ok], when[ok]
    m = len(source)
    late = rng.random(m) < np.clip(.08 + .02 * overtime[source], 0, .6)
    hour = np.where(late, rng.integers(19, 24, m), rng.integers(8, 19, m))
    sent = pd.Timestamp("2024-03-01") + pd.to_timedelta(np.floor(when * 300), unit="D") + pd.to_timedelta(
        hour * 60 + rng.integers(0, 60, m), unit="min")
    trend = np.zeros(n)
    np.add.at(trend, source, (when > 2 / 3) * 1. - (when < 1 / 3))
    trend /= np.maximum(np.bincount(source, minlength=n), 1)
    medians = np.array([np.median(salary[team == k]) for k in range(teams)])
    score = (-1.1 * standard(np.log(salary) - np.log(medians)[team]) - standard(trend)
             + .5 * standard(overtime) * (tenure < 4) - .4 * standard(np.log(tenure + .3)))
    first = top(score, .16, rng, .6)
    leaves = top(score + standard(neighbours_mean(n, source, target, 1, first * 1.)), .15, rng, .5)
    nodes = pd.DataFrame(dict(
        person=[f"E{i:05d}" for i in range(n)], team=[f"T{k:03d}" for k in team], site=site,
        salary=[f"€{v:,.0f}" for v in salary], age=age.round().astype(int),
        joined=(pd.Timestamp("2025-01-01") - pd.to_timedelta((tenure * 365).round(), unit="D")).strftime("%d.%m.%Y"),
        overtime=overtime.round(1)))
    nodes.loc[rng.random(n) < .05, "overtime"] = np.nan
    edges = pd.DataFrame(dict(
        sender=nodes.person.values[source], receiver=nodes.person.values[target],
        sent=sent.strftime("%Y-%m-%d %H:%M"), length=np.exp(4 + rng.normal(size=m)).round().astype(int)))
    write("staff", nodes, edges, leaves, rng.random(n) < .4, label="left", money=["salary"], dates=["joined"],
          dayfirst=True, cats=["team", "site"], nums=["age", "overtime"], ends=["sender", "receiver"], time="sent",
          amount="length")


def suppliers():
    """How many days late: the carrier, what a supplier has to deliver for its size, and who supplies it."""
    rng, n, carriers, groups, m = np.random.default_rng(200 + seed), 2000, 160, 40, 16000
    carrier = rng.choice(carriers, n, p=shares(rng.gamma(1, 1, carriers)))
    slow = rng.gamma(1.3, 1.5, carriers)
    country = rng.choice(["CN", "DE", "PL", "US", "VN", "TR"], n, p=[.3, .2, .15, .15, .1, .1])
    category = rng.choice(["steel", "plastic", "chips", "paper"], n)
    capacity = np.exp(4 + .8 * rng.normal(size=n))
    rating = rng.choice(list("ABCD"), n)
    since = 1975 + rng.integers(0, 49, n)
    source = rng.choice(n, m, p=shares(capacity))
    group = rng.integers(0, groups, n)
    target, ok = ends(rng, n, source, group, groups, .6)
    source, target = source[ok], target[ok]
    again = rng.random(len(source)) < .3
    source, target = np.r_[source, source[again]], np.r_[target, target[again]]
    m = len(source)
    quantity = np.exp(2 + .9 * rng.normal(size=m)).round(1) + 1
    delivered = days(rng, m)
    load = np.bincount(source, quantity, minlength=n) / capacity
    base = (1.5 * standard(slow[carrier]) + .9 * ((country == "CN") & (category == "chips")) + .6 * (country == "TR")
            + .9 * standard(np.log1p(load)) + .3 * (rating == "D") + .5 * rng.normal(size=n))
    before = standard(neighbours_mean(n, target, source, quantity, base))
    late = np.exp(.42 * (base + 1.2 * before * .8) + 1.0) - 1.2 + .25 * rng.normal(size=n)
    nodes = pd.DataFrame(dict(
        supplier=[f"S-{i:04d}" for i in range(n)], country=country, category=category,
        carrier=[f"CR {k:03d} Ltd" for k in carrier], capacity=[f"{v:.0f} t" for v in capacity], rating=rating,
        since=since))
    nodes.loc[rng.random(n) < .06, "rating"] = ""
    edges = pd.DataFrame(dict(
        from_supplier=nodes.supplier.values[source], to_supplier=nodes.supplier.values[target], quantity=quantity,
        delivered=delivered.strftime("%m/%d/%Y")))
    write("suppliers", nodes, edges, late.round(2), rng.random(n) < .5, label="days_late", number=True,
          money=["capacity"], dates=[], cats=["country", "category", "carrier", "rating"], nums=["since"],
          ends=["from_supplier", "to_supplier"], time="delivered", amount="quantity")


def claims():
    """Which claims are false: rings that share a phone or a garage, amounts above those of the kind and model."""
    rng, n, garages, doctors, models = np.random.default_rng(300 + seed), 5000, 350, 200, 60
    kind = rng.choice(["glass", "theft", "crash", "fire", "water"], n, p=[.3, .15, .35, .05, .15])
    model = rng.integers(0, models, n)
    usual = dict(glass=6, theft=8, crash=7.6, fire=8.6, water=7.1)
    dear = .4 * rng.normal(size=models)
    garage = rng.choice(garages, n, p=shares(rng.gamma(1.5, 1, garages)))
    crooked = np.where(rng.random(garages) < .08, 2.2, 0) + .2 * rng.normal(size=garages)
    doctor = rng.integers(0, doctors, n)
    phone, ring, free, at = np.arange(n) + 100000, np.full(n, -1), rng.permutation(n), 0
    for r in range(90):
        size = rng.integers(3, 7)
        members = free[at:at + size]
        at += size
        ring[members] = r
        if rng.random() < .8:
            phone[members] = phone[members[0]]
        if rng.random() < .6:
            garage[members] = garage[members[0]]
    for _ in range(500):
        phone[free[at:at + 2]] = phone[free[at]]
        at += 2
    planned = (ring >= 0) & (rng.random(n) < .75)
    delay = rng.gamma(1.2, 6, n)
    over = .45 * rng.normal(size=n)
    score = crooked[garage] + over / .45 + .8 * (np.log1p(delay) - 2) + 2.6 * planned + .9 * rng.normal(size=n)
    false = (score >= np.quantile(score, .93)).astype(int)
    amount = np.exp(np.array([usual[k] for k in kind]) + dear[model] + over)
    accident = days(rng, n, "2023-02-01", 600)
    filed = accident + pd.to_timedelta(delay.round(), unit="D")
    words = "car door rain parked street night saw nobody hit window wheel lost".split()
    text = [" ".join(rng.choice(words, rng.integers(4, 9))) + (" no witness" if rng.random() < (.35 if y else .2) else "")
            for y in false]
    _, unknown, _ = rng.random((3, n))  # the second draw of three: the table in docs/results.md has these numbers
    number = [("unknown" if u < .04 else f"0{p // 1000}{p % 1000:03d}") for u, p in zip(unknown, phone)]
    nodes = pd.DataFrame(dict(
        claim=[f"C{i:06d}" for i in range(n)], kind=kind, model=[f"M{m}" for m in model],
        amount=[f"{a:,.2f}" for a in amount], accident=accident.strftime("%Y-%m-%d"), filed=filed.strftime("%Y-%m-%d"),
        garage=[f"Garage {g}" for g in garage], doctor=[f"Dr. {d}" for d in doctor], phone=number, description=text))
    write("claims", nodes, None, false, rng.random(n) < .4, label="false", money=["amount"],
          dates=["accident", "filed"], cats=["kind", "model", "garage", "doctor", "phone"], nums=[],
          text="description", connect="garage,doctor,phone")


def loans():
    """Who defaults: debt for the income, the employer, guarantors who are in trouble, what was guaranteed to others."""
    rng, n, employers, groups, m = np.random.default_rng(400 + seed), 4000, 500, 250, 9000
    employer = rng.choice(employers, n, p=shares(rng.gamma(1, 1, employers)))
    sound = .7 * rng.normal(size=employers)
    income = np.exp(7.8 + .4 * sound[employer] + .4 * rng.normal(size=n))
    debt = np.exp(8.5 + .9 * rng.normal(size=n))
    age = rng.integers(19, 75, n)
    job = rng.choice(["clerk", "driver", "nurse", "owner", "none"], n)
    source = rng.integers(0, n, m)
    group = rng.integers(0, groups, n)
    target, ok = ends(rng, n, source, group, groups, .55)
    source, target = source[ok], target[ok]
    m = len(source)
    amount = np.exp(6 + 1.1 * rng.normal(size=m))
    own = (standard(np.log(debt / income)) - .8 * standard(sound[employer]) + .5 * (job == "owner")
           + .7 * ((age < 26) | (age > 68)))
    first = neighbours_mean(n, target, source, amount, own)
    second = neighbours_mean(n, target, source, amount, first)
    pledged = np.log1p(np.bincount(source, amount, minlength=n) / income)
    defaults = top(own + .9 * standard(first) + .5 * standard(second) + .8 * standard(pledged), .08, rng, .5)
    nodes = pd.DataFrame(dict(
        customer=[f"{100000 + i * 7}" for i in range(n)], income=[f"{v:.2f}".replace(".", ",") for v in income],
        debt=[f"{v:.2f}".replace(".", ",") for v in debt], age=age, job=job, employer=[f"Firm {k}" for k in employer]))
    edges = pd.DataFrame(dict(
        guarantor=nodes.customer.values[source], borrower=nodes.customer.values[target], amount=amount.round(2),
        signed=days(rng, m, "2021-01-01", 1400).strftime("%d/%m/%Y")))
    write("loans", nodes, edges, defaults, rng.random(n) < .35, label="defaulted", decimal=["income", "debt"],
          dates=[], cats=["job", "employer"], nums=["age"], ends=["guarantor", "borrower"], time="signed",
          amount="amount", dayfirst=True)


def machines():
    """How worn: the model, the hall, vibration for the model, and what flows in from worn neighbours."""
    rng, n, models, halls = np.random.default_rng(500 + seed), 3000, 140, 25
    model = rng.integers(0, models, n)
    weak = .5 * rng.normal(size=models)
    hall = rng.integers(0, halls, n)
    dusty = .3 * rng.normal(size=halls)
    hours = rng.gamma(2, 4000, n)
    age = rng.random(n) * 15
    shaking = rng.gamma(3, 1, n)
    usual = rng.gamma(3, 1, models)
    vibration = shaking * usual[model]
    place = np.c_[hall * 10. + rng.random(n) * 6, rng.random(n) * 30]
    near = cKDTree(place).query(place, 6)[1][:, 1:]
    source, target = np.repeat(np.arange(n), 5), near.ravel()
    kept = rng.random(len(source)) < .6
    source, target = source[kept], target[kept]
    flow = np.exp(2 + rng.normal(size=len(source)))
    own = (weak[model] + dusty[hall] + .5 * standard(np.log(vibration / usual[model]))
           + .4 * standard(np.sqrt(hours)) * (age > 5) + .5 * np.sin(place[:, 1] / 5 + hall))
    both = neighbours_mean(n, np.r_[source, target], np.r_[target, source], np.r_[flow, flow], own)
    wear = np.exp(1.5 + .8 * own + .6 * standard(both) * .8 + .2 * rng.normal(size=n))
    nodes = pd.DataFrame(dict(
        machine=[f"m{i}" for i in range(n)], model=[f"{chr(65 + k % 26)}{k:03d}x" for k in model],
        hall=[f"H{k}" for k in hall], hours=[f"{v:,.0f} h" for v in hours],
        installed=(pd.Timestamp("2025-01-01") - pd.to_timedelta((age * 365).round(), unit="D")).strftime("%Y-%m-%d"),
        vibration=vibration.round(2)))
    nodes.loc[rng.random(n) < .1, "vibration"] = np.nan
    edges = pd.DataFrame(dict(a=nodes.machine.values[source], b=nodes.machine.values[target], flow=flow.round(2)))
    write("machines", nodes, edges, wear.round(2), rng.random(n) < .4, label="wear", number=True, money=["hours"],
          dates=["installed"], cats=["model", "hall"], nums=["vibration"], ends=["a", "b"], amount="flow",
          undirected=True)


for world in (staff, suppliers, claims, loans, machines):
    world()
