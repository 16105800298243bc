"""Tables of made-up companies, whose labels follow from rows, edges and what rows share, with noise.
python3 worlds.py SEED FOLDER [NAME...]    (needs numpy, scipy, pandas)
writes FOLDER/NAME/*.csv, truth.csv and spec.json: the label, how the tables are imported, and what is asked."""
import json, os, sys
import numpy as np
import pandas as pd
from scipy.spatial import cKDTree

seed, folder = int(sys.argv[1]), sys.argv[2]
plain = ["--nodes", "nodes.csv", "--edges", "edges.csv"]


def write(name, tables, truth, labelled, label, args, **spec):
    """Writes a world. The first table has the rows with labels, one column more than given; cells of those that are not
    labelled are empty. args are for bloom data import; spec says if truth is a number or sets of words with | between
    them, else it is 1 or 0."""
    where, (first, nodes) = f"{folder}/{name}", next(iter(tables.items()))
    os.makedirs(where, exist_ok=True)
    key = nodes.columns[0]
    pd.DataFrame({key: nodes[key], "y": truth}).to_csv(where + "/truth.csv", index=False)
    given = pd.Series(truth).astype(object).where(labelled, "")
    nodes[label] = given if spec else given.map({1: "yes", 0: "no", "": ""})
    for table, rows in tables.items():
        rows.to_csv(f"{where}/{table}.csv", index=False)
    with open(where + "/spec.json", "w") as f:
        json.dump(dict(nodes=first, key=key, label=label, args=args, **spec), f)


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
    write("staff", dict(nodes=nodes, edges=edges), leaves, rng.random(n) < .4, "left", plain)


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
    write("suppliers", dict(nodes=nodes, edges=edges), late.round(2), rng.random(n) < .5, "days_late", plain,
          number=True)


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
    text = [" ".join(rng.choice(words, rng.integers(4, 9))) + " no witness" * (rng.random() < (.35 if y else .2))
            for y in false]
    _, unknown, _ = rng.random((3, n))  # the second draw of three: the table in docs/results.md has these numbers
    number = [("unknown" if u < .04 else f"0{p // 1000}{p % 1000:03d}") for u, p in zip(unknown, phone)]
    nodes = pd.DataFrame(dict(
        claim=[f"C{i:06d}" for i in range(n)], kind=kind, model=[f"M{m}" for m in model],
        amount=[f"{a:,.2f}" for a in amount], accident=accident.strftime("%Y-%m-%d"), filed=filed.strftime("%Y-%m-%d"),
        garage=[f"Garage {g}" for g in garage], doctor=[f"Dr. {d}" for d in doctor], phone=number, description=text))
    write("claims", dict(nodes=nodes), false, rng.random(n) < .4, "false",
          ["--nodes", "nodes.csv", "--connect", "garage,doctor,phone"])


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
    write("loans", dict(nodes=nodes, edges=edges), defaults, rng.random(n) < .35, "defaulted", plain)


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
    write("machines", dict(nodes=nodes, edges=edges), wear.round(2), rng.random(n) < .4, "wear",
          plain + ["--undirected"], number=True)


def draw(rng, n, size, shape=1):
    """n of size things, some of which are much more frequent than others."""
    return rng.choice(size, n, p=shares(rng.gamma(shape, 1, size)))


def text_of(times, form="%Y-%m-%d"):
    return times.strftime(form)


