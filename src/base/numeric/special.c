#include "base/numeric/special.h"
#include "base/numeric/fmath.h"

#define PI      0x1.921fb54442d18p+1
#define PI_LOW  0x1.1a62633145c07p-53
#define LN2     0x1.62e42fefa39efp-1
#define INF     ((double)INFINITY)
#define HALF_PI (0.5 * PI)

// ---- circular functions ----

double f64_tan(double x) {
    if (x == 0.0 || x != x) return f64_nan_if(x, x);
    return f64_nan_if(x, f64_sin(x) / f64_cos(x));
}

// atan(k / 16) in two parts.
static const double atan_hi[17] = {0x0.0p+0,
                                   0x1.ff55bb72cfdeap-5,
                                   0x1.fd5ba9aac2f6ep-4,
                                   0x1.7b97b4bce5b02p-3,
                                   0x1.f5b75f92c80ddp-3,
                                   0x1.362773707ebccp-2,
                                   0x1.6f61941e4def1p-2,
                                   0x1.a64eec3cc23fdp-2,
                                   0x1.dac670561bb4fp-2,
                                   0x1.0657e94db30d0p-1,
                                   0x1.1e00babdefeb4p-1,
                                   0x1.345f01cce37bbp-1,
                                   0x1.4978fa3269ee1p-1,
                                   0x1.5d58987169b18p-1,
                                   0x1.700a7c5784634p-1,
                                   0x1.819d0b7158a4dp-1,
                                   0x1.921fb54442d18p-1};
static const double atan_lo[17] = {0x0.0p+0,
                                   -0x1.c934d86d23f1dp-60,
                                   -0x1.cd37686760c17p-59,
                                   0x1.347b0b4f881cap-58,
                                   0x1.8ab6e3cf7afbdp-57,
                                   -0x1.963a544b672d8p-57,
                                   -0x1.c63aae6f6e918p-56,
                                   -0x1.24dec1b50b7ffp-56,
                                   0x1.a2b7f222f65e2p-56,
                                   -0x1.d5b495f6349e6p-56,
                                   -0x1.928df287a668fp-58,
                                   0x1.1021137c71102p-55,
                                   0x1.2419a87f2a458p-56,
                                   0x1.0028e4bc5e7cap-57,
                                   -0x1.8c34d25aadef6p-56,
                                   -0x1.bf76229d3b917p-56,
                                   0x1.1a62633145c07p-55};

// atan of y / x for 0 <= y <= x, x > 0: the nearest sixteenth, and the series of what is left (at most 1/32).
static double atan_ratio(double y, double x) {
    int k = (int)(16.0 * (y / x) + 0.5);
    double c = (double)k * 0.0625;
    double t = k ? (y - c * x) / (x + c * y) : y / x, z = t * t;
    double p =
        z * (-0x1.5555555555555p-2 +
             z * (0x1.999999999999ap-3 +
                  z * (-0x1.2492492492492p-3 +
                       z * (0x1.c71c71c71c71cp-4 + z * (-0x1.745d1745d1746p-4 + z * 0x1.3b13b13b13b14p-4)))));
    return atan_hi[k] + (t + (t * p + atan_lo[k]));
}

double f64_atan2(double y, double x) {
    if (x != x || y != y) return f64_nan();
    double ay = f64_abs(y), ax = f64_abs(x), r;
    if (ay == ax && (ay == 0.0 || ay == INF)) {
        r = ay == 0.0 ? 0.0 : 0.25 * PI;
    } else {
        bool steep = ay > ax;
        double big = steep ? ay : ax, small = steep ? ax : ay;
        if (big == INF) small = 0.0, big = 1.0;
        if (big > 0x1p1000) big *= 0x1p-100, small *= 0x1p-100; // the products stay finite
        if (big < 0x1p-900) big *= 0x1p120, small *= 0x1p120;
        r = atan_ratio(small, big);
        if (steep) r = HALF_PI - (r - 0.5 * PI_LOW);
    }
    bool left = bits64(x) >> 63;
    if (left) r = PI - (r - PI_LOW);
    return f64_sign_of(r, y);
}
double f64_atan(double x) { return f64_atan2(x, 1.0); }
double f64_asin(double x) {
    if (!(f64_abs(x) <= 1.0)) return f64_nan();
    return f64_atan2(x, sqrt((1.0 - x) * (1.0 + x)));
}
double f64_acos(double x) {
    if (!(f64_abs(x) <= 1.0)) return f64_nan();
    return 2.0 * f64_atan2(sqrt(1.0 - x), sqrt(1.0 + x));
}

