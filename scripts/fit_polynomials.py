#!/usr/bin/env python3
"""Fits the polynomials of src/cpu/emit/math_*.cc and src/front/builder/lib/math_*.cc; arguments choose some by how their
names begin.

Weighted minimax approximations by Remez exchange, in 60 digits. Of floats, the first coefficients
are rounded one after the other and the rest fitted again, if that makes the error smaller.
Needs mpmath and numpy.
"""
import sys

import mpmath as mp
import numpy as np

mp.mp.dps = 60


def minimax(f, weight, powers, low, high):
    """Coefficients c that minimise max |weight(x) (f(x) - sum c_k x^powers_k)| on [low, high]."""
    n = len(powers)
    middle, radius = (low + high) / 2, (high - low) / 2
    # Not quite symmetric, since a weight may be zero in the middle.
    nodes = [middle - radius * mp.cos(mp.pi * (2 * i + 1.01) / (2 * n + 2)) for i in range(n + 1)]
    grid = [middle - radius * mp.cos(mp.pi * i / (40 * n)) for i in range(40 * n + 1)]
    values = [(x, f(x), weight(x)) for x in grid]
    for _ in range(12):
        a = mp.matrix(n + 1, n + 1)
        y = mp.matrix(n + 1, 1)
        for i, x in enumerate(nodes):
            for k, p in enumerate(powers):
                a[i, k] = weight(x) * x**p
            a[i, n] = (-1) ** i
            y[i] = weight(x) * f(x)
        c = list(mp.lu_solve(a, y))[:n]
        errors = [w * (v - mp.fsum(ck * x**p for ck, p in zip(c, powers))) for x, v, w in values]
        # The largest error of each run of one sign.
        runs = []
        for i, e in enumerate(errors):
            if e == 0:
                continue
            if runs and mp.sign(errors[runs[-1]]) == mp.sign(e):
                if abs(e) > abs(errors[runs[-1]]):
                    runs[-1] = i
            else:
                runs.append(i)
        while len(runs) > n + 1:
            runs.pop(0 if abs(errors[runs[0]]) < abs(errors[runs[-1]]) else -1)
        if len(runs) < n + 1:
            break
        nodes = [grid[i] for i in runs]
        sizes = [abs(errors[i]) for i in runs]
        if max(sizes) < min(sizes) * 1.02:
            break
    return c, max(abs(e) for e in errors)


def is_wanted(name):
    return not sys.argv[1:] or any(name.startswith(wanted) for wanted in sys.argv[1:])


def chebyshev(name, f, count, low, high):
    """The first coefficients of the expansion of f on [low, high] in Chebyshev polynomials."""
    if not is_wanted(name):
        return
    n = 4 * count
    angles = [mp.pi * (2 * i + 1) / (2 * n) for i in range(n)]
    middle, radius = (mp.mpf(low) + high) / 2, (mp.mpf(high) - low) / 2
    values = [f(middle + radius * mp.cos(a)) for a in angles]
    c = [2 * mp.fsum(v * mp.cos(k * a) for v, a in zip(values, angles)) / n for k in range(n)]
    c[0] /= 2
    error = mp.fsum(abs(ck) for ck in c[count:])
    print(f"{name}: error 2^{float(mp.log(error, 2)):.1f}\n  {{{', '.join(repr(float(ck)) for ck in c[:count])}}}")


def numbers(name, values):
    if is_wanted(name):
        print(f"{name}:\n  {{{', '.join(repr(float(v)) for v in values)}}}")


def fit(name, f, weight, count, low, high, bits):
    if not is_wanted(name):
        return
    to_type = (lambda c: mp.mpf(float(np.float32(float(c))))) if bits == 24 else (lambda c: mp.mpf(float(c)))
    low, high = mp.mpf(low), mp.mpf(high)
    grid = [low + (high - low) * i / 1000 for i in range(1001)]
    grid = [(x, f(x), weight(x)) for x in grid]
    best = None
    for fixed_first in range(4 if bits == 24 else 1):
        fixed = []
        try:
            while len(fixed) < count:
                rest = range(len(fixed), count)
                target = lambda x: f(x) - mp.polyval(fixed[::-1], x)
                c, _ = minimax(target, weight, rest, low, high)
                fixed += map(to_type, c if len(fixed) >= fixed_first else c[:1])
        except ZeroDivisionError:
            continue
        error = max(abs(w * (v - mp.polyval(fixed[::-1], x))) for x, v, w in grid)
        if best is None or error < best[0]:
            best = (error, fixed)
    error, fixed = best
    text = [str(np.float32(float(c))) if bits == 24 else repr(float(c)) for c in fixed]
    print(f"{name}: error 2^{float(mp.log(error, 2)):.1f}\n  {{{', '.join(text)}}}")


def near_zero(f, term, radius):
    """f, or its series with the given terms near zero, where f loses digits."""
    series = [term(k) for k in range(60)][::-1]
    return lambda x: mp.polyval(series, x) if abs(x) < radius else f(x)


