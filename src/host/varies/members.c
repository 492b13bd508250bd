// What is known of torch's and Triton's members and functions.
#include "host/varies/inside.h"

typedef enum { MEMBER_SIZE, MEMBER_SIZES, MEMBER_DTYPE, MEMBER_WIDTH, MEMBER_FIXED } MemberFact;
static const struct {
    const char *name;
    MemberFact what;
} tensor_member[] = {
    {"shape", MEMBER_SIZES},
    {"size", MEMBER_SIZE},
    {"numel", MEMBER_SIZE},
    {"nelement", MEMBER_SIZE},
    {"dtype", MEMBER_DTYPE},
    {"element_ty", MEMBER_DTYPE},
    {"element_size", MEMBER_WIDTH},
    {"itemsize", MEMBER_WIDTH},
    {"ndim", MEMBER_FIXED},
    {"dim", MEMBER_FIXED},
    {"ndimension", MEMBER_FIXED},
    {"device", MEMBER_FIXED},
    {"is_cuda", MEMBER_FIXED},
    {"requires_grad", MEMBER_FIXED},
    {"layout", MEMBER_FIXED},
    {"get_device", MEMBER_FIXED},
    {"is_floating_point", MEMBER_DTYPE},
};

// What the members of an input say. Kernels' own tensors have no sizes that a call could change.
bool varies_member(const Varies *v, Str name, Fact base, Fact *out) {
    if (var_find(v, &varies_members, name)) return false; // an object of the file's own may have it
    for (size_t i = 0; i < sizeof tensor_member / sizeof *tensor_member; i++) {
        if (!str_is(name, tensor_member[i].name)) continue;
        uint8_t varies = base.how & FACT_VARIES, dtype = base.how & FACT_DTYPE;
        int64_t least = base.how & FACT_EMPTY ? 0 : 1;
        switch (tensor_member[i].what) {
        case MEMBER_SIZE: return *out = fact_number(varies, least, FACT_ELEMENTS - 1), true;
        case MEMBER_SIZES: return *out = (Fact){FACT_NUMBERS, varies, least, FACT_ELEMENTS - 1}, true;
        case MEMBER_DTYPE: return *out = fact_other(dtype), true;
        case MEMBER_WIDTH: return *out = fact_number(dtype, 1, 8), true;
        case MEMBER_FIXED: return *out = fact_other(0), true;
        }
    }
    return false;
}

// len(x.shape): how many dimensions there are.
static bool is_rank(const Node *call) {
    if (!node_is_name(call->call.func, "len") || call->call.args.n != 1) return false;
    const Node *n = call->call.args.at[0];
    if (n->kind == NODE_CALL && n->call.args.n == 0) n = n->call.func;
    return n->kind == NODE_ATTRIBUTE &&
           (str_is(n->attribute.name, "shape") || str_is(n->attribute.name, "size"));
}

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

Fact varies_known_call(const Node *call, Str name, const Given *g) {
    Fact f;
    bool read = is_read(name), plain = g->keywords->n == 0 && !g->more;
    if (is_rank(call)) return fact_other(0);
    if (plain && fact_call(name, g->arg, g->args, &f)) return f;
    if (str_is(name, "num_programs")) return fact_number(FACT_VARIES, 1, FACT_ELEMENTS - 1);
    if (str_is(name, "program_id")) return fact_number(FACT_VARIES, 0, FACT_ELEMENTS - 1);
    uint8_t empty = keeps_elements(name, g) ? 0 : FACT_EMPTY;
    return fact_other(given_how(g) | empty | (read ? FACT_VARIES : 0));
}