// x = 2 n + r, exactly; then an eighth of a turn at most goes through sin or cos.
static double turn(double x, double quarter) {
    if (!(f64_abs(x) < INF)) return f64_nan();
    double r = fmod(x, 2.0);
    r += quarter; // in [-2, 2.5]: exact but for tiny r, where it rounds to the quarter
    double q = rint(2.0 * r), rest = r - 0.5 * q;
    int n = (int)q & 3;
    double y = n & 1 ? f64_cos(PI * rest) : f64_sin(PI * rest);
    return n & 2 ? -y : y;
}
double f64_sinpi(double x) {
    return x == 0.0 || (f64_abs(x) < 0x1p-20) ? f64_nan_if(x, PI * x) : turn(x, 0.0);
}
double f64_cospi(double x) { return f64_abs(x) < 0x1p-30 ? 1.0 : turn(x, 0.5); }

// ---- hyperbolic functions ----

double f64_sinh(double x) {
    double a = f64_abs(x), r;
    if (x == 0.0 || x != x) return f64_nan_if(x, x);
    if (a < 22.0) {
        double e = f64_expm1(a);
        r = 0.5 * (e + e / (e + 1.0));
    } else {
        double h = f64_exp(0.5 * a);
        r = 0.5 * h * h;
    }
    return f64_sign_of(r, x);
}
double f64_cosh(double x) {
    double a = f64_abs(x);
    if (a < 22.0) {
        double e = f64_exp(a);
        return 0.5 * e + 0.5 / e;
    }
    double h = f64_exp(0.5 * a);
    return f64_nan_if(x, 0.5 * h * h);
}
double f64_asinh(double x) {
    double a = f64_abs(x), r;
    if (x == 0.0 || x != x || a == INF) return f64_nan_if(x, x);
    if (a > 0x1p28)
        r = f64_log(a) + LN2;
    else
        r = f64_log1p(a + a * a / (1.0 + sqrt(a * a + 1.0)));
    return f64_sign_of(r, x);
}
double f64_acosh(double x) {
    if (!(x >= 1.0)) return f64_nan();
    if (x > 0x1p28) return x == INF ? INF : f64_log(x) + LN2;
    double t = x - 1.0;
    return f64_log1p(t + sqrt(2.0 * t + t * t));
}
double f64_atanh(double x) {
    double a = f64_abs(x);
    if (!(a <= 1.0)) return f64_nan();
    if (x == 0.0) return x;
    return f64_sign_of(a == 1.0 ? INF : 0.5 * f64_log1p(2.0 * a / (1.0 - a)), x);
}

// ---- powers ----

double f64_exp10(double x) { return f64_pow(10.0, x); }

double f64_log10(double x) {
    if (!(x > 0.0 && x < INF)) return f64_log(x);
    F64Pair l = f64_log_pair(x), p = f64_two_prod(l.hi, 0x1.bcb7b1526e50ep-2);
    return p.hi + (p.lo + l.hi * 0x1.95355baaafad3p-57 + l.lo * 0x1.bcb7b1526e50ep-2);
}

double f64_cbrt(double x) {
    double a = f64_abs(x);
    if (x == 0.0 || !(a < INF)) return f64_nan_if(x, x);
    double scale = 1.0;
    if (a < 0x1p-1000) a *= 0x1p300, scale = 0x1p-100;
    double r = f64_pow(a, 0x1.5555555555555p-2);
    r -= (r - a / (r * r)) * 0x1.5555555555555p-2;
    return f64_sign_of(r * scale, x);
}

