// module_shrink.c - small sizes for a file in module form. Sizes are the file's own literals: whole numbers
// in module-level assignments, in get_inputs and in get_init_inputs. One step halves one of them, or all of
// one value where one alone breaks the program, and stays if Model can be made, shapes work out, and
//   - the results have the ranks they had, and no size above 1 becomes 1,
//   - what reduced goes on reducing: an average of one element is no average,
//   - a set that is normalised keeps at least 8 elements: over one element a norm is a constant,
//   - numbers that were different stay different: with equal ones, a transposed weight is not noticed,
//   - inputs of one shape go on having one: a kernel may rely on that, such as for queries, keys and values.
// Halving keeps most of what divides a size: many kernels leave out masks for what their block divides.
// Multiples of 64 stay such multiples, or else of 32 or 16, as far as work allows; and powers of two stay
// powers of two, since Triton's blocks are such powers: a program may have a size for a block. Small numbers,
// and names such as kernel_size, stay as they are. Inputs' own sizes go first: those that Model is made with
// say how long its sums are. One or two numbers may be held: they become smaller only where all others
// together do not make enough of a difference.
// For level quick time counts: a batch becomes smaller first, so that rows stay long, and may become 2; where
// half a number will not do, one near it is tried; and what is left of the work goes to numbers that became
// smaller than they had to.
#include "module/module.h"

enum { STAYS = 8, STILL = 4, EVALUATIONS_MAX = 400, LEAST_SET = 8, LEAST_BATCH = 2 };
enum { ALL_STEPS = 20 * MODULE_STEPS }; // of all evaluations of shapes

typedef struct {
    Node *node;
    Str name;
    bool config; // reaches get_init_inputs
    bool blocked;
    bool batch;               // by its name, or by what the first input begins with
    int64_t published, small; // the latter is what it is without a held number
} Site;

typedef struct {
    Arena *arena;
    ModuleFile *file;
    Site site[MODULE_SIZES_MAX];
    int sites;
    int64_t still[MODULE_SIZES_MAX]; // numbers that stay, from STILL on: no other one takes their value
    int stills;
    Str config[128]; // names that reach get_init_inputs
    int configs;
    bool quick;
    int most;              // evaluations
    int64_t work, granule; // what was divided by this number, or a lower power of two, still is
    int64_t work_most, held_most;
    int64_t powers;                 // what was published as a power of two up to this stays one
    uint32_t held[MODULE_HELD_MAX]; // places in the source
    int helds;
    ModuleShrunk *out;
} Shrink;

static bool is_held(const Shrink *s, const Site *site) {
    for (int i = 0; i < s->helds; i++)
        if (site->node->span.at == s->held[i]) return true;
    return false;
}

static int64_t value_of(const Site *s) { return (int64_t)s->node->integer.value; }

// --- finding sites ---

static bool fixed_name(Str name) {
    static const char *const word[] = {"kernel", "stride", "padding", "dilation", "pool", "ratio", "layers"};
    for (size_t i = 0; i < sizeof word / sizeof *word; i++)
        if (memmem(name.p, name.len, word[i], strlen(word[i]))) return true;
    return false;
}

static bool is_config(const Shrink *s, Str name) {
    for (int i = 0; i < s->configs; i++)
        if (str_eq(s->config[i], name)) return true;
    return false;
}

static void add_names(void *arg, const Node *n) {
    Shrink *s = arg;
    if (n->kind == NODE_NAME && !is_config(s, n->name) && s->configs < 128) s->config[s->configs++] = n->name;
    node_each_child(n, add_names, s);
}

