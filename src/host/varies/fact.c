#include "host/varies/fact.h"

static int64_t cut(int64_t x) { return x > FACT_FAR ? FACT_FAR : x < -FACT_FAR ? -FACT_FAR : x; }
static int64_t low(int64_t a, int64_t b) { return a < b ? a : b; }
static int64_t high(int64_t a, int64_t b) { return a > b ? a : b; }

Fact fact_other(uint8_t how) {
    return (Fact){.kind = FACT_OTHER, .how = how, .lo = -FACT_FAR, .hi = FACT_FAR};
}
Fact fact_number(uint8_t how, int64_t lo, int64_t hi) {
    how &= (uint8_t) ~(FACT_HELD | FACT_STAYS);
    return (Fact){.kind = FACT_NUMBER, .how = how, .lo = cut(lo), .hi = cut(hi)};
}

static bool is_bare(Fact f) { return f.kind == FACT_OTHER && (f.sure & SURE_BARE); }
static bool is_sequence(Fact f) { return f.kind == FACT_NUMBERS || f.kind == FACT_THINGS; }
// Of such items, or empty.
static Fact any_length(Fact seq, uint8_t how) {
    seq.how |= how;
    seq.count = seq.of = seq.dims = 0;
    seq.sure &= (uint16_t)~SURE_LAST;
    return seq;
}

Fact fact_join(Fact a, Fact b) {
    if (a.kind == FACT_NOTHING) return b.how |= a.how, b;
    if (b.kind == FACT_NOTHING) return a.how |= b.how, a;
    if (is_bare(a) && is_sequence(b)) return any_length(b, a.how);
    if (is_bare(b) && is_sequence(a)) return any_length(a, b.how);
    if (a.kind != b.kind) return fact_other(a.how | b.how);
    bool shape = a.of == b.of && a.dims == b.dims && !((a.sure ^ b.sure) & SURE_GAPS);
    Fact f = a;
    f.how = a.how | b.how;
    f.sure = a.sure & b.sure;
    f.rank = a.rank == b.rank ? a.rank : 0;
    f.count = a.count == b.count ? a.count : 0;
    f.like = a.like == b.like ? a.like : 0;
    f.klass = a.klass == b.klass ? a.klass : 0;
    f.of = shape ? a.of : 0;
    f.dims = shape ? a.dims : 0;
    f.lo = low(a.lo, b.lo);
    f.hi = high(a.hi, b.hi);
    return f;
}

bool fact_is_tensor(Fact a) { return a.kind == FACT_OTHER && (a.sure & SURE_TENSOR); }

bool fact_equal(Fact a, Fact b) {
    return a.kind == b.kind && a.how == b.how && a.sure == b.sure && a.rank == b.rank && a.count == b.count &&
           a.like == b.like && a.klass == b.klass && a.of == b.of && a.dims == b.dims && a.lo == b.lo &&
           a.hi == b.hi;
}

Fact fact_item(Fact seq) {
    if (seq.kind == FACT_NUMBERS) return fact_number(seq.how, seq.lo, seq.hi);
    if (seq.kind == FACT_THINGS) return seq.kind = FACT_OTHER, seq.count = 0, seq;
    if (is_bare(seq)) return (Fact){.how = seq.how & (uint8_t)~FACT_HELD}; // there is none
    return seq.kind == FACT_NOTHING ? seq : fact_other(seq.how);
}

Fact fact_sequence(Fact items) {
    items.sure &= (uint16_t)~SURE_BARE;
    if (items.kind == FACT_NUMBER)
        return (Fact){FACT_NUMBERS, .how = items.how, .lo = items.lo, .hi = items.hi};
    if (items.kind == FACT_OTHER) return items.kind = FACT_THINGS, items;
    return fact_other(items.how);
}

Fact fact_item_at(Fact seq, int64_t i) {
    Fact f = fact_item(seq);
    bool last = i == -1 || (seq.count && i == seq.count - 1);
    if (seq.kind == FACT_NUMBERS && (seq.sure & SURE_LAST) && last) return fact_number(0, 1, 1);
    if (seq.kind != FACT_NUMBERS || seq.of == 0 || seq.count == 0) return f;
    if (i < 0) i += seq.count;
    if (i < 0 || i >= seq.count || i > 7) return f;
    f.of = seq.of;
    f.dims = (uint8_t)(1 << i);
    return f;
}

Fact fact_shape(uint8_t how, uint8_t of, uint8_t count, int64_t least) {
    Fact f = {FACT_NUMBERS, .how = how, .count = count, .lo = least, .hi = FACT_ELEMENTS - 1};
    f.of = count ? of : 0;
    return f;
}

Fact fact_dims(uint8_t how, uint8_t of, uint8_t dims, int64_t least) {
    Fact f = fact_number(how, least, FACT_ELEMENTS - 1);
    f.of = of;
    f.dims = of ? dims : 0;
    return f;
}

