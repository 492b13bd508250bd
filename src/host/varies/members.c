// What is known of torch's and Triton's members and functions.
#include "host/varies/inside.h"
#include "tile/vm/gpu_model.h"

enum { DEVICES_MOST = 16 }; // of one machine

typedef enum { MEMBER_SIZE, MEMBER_SIZES, MEMBER_DTYPE, MEMBER_WIDTH, MEMBER_RANK, MEMBER_FIXED } MemberFact;
static const struct {
    const char *name;
    MemberFact what;
} tensor_member[] = {
    {"shape", MEMBER_SIZES},
    {"size", MEMBER_SIZES},
    {"numel", MEMBER_SIZE},
    {"nelement", MEMBER_SIZE},
    {"dtype", MEMBER_DTYPE},
    {"element_ty", MEMBER_DTYPE},
    {"element_size", MEMBER_WIDTH},
    {"itemsize", MEMBER_WIDTH},
    {"ndim", MEMBER_RANK},
    {"dim", MEMBER_RANK},
    {"ndimension", MEMBER_RANK},
    {"device", MEMBER_FIXED},
    {"is_cuda", MEMBER_FIXED},
    {"requires_grad", MEMBER_FIXED},
    {"layout", MEMBER_FIXED},
    {"get_device", MEMBER_FIXED},
    {"is_floating_point", MEMBER_DTYPE},
};

static uint8_t all_dims(uint8_t rank) { return (uint8_t)(rank < 8 ? (1u << rank) - 1 : UINT8_MAX); }

// A tensor of the candidate's own may be of any size.
static Fact bounded(Fact base, Fact f) {
    if (!(base.sure & SURE_SMALL)) f.hi = FACT_FAR;
    return f;
}

static Fact shape_of(Fact base) {
    uint8_t how = base.how & FACT_CHANGES, least = base.how & FACT_EMPTY ? 0 : 1;
    bool tensor = fact_is_tensor(base);
    if ((base.how & FACT_NONE) && !(tensor && base.rank)) how |= FACT_NONE; // how many there are
    return bounded(base, fact_shape(how, tensor ? base.of : 0, tensor ? base.rank : 0, least));
}

static Fact rank_of(Fact base) {
    if (fact_is_tensor(base) && base.rank) return fact_number(0, base.rank, base.rank);
    return fact_other(base.how & FACT_NONE ? FACT_VARIES : 0);
}

// What the GPU says of itself is another GPU's to say otherwise. Cases have had two of them at least; what
// they leave open is looked for (sandbox/child/explore.h). Processors; and Triton's number of its kind.
static bool device_member(Str name, Fact *out) {
    enum { ARCH_LEAST = 70, ARCH_MOST = 129 };
    if (str_is(name, "multi_processor_count"))
        return *out = fact_number(FACT_VARIES, 1, GPU_PROCESSORS_MOST), true;
    if (str_is(name, "index")) return *out = fact_number(FACT_VARIES, 0, DEVICES_MOST - 1), true;
    if (str_is(name, "warp_size")) return *out = fact_number(0, 32, 32), true;
    return str_is(name, "arch") && (*out = fact_number(FACT_VARIES, ARCH_LEAST, ARCH_MOST), true);
}

// What the members of a tensor say. Kernels' own have no sizes that a call could change.
bool varies_member(const Varies *v, Str name, Fact base, Fact *out) {
    // An object of the file's own may have it.
    if (!fact_is_tensor(base) && (var_find(v, &varies_members, name) || varies_has_method(v, name)))
        return false;
    if (!fact_is_tensor(base) && device_member(name, out)) return true;
    for (size_t i = 0; i < sizeof tensor_member / sizeof *tensor_member; i++) {
        if (!str_is(name, tensor_member[i].name)) continue;
        if (base.kind == FACT_NOTHING) return *out = base, true; // not known yet, nor is what it has
        uint8_t varies = base.how & FACT_CHANGES, dtype = base.how & FACT_DTYPE;
        int64_t least = base.how & FACT_EMPTY ? 0 : 1;
        if ((base.how & FACT_NONE) && !(fact_is_tensor(base) && base.like)) dtype |= FACT_VARIES | FACT_NONE;
        switch (tensor_member[i].what) {
        case MEMBER_SIZE:
            *out = bounded(base, fact_dims(varies, base.rank ? base.of : 0, all_dims(base.rank), least));
            return true;
        case MEMBER_SIZES: return *out = shape_of(base), true;
        case MEMBER_DTYPE: return *out = fact_other(dtype), true;
        case MEMBER_WIDTH: return *out = fact_number(dtype, 1, 8), true;
        case MEMBER_RANK: return *out = rank_of(base), true;
        case MEMBER_FIXED: return *out = fact_other(0), true;
        }
    }
    return false;
}

// ---- methods of tensors