// Names of get_init_inputs, and of what those are made of.
static void find_configs(Shrink *s) {
    const Nodes *body = &s->file->tree->module.body;
    const Node *init = module_function(s->file->tree, STR("get_init_inputs"));
    int before = -1;
    if (init)
        for (int i = 0; i < init->function.body.n; i++) add_names(s, init->function.body.at[i]);
    while (before != s->configs) {
        before = s->configs;
        for (int i = 0; i < body->n; i++) {
            const Node *n = body->at[i];
            if (n->kind != NODE_ASSIGN) continue;
            for (int k = 0; k < n->assign.targets.n; k++) {
                const Node *t = n->assign.targets.at[k];
                if (t->kind == NODE_NAME && is_config(s, t->name)) add_names(s, n->assign.value);
            }
        }
    }
}

static bool is_batch(Str name) { return name.len > 0 && memmem(name.p, name.len, "batch", 5); }

typedef struct {
    Shrink *s;
    Str name;
    bool config;
} Within;

static void add_sites(void *arg, const Node *n) {
    const Within *w = arg;
    Shrink *s = w->s;
    if (n->kind == NODE_SUBSCRIPT) { // an index says which one, not how many
        add_sites(arg, n->subscript.value);
        return;
    }
    if (n->kind == NODE_FUNCTION || n->kind == NODE_CLASS) return;
    if (n->kind == NODE_UNARY && n->unary.op == OPER_NEG && n->unary.operand->kind == NODE_INT) return;
    if (n->kind == NODE_KEYWORD && (fixed_name(n->keyword.name) || str_is(n->keyword.name, "dim"))) return;
    uint64_t largest = s->quick && is_batch(w->name) ? LEAST_BATCH : STAYS; // of what stays
    bool counts = n->kind == NODE_INT && !n->integer.too_big && n->integer.value > largest &&
                  n->integer.value < (uint64_t)1 << 40;
    if (counts && s->sites < MODULE_SIZES_MAX)
        s->site[s->sites++] = (Site){.node = (Node *)n, // the file's own tree, which is ours to change
                                     .name = w->name,
                                     .config = w->config,
                                     .published = (int64_t)n->integer.value};
    bool stays = n->kind == NODE_INT && n->integer.value >= STILL && n->integer.value <= largest;
    if (stays && s->stills < MODULE_SIZES_MAX) s->still[s->stills++] = (int64_t)n->integer.value;
    node_each_child(n, add_sites, arg);
}

static void assigned_sites(Shrink *s, const Node *target, const Node *value) {
    bool pairs = (target->kind == NODE_TUPLE || target->kind == NODE_LIST) && value->kind == NODE_TUPLE &&
                 value->items.n == target->items.n;
    for (int i = 0; pairs && i < value->items.n; i++)
        assigned_sites(s, target->items.at[i], value->items.at[i]);
    if (pairs || target->kind != NODE_NAME || fixed_name(target->name)) return;
    add_sites(&(Within){s, target->name, is_config(s, target->name)}, value);
}

static void find_sites(Shrink *s) {
    const Nodes *body = &s->file->tree->module.body;
    for (int i = 0; i < body->n; i++) {
        const Node *n = body->at[i];
        if (n->kind == NODE_ASSIGN) assigned_sites(s, n->assign.targets.at[0], n->assign.value);
        if (n->kind == NODE_ANNASSIGN && n->annassign.value)
            assigned_sites(s, n->annassign.target, n->annassign.value);
        bool init = n->kind == NODE_FUNCTION && str_is(n->function.name, "get_init_inputs");
        if (!init && !(n->kind == NODE_FUNCTION && str_is(n->function.name, "get_inputs"))) continue;
        for (int k = 0; k < n->function.body.n; k++)
            add_sites(&(Within){s, {0}, init}, n->function.body.at[k]);
    }
}

// --- steps ---

// Half of it; of an odd number the nearest odd half.
static int64_t half_of(int64_t x) { return x % 2 ? (x / 2) | 1 : x / 2; }

static bool stays_different(const Shrink *s) {
    for (int i = 0; i < s->sites; i++) {
        for (int k = 0; k < s->stills; k++)
            if (value_of(&s->site[i]) == s->still[k]) return false;
        for (int k = 0; k < i; k++) {
            const Site *a = &s->site[i], *b = &s->site[k];
            if (a->published != b->published && value_of(a) == value_of(b)) return false;
        }
    }
    return true;
}