double f64_hypot(double x, double y) {
    double a = f64_abs(x), b = f64_abs(y), scale = 1.0;
    if (a == INF || b == INF) return INF;
    if (x != x || y != y) return f64_nan();
    if (a > 0x1p500 || b > 0x1p500)
        a *= 0x1p-600, b *= 0x1p-600, scale = 0x1p600;
    else if (a < 0x1p-450 && b < 0x1p-450)
        a *= 0x1p600, b *= 0x1p600, scale = 0x1p-600;
    return sqrt(a * a + b * b) * scale;
}

// ---- the error function's relatives ----

// e^(x^2) erfc(x) for x >= 2 by its continued fraction, from the inside.
static double erfcx_tail(double x) {
    double f = x;
    for (int k = 100; k >= 1; k--) f = x + 0.5 * (double)k / f;
    return 0x1.20dd750429b6dp-1 / f;
}
// e^(-x^2): the square in two parts, |x| below 2^400.
static double exp_minus_square(double x) {
    F64Pair s = f64_two_prod(x, x);
    return f64_exp(-s.hi) * (1.0 - s.lo);
}
double f64_erfc(double x) {
    if (x < 2.0 || x != x) return f64_nan_if(x, 1.0 - f64_erf(x));
    if (x > 28.0) return 0.0;
    return exp_minus_square(x) * erfcx_tail(x);
}
double f64_erfcx(double x) {
    if (x >= 2.0) return x > 0x1p60 ? 0x1.20dd750429b6dp-1 / x : erfcx_tail(x);
    if (x < -27.0) return INF;
    F64Pair s = f64_two_prod(x, x);
    return f64_nan_if(x, f64_exp(s.hi) * (1.0 + s.lo) * f64_erfc(x));
}

// x with erf(x) = y and erfc(x) = q = 1 - y, for 0 <= y < 1, 0 < q <= 1: a guess good to 2^-8, then Halley's
// steps.
static double erf_inverse(double y, double q) {
    double l = f64_log(q) + f64_log1p(y), g = 0x1.152fd6c0ca5b4p+2 + 0.5 * l; // 2 / (pi 0.147), ln(1 - y^2)
    double x = sqrt(sqrt(g * g - l * 0x1.b36b36b36b36bp+2) - g);
    for (int i = 0; i < 3; i++) {
        double slope = 0x1.20dd750429b6dp+0 * exp_minus_square(x);
        double off = y < 0.5 ? (f64_erf(x) - y) / slope : (q - f64_erfc(x)) / slope;
        x -= off / (1.0 + x * off);
    }
    return x;
}
double f64_erfinv(double y) {
    double a = f64_abs(y);
    if (!(a <= 1.0)) return f64_nan();
    if (a == 1.0) return f64_sign_of(INF, y);
    if (a < 0x1p-30) return y * 0x1.c5bf891b4ef6bp-1;
    return f64_sign_of(erf_inverse(a, 1.0 - a), y);
}
double f64_erfcinv(double y) {
    if (!(y >= 0.0 && y <= 2.0)) return f64_nan();
    if (y == 0.0) return INF;
    if (y == 2.0) return -INF;
    if (f64_abs(1.0 - y) < 0x1p-30) return (1.0 - y) * 0x1.c5bf891b4ef6bp-1;
    return y <= 1.0 ? erf_inverse(1.0 - y, y) : -erf_inverse(y - 1.0, 2.0 - y);
}

// ---- the gamma function ----