def insurance():
    """Which claims are false: garages, and doctors who write bills; both are tables of edges to other types."""
    rng, n, garages, doctors = np.random.default_rng(1000 + seed), 6000, 400, 300
    garage = draw(rng, n, garages)
    crooked = 2.0 * (rng.random(garages) < .07) + .3 * rng.normal(size=garages)
    claim = np.repeat(np.arange(n), rng.poisson(.8, n))
    doctor, bad = rng.integers(0, doctors, len(claim)), rng.random(doctors) < .06
    ring = np.flatnonzero(rng.random(n) < .06)
    common = rng.integers(0, garages, 60)[rng.integers(0, 60, len(ring))]
    garage[ring] = np.where(rng.random(len(ring)) < .6, common, garage[ring])
    bill = np.exp(5 + .7 * rng.normal(size=len(claim)) + .8 * bad[doctor])
    kind = rng.choice(["car", "home", "travel", "health"], n, p=[.5, .2, .1, .2])
    amount = np.exp(7 + .6 * rng.normal(size=n) + .5 * (kind == "home"))
    delay, age, has_bad = rng.gamma(1.3, 8, n), rng.integers(18, 85, n), np.zeros(n)
    np.maximum.at(has_bad, claim, bad[doctor] * 1.)
    bills = np.bincount(claim, bill, n)
    score = (crooked[garage] + 1.2 * has_bad + .7 * standard(np.log1p(bills) - .5 * np.log(amount))
             + .4 * (delay > 20) + .3 * (age < 25))
    score[ring] += 1.5
    nodes = pd.DataFrame(dict(claim=[f"C{i:05d}" for i in range(n)], kind=kind, amount=amount.round(2),
                              delay_days=delay.round(), age=age))
    places = pd.DataFrame(dict(garage=[f"G{i:03d}" for i in range(garages)],
                               town=rng.choice(["Graz", "Linz", "Wels", "Steyr"], garages),
                               opened=1970 + rng.integers(0, 50, garages), bays=rng.integers(1, 12, garages)))
    repaired = pd.DataFrame(dict(claim=nodes.claim, garage=places.garage.values[garage],
                                 cost=(amount * rng.uniform(.4, 1, n)).round(2)))
    visits = pd.DataFrame(dict(claim=nodes.claim.values[claim], doctor=[f"D{i}" for i in doctor], bill=bill.round(2),
                               date=text_of(days(rng, len(claim)))))
    write("insurance", dict(nodes=nodes, garages=places, repaired=repaired, visits=visits), top(score, .06, rng, .5),
          rng.random(n) < .4, "false_claim", ["--nodes", "claim=nodes.csv", "--nodes", "garage=garages.csv",
                                              "--edges", "repaired=repaired.csv", "--edges", "visits=visits.csv"])


def telecom():
    """Who leaves: those whom they call for long have left, calls become rare, complaints."""
    rng, n, groups, m = np.random.default_rng(2000 + seed), 5000, 400, 45000
    group = rng.integers(0, groups, n)
    source = draw(rng, m, n, 1.5)
    target, ok = ends(rng, n, source, group, groups, .6)
    source, target = source[ok], target[ok]
    mood = rng.normal(size=n) * .7 + .7 * rng.normal(size=groups)[group]
    when = rng.random(len(source)) ** np.exp(.5 * mood[source])
    length = np.exp(4 + rng.normal(size=len(source)) - .2 * mood[source]).round()
    tenure, plan = rng.gamma(2, 14, n), rng.choice(["prepaid", "basic", "family", "business"], n)
    complaints = rng.poisson(np.exp(-.6 + .3 * mood))
    score = mood + .6 * (plan == "prepaid") - .5 * standard(np.log1p(tenure)) + .3 * complaints
    first = top(score, .15, rng, .4)
    left = top(standard(score) + standard(neighbours_mean(n, source, target, length, first * 1.)), .12, rng, .4)
    nodes = pd.DataFrame(dict(subscriber=[f"+43{600000000 + 37 * i}" for i in range(n)], plan=plan,
                              tenure_months=tenure.round(), monthly_fee=rng.choice([9.9, 19.9, 29.9, 49.9], n),
                              complaints=complaints, region=rng.choice(list("NSEW"), n)))
    start = pd.Timestamp("2024-03-01") + pd.to_timedelta((when * 180 * 86400).round(), unit="s")
    calls = pd.DataFrame(dict(caller=nodes.subscriber.values[source], callee=nodes.subscriber.values[target],
                              start=text_of(start, "%Y-%m-%d %H:%M:%S"), seconds=length.astype(int)))
    write("telecom", dict(nodes=nodes, calls=calls), left, rng.random(n) < .45, "churned",
          ["--nodes", "nodes.csv", "--edges", "calls.csv"])