// An argument that says which dimension; false: none that is known.
static bool dimension(Fact base, const Given *g, int *out) {
    if (g->args != 1 || g->keywords->n || g->more || g->arg[0].kind != FACT_NUMBER || !base.rank)
        return false;
    int64_t i = g->arg[0].lo;
    if (i != g->arg[0].hi) return false;
    if (i < 0) i += base.rank;
    return i >= 0 && i < base.rank && (*out = (int)i, true);
}

static Fact stride_of(Fact base, const Given *g) {
    int dim = 0;
    int64_t only = 0;
    bool known = dimension(base, g, &dim), all = g->args + g->keywords->n == 0 && !g->more;
    // The last one is so even where nobody knows how many there are.
    if (g->args == 1 && g->arg[0].kind == FACT_NUMBER && g->arg[0].lo == g->arg[0].hi) only = g->arg[0].lo;
    bool last = only == -1 || (known && dim == base.rank - 1);
    if (last && (base.sure & SURE_UNIT)) return fact_number(0, 1, 1);
    uint8_t how = base.how & FACT_CHANGES;
    if (all) {
        Fact f = fact_shape(how, 0, base.rank, 0);
        if (base.sure & SURE_UNIT) f.sure |= SURE_LAST;
        return bounded(base, f);
    }
    // Without gaps: the sizes behind it, multiplied.
    bool dense = (base.sure & SURE_DENSE) != 0,
         shaped = known && base.of && (dense || (base.sure & SURE_UNIT));
    uint8_t behind = (uint8_t)(all_dims(base.rank) & ~((2 << dim) - 1));
    Fact f = fact_dims(how, shaped ? base.of : 0, behind, 0);
    if (shaped && !dense) f.sure |= SURE_GAPS;
    return bounded(base, f);
}

// How many dimensions the arguments of view() and its like name; 0: not known. False: they are no sizes.
static bool sizes_given(const Given *g, uint8_t *rank) {
    *rank = g->args < UINT8_MAX && !g->more ? (uint8_t)g->args : 0;
    if (g->keywords->n) return false;
    for (int i = 0; i < g->args; i++) {
        bool several = g->args == 1 && g->arg[i].kind == FACT_NUMBERS;
        if (several) *rank = g->arg[i].count;
        if (!several && g->arg[i].kind != FACT_NUMBER) return false;
    }
    return g->args > 0 || g->more;
}

// The same elements in another shape. The last dimension stays as it is where it stays as long: (M, 1) with
// gaps, flattened, has them between its elements.
static bool reshaped(Fact base, const Given *g, Fact *out) {
    uint8_t rank, keep = SURE_TENSOR | SURE_SMALL | SURE_INDEX;
    if (!sizes_given(g, &rank)) return false;
    Fact last = g->args > 1 && !g->more ? g->arg[g->args - 1] : (Fact){0};
    bool same =
        base.of && last.of == base.of && last.dims == 1 << (base.rank - 1) && !(last.sure & SURE_GAPS);
    if (base.sure & SURE_DENSE) keep |= SURE_DENSE | SURE_UNIT;
    if (same) keep |= SURE_UNIT;
    *out = base;
    out->sure &= keep;
    out->rank = rank;
    // x.reshape(-1, x.shape[-1]) of two dimensions has the same two.
    bool stays = same && base.rank == 2 && rank == 2 && g->arg[0].lo == -1 && g->arg[0].hi == -1;
    if (!stays) out->of = out->dims = 0;
    if (rank == 0 && (given_how(g) & FACT_VARIES)) out->how |= FACT_NONE;
    return true;
}

static bool is_one(Str name, const char *const *all, size_t n) {
    for (size_t i = 0; i < n; i++)
        if (str_is(name, all[i])) return true;
    return false;
}
#define IS_ONE(name, all) is_one((name), (all), sizeof(all) / sizeof *(all))

static bool turned(Str name, Fact base, Fact *out) {
    static const char *const turns[] = {"t", "transpose", "permute"}, *const others[] = {"unsqueeze",
                                                                                         "squeeze", "flatten",
                                                                                         "expand", "view_as"};
    bool turn = IS_ONE(name, turns);
    if (!turn && !IS_ONE(name, others)) return false;
    *out = base;
    out->sure &= SURE_TENSOR | SURE_INDEX | (str_is(name, "expand") ? 0 : SURE_SMALL);
    out->of = out->dims = 0;
    if (!turn) out->rank = str_is(name, "unsqueeze") && base.rank ? (uint8_t)(base.rank + 1) : 0;
    return true;
}