static bool ranks_stay(const Bound *was, const Bound *is) {
    if (was->rank != is->rank) return false;
    for (int d = 0; d < is->rank; d++)
        if (was->shape[d] > 1 && is->shape[d] <= 1) return false;
    return true;
}

static bool same_shape(const Bound *a, const Bound *b) {
    return a && b && a->rank == b->rank &&
           memcmp(a->shape, b->shape, sizeof *a->shape * (size_t)a->rank) == 0;
}

static bool alike_stay(const ModuleRun *was, const ModuleRun *is) {
    for (int i = 0; i < is->inputs; i++)
        for (int k = 0; k < i; k++)
            if (same_shape(was->input[i].tensor, was->input[k].tensor) &&
                !same_shape(is->input[i].tensor, is->input[k].tensor))
                return false;
    return true;
}

static bool acceptable(const ModuleRun *was, const ModuleRun *is) {
    if (was->outputs != is->outputs || was->inputs != is->inputs || was->tensors != is->tensors) return false;
    for (int i = 0; i < is->outputs; i++)
        if (!ranks_stay(was->output[i], is->output[i])) return false;
    for (int i = 0; i < is->inputs; i++)
        if (was->input[i].tensor &&
            (!is->input[i].tensor || !ranks_stay(was->input[i].tensor, is->input[i].tensor)))
            return false;
    for (int i = 0; i < is->ops && i < was->ops; i++)
        if (was->op[i].resizes && !is->op[i].resizes) return false;
    if (!alike_stay(was, is)) return false;
    return is->least_set >= LEAST_SET || is->least_set >= was->least_set;
}

// Evaluates what is in the tree now. What did not stay leaves nothing behind.
static bool try_sizes(Shrink *s) {
    ModuleShrunk *o = s->out;
    ArenaMark mark = arena_mark(s->arena);
    DiagList unsaid = DIAGS(s->arena);
    ModuleRun run;
    o->evaluations++;
    if (module_evaluate(s->arena, s->file, &(ModuleAsk){.shapes = true}, &run, &unsaid) &&
        acceptable(&o->published, &run)) {
        o->small = run;
        return true;
    }
    arena_reset(s->arena, mark);
    return false;
}

static bool is_power(int64_t x) { return (x & (x - 1)) == 0; }
// Not where small sizes have shown that a program can do without.
static bool stays_power(const Shrink *s, const Site *site) {
    return site->published <= s->powers && is_power(site->published) && is_power(site->small);
}

enum { NEAR_ATTEMPTS = 10 }; // of level quick; the last one is the next lower number
// The numbers that are tried in place of x: half of it, or near that where another number has that value, or
// where half of it is no multiple of the granule. Of what stays a power of two a lower power.
static int64_t smaller(int64_t x, int64_t granule, bool power, int attempt) {
    if (power) return x >> (attempt + 1);
    int64_t half = half_of(x), near = granule > 1 ? half - half % granule : half;
    switch (attempt) {
    case 0: return half;
    case 1: return half_of(half);
    case 2: return granule > 1 ? near : x % 8 ? half + 2 : half + x / 8;
    case 3: return granule > 1 ? near + granule : x % 8 ? half - 2 : half - x / 8;
    case 4: return granule > 1 ? x - granule : x;
    case 5: return x - x / 4;
    default: return x - (NEAR_ATTEMPTS - attempt);
    }
}
enum { ATTEMPTS = 5 };

static bool divides_still(const Shrink *s, const Site *site, int64_t to) {
    int64_t kept = site->published | site->small | s->granule;
    if (stays_power(s, site) && !is_power(to)) return false;
    return to % (kept & -kept) == 0;
}