def households():
    """Who defaults: guarantors, and the same address or employer, which are columns."""
    rng, n, m, employers, addresses, groups = np.random.default_rng(3000 + seed), 5000, 8000, 300, 2800, 350
    address, employer = rng.integers(0, addresses, n), draw(rng, n, employers, .8)
    bad, sound = rng.normal(size=addresses), rng.normal(size=employers)
    income = np.exp(7.7 + .4 * rng.normal(size=n) + .15 * sound[employer])
    debt, age = np.exp(8.6 + .9 * rng.normal(size=n)), rng.integers(19, 78, n)
    source = rng.integers(0, n, m)
    target, ok = ends(rng, n, source, rng.integers(0, groups, n), groups, .5)
    source, target = source[ok], target[ok]
    amount = np.exp(6.5 + rng.normal(size=len(source)))
    own = standard(np.log(debt / income)) - .6 * sound[employer] + .5 * bad[address] + .5 * (age < 25)
    score = (own + .8 * standard(neighbours_mean(n, target, source, amount, own))
             + .7 * standard(np.log1p(np.bincount(source, amount, n) / income)))
    nodes = pd.DataFrame(dict(
        customer=[f"K{i:05d}" for i in range(n)], income=[f"{v:,.2f} EUR" for v in income],
        debt=[f"{v:,.2f} EUR" for v in debt], age=age, employer=[f"Firm {k}" for k in employer],
        address=[f"{k % 90 + 1} Main St {k // 90}" for k in address],
        purpose=rng.choice(["car", "house", "other", "school"], n)))
    guarantees = pd.DataFrame(dict(
        guarantor=nodes.customer.values[source], borrower=nodes.customer.values[target], amount=amount.round(2),
        signed=text_of(days(rng, len(source), "2022-01-01", 900), "%d/%m/%Y")))
    write("households", dict(nodes=nodes, guarantees=guarantees), top(score, .08, rng, .45), rng.random(n) < .4,
          "default", ["--nodes", "nodes.csv", "--edges", "guarantees.csv"])


def delays():
    """How many days late: the haulier and the plants of a supplier, both nodes of other types, and its load."""
    rng, n, m, plants, hauliers = np.random.default_rng(4000 + seed), 3500, 26000, 60, 150
    strict, slow = rng.normal(size=plants) * .6, rng.gamma(1.2, 1, hauliers)
    haulier, source = rng.integers(0, hauliers, n), draw(rng, m, n)
    plant = np.where(rng.random(m) < .6, haulier[source] * 7 % plants, rng.integers(0, plants, m))
    quantity, capacity = np.exp(2 + .8 * rng.normal(size=m)), np.exp(4 + .7 * rng.normal(size=n))
    load = np.bincount(source, quantity, n) / capacity
    country, cert = rng.choice(["CN", "DE", "PL", "US", "VN"], n), rng.choice(["ISO", "none", ""], n)
    base = (1.2 * standard(slow[haulier]) + .8 * standard(np.log1p(load)) - .4 * (cert == "ISO")
            + .7 * ((country == "CN") | (country == "VN")))
    base += .8 * standard(neighbours_mean(n, source, plant, quantity, strict)) + .4 * rng.normal(size=n)
    nodes = pd.DataFrame(dict(supplier=[f"S{i:04d}" for i in range(n)], country=country, cert=cert,
                              capacity=[f"{v:.0f} t" for v in capacity], since=1970 + rng.integers(0, 54, n)))
    orders = pd.DataFrame(dict(supplier=nodes.supplier.values[source], plant=[f"P{k}" for k in plant],
                               quantity=quantity.round(1), ordered=text_of(days(rng, m, "2023-01-01", 500))))
    hauls = pd.DataFrame(dict(supplier=nodes.supplier, haulier=[f"H{k}" for k in haulier]))[rng.random(n) < .9]
    write("delays", dict(nodes=nodes, orders=orders, hauls=hauls), (np.exp(.4 * base + 1.2) - 1).round(2),
          rng.random(n) < .5, "days_late",
          ["--nodes", "supplier=nodes.csv", "--edges", "orders=orders.csv", "--edges", "hauls=hauls.csv"], number=True)