bool varies_tensor_method(const Node *call, Str name, Fact base, const Given *g, Fact *out) {
    bool bare = call->call.args.n + call->call.keywords.n == 0;
    int dim;
    if (!fact_is_tensor(base)) return false;
    if (str_is(name, "size") && !bare) {
        Fact shape = shape_of(base);
        return *out = dimension(base, g, &dim) ? fact_item_at(shape, dim) : fact_item(shape), true;
    }
    if (str_is(name, "stride")) return *out = stride_of(base, g), true;
    if (str_is(name, "is_contiguous") && bare) {
        bool dense = base.sure & SURE_DENSE;
        return *out = fact_number(dense ? 0 : base.how & FACT_CHANGES, dense, 1), true;
    }
    if (str_is(name, "contiguous") && bare) return *out = base, out->sure |= SURE_UNIT | SURE_DENSE, true;
    if ((str_is(name, "detach") || str_is(name, "clone")) && bare) return *out = base, true;
    if (str_is(name, "view") || str_is(name, "reshape")) return reshaped(base, g, out);
    return turned(name, base, out);
}

// len(x.shape): how many dimensions there are.
static bool is_rank(const Node *call) {
    if (!node_is_name(call->call.func, "len") || call->call.args.n != 1) return false;
    const Node *n = call->call.args.at[0];
    if (n->kind == NODE_CALL && n->call.args.n == 0) n = n->call.func;
    return n->kind == NODE_ATTRIBUTE &&
           (str_is(n->attribute.name, "shape") || str_is(n->attribute.name, "size"));
}

// ---- functions

// What only a kernel has at hand: elements, its place in the grid.
static bool is_read(Str name) {
    static const char *const all[] = {"load", "program_id", "num_programs", "arange", "atomic_add"};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        if (str_is(name, all[i])) return true;
    return str_starts(name, "atomic_");
}

// Tensors that have elements where the one that they are made of has.
static bool keeps_elements(Str name, const Given *g) {
    static const char *const all[] = {"contiguous", "view",    "reshape",    "flatten", "to",
                                      "detach",     "t",       "transpose",  "permute", "unsqueeze",
                                      "clone",      "squeeze", "empty_like", "view_as", "zeros_like"};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        if (str_is(name, all[i])) return true;
    bool sizes = str_is(name, "empty") || str_is(name, "zeros") || str_is(name, "new_empty");
    for (int i = 0; sizes && i < g->args; i++)
        sizes = (g->arg[i].kind == FACT_NUMBER || g->arg[i].kind == FACT_NUMBERS) && g->arg[i].lo >= 1;
    return sizes && g->args > 0;
}

// Whether which one it is, or its dtype, is chosen by sizes: what numbers are given does not count.
static uint8_t made_how(const Given *g) {
    uint8_t how = given_how(g), chosen = 0;
    for (int i = 0; i < g->args; i++)
        if (g->arg[i].kind == FACT_OTHER) chosen |= g->arg[i].how;
    for (int i = 0; i < g->keywords->n; i++)
        if (g->named[i].kind == FACT_OTHER) chosen |= g->named[i].how;
    return (uint8_t)((how & ~(FACT_NONE | FACT_HELD)) | ((chosen | g->rest.how) & FACT_NONE));
}

static bool is_torch(const Node *call) {
    return call->call.func->kind == NODE_ATTRIBUTE && node_is_name(call->call.func->attribute.value, "torch");
}

static bool other_dtype(const Given *g) {
    for (int i = 0; i < g->keywords->n; i++)
        if (!str_is(g->keywords->at[i]->keyword.name, "device")) return true;
    return g->args > 1 || g->more;
}

// A tensor that torch makes. False: it makes none.
static bool made(const Node *call, Str name, const Given *g, Fact *out) {
    static const char *const anew[] = {"empty", "zeros", "ones", "full"};
    bool alike = str_is(name, "empty_like") || str_is(name, "zeros_like");
    if (!is_torch(call) || (!alike && !IS_ONE(name, anew))) return false;
    *out = fact_other(made_how(g) | (keeps_elements(name, g) ? 0 : FACT_EMPTY));
    out->sure = SURE_TENSOR;
    if (!alike) {
        out->sure |= SURE_UNIT | SURE_DENSE;
        if (!sizes_given(&(Given){.arg = g->arg, .args = g->args, .keywords = &(Nodes){0}, .more = g->more},
                         &out->rank))
            out->rank = 0;
    } else if (g->args > 0 && fact_is_tensor(g->arg[0])) {
        uint8_t how = out->how;
        *out = g->arg[0];
        out->how |= how;
        out->sure &= (uint16_t)~SURE_INDEX;
        if (other_dtype(g)) out->like = 0;
    }
    return true;
}

// Elements of an index input, and what stands for lanes that are masked.
static bool loaded(Str name, const Given *g, Fact *out) {
    if (!str_is(name, "load") || g->args < 1 || g->more || !(g->arg[0].sure & SURE_INDEX)) return false;
    *out = fact_number(FACT_VARIES, 0, FACT_ELEMENTS - 1);
    for (int i = 2; i < g->args; i++) *out = fact_join(*out, g->arg[i]);
    for (int i = 0; i < g->keywords->n; i++)
        if (str_is(g->keywords->at[i]->keyword.name, "other")) *out = fact_join(*out, g->named[i]);
    return true;
}