static bool is_number(Fact a) { return a.kind == FACT_NUMBER; }
static bool is_known(Fact a) { return is_number(a) && a.lo == a.hi && a.hi < FACT_FAR && a.lo > -FACT_FAR; }
static bool is_far(int64_t x) { return x >= FACT_FAR || x <= -FACT_FAR; }

Fact fact_unary(Oper op, Fact a) {
    if (a.kind == FACT_NOTHING) return a;
    uint8_t how = a.how & (uint8_t)~FACT_NONE;
    if (op == OPER_NEG && is_number(a)) return fact_number(how, -a.hi, -a.lo);
    if (op == OPER_POS && is_number(a)) return fact_number(how, a.lo, a.hi);
    return fact_other(how);
}

static int64_t times(int64_t a, int64_t b) {
    int64_t x;
    if (a == 0 || b == 0) return 0;
    if (is_far(a) || is_far(b) || __builtin_mul_overflow(a, b, &x))
        return (a < 0) == (b < 0) ? FACT_FAR : -FACT_FAR;
    return cut(x);
}

static Fact product(uint8_t how, Fact a, Fact b) {
    int64_t x[] = {times(a.lo, b.lo), times(a.lo, b.hi), times(a.hi, b.lo), times(a.hi, b.hi)};
    return fact_number(how, low(low(x[0], x[1]), low(x[2], x[3])), high(high(x[0], x[1]), high(x[2], x[3])));
}

// The product of some sizes of one tensor is at most how many elements it has.
static Fact sizes_multiplied(Fact f, Fact a, Fact b) {
    if (a.of == 0 || a.of != b.of || (a.dims & b.dims)) return f;
    f.of = a.of;
    f.dims = a.dims | b.dims;
    f.sure |= (a.sure | b.sure) & SURE_GAPS;
    if (f.hi >= FACT_ELEMENTS) f.hi = FACT_ELEMENTS - 1;
    return f;
}

// Rounded either way, of numbers that are not negative by positive ones.
static Fact quotient(uint8_t how, Fact a, Fact b, bool up) {
    if (a.lo < 0 || b.lo < 1) return fact_number(how, -FACT_FAR, FACT_FAR);
    int64_t lo = is_far(b.hi) ? 0 : a.lo / b.hi, hi = is_far(a.hi) ? FACT_FAR : a.hi / b.lo;
    if (up && a.lo > 0 && (is_far(b.hi) || a.lo % b.hi)) lo++;
    if (up && !is_far(a.hi) && a.hi % b.lo) hi++;
    return fact_number(how, lo, hi);
}

static Fact shifted(uint8_t how, Oper op, Fact a, Fact b) {
    if (a.lo < 0 || b.lo < 0 || b.hi > 61) return fact_number(how, -FACT_FAR, FACT_FAR);
    Fact by = fact_number(0, (int64_t)1 << b.lo, (int64_t)1 << b.hi);
    return op == OPER_SHL ? product(how, a, by) : quotient(how, a, by, false);
}

static Fact powered(uint8_t how, Fact a, Fact b) {
    if (!is_known(b) || b.lo < 0 || b.lo > 64 || a.lo < 0) return fact_number(how, -FACT_FAR, FACT_FAR);
    int64_t lo = 1, hi = 1;
    for (int64_t i = 0; i < b.lo; i++) lo = times(lo, a.lo), hi = times(hi, a.hi);
    return fact_number(how, lo, hi);
}

// Of numbers that follow from sizes: whether sizes that lie close together give numbers that do not.
static bool mixes(Oper op, Fact a, Fact b) {
    bool large = is_known(b) && b.lo > FACT_LARGE, real = (a.sure | b.sure) & SURE_REAL;
    switch (op) {
    case OPER_BITXOR: return true;
    case OPER_BITAND: return large || (is_known(a) && a.lo > FACT_LARGE);
    case OPER_MOD: return large || real;
    case OPER_SUB: return (a.how & b.how & FACT_VARIES) && ((b.sure & SURE_STEPS) || real);
    default: return false;
    }
}

static uint16_t sure_of_number(Oper op, Fact a, Fact b) {
    bool large =
        is_known(b) && (op == OPER_FLOORDIV ? b.lo > FACT_LARGE : op == OPER_SHR && b.lo > FACT_LARGE_BITS);
    bool steps = large || ((op == OPER_MUL || op == OPER_SHL) && ((a.sure | b.sure) & SURE_STEPS));
    return (uint16_t)((steps ? SURE_STEPS : 0) |
                      (op == OPER_DIV ? SURE_REAL : (a.sure | b.sure) & SURE_REAL));
}