def flats():
    """Prices: what is near, and the agent."""
    rng, n, agents = np.random.default_rng(5000 + seed), 4000, 120
    place = rng.random((n, 2)) * 10
    near = cKDTree(place).query(place, 4)[1][:, 1:].ravel()
    field = .16 * sum(np.sin(place @ rng.normal(size=2) * .9 + rng.random() * 6) for _ in range(4))
    size, year, floor = np.exp(4.2 + .35 * rng.normal(size=n)), 1900 + rng.integers(0, 124, n), rng.poisson(2, n)
    agent, heating = rng.integers(0, agents, n), rng.choice(["gas", "oil", "pump", "district"], n)
    price = np.exp(8.1 + field + .92 * np.log(size) + .003 * (year - 1960) - .1 * (heating == "oil") + .02 * floor
                   + .08 * rng.normal(size=agents)[agent] + .08 * rng.normal(size=n))
    nodes = pd.DataFrame(dict(flat=[f"F{i}" for i in range(n)], m2=size.round(1), year=year, floor=floor,
                              heating=heating, agent=[f"Agent {k}" for k in agent]))
    nodes.loc[rng.random(n) < .06, "year"] = np.nan
    flat = np.repeat(np.arange(n), 3)
    edges = pd.DataFrame(dict(flat=nodes.flat.values[flat], near=nodes.flat.values[near],
                              metres=100 * np.linalg.norm(place[flat] - place[near], axis=1).round(3)))
    write("flats", dict(nodes=nodes, near=edges), price.round(-2).astype(int), rng.random(n) < .45, "price",
          ["--nodes", "nodes.csv", "--edges", "near.csv", "--undirected"], number=True)


def accounts():
    """Which accounts are frauds: rings that share a device, and payments for the limit."""
    rng, n, devices, m = np.random.default_rng(6000 + seed), 7000, 5200, 30000
    account = np.repeat(np.arange(n), 1 + rng.poisson(.5, n))
    device = rng.integers(0, devices, len(account))
    ring, free, at = np.zeros(n, bool), rng.permutation(n), 0
    for r in range(70):
        members = free[at:at + rng.integers(3, 9)]
        at += len(members)
        ring[members] = True
        with_it = members[rng.random(len(members)) < .75]
        account, device = np.r_[account, with_it], np.r_[device, np.full(len(with_it), devices + r)]
    source = np.r_[rng.integers(0, n, m), np.repeat(np.flatnonzero(ring), 3)]
    target = rng.integers(0, n, len(source))
    source, target = source[source != target], target[source != target]
    amount = np.exp(3.5 + rng.normal(size=len(source)) + .5 * ring[source])
    age, limit = rng.gamma(2, 200, n), np.exp(7 + .5 * rng.normal(size=n))
    known = rng.choice(["full", "basic", "none"], n, p=[.6, .3, .1])
    score = (2.2 * ring + .5 * (known == "none") - .5 * standard(np.log1p(age))
             + .5 * standard(np.log1p(np.bincount(source, amount, n)) - np.log(limit)))
    nodes = pd.DataFrame(dict(account=[f"A{i:05d}" for i in range(n)], age_days=age.round(), card_limit=limit.round(-1),
                              known=known, country=rng.choice(["AT", "DE", "IT", "RO", "NG"], n)))
    logins = pd.DataFrame(dict(account=nodes.account.values[account], device=[f"dev{x:05d}" for x in device]))
    payments = pd.DataFrame(dict(payer=nodes.account.values[source], payee=nodes.account.values[target],
                                 amount=amount.round(2),
                                 at=text_of(days(rng, len(source), length=200), "%Y-%m-%d %H:%M")))
    write("accounts", dict(nodes=nodes, logins=logins, payments=payments), top(score, .05, rng, .35),
          rng.random(n) < .35, "fraud",
          ["--nodes", "account=nodes.csv", "--edges", "logins=logins.csv", "--edges", "payments=payments.csv"])