// x.to(tl.int64): still that number.
static bool widened(const Node *call, Str name, Fact base, Fact *out) {
    const Node *to = call->call.args.n == 1 && call->call.keywords.n == 0 ? call->call.args.at[0] : NULL;
    if (!str_is(name, "to") || base.kind != FACT_NUMBER || !to || to->kind != NODE_ATTRIBUTE) return false;
    bool narrow = base.lo >= INT32_MIN && base.hi <= INT32_MAX;
    *out = base;
    return str_is(to->attribute.name, "int64") || (narrow && str_is(to->attribute.name, "int32"));
}

// What holds items: lists are changed later on.
static bool collected(Str name, const Given *g, Fact *out) {
    static const char *const lists[] = {"list", "dict", "set", "sorted", "copy"};
    bool list = IS_ONE(name, lists),
         sequence = g->args == 1 && g->keywords->n == 0 && !g->more &&
                    (g->arg[0].kind == FACT_NUMBERS || g->arg[0].kind == FACT_THINGS);
    if (!list && !(str_is(name, "tuple") && sequence)) return false;
    *out = sequence ? g->arg[0] : fact_other(given_how(g) | FACT_EMPTY);
    if (str_is(name, "set")) out->count = 0;
    if (str_is(name, "sorted") || str_is(name, "set")) out->of = out->dims = 0;
    if (list) out->how |= FACT_HELD, out->sure &= (uint16_t)~SURE_LAST;
    return true;
}

static bool counted(const Node *call, Str name, const Given *g, Fact *out) {
    if (!str_is(name, "len") || g->args != 1 || g->more) return false;
    Fact of = g->arg[0];
    if ((of.kind == FACT_NUMBERS || of.kind == FACT_THINGS) && of.count)
        return *out = fact_number(0, of.count, of.count), true;
    if (is_rank(call)) return *out = fact_other(of.how & FACT_NONE ? FACT_VARIES : 0), true;
    uint8_t how = (uint8_t)(of.how & ~FACT_NONE);
    return *out = fact_number(of.how & FACT_NONE ? how | FACT_VARIES : how, 0, FACT_FAR), true;
}

// next(iter(x)): which one is the first may follow from what was put in or taken out before.
static bool first_item(Str name, const Given *g, Fact *out) {
    if (!str_is(name, "<first>") || g->args < 1 || g->more) return false;
    *out = fact_item(g->arg[0]);
    for (int i = 1; i < g->args; i++) *out = fact_join(*out, g->arg[i]);
    return out->how |= g->arg[0].how | FACT_EMPTY, true;
}

// What is asked of a GPU by a function: as device_member().
static bool device_answer(Str name, Fact *out) {
    enum { MAJOR_MOST = 12 };
    static const char *const others[] = {"get_device_name", "get_device_properties"};
    if (str_is(name, "get_device_capability")) {
        *out = fact_sequence(fact_number(FACT_VARIES, 0, MAJOR_MOST));
        return out->count = 2, true;
    }
    if (str_is(name, "current_device") || str_is(name, "get_current_device"))
        return *out = fact_number(FACT_VARIES, 0, DEVICES_MOST - 1), true;
    if (str_is(name, "device_count")) return *out = fact_number(FACT_VARIES, 1, DEVICES_MOST), true;
    return IS_ONE(name, others) && (*out = fact_other(FACT_VARIES), true);
}

bool varies_asks_device(Str name) {
    Fact f;
    return device_answer(name, &f);
}

Fact varies_known_call(const Node *call, Str name, Fact base, const Given *g) {
    Fact f;
    if (device_answer(name, &f)) return f;
    bool read = is_read(name), plain = g->keywords->n == 0 && !g->more;
    if (counted(call, name, g, &f) || loaded(name, g, &f) || widened(call, name, base, &f) ||
        made(call, name, g, &f) || collected(name, g, &f) || first_item(name, g, &f))
        return f;
    if (plain && fact_call(name, g->arg, g->args, &f)) return f;
    if (str_is(name, "num_programs")) return fact_number(FACT_VARIES, 1, FACT_ELEMENTS - 1);
    if (str_is(name, "program_id")) return fact_number(FACT_VARIES, 0, FACT_ELEMENTS - 1);
    if (str_is(name, "<has>")) return fact_other(given_how(g) | FACT_VARIES | FACT_KEPT);
    uint8_t empty = keeps_elements(name, g) ? 0 : FACT_EMPTY;
    return fact_other(given_how(g) | empty | (read ? FACT_VARIES : 0));
}