// Those of one number, or of all numbers of its value at once.
static bool step(Shrink *s, const Site *site, bool together, int64_t floor) {
    int64_t value = value_of(site);
    bool moved[MODULE_SIZES_MAX];
    int n = 0;
    for (int i = 0; i < s->sites; i++) {
        moved[i] =
            &s->site[i] == site || (together && value_of(&s->site[i]) == value && !is_held(s, &s->site[i]));
        n += moved[i];
    }
    if (together && n < 2) return false;
    // Another number may have half of it, and soon no longer.
    int attempts = !s->quick ? ATTEMPTS : !stays_power(s, site) ? NEAR_ATTEMPTS : site->batch ? 2 : 1;
    for (int k = 0; k < attempts; k++) {
        int64_t to = smaller(value, s->granule, stays_power(s, site), k);
        bool fits = to >= floor && to < value;
        for (int i = 0; i < s->sites; i++) fits &= !moved[i] || divides_still(s, &s->site[i], to);
        if (!fits) continue;
        for (int i = 0; i < s->sites; i++)
            if (moved[i]) s->site[i].node->integer.value = (uint64_t)to;
        bool differs = stays_different(s);
        if (differs && try_sizes(s)) return true;
        for (int i = 0; i < s->sites; i++)
            if (moved[i]) s->site[i].node->integer.value = (uint64_t)value;
        if (differs && !s->quick) return false; // that no other number has it is all that another one changes
    }
    return false;
}

static Site *largest(Shrink *s, bool config, int64_t floor) {
    Site *best = NULL;
    for (int i = 0; i < s->sites; i++) {
        Site *each = &s->site[i];
        bool stays = each->config != config || each->blocked || is_held(s, each);
        if (stays || half_of(value_of(each)) < floor) continue;
        if (!best || value_of(each) > value_of(best)) best = each;
    }
    return best;
}

static void shrink_to(Shrink *s, bool config, int64_t floor, int64_t work) {
    for (int i = 0; i < s->sites; i++) s->site[i].blocked = false;
    while (s->out->small.work > work && s->out->evaluations < s->most) {
        Site *site = largest(s, config, floor);
        if (!site) return;
        if (!step(s, site, false, floor) && !step(s, site, true, floor)) {
            site->blocked = true;
            continue;
        }
        for (int i = 0; i < s->sites; i++) s->site[i].blocked = false;
    }
}

static bool step_two(Shrink *s, Site *a, Site *b, int64_t floor) {
    int64_t was_a = value_of(a), was_b = value_of(b);
    if (is_held(s, a) || is_held(s, b)) return false;
    if (half_of(was_a) < floor || half_of(was_b) < floor) return false;
    if (!divides_still(s, a, half_of(was_a)) || !divides_still(s, b, half_of(was_b))) return false;
    a->node->integer.value = (uint64_t)half_of(was_a);
    b->node->integer.value = (uint64_t)half_of(was_b);
    if (stays_different(s) && try_sizes(s)) return true;
    a->node->integer.value = (uint64_t)was_a;
    b->node->integer.value = (uint64_t)was_b;
    return false;
}

// Two numbers that stand for one size, such as a width and the channels that a norm over it takes.
static void shrink_pairs(Shrink *s, int64_t floor, int64_t work) {
    for (bool again = true; again;) {
        again = false;
        for (int i = 0; i < s->sites; i++)
            for (int k = 0; k < i; k++) {
                bool enough = s->out->small.work <= work || s->out->evaluations >= s->most;
                if (!enough && step_two(s, &s->site[i], &s->site[k], floor)) again = true;
            }
    }
}

// Something more than it is, and at most what was published; multiples first. A power of two becomes the next
// one, which is twice as much work or more.
static bool grow(Shrink *s, Site *a) {
    int64_t was = value_of(a), more[] = {was + was / 2, was + was / 4, was + 2, was + 1};
    if (stays_power(s, a)) more[0] = 2 * was;
    for (size_t i = 0; i < sizeof more / sizeof *more; i++) {
        if (stays_power(s, a) && (i > 0 || more[i] > a->published || s->out->small.work > s->work_most / 2))
            return false;
        if (more[i] <= was || s->out->evaluations >= s->most) continue;
        if (more[i] >= a->published && !stays_power(s, a)) continue;
        a->node->integer.value = (uint64_t)more[i];
        if (stays_different(s) && try_sizes(s)) return true;
        a->node->integer.value = (uint64_t)was;
    }
    return false;
}