def tags():
    """Several tags for each user, by the words about them and by whom they follow."""
    rng, n, k, m = np.random.default_rng(7000 + seed), 3000, 12, 14000
    taste = rng.dirichlet(np.full(k, .15), n)
    first, has = taste.argmax(1), taste > .22
    has[np.arange(n), first] = True

    def word(v):
        own = rng.random() < .25
        return f"w{rng.choice(k, p=taste[v])}_{rng.integers(0, 25)}" if own else f"c{rng.integers(0, 300)}"

    source = rng.integers(0, n, m)
    target, ok = ends(rng, n, source, first, k, .5)
    about = [" ".join(word(v) for _ in range(rng.integers(5, 14))) for v in range(n)]
    nodes = pd.DataFrame(dict(user=[f"u{i}" for i in range(n)], about=about, joined=2010 + rng.integers(0, 14, n)))
    follows = pd.DataFrame(dict(follower=nodes.user.values[source[ok]], followed=nodes.user.values[target[ok]]))
    write("tags", dict(nodes=nodes, follows=follows), ["|".join(f"t{j}" for j in np.flatnonzero(row)) for row in has],
          rng.random(n) < .5, "tags", ["--nodes", "nodes.csv", "--edges", "follows.csv"], sets=True)


def patients():
    """Who comes back within a month: rare diagnoses of visits, the ward, stays with a heavy tail."""
    rng, n, codes, wards = np.random.default_rng(8000 + seed), 4500, 900, 40
    risk, strain = rng.normal(size=codes) * (rng.random(codes) < .3), .5 * rng.normal(size=wards)
    ward, age = draw(rng, n, wards), np.clip(rng.normal(58, 18, n), 1, 99).round()
    visit = np.repeat(np.arange(n), 1 + rng.poisson(2, n))
    code = draw(rng, len(visit), codes, .5)
    stay = np.exp(.5 + .9 * rng.standard_t(3, len(visit)).clip(-3, 5) + .3 * risk[code]).round(1)
    when, alone = days(rng, len(visit)), rng.random(n) < .3
    worst = np.full(n, -9.)
    np.maximum.at(worst, visit, risk[code])
    score = (1.1 * worst + strain[ward] + .5 * standard(age) + .5 * alone
             + .6 * standard(np.log1p(np.bincount(visit, stay, n))))
    nodes = pd.DataFrame(dict(patient=[f"P-{i * 3 + 1000}" for i in range(n)], age=age.astype(int),
                              ward=[f"W{k}" for k in ward], lives=np.where(alone, "alone", "family")))
    nodes.loc[rng.random(n) < .07, "lives"] = ""
    visits = pd.DataFrame(dict(patient=nodes.patient.values[visit],
                               diagnosis=[f"{chr(65 + k % 20)}{k:03d}" for k in code],
                               stay=[f"{v} d" for v in stay], admitted=text_of(when, "%d.%m.%Y")))
    write("patients", dict(nodes=nodes, visits=visits), top(score, .12, rng, .5), rng.random(n) < .35, "back",
          ["--nodes", "patient=nodes.csv", "--edges", "visits=visits.csv"])