def in_square(f, term):
    """(f(x) / x - 1) / x^2 as a function of z = x^2."""
    return near_zero(lambda z: (f(mp.sqrt(z)) / mp.sqrt(z) - 1) / z, term, mp.mpf("1e-2"))


def tangent_term(k, sign):
    n = k + 2
    return sign**(k + 1) * 4**n * (4**n - 1) * abs(mp.bernoulli(2 * n)) / mp.factorial(2 * n)


tiny = mp.mpf("1e-12")
linear = lambda z: z + tiny

# (e^r - 1 - r) / r^2
half = mp.log(2) / 2 * mp.mpf("1.01")
exp = near_zero(lambda x: (mp.expm1(x) - x) / x**2, lambda k: 1 / mp.factorial(k + 2), mp.mpf("1e-2"))
fit("exp of float", exp, lambda x: abs(x) + tiny, 5, -half, half, 24)
fit("exp of double", exp, lambda x: abs(x) + tiny, 10, -half, half, 53)

# (log(1 + f) - f + f^2 / 2) / f^3
low, high = 1 / mp.sqrt(2) - mp.mpf("1.0001"), mp.sqrt(2) - mp.mpf("0.9999")
log = near_zero(lambda x: (mp.log1p(x) - x + x**2 / 2) / x**3, lambda k: mp.mpf((-1) ** k) / (k + 3), mp.mpf("1e-2"))
fit("log of float", log, lambda x: x**2 + tiny, 8, low, high, 24)
fit("log of double", log, lambda x: x**2 + tiny, 19, low, high, 53)

# In z = r^2: (sin r - r) / r^3, (cos r - 1 + r^2 / 2) / r^4
end = (mp.pi / 4 * mp.mpf("1.01")) ** 2
sin = in_square(mp.sin, lambda k: mp.mpf((-1) ** (k + 1)) / mp.factorial(2 * k + 3))
cos = near_zero(lambda z: (mp.cos(mp.sqrt(z)) - 1 + z / 2) / z**2,
                lambda k: mp.mpf((-1) ** k) / mp.factorial(2 * k + 4), mp.mpf("1e-2"))
fit("sin of float", sin, linear, 3, 0, end, 24)
fit("sin of double", sin, linear, 6, 0, end, 53)
fit("cos of float", cos, lambda z: z**2 + tiny, 3, 0, end, 24)
fit("cos of double", cos, lambda z: z**2 + tiny, 6, 0, end, 53)

# (f(r) - r) / r^3 of inverse and hyperbolic functions, in doubles; without a type, to the accuracy of a float
asin = in_square(mp.asin, lambda k: mp.binomial(2 * k + 2, k + 1) / mp.mpf(4) ** (k + 1) / (2 * k + 3))
fit("asin", asin, linear, 5, 0, mp.mpf("0.2501"), 53)
fit("asin of double", asin, linear, 13, 0, mp.mpf("0.2501"), 53)
atan = in_square(mp.atan, lambda k: mp.mpf((-1) ** (k + 1)) / (2 * k + 3))
fit("atan", atan, linear, 10, 0, 1, 53)
fit("atan of double", atan, linear, 11, 0, mp.tan(mp.pi / 8) ** 2 * mp.mpf("1.001"), 53)
tanh = in_square(mp.tanh, lambda k: tangent_term(k, -1))
fit("tanh", tanh, linear, 3, 0, mp.mpf("0.09"), 24)

# erf(x) / x - 1 in z = x^2, the fourth root of erfc(x), and -log(erfc(x))
erf = near_zero(lambda z: mp.erf(mp.sqrt(z)) / mp.sqrt(z) - 1,
                lambda k: 2 / mp.sqrt(mp.pi) * mp.mpf((-1) ** k) / mp.factorial(k) / (2 * k + 1) - (k == 0),
                mp.mpf("1e-2"))
log_erfc = lambda x: -mp.log(mp.erfc(x))
fit("erf of float", erf, lambda z: mp.mpf(1), 7, 0, 1, 24)
fit("erf of double", erf, lambda z: mp.mpf(1), 13, 0, 1, 53)
fit("root of erfc", lambda x: mp.root(mp.erfc(x), 4), lambda x: 4 * mp.root(mp.erfc(x), 4) ** 3, 9, 1, mp.mpf("3.93"), 24)
fit("log of erfc of double", log_erfc, mp.erfc, 23, 1, 6, 53)

# In doubles to the accuracy of floats, for powers and tangents.
fit("exp between", exp, lambda x: abs(x) + tiny, 6, -half, half, 53)
fit("log between", log, lambda x: x**2 + tiny, 11, low, high, 53)
tan = in_square(mp.tan, lambda k: tangent_term(k, 1))
fit("tan", tan, linear, 7, 0, end, 53)

# log(1 + f) = 2 s + s^3 (2/3 + z W(z)), s = f / (2 + f), z = s^2
powers = near_zero(lambda z: 2 * ((mp.atanh(mp.sqrt(z)) / mp.sqrt(z) - 1) / z - mp.mpf(1) / 3) / z,
                   lambda k: mp.mpf(2) / (2 * k + 5), mp.mpf("1e-2"))