// Numbers that were equal as published, such as as many features in as out, become different where they can:
// it takes a square matrix for a transposed one to pass. Where neither can shrink, one grows. Sizes of inputs
// alone, such as a height and a width, stay multiples instead.
static void tell_apart(Shrink *s) {
    enum { LEAST = 16, FINE_GRANULE = 8 }; // what has to differ may be a multiple of less
    for (int i = 0; i < s->sites; i++)
        for (int k = 0; k < i; k++) {
            Site *a = &s->site[i], *b = &s->site[k];
            bool alike = value_of(a) == value_of(b) && !is_held(s, a) && !is_held(s, b);
            if (!alike || s->out->evaluations >= s->most) continue;
            bool apart = step(s, a, false, LEAST) || step(s, b, false, LEAST);
            int64_t granule = s->granule;
            if (granule > FINE_GRANULE && (a->config || b->config)) s->granule = FINE_GRANULE;
            apart = apart || step(s, a, false, LEAST) || step(s, b, false, LEAST);
            s->granule = granule;
            bool room = s->out->small.work <= s->work; // for at most one and a half times as much
            apart = apart || ((room || s->powers) && (grow(s, a) || grow(s, b)));
            if (!apart && s->powers && (a->config || b->config)) {
                s->powers = 0; // a transposed weight shows, rather
                k--;
            }
        }
}

// So many rows that each kind of values has one; and two samples tell an index of them from others. A norm
// may take a whole sample for a row: of those there are a few more, if there were.
static int64_t least_batch(const Shrink *s, const Site *batch, bool samples) {
    enum { ROWS = 32, NORMALISED = 4 };
    if (!samples) return ROWS;
    bool norms = s->out->published.least_set < INT64_MAX;
    return norms && batch->published > STAYS ? NORMALISED : LEAST_BATCH;
}

static void shrink_batches(Shrink *s) {
    const Bound *first = s->out->small.inputs ? s->out->small.input[0].tensor : NULL;
    bool many = first && first->rank > 2;
    bool named = false;
    for (int i = 0; i < s->sites; i++) named |= s->site[i].batch = is_batch(s->site[i].name);
    for (int i = 0; i < s->sites && many && !named; i++)
        s->site[i].batch = !s->site[i].config && s->site[i].published == first->shape[0];
    s->granule = 1;
    s->powers = INT64_MAX;
    for (int i = 0; i < s->sites; i++)
        while (s->site[i].batch && s->out->small.work > s->work &&
               step(s, &s->site[i], false, least_batch(s, &s->site[i], many)))
            ;
}

// Doubles the smallest ones as often as there is room.
static void grow_again(Shrink *s) {
    for (int i = 0; i < s->sites; i++) s->site[i].blocked = s->site[i].batch;
    while (s->out->evaluations < s->most) {
        Site *least = NULL;
        for (int i = 0; i < s->sites; i++) {
            Site *each = &s->site[i];
            if (each->blocked || 2 * value_of(each) > each->published) continue;
            if (!least || value_of(each) < value_of(least)) least = each;
        }
        if (!least) return;
        int64_t was = value_of(least);
        const ModuleRun before = s->out->small;
        least->node->integer.value = (uint64_t)(2 * was);
        if (stays_different(s) && try_sizes(s) && s->out->small.work <= s->work) continue;
        least->node->integer.value = (uint64_t)was;
        s->out->small = before;
        least->blocked = true;
    }
}