static Fact binary_of(Oper op, Fact a, Fact b);
Fact fact_binary(Oper op, Fact a, Fact b) {
    Fact f = binary_of(op, a, b);
    if (f.kind != FACT_NUMBER && f.kind != FACT_OTHER) return f;
    f.sure |= sure_of_number(op, a, b);
    if ((f.how & FACT_VARIES) && mixes(op, a, b)) f.how |= FACT_MIXED;
    return f;
}

Fact fact_wrapped(Oper op, Fact a, Fact f) {
    bool shrinks = op == OPER_MOD || op == OPER_FLOORDIV || op == OPER_SHR;
    if (shrinks && is_number(a) && is_number(f) && a.hi > INT32_MAX && f.lo > -f.hi) f.lo = -f.hi;
    return f;
}

static Fact binary_of(Oper op, Fact a, Fact b) {
    uint8_t how = (a.how | b.how) & (uint8_t)~FACT_NONE;
    if (a.kind == FACT_NOTHING || b.kind == FACT_NOTHING) return (Fact){.how = how};
    if (op == OPER_ADD && a.kind == FACT_NUMBERS && b.kind == FACT_NUMBERS) {
        bool counted = a.count && b.count && a.count + b.count < UINT8_MAX;
        Fact f = fact_join(a, b);
        f.count = counted ? (uint8_t)(a.count + b.count) : 0;
        f.sure &= (uint16_t)~SURE_LAST;
        return f.of = f.dims = 0, f;
    }
    if (op == OPER_MUL && a.kind == FACT_NUMBERS && is_number(b))
        return (Fact){FACT_NUMBERS, .how = how, .lo = a.lo, .hi = a.hi};
    if (!is_number(a) || !is_number(b)) {
        Fact f = fact_other(how);
        if (op == OPER_ADD || op == OPER_SUB) f.sure = (a.sure | b.sure) & SURE_INDEX;
        return f;
    }
    switch (op) {
    case OPER_ADD:
        return fact_number(how, is_far(a.lo) || is_far(b.lo) ? -FACT_FAR : a.lo + b.lo,
                           is_far(a.hi) || is_far(b.hi) ? FACT_FAR : a.hi + b.hi);
    case OPER_SUB:
        return fact_number(how, is_far(a.lo) || is_far(b.hi) ? -FACT_FAR : a.lo - b.hi,
                           is_far(a.hi) || is_far(b.lo) ? FACT_FAR : a.hi - b.lo);
    case OPER_MUL: return sizes_multiplied(product(how, a, b), a, b);
    case OPER_FLOORDIV: return quotient(how, a, b, false);
    case OPER_MOD:
        if (a.lo < 0 || b.lo < 1) return fact_number(how, -FACT_FAR, FACT_FAR);
        return a.hi < b.lo ? fact_number(how, a.lo, a.hi) : fact_number(how, 0, low(a.hi, b.hi - 1));
    case OPER_SHL:
    case OPER_SHR: return shifted(how, op, a, b);
    case OPER_POW: return powered(how, a, b);
    case OPER_BITAND:
        if (a.lo < 0 && b.lo < 0) return fact_number(how, -FACT_FAR, FACT_FAR);
        return fact_number(how, 0, a.lo < 0 ? b.hi : b.lo < 0 ? a.hi : low(a.hi, b.hi));
    default: return fact_number(how, -FACT_FAR, FACT_FAR);
    }
}

static Truth opposite(Truth t) {
    return t == TRUTH_NEVER ? TRUTH_ALWAYS : t == TRUTH_ALWAYS ? TRUTH_NEVER : TRUTH_UNKNOWN;
}

Truth fact_compare(Oper op, Fact a, Fact b) {
    if (!is_number(a) || !is_number(b)) return TRUTH_UNKNOWN;
    switch (op) {
    case OPER_LT:
        return a.hi < b.lo ? TRUTH_ALWAYS : a.lo >= b.hi && !is_far(b.hi) ? TRUTH_NEVER : TRUTH_UNKNOWN;
    case OPER_LE:
        return a.hi <= b.lo && !is_far(a.hi) ? TRUTH_ALWAYS : a.lo > b.hi ? TRUTH_NEVER : TRUTH_UNKNOWN;
    case OPER_GT: return fact_compare(OPER_LT, b, a);
    case OPER_GE: return fact_compare(OPER_LE, b, a);
    case OPER_EQ:
        if (a.hi < b.lo || b.hi < a.lo) return TRUTH_NEVER;
        return is_known(a) && is_known(b) ? TRUTH_ALWAYS : TRUTH_UNKNOWN;
    case OPER_NE: return opposite(fact_compare(OPER_EQ, a, b));
    default: return TRUTH_UNKNOWN;
    }
}