fit("power", powers, lambda z: mp.mpf(1), 7, 0, mp.mpf("0.02945"), 53)


# The builder's library, all of it in doubles.

# (1 + 2 x) e^(x^2) erfc(x) in t = (x - 4) / (x + 4), for x from 0.47 to 28
def scaled_erfc(t):
    x = 4 * (1 + t) / (1 - t)
    return (1 + 2 * x) * mp.exp(x * x) * mp.erfc(x)


fit("scaled erfc", scaled_erfc, lambda t: 1 / scaled_erfc(t), 22, (mp.mpf("0.47") - 4) / mp.mpf("4.47"), mp.mpf("0.75"), 53)


# erfinv(x) / x, where w = -log(1 - x^2): in w - 2.5 up to 5, in sqrt(w) - 3 from there to 16. Guesses that are made better
# afterwards.
def inverse_erf(w):
    x = mp.sqrt(-mp.expm1(-w))
    return mp.erfinv(x) / x if w > 0 else mp.sqrt(mp.pi) / 2


fit("inverse erf below", lambda u: inverse_erf(u + mp.mpf("2.5")), lambda u: mp.mpf(1), 8, mp.mpf("-2.5"), mp.mpf("2.5"), 53)
fit("inverse erf above", lambda u: inverse_erf((u + 3) ** 2), lambda u: mp.mpf(1), 8, mp.sqrt(5) - 3, 1, 53)

# lgamma(x) / ((x - 1) (x - 2)) in t = (x - 1.125) / (x + 1.125), for x from 1/2 to 5/2
def lgamma(t):
    x = mp.mpf("1.125") * (1 + t) / (1 - t)
    for pole in (1, 2):
        if abs(x - pole) < mp.mpf("1e-20"):
            x = pole + mp.mpf("1e-20")
    return mp.loggamma(x).real / ((x - 1) * (x - 2))


fit("lgamma near", lgamma, lambda t: 1 / lgamma(t), 24, mp.mpf("-0.385"), mp.mpf("0.3795"), 53)


# x (lgamma(x) - (x - 1/2) log(x) + x - log(2 pi) / 2) in z = 1 / x^2
def stirling(z):
    if z < mp.mpf("1e-14"):
        return mp.mpf(1) / 12 - z / 360
    x = 1 / mp.sqrt(z)
    return x * (mp.loggamma(x).real - (x - mp.mpf("0.5")) * mp.log(x) + x - mp.log(2 * mp.pi) / 2)


far = 1 / mp.mpf("8.5") ** 2
fit("lgamma far", stirling, lambda z: mp.mpf(1), 7, 0, far, 53)

# (digamma(x) - log(x - 1/2)) / z in z = 1 / (x - 1/2)^2, for x from 5/2
def digamma_far(z):
    if z < mp.mpf("1e-14"):
        return mp.mpf(1) / 24 - z * 7 / 960
    x = mp.mpf("0.5") + 1 / mp.sqrt(z)
    return (mp.digamma(x) - mp.log(x - mp.mpf("0.5"))) / z


fit("digamma far", digamma_far, linear, 17, 0, 1 / mp.mpf(4), 53)

# The zero of digamma as the sum of two doubles, and x digamma(x) / (x - zero) in t = (x - 1.125) / (x + 1.125), for x
# from 1/2 to 5/2
zero = mp.findroot(mp.digamma, mp.mpf("1.46"))
high = mp.mpf(float(zero))
numbers("digamma zero", [high, zero - high])


def digamma(t):
    x = mp.mpf("1.125") * (1 + t) / (1 - t)
    if abs(x - zero) < mp.mpf("1e-20"):
        x = zero + mp.mpf("1e-20")
    return x * mp.digamma(x) / (x - zero)


fit("digamma near", digamma, lambda t: 1 / digamma(t), 25, mp.mpf("-0.385"), mp.mpf("0.3795"), 53)

# B(2k) / (2k)!
numbers("bernoulli", [mp.bernoulli(2 * k) / mp.factorial(2 * k) for k in range(1, 13)])

# Of modified Bessel functions, e^-x I0(x) and e^-x I1(x) / x in x / 3.75 - 1, and beyond 7.5 times sqrt(x) in 15 / x - 1
scaled_bessel = lambda n, x: mp.exp(-x) * mp.besseli(n, x)
chebyshev("bessel 0 near", lambda t: scaled_bessel(0, mp.mpf("3.75") * (t + 1)), 30, -1, 1)
chebyshev("bessel 1 near", lambda t: scaled_bessel(1, mp.mpf("3.75") * (t + 1)) / (mp.mpf("3.75") * (t + 1)), 29, -1, 1)
for n in range(2):
    chebyshev(f"bessel {n} far", lambda t: scaled_bessel(n, 15 / (t + 1)) * mp.sqrt(15 / (t + 1)), 28, -1, 1)