// All numbers of that value which were no power of two, or one of them.
static bool move_to(Shrink *s, int first, bool together, int64_t to) {
    const int64_t was = value_of(&s->site[first]),
                  most = s->work > s->out->small.work ? s->work : s->out->small.work;
    const ModuleRun before = s->out->small;
    bool moved[MODULE_SIZES_MAX] = {0}, fits = true;
    for (int i = first; i < s->sites; i++) {
        const Site *each = &s->site[i];
        moved[i] = i == first || (together && value_of(each) == was && !is_power(each->published));
        fits &= !moved[i] || to <= each->published;
    }
    if (!fits || s->out->evaluations >= s->most) return false;
    for (int i = first; i < s->sites; i++)
        if (moved[i]) s->site[i].node->integer.value = (uint64_t)to;
    if (stays_different(s) && try_sizes(s) && s->out->small.work <= most) return true;
    for (int i = first; i < s->sites; i++)
        if (moved[i]) s->site[i].node->integer.value = (uint64_t)was;
    s->out->small = before;
    return false;
}

// A block of the next power of two has lanes to mask in a row that was no power of two as published, and
// would have none in one that has become such.
static void keep_tails(Shrink *s) {
    enum { ROW = 64 };
    for (int i = 0; i < s->sites; i++) {
        int64_t was = value_of(&s->site[i]), more = was + was / 2, less = was - was / 4;
        if (s->site[i].batch || was < ROW || !is_power(was) || is_power(s->site[i].published)) continue;
        (void)(move_to(s, i, false, more) || move_to(s, i, true, more) || move_to(s, i, false, less) ||
               move_to(s, i, true, less));
    }
}

static void shrink_by(Shrink *s) {
    static const struct {
        bool config;
        int64_t floor;
    } phase[] = {{false, 128}, {false, 16}, {true, 128}, {true, 16}, {false, 4}, {true, 4}};
    for (size_t i = 0; i < sizeof phase / sizeof *phase; i++)
        shrink_to(s, phase[i].config, phase[i].floor, s->work);
    shrink_pairs(s, 4, s->work);
}

static bool enough_by(Shrink *s, int64_t granule, int64_t powers, int64_t work) {
    s->granule = granule;
    s->powers = powers;
    shrink_by(s);
    return s->out->small.work <= work;
}

// Of long sizes multiples come first: few programs have one for a block.
enum { POWERS_SHORT = 256, FEW_ROWS = 4 };
static void shrink_all(Shrink *s, int64_t work_most, int64_t most_granule) {
    for (int64_t granule = most_granule; granule >= 16; granule /= 2)
        if (enough_by(s, granule, INT64_MAX, work_most) || enough_by(s, granule, POWERS_SHORT, work_most))
            return;
    if (s->helds && s->held_most > 0) { // others that are no multiples any more, rather, but powers
        bool enough = enough_by(s, FEW_ROWS, INT64_MAX, work_most);
        if (enough || s->out->small.work <= s->held_most) return;
    }
    if (s->helds) { // rather less long than others that are no multiples
        s->helds = 0;
        s->work = work_most;
        if (enough_by(s, 16, POWERS_SHORT, work_most)) return;
    }
    if (!enough_by(s, 1, INT64_MAX, work_most) && !enough_by(s, 1, POWERS_SHORT, work_most))
        (void)!enough_by(s, 1, 0, work_most);
}

// Odd numbers, each near what it is, where the shapes work out: alone, or with all of its value.
static void make_ragged(Shrink *s) {
    static const int64_t by[] = {-1, 1, -3, 3, 2, 4};
    for (int i = 0; i < s->sites; i++) {
        int64_t was = value_of(&s->site[i]);
        bool done = was % 2 == 1;
        for (int together = 0; together < 2 && !done; together++)
            for (size_t k = 0; k < sizeof by / sizeof *by && !done && s->out->evaluations < s->most; k++) {
                if (was + by[k] < STILL || is_power(was + by[k])) continue;
                for (int j = 0; j < s->sites; j++)
                    if (j == i || (together && value_of(&s->site[j]) == was && j > i))
                        s->site[j].node->integer.value = (uint64_t)(was + by[k]);
                done = stays_different(s) && try_sizes(s);
                for (int j = 0; !done && j < s->sites; j++)
                    if (j >= i && value_of(&s->site[j]) == was + by[k])
                        s->site[j].node->integer.value = (uint64_t)was;
            }
    }
}