// ln gamma(2 + z) for |z| <= 1/2: (1 - euler) z + sum of (-1)^k (zeta(k) - 1) z^k / k.
static double lgamma_near_2(double z) {
    static const double c[] = {
        0x1.4a34cc4a60fa6p-2,  -0x1.13e001a557607p-4,  0x1.51322ac7d8483p-6,  -0x1.e404fc218f5f2p-8,
        0x1.7add6eadb6c30p-9,  -0x1.38ac5c2bf8e08p-10, 0x1.0b36af86396e9p-11, -0x1.d3fd4c76d2fc8p-13,
        0x1.a127b0f17d65ap-14, -0x1.78de5bd7c81efp-15, 0x1.580dcee66eb02p-16, -0x1.3cbc963ce2243p-17,
        0x1.2597a39f34aacp-18, -0x1.11b2eb7679541p-19, 0x1.0064cdeb22f0fp-20, -0x1.e2600d93cfd2fp-22,
        0x1.c76bbb3f07a4dp-23, -0x1.af5a6cbbf8a97p-24, 0x1.99b93c2070b0fp-25, -0x1.862c734df3eacp-26,
        0x1.7469daccfadcdp-27, -0x1.6434a8447aeadp-28, 0x1.555a877ffd2c3p-29, -0x1.47b1679258d0ep-30,
        0x1.3b15d2b2fc10cp-31, -0x1.2f69a9fabe3e0p-32, 0x1.24932a337434cp-33, -0x1.1a7c26ec2523cp-34};
    double sum = 0.0;
    for (int i = (int)(sizeof c / sizeof *c) - 1; i >= 0; i--) sum = sum * z + c[i];
    return z * (0x1.b0ee6072093cep-2 + z * sum);
}
// Stirling's series, x >= 10.
static double lgamma_large(double x) {
    double w = 1.0 / x, z = w * w;
    double s = 0x1.5555555555555p-4 +
               z * (-0x1.6c16c16c16c17p-9 +
                    z * (0x1.a01a01a01a01ap-11 +
                         z * (-0x1.3813813813814p-11 +
                              z * (0x1.b951e2b18ff23p-11 +
                                   z * (-0x1.f6ab0d9993c7dp-10 + z * 0x1.a41a41a41a41ap-8)))));
    return (x - 0.5) * f64_log(x) - x + (0x1.d67f1c864beb5p-1 + w * s);
}
static double lgamma_positive(double x) {
    if (x >= 10.0) return lgamma_large(x);
    if (x < 0.5) return lgamma_near_2(x) - f64_log1p(x) - f64_log(x); // gamma(2 + x) / (x (1 + x))
    if (x < 1.5) return lgamma_near_2(x - 1.0) - f64_log1p(x - 1.0);
    double product = 1.0;
    while (x > 2.5) x -= 1.0, product *= x;
    return lgamma_near_2(x - 2.0) + (product != 1.0 ? f64_log(product) : 0.0);
}
double f64_lgamma(double x) {
    if (x != x) return f64_nan();
    if (x == INF || x == -INF) return INF;
    if (x > 0.0) return x > 0x1p1010 ? INF : lgamma_positive(x);
    if (x == rint(x)) return INF;
    if (x > -0x1p-60) return -f64_log(-x);
    return f64_log(PI / (f64_abs(f64_sinpi(x)) * -x)) - lgamma_positive(-x);
}

static double tgamma_positive(double x) {
    if (x > 172.0) return INF;
    if (x > 35.0) return f64_exp(lgamma_large(x));
    double product = 1.0;
    while (x > 2.5) x -= 1.0, product *= x;
    double below = 1.0;
    while (x < 1.5) below *= x, x += 1.0;
    return f64_exp(lgamma_near_2(x - 2.0)) * product / below;
}
double f64_tgamma(double x) {
    if (x != x || x == -INF) return f64_nan();
    if (x == 0.0) return 1.0 / x;
    if (x > 0.0) return tgamma_positive(x);
    if (x == rint(x)) return f64_nan();
    if (x < -185.0) return f64_sign_of(0.0, f64_sinpi(x));
    if (x > -0x1p-60) return 1.0 / x;
    double s = f64_sinpi(x); // gamma(x) gamma(-x) = -pi / (x sin(pi x))
    if (-x < 170.0) return -PI / (x * s * tgamma_positive(-x));
    return f64_sign_of(f64_exp(f64_lgamma(x)), s);
}