def devices():
    """How much a device will cost: sessions with heavy tails on servers, and the batch it was made in."""
    rng, n, m, servers, batches = np.random.default_rng(9000 + seed), 3000, 30000, 500, 260
    load, weak = .5 * rng.normal(size=servers), .5 * rng.normal(size=batches)
    batch, source, server = draw(rng, n, batches, .7), draw(rng, m, n, .6), draw(rng, m, servers, .6)
    sent = np.exp(6 + 1.6 * rng.normal(size=m) + .5 * load[server])
    firmware, months = rng.choice(["1.0", "1.1", "2.0", "2.1b"], n), rng.gamma(2, 15, n)
    heat = 35 + 6 * rng.normal(size=n) + 3 * weak[batch]
    cost = np.exp(3 + .8 * weak[batch] + .3 * standard(np.log1p(np.bincount(source, sent, n)))
                  + .5 * standard(neighbours_mean(n, source, server, 1, load)) + .2 * (firmware == "1.0")
                  + .2 * standard(np.log1p(months)) + .35 * rng.normal(size=n))
    nodes = pd.DataFrame(dict(device=np.arange(n) + 5000, batch=[f"B{k:04d}" for k in batch], firmware=firmware,
                              months=months.round(1), heat=heat.round(1)))
    nodes.loc[rng.random(n) < .08, "heat"] = np.nan
    sessions = pd.DataFrame(dict(device=nodes.device.values[source], server=[f"srv-{k}" for k in server],
                                 bytes=sent.astype(int), started=text_of(days(rng, m, length=90), "%Y-%m-%dT%H:%M:%S")))
    write("devices", dict(nodes=nodes, sessions=sessions), cost.round(2), rng.random(n) < .4, "cost",
          ["--nodes", "device=nodes.csv", "--edges", "sessions=sessions.csv"], number=True)


def members():
    """Who buys the upgrade: friends who did, mentors of good standing, a club among many small ones."""
    rng, n, clubs = np.random.default_rng(10000 + seed), 4000, 700
    club, taste, dues = draw(rng, n, clubs, .8), rng.normal(size=n), np.exp(3 + .5 * rng.normal(size=n))
    taste += .7 * rng.normal(size=clubs)[club]
    source = draw(rng, 12000, n)
    target, ok = ends(rng, n, source, club, clubs, .5)
    source, target = source[ok], target[ok]
    pupil, mentor = np.arange(n)[rng.random(n) < .6], draw(rng, n, n, .3)
    mentor = mentor[pupil]
    pupil, mentor = pupil[pupil != mentor], mentor[pupil != mentor]
    standing, channel = rng.normal(size=n), rng.choice(["web", "shop", "phone"], n)
    taught = np.zeros(n)
    taught[pupil] = standing[mentor]
    own = .8 * taste + .5 * taught - .4 * standard(np.log(dues)) + .4 * (channel == "web")
    friends = neighbours_mean(n, np.r_[source, target], np.r_[target, source], 1, top(own, .2, rng, .3) * 1.)
    nodes = pd.DataFrame(dict(member=[f"m{i:04d}" for i in range(n)], club=[f"Club {k}" for k in club],
                              dues=[f"${v:.2f}" for v in dues], channel=channel, points=(standing * 30 + 100).round(),
                              visits=rng.poisson(np.exp(1 + .4 * taste))))
    friend = pd.DataFrame(dict(member=nodes.member.values[source], friend=nodes.member.values[target]))
    teaches = pd.DataFrame(dict(mentor=nodes.member.values[mentor], pupil=nodes.member.values[pupil]))
    write("members", dict(nodes=nodes, friends=friend, teaches=teaches), top(own + standard(friends), .2, rng, .5),
          rng.random(n) < .3, "upgraded",
          ["--nodes", "member=nodes.csv", "--edges", "friends=friends.csv", "--edges", "teaches=teaches.csv"])


worlds = (staff, suppliers, claims, loans, machines, insurance, telecom, households, delays, flats, accounts, tags,
          patients, devices, members)
for world in worlds:
    if not sys.argv[3:] or world.__name__ in sys.argv[3:]:
        world()