// Nothing is tried: all numbers are as they are there, but for the held one, which is small.
static bool take_others(Shrink *s, const ShrinkAsk *q) {
    for (int i = 0; i < s->sites; i++) {
        Site *site = &s->site[i];
        for (int k = 0; k < q->others->sizes; k++)
            if (q->others->size[k].at.at == site->node->span.at)
                site->node->integer.value = (uint64_t)q->others->size[k].now;
        for (int k = 0; k < q->helds; k++)
            if (site->node->span.at == q->held[k]->at.at)
                site->node->integer.value = (uint64_t)q->held[k]->now;
    }
    DiagList unsaid = DIAGS(s->arena);
    return module_evaluate(s->arena, s->file, &(ModuleAsk){.shapes = true}, &s->out->small, &unsaid);
}

// What programs have shown that they can do without: the divisors that small sizes have lost. A batch of
// tensors of rank 3 and more is no block of a kernel.
static void take_small(Shrink *s, const ModuleShrunk *small) {
    const Bound *first = small->published.inputs ? small->published.input[0].tensor : NULL;
    for (int i = 0; i < s->sites; i++) {
        Site *site = &s->site[i];
        for (int k = 0; k < small->sizes; k++)
            if (small->size[k].at.at == site->node->span.at) site->small = small->size[k].now;
        if (first && first->rank >= 3 && is_batch(site->name)) site->small |= 1;
    }
}

// What is tried lives in `tries`: of hundreds of evaluations one is kept.
static bool shrink_in(Arena *a, Arena *tries, ModuleFile *m, const ShrinkAsk *q, ModuleShrunk *out,
                      DiagList *d) {
    *out = (ModuleShrunk){.evaluations = 1};
    if (!module_evaluate(a, m, &(ModuleAsk){.shapes = true}, &out->published, d)) return false;
    out->small = out->published;
    Shrink *s = NEW(tries, Shrink);
    s->arena = tries, s->file = m, s->out = out, s->work = q->work, s->quick = q->quick;
    for (; s->helds < q->helds; s->helds++) s->held[s->helds] = q->held[s->helds]->at.at;
    int64_t can = ALL_STEPS / (out->published.steps + 1);
    s->most = can < EVALUATIONS_MAX ? (int)can : EVALUATIONS_MAX;
    find_configs(s);
    find_sites(s);
    int64_t most = q->work_most > q->work ? q->work_most : q->work;
    s->work_most = most, s->held_most = q->held_most;
    if (q->small) take_small(s, q->small);
    if (q->others && !take_others(s, q)) return false;
    if (!q->others) {
        if (q->quick) shrink_batches(s);
        shrink_all(s, most, q->aligned ? 128 : 64);
        tell_apart(s);
        if (q->quick) grow_again(s), keep_tails(s);
        if (q->ragged) make_ragged(s);
    }
    if (!module_evaluate(a, m, &(ModuleAsk){.shapes = true}, &out->small, d)) return false;
    if (q->others) return true;
    for (int i = 0; i < s->sites; i++) {
        const Site *each = &s->site[i];
        if (value_of(each) != each->published)
            out->size[out->sizes++] =
                (ModuleSize){each->name, each->node->span, each->published, value_of(each)};
    }
    return true;
}

bool module_shrink(Arena *a, ModuleFile *m, const ShrinkAsk *q, ModuleShrunk *out, DiagList *d) {
    Arena tries = {0};
    bool ok = shrink_in(a, &tries, m, q, out, d);
    arena_free(&tries);
    return ok;
}