Truth fact_truth(Fact a) {
    if (!is_number(a)) return TRUTH_UNKNOWN;
    if (a.lo > 0 || a.hi < 0) return TRUTH_ALWAYS;
    return a.lo == 0 && a.hi == 0 ? TRUTH_NEVER : TRUTH_UNKNOWN;
}

Fact fact_of_truth(uint8_t how, Truth t) {
    return fact_number(how & (uint8_t)~FACT_NONE, t == TRUTH_ALWAYS, t != TRUTH_NEVER);
}

static Fact power_of_two(uint8_t how, Fact a) {
    int64_t hi = 1;
    while (hi < a.hi && hi < FACT_FAR / 2) hi *= 2;
    int64_t lo = a.lo >= 0 ? a.lo : -FACT_FAR; // that of 0 is 0
    return fact_number(how, lo, a.hi > FACT_FAR / 2 ? FACT_FAR : hi);
}

// An argument that is not known to be a number may still be one: its interval is all of them.
static Fact extreme(uint8_t how, const Fact *arg, int args, bool least) {
    Fact x = arg[0];
    for (int i = 1; i < args; i++) {
        x.lo = least ? low(x.lo, arg[i].lo) : high(x.lo, arg[i].lo);
        x.hi = least ? low(x.hi, arg[i].hi) : high(x.hi, arg[i].hi);
    }
    return fact_number(how, x.lo, x.hi);
}

static Fact range_of(uint8_t how, const Fact *arg, int args) {
    Fact from = args > 1 ? arg[0] : fact_number(0, 0, 0), to = arg[args > 1];
    bool up = args < 3 || (is_number(arg[2]) && arg[2].lo > 0);
    if (!is_number(from) || !is_number(to) || !up)
        return (Fact){FACT_NUMBERS, .how = how, .lo = -FACT_FAR, .hi = FACT_FAR};
    int64_t last = is_far(to.hi) ? FACT_FAR : to.hi - 1;
    return (Fact){FACT_NUMBERS, .how = how, .lo = from.lo, .hi = last};
}

// Of a sequence that may be empty: then all() is True, and any() is False.
static Truth truth_of_all(Fact seq, bool all) {
    Truth t = fact_truth(fact_item(seq));
    if (all)
        return t == TRUTH_ALWAYS ? TRUTH_ALWAYS : t == TRUTH_NEVER && seq.count ? TRUTH_NEVER : TRUTH_UNKNOWN;
    return t == TRUTH_NEVER ? TRUTH_NEVER : t == TRUTH_ALWAYS && seq.count ? TRUTH_ALWAYS : TRUTH_UNKNOWN;
}

bool fact_call(Str name, const Fact *arg, int args, Fact *out) {
    uint8_t how = 0;
    bool numbers = args > 0;
    for (int i = 0; i < args; i++) {
        how |= arg[i].how & (uint8_t)~FACT_NONE;
        numbers &= is_number(arg[i]);
        if (arg[i].kind == FACT_NOTHING) return *out = (Fact){.how = how}, true;
    }
    bool least = str_is(name, "min");
    if (args == 1 && (least || str_is(name, "max")) && arg[0].kind == FACT_NUMBERS)
        *out = fact_number(how, arg[0].lo, arg[0].hi);
    else if (args > 1 && (least || str_is(name, "max")))
        *out = extreme(how, arg, args, least);
    else if (args == 2 && numbers && str_is(name, "cdiv"))
        *out = quotient(how, arg[0], arg[1], true);
    else if (args == 1 && numbers && str_is(name, "next_power_of_2"))
        *out = power_of_two(how, arg[0]);
    else if (args == 1 && numbers && (str_is(name, "int") || str_is(name, "constexpr")))
        *out = fact_dims(how, arg[0].of, arg[0].dims, arg[0].lo), out->hi = arg[0].hi;
    else if (args == 1 && numbers && str_is(name, "abs"))
        *out = fact_number(how,
                           arg[0].lo > 0   ? arg[0].lo
                           : arg[0].hi < 0 ? -arg[0].hi
                                           : 0,
                           high(-arg[0].lo, arg[0].hi));
    else if (args == 1 && str_is(name, "int"))
        *out = fact_number(how | (arg[0].how & FACT_NONE ? FACT_VARIES : 0), -FACT_FAR, FACT_FAR);
    else if (args == 1 && arg[0].kind == FACT_NUMBERS && (str_is(name, "any") || str_is(name, "all")))
        *out = fact_of_truth(how, truth_of_all(arg[0], str_is(name, "all")));
    else if (args == 1 && numbers && str_is(name, "bool"))
        *out = fact_of_truth(how, fact_truth(arg[0]));
    else if (args >= 1 && args <= 3 && (str_is(name, "range") || str_is(name, "static_range")))
        *out = range_of(how, arg, args);
    else
        return false;
    return true;
}
