// Keys of what a program keeps, as they are noted from two calls on one object: what the second finds, and
// the first did not; what both put; and what both ask of a GPU.
#include "base/arena.h"
#include "host/support.h"

static const char head[] =
    "import torch\nimport torch.nn as nn\nimport triton\nimport triton.language as tl\n"
    "@triton.jit\n"
    "def scale(x_ptr, y_ptr, N, factor, BLOCK: tl.constexpr):\n"
    "    cols = tl.arange(0, BLOCK)\n"
    "    x = tl.load(x_ptr + tl.program_id(0) * N + cols, mask=cols < N)\n"
    "    tl.store(y_ptr + tl.program_id(0) * N + cols, x * factor, mask=cols < N)\n"
    "class ModelNew(nn.Module):\n"
    "    def __init__(self):\n"
    "        super().__init__()\n"
    "        self.kept = {}\n"
    "        self.list = []\n"
    "        self.slots = [None] * 64\n"
    "        self.last = None\n"
    "    def forward(self, x):\n"
    "        M, N = x.shape\n"
    "        y = torch.empty_like(x)\n"
    "        factor = 2.0\n";
static const char tail[] = "        scale[(M,)](x, y, N, factor, BLOCK=64)\n"
                           "        return y\n";
enum { M = 4, N = 37 };

// Calls it twice; how many notes the second call has that the first did not.
static int news_of(const char *body, KeyHeard heard[2], int64_t *part) {
    Arena a = {0};
    DiagList d = DIAGS(&a);
    Machine *m = NEW(&a, Machine);
    Cover cover = {.arena = &a, .keys = NEW(&a, KeyNotes)};
    float x[M * N] = {0};
    int news = 0;
    machine_init(m, &a, &d, 1 << 20);
    m->watch.cover = &cover;
    Tensor in = {.dtype = DT_F32, .rank = 2, .shape = {M, N}, .stride = {N, 1}}, out;
    assert_true(storage_wrap(&m->storages, DT_F32, x, sizeof x, &in.storage));
    tensor_expose(&in, SHADOW_ALLOC | SHADOW_INIT);
    const Node *module = parsed(&a, arena_printf(&a, "%s%s%s", head, body, tail));
    if (!host_screen(module, &d)) fail_msg("%s:\n%s", d.at[0].msg, body);
    HostProgram *p = host_program(m, code_cache_new(&a), module);
    for (int i = 0; i < 2; i++) {
        keys_call(cover.keys, m->storages.count);
        if ((i == 0 && !host_build(p, &in, 1)) || !host_call(p, &in, 1, &out))
            fail_msg("%s:\n%s", d.at[0].msg, body);
        heard[i] = cover.keys->now;
    }
    for (int i = 0; i < heard[1].notes; i++) {
        const KeyNote *n = &heard[1].note[i];
        if (n->put || keys_has(&heard[0], n->found)) continue;
        *part = n->parts ? n->part[0] : -1;
        news++;
    }
    arena_free(&a);
    return news;
}

static void what_a_call_finds_is_its_key(void **state) {
    (void)state;
    static const struct {
        const char *body;
        int news;
        int64_t part;
    } all[] = {
        {"        if N % 32 not in self.kept:\n            self.kept[N % 32] = 2.0\n", 1, 5},
        {"        factor = self.kept.setdefault(N * 3, 2.0)\n", 1, 111},
        {"        factor = self.kept.get(f'{M}x{N}', 2.0)\n        self.kept[f'{M}x{N}'] = factor\n", 2, 4},
        {"        for k in self.list:\n            if k[0] == (N, M):\n                factor = k[1]\n"
         "        if len(self.list) == 0:\n            self.list.append(((N, M), 2.0))\n",
         1, 37},
        {"        if self.last != N + 1:\n            self.last = N + 1\n", 1, 38},
        {"        if self.slots[N % 32] is None:\n            self.slots[N % 32] = 2.0\n", 1, 5},
        {"        if N in self.list:\n            factor = 1.0 + self.list.index(N) + 1.0\n"
         "        else:\n            self.list.append(N)\n",
         2, 37},
        // Of no earlier call's.
        {"        d = {N: 2.0}\n        factor = d[N]\n        if N == 37 and [1, 2][1] == 2:\n"
         "            factor = d.get(N, 1.0)\n",
         0, 0},
        {"        self.last = N\n", 0, 0},
    };
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        KeyHeard heard[2];
        int64_t part = 0;
        int news = news_of(all[i].body, heard, &part);
        if (news != all[i].news || part != all[i].part)
            fail_msg("%d keys, of %lld:\n%s", news, (long long)part, all[i].body);
    }
}

static bool puts_number(const KeyHeard *h, int64_t x) {
    for (int i = 0; i < h->notes; i++)
        if (h->note[i].put && h->note[i].parts == 1 && h->note[i].part[0] == x) return true;
    return false;
}

static void what_a_call_puts_is_a_key_too(void **state) {
    (void)state;
    static const char *const all[] = {"        self.last = N % 32\n", "        self.kept['last'] = N % 32\n",
                                      "        self.kept[N % 32] = 1.0\n",
                                      "        self.list.append((N % 32, 1.0))\n",
                                      "        self.slots[0] = N % 32\n"};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        KeyHeard heard[2];
        int64_t part = 0;
        (void)news_of(all[i], heard, &part);
        if (!puts_number(&heard[0], 5) || puts_number(&heard[0], 6)) fail_msg("%s", all[i]);
    }
}

// Two calls of one shape ask for the same, unless something of the first makes a difference.
static void what_a_call_asks_for_is_a_number(void **state) {
    (void)state;
    static const struct {
        const char *body;
        bool same;
    } all[] = {
        {"", true},
        {"        self.last = N\n", true},
        {"        factor = self.kept.setdefault(N, 2.0)\n", true},
        {"        if self.last == N:\n            factor = 3.0\n        self.last = N\n", false},
        {"        if self.last is None:\n            self.last = y\n        y = self.last\n", false},
        {"        if self.last is None:\n            z = torch.zeros((M,), device=x.device)\n"
         "        self.last = 1\n",
         false},
        {"        if self.last is None:\n            x.t().contiguous()\n        self.last = 1\n", false},
        {"        if self.last == 1:\n            M = M - 1\n        self.last = 1\n", false},
    };
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        KeyHeard heard[2];
        int64_t part = 0;
        (void)news_of(all[i].body, heard, &part);
        if ((heard[0].asked == heard[1].asked) != all[i].same) fail_msg("%s", all[i].body);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(what_a_call_finds_is_its_key),
                                       cmocka_unit_test(what_a_call_puts_is_a_key_too),
                                       cmocka_unit_test(what_a_call_asks_for_is_a_number)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
