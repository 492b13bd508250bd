// References in module form: what is read, and each operation of the library against a loop of its own, in
// float64. test/conformance/modules.py compares with PyTorch.
#include "module/modules.h"

// --- operations ---

// The expected element at (i, j, k) of the result, as many as it has dimensions.
typedef double (*Expected)(const ModuleRun *r, int i, int j, int k);
#define X    (r->input[0].tensor)
#define Y    (r->input[1].tensor)
#define Z    (r->input[2].tensor)
#define P(n) tensor_named(r, n)

static double normal_(const Bound *x, int at_, const int *set, int n) {
    double mean = 0, var = 0;
    for (int i = 0; i < n; i++) mean += x->v[set[i]] / n;
    for (int i = 0; i < n; i++) var += (x->v[set[i]] - mean) * (x->v[set[i]] - mean) / n;
    return (x->v[at_] - mean) / sqrt(var + 1e-5);
}

static double linear(const ModuleRun *r, int i, int j, int k) {
    (void)k;
    double s = at(P("fc.bias"), j, 0, 0);
    for (int l = 0; l < 7; l++) s += at(X, i, l, 0) * at(P("fc.weight"), j, l, 0);
    return s;
}
static double matmul_vector(const ModuleRun *r, int i, int j, int k) {
    (void)k;
    double s = 0;
    for (int l = 0; l < 5; l++) s += at(X, i, j, l) * Y->v[l];
    return s;
}
static double matmul_repeats(const ModuleRun *r, int i, int j, int k) { // [2, 3, 4] @ [4, 5]
    double s = 0;
    for (int l = 0; l < 4; l++) s += at(X, i, j, l) * at(Y, l, k, 0);
    return s;
}
static double einsum(const ModuleRun *r, int i, int j, int k) { // bij,bjk,k->kb
    (void)k;
    double s = 0;
    for (int a = 0; a < 3; a++)
        for (int l = 0; l < 4; l++) s += at(X, j, a, l) * at(Y, j, l, i) * Z->v[i];
    return s;
}
static double conv1d(const ModuleRun *r, int i, int j, int k) {
    double s = at(P("c.bias"), j, 0, 0);
    for (int c = 0; c < 2; c++)
        for (int t = 0; t < 3; t++) {
            int p = 2 * k + 2 * t - 1;
            if (p >= 0 && p < 9) s += at(X, i, j / 3 * 2 + c, p) * at(P("c.weight"), j, c, t);
        }
    return s;
}
static double conv_transpose1d(const ModuleRun *r, int i, int j, int k) {
    double s = at(P("c.bias"), j, 0, 0);
    for (int c = 0; c < 4; c++)
        for (int p = 0; p < 5; p++)
            for (int t = 0; t < 3; t++)
                if (p * 2 - 1 + t == k) s += at(X, i, c, p) * at(P("c.weight"), c, j, t);
    return s;
}
static double batch_norm(const ModuleRun *r, int i, int j, int k) {
    int set[15], n = 0;
    for (int a = 0; a < 3; a++)
        for (int b = 0; b < 5; b++) set[n++] = (a * 2 + j) * 5 + b;
    return normal_(X, (i * 2 + j) * 5 + k, set, n) * P("n.weight")->v[j] + P("n.bias")->v[j];
}
static double batch_norm_eval(const ModuleRun *r, int i, int j, int k) {
    double n = (at(X, i, j, k) - P("n.running_mean")->v[j]) / sqrt(P("n.running_var")->v[j] + 1e-5);
    return n * P("n.weight")->v[j] + P("n.bias")->v[j];
}
static double instance_norm(const ModuleRun *r, int i, int j, int k) {
    int set[8];
    for (int b = 0; b < 8; b++) set[b] = (i * 2 + j) * 8 + b;
    return normal_(X, (i * 2 + j) * 8 + k, set, 8);
}
static double group_norm(const ModuleRun *r, int i, int j, int k) {
    int set[8], n = 0;
    for (int c = j / 2 * 2; c < j / 2 * 2 + 2; c++)
        for (int b = 0; b < 4; b++) set[n++] = (i * 6 + c) * 4 + b;
    return normal_(X, (i * 6 + j) * 4 + k, set, n) * P("n.weight")->v[j] + P("n.bias")->v[j];
}
static double layer_norm(const ModuleRun *r, int i, int j, int k) {
    int set[12];
    for (int b = 0; b < 12; b++) set[b] = i * 12 + b;
    return normal_(X, i * 12 + j * 4 + k, set, 12) * at(P("n.weight"), j, k, 0) + at(P("n.bias"), j, k, 0);
}
static double max_pool(const ModuleRun *r, int i, int j, int k) {
    double m = -INFINITY;
    for (int t = 0; t < 3; t++) {
        int p = 2 * k + t - 1;
        if (p >= 0 && p < 8) m = fmax(m, at(X, i, j, p));
    }
    return m;
}
static double avg_pool(const ModuleRun *r, int i, int j, int k) {
    double s = 0;
    for (int t = 0; t < 3; t++) s += at(X, i, j, 3 * k + t);
    return s / 3;
}
static double adaptive(const ModuleRun *r, int i, int j, int k) { // 8 to 3: 0..2, 2..5, 5..7
    static const int from[] = {0, 2, 5}, end[] = {3, 6, 8};
    double s = 0;
    for (int p = from[k]; p < end[k]; p++) s += at(X, i, j, p);
    return s / (end[k] - from[k]);
}
static double triu(const ModuleRun *r, int i, int j, int k) {
    return (void)k, j >= i + 1 ? at(X, i, j, 0) : 0;
}
static double tril(const ModuleRun *r, int i, int j, int k) { return (void)k, j <= i ? at(X, i, j, 0) : 0; }
static double flip(const ModuleRun *r, int i, int j, int k) { return at(X, 1 - i, j, 3 - k); }
static double roll(const ModuleRun *r, int i, int j, int k) { return (void)k, at(X, i, (j + 3) % 5, 0); }
static double pad(const ModuleRun *r, int i, int j, int k) {
    (void)k;
    return i < 1 || j >= 3 ? 2.5 : at(X, i - 1, j + 1, 0);
}
static double sign(const ModuleRun *r, int i, int j, int k) {
    (void)j, (void)k;
    return X->v[i] > 0 ? 1 : X->v[i] < 0 ? -1 : 0;
}
static double diag(const ModuleRun *r, int i, int j, int k) {
    double s = 0;
    (void)k;
    for (int l = 0; l < 3; l++) s += (i == l ? X->v[i] : 0) * at(Y, l, j, 0);
    return s;
}
static double cumprod(const ModuleRun *r, int i, int j, int k) {
    double p = 1;
    (void)k;
    for (int l = 0; l <= j; l++) p *= at(X, i, l, 0);
    return p;
}
static double l1_share(const ModuleRun *r, int i, int j, int k) {
    double s = 0;
    (void)k;
    for (int l = 0; l < 6; l++) s += fabs(at(X, i, l, 0));
    return at(X, i, j, 0) / s;
}
static double mse(const ModuleRun *r, int i, int j, int k) {
    double s = 0;
    (void)i, (void)j, (void)k;
    for (int l = 0; l < 12; l++) s += (X->v[l] - Y->v[l]) * (X->v[l] - Y->v[l]) / 12;
    return s;
}
static double smooth_l1(const ModuleRun *r, int i, int j, int k) {
    double s = 0;
    (void)i, (void)j, (void)k;
    for (int l = 0; l < 12; l++) {
        double d = fabs(X->v[l] - Y->v[l]);
        s += (d < 1 ? 0.5 * d * d : d - 0.5) / 12;
    }
    return s;
}
static double huber(const ModuleRun *r, int i, int j, int k) {
    double d = fabs(X->v[i * 4 + j] - Y->v[i * 4 + j]);
    (void)k;
    return d <= 0.5 ? 0.5 * d * d : 0.5 * (d - 0.25);
}
static double kl(const ModuleRun *r, int i, int j, int k) {
    double s = 0;
    (void)i, (void)j, (void)k;
    for (int l = 0; l < 12; l++) s += Y->v[l] * (log(Y->v[l]) - log(X->v[l])) / 3;
    return s;
}
static double triplet(const ModuleRun *r, int i, int j, int k) {
    double near = 0, far = 0;
    (void)j, (void)k;
    for (int l = 0; l < 4; l++) {
        near += pow(at(X, i, l, 0) - at(Y, i, l, 0) + 1e-6, 2);
        far += pow(at(X, i, l, 0) - at(Z, i, l, 0) + 1e-6, 2);
    }
    return fmax(sqrt(near) - sqrt(far) + 2, 0);
}
static double attention(const ModuleRun *r, int i, int j, int k) { // causal
    double top = 0, all = 0;
    for (int t = 0; t <= j; t++) {
        double s = 0;
        for (int c = 0; c < 4; c++) s += at(X, i, j, c) * at(Y, i, t, c) / 2;
        top += exp(s) * at(Z, i, t, k);
        all += exp(s);
    }
    return top / all;
}
static double sequential(const ModuleRun *r, int i, int j, int k) {
    double s = 0;
    (void)k;
    for (int h = 0; h < 4; h++) {
        double a = P("m.0.bias")->v[h];
        for (int l = 0; l < 3; l++) a += at(X, i, l, 0) * at(P("m.0.weight"), h, l, 0);
        s += fmax(a, 0) * at(P("m.2.weight"), j, h, 0);
    }
    return s;
}
static double in_place(const ModuleRun *r, int i, int j, int k) {
    return (void)k, fmax(at(X, i, j, 0) * 2 + 1, 0);
}
static double own(const ModuleRun *r, int i, int j, int k) {
    return (void)k, at(X, i, j, 0) * P("a")->v[0] + P("b")->v[j];
}

static const struct {
    const char *init, *body, *inputs;
    Expected expected;
    int rank;
    bool eval;
} rows[] = {
    {"self.fc = nn.Linear(7, 3)", "return self.fc(x)", "torch.rand(2, 7)", linear, 2, false},
    {"pass", "return torch.matmul(x, y)", "torch.rand(2, 3, 5), torch.rand(5)", matmul_vector, 2, false},
    {"pass", "return x @ y", "torch.rand(2, 3, 4), torch.rand(4, 5)", matmul_repeats, 3, false},
    {"pass", "return torch.einsum('bij,bjk,k->kb', x, y, z)",
     "torch.rand(2, 3, 4), torch.rand(2, 4, 5), torch.rand(5)", einsum, 2, false},
    {"self.c = nn.Conv1d(4, 6, 3, stride=2, padding=1, dilation=2, groups=2)", "return self.c(x)",
     "torch.rand(2, 4, 9)", conv1d, 3, false},
    {"self.c = nn.ConvTranspose1d(4, 3, 3, 2, 1)", "return self.c(x)", "torch.rand(2, 4, 5)",
     conv_transpose1d, 3, false},
    {"self.n = nn.BatchNorm1d(2)", "return self.n(x)", "torch.rand(3, 2, 5)", batch_norm, 3, false},
    {"self.n = nn.BatchNorm1d(2)", "return self.n(x)", "torch.rand(3, 2, 5)", batch_norm_eval, 3, true},
    {"self.n = nn.InstanceNorm1d(2)", "return self.n(x)", "torch.rand(3, 2, 8)", instance_norm, 3, false},
    {"self.n = nn.GroupNorm(3, 6)", "return self.n(x)", "torch.rand(2, 6, 4)", group_norm, 3, false},
    {"self.n = nn.LayerNorm((3, 4))", "return self.n(x)", "torch.rand(2, 3, 4)", layer_norm, 3, false},
    {"self.p = nn.MaxPool1d(3, stride=2, padding=1)", "return self.p(x)", "torch.rand(2, 3, 8)", max_pool, 3,
     false},
    {"self.p = nn.AvgPool1d(3)", "return self.p(x)", "torch.rand(2, 3, 9)", avg_pool, 3, false},
    {"self.p = nn.AdaptiveAvgPool1d(3)", "return self.p(x)", "torch.rand(2, 2, 8)", adaptive, 3, false},
    {"pass", "return torch.triu(x, diagonal=1)", "torch.rand(4, 5)", triu, 2, false},
    {"pass", "return x.tril()", "torch.rand(4, 5)", tril, 2, false},
    {"pass", "return torch.flip(x, [0, 2])", "torch.rand(2, 3, 4)", flip, 3, false},
    {"pass", "return torch.roll(x, 2, 1)", "torch.rand(3, 5)", roll, 2, false},
    {"pass", "return F.pad(x, (-1, 2, 1, 0), value=2.5)", "torch.rand(3, 4)", pad, 2, false},
    {"pass", "return torch.sign(x)", "torch.rand(9)", sign, 1, false},
    {"pass", "return torch.diag(x) @ y", "torch.rand(3), torch.rand(3, 4)", diag, 2, false},
    {"pass", "return torch.cumprod(x, dim=1)", "torch.rand(3, 6)", cumprod, 2, false},
    {"pass", "return x / torch.norm(x, p=1, dim=1, keepdim=True)", "torch.rand(3, 6)", l1_share, 2, false},
    {"pass", "return F.mse_loss(x, y)", "torch.rand(3, 4), torch.rand(3, 4)", mse, 0, false},
    {"pass", "return F.smooth_l1_loss(x, y)", "torch.rand(3, 4), torch.rand(3, 4)", smooth_l1, 0, false},
    {"pass", "return F.huber_loss(x, y, reduction='none', delta=0.5)", "torch.rand(3, 4), torch.rand(3, 4)",
     huber, 2, false},
    {"self.l = nn.KLDivLoss(reduction='batchmean')", "return self.l(torch.log(x), y)",
     "torch.rand(3, 4).softmax(-1), torch.rand(3, 4).softmax(-1)", kl, 0, false},
    {"self.l = nn.TripletMarginLoss(margin=2.0, reduction='none')", "return self.l(x, y, z)",
     "torch.rand(5, 4), torch.rand(5, 4), torch.rand(5, 4)", triplet, 1, false},
    {"pass", "return F.scaled_dot_product_attention(x, y, z, is_causal=True)",
     "torch.rand(2, 3, 4), torch.rand(2, 3, 4), torch.rand(2, 3, 5)", attention, 3, false},
    {"self.m = nn.Sequential(nn.Linear(3, 4), nn.ReLU(), nn.Linear(4, 2, bias=False))", "return self.m(x)",
     "torch.rand(2, 3)", sequential, 2, false},
    {"self.r = nn.ReLU(inplace=True)", "x *= 2; x += 1; return self.r(x)", "torch.rand(3, 4)", in_place, 2,
     false},
    {"self.a, self.b = nn.Parameter(torch.tensor(2.0)), nn.Parameter(torch.zeros(4))",
     "return x * self.a + self.b", "torch.rand(3, 4)", own, 2, false},
};

static void operations_by_loops(void **state) {
    (void)state;
    for (size_t t = 0; t < sizeof rows / sizeof *rows; t++) {
        ModuleFile m = file_of(model_text(rows[t].init, rows[t].body, rows[t].inputs));
        ModuleRun r = evaluated(&m, &(ModuleAsk){.seed = 3 + t, .eval = rows[t].eval});
        const Bound *y = r.output[0];
        if (y->rank != rows[t].rank) fail_msg("%s: rank %d", rows[t].body, y->rank);
        int n[3] = {1, 1, 1};
        for (int d = 0; d < y->rank; d++) n[d] = (int)y->shape[d];
        for (int i = 0; i < n[0]; i++)
            for (int j = 0; j < n[1]; j++)
                for (int k = 0; k < n[2]; k++) {
                    double want = rows[t].expected(&r, i, j, k), have = at(y, i, j, k);
                    if (!(fabs(want - have) <= 1e-13 * (1 + fabs(want))))
                        fail_msg("%s %s: %g instead of %g at %d, %d, %d", rows[t].init, rows[t].body, have,
                                 want, i, j, k);
                }
    }
}

// A test of the tests: each row's loop says something about that row's inputs.
static void operations_differ(void **state) {
    (void)state;
    for (size_t t = 0; t < sizeof rows / sizeof *rows; t++) {
        ModuleFile m = file_of(model_text(rows[t].init, rows[t].body, rows[t].inputs));
        ModuleRun a = evaluated(&m, &(ModuleAsk){.seed = 100 + t, .eval = rows[t].eval}),
                  b = evaluated(&m, &(ModuleAsk){.seed = 200 + t, .eval = rows[t].eval});
        bool same = true;
        for (int64_t i = 0; i < a.output[0]->numel; i++)
            same = same && a.output[0]->v[i] == b.output[0]->v[i];
        if (same) fail_msg("%s: the same for other inputs", rows[t].body);
    }
}

// --- the module shell ---

static void parameters_have_names(void **state) {
    (void)state;
    ModuleFile m = file_of("import torch\nimport torch.nn as nn\n"
                           "class Part(nn.Module):\n"
                           "    def __init__(self, n):\n"
                           "        super().__init__()\n"
                           "        self.fc = nn.Linear(n, n)\n"
                           "        self.register_buffer('kept', torch.ones(n))\n"
                           "        self.register_parameter('none', None)\n"
                           "    def forward(self, x):\n"
                           "        return self.fc(x) + self.kept\n"
                           "class Model(nn.Module):\n"
                           "    def __init__(self, n, bias=True):\n"
                           "        super(Model, self).__init__()\n"
                           "        self.w = nn.Parameter(torch.randn(n, 2) * 0.1)\n"
                           "        self.part = Part(n)\n"
                           "        self.norm = nn.BatchNorm1d(n)\n"
                           "    def forward(self, x: torch.Tensor) -> torch.Tensor:\n"
                           "        return (self.norm(self.part(x)) @ self.w, x)\n"
                           "n = 4\n"
                           "def get_inputs():\n"
                           "    x = torch.rand(3, n)\n"
                           "    return [x]\n"
                           "def get_init_inputs():\n"
                           "    return [n]\n");
    ModuleRun r = evaluated(&m, &(ModuleAsk){.seed = 1});
    static const char *const names[] = {"w",         "part.fc.weight",    "part.fc.bias",    "norm.weight",
                                        "norm.bias", "norm.running_mean", "norm.running_var"};
    assert_int_equal(r.tensors, sizeof names / sizeof *names);
    for (int i = 0; i < r.tensors; i++) {
        assert_true(str_is(r.tensor[i].name, names[i]));
        assert_int_equal(r.tensor[i].buffer, i > 4);
    }
    assert_int_equal(r.outputs, 2);
    assert_true(str_is(r.init, "4"));
    static const char *const ops[] = {"nn.BatchNorm1d", "nn.Linear", "+", "@"};
    for (size_t k = 0; k < sizeof ops / sizeof *ops; k++) {
        bool found = false;
        for (int i = 0; i < r.ops; i++) found = found || str_is(r.op[i].name, ops[k]);
        if (!found) fail_msg("%s was not noted", ops[k]);
    }
}

// The values of a parameter depend on its name, not on what else the model has.
static void parameters_by_name(void **state) {
    (void)state;
    ModuleFile a = file_of(model_text("self.fc = nn.Linear(5, 4)", "return self.fc(x)", "torch.rand(2, 5)"));
    ModuleFile b = file_of(model_text("self.before = nn.Linear(2, 2); self.fc = nn.Linear(5, 4)",
                                      "return self.fc(x)", "torch.rand(2, 5)"));
    ModuleRun ra = evaluated(&a, &(ModuleAsk){.seed = 9}), rb = evaluated(&b, &(ModuleAsk){.seed = 9}),
              rc = evaluated(&a, &(ModuleAsk){.seed = 10});
    const Bound *wa = tensor_named(&ra, "fc.weight"), *wb = tensor_named(&rb, "fc.weight");
    assert_memory_equal(wa->v, wb->v, sizeof(double) * 20);
    assert_memory_not_equal(wa->v, tensor_named(&rc, "fc.weight")->v, sizeof(double) * 20);
    assert_memory_not_equal(wb->v, tensor_named(&rb, "before.weight")->v, sizeof(double) * 4);
    assert_memory_equal(ra.output[0]->v, rb.output[0]->v, sizeof(double) * 8);
}

static void what_is_refused(void **state) {
    (void)state;
    static const struct {
        const char *init, *body, *inputs;
        DiagKind kind;
        const char *part;
    } wrong[] = {
        {"self.d = nn.Dropout(0.2)", "return self.d(x)", "torch.rand(4)", DIAG_UNSUPPORTED,
         "dropout with p > 0"},
        {"self.c = nn.Conv2d(4, 6, 3, groups=3)", "return self.c(x)", "torch.rand(1, 4, 8, 8)", DIAG_HOST,
         "divisible by groups"},
        {"self.c = nn.Conv2d(4, 6, 3)", "return self.c(x)", "torch.rand(1, 5, 8, 8)", DIAG_HOST, "channels"},
        {"self.c = nn.Conv2d(4, 6, 3)", "return self.c(x)", "torch.rand(1, 4, 2, 8)", DIAG_HOST,
         "greater than actual input size"},
        {"self.c = nn.Conv2d(4, 6, 3, padding_mode='circular')", "return self.c(x)", "torch.rand(1, 4, 8, 8)",
         DIAG_UNSUPPORTED, "padding_mode"},
        {"self.n = nn.GroupNorm(4, 6)", "return self.n(x)", "torch.rand(1, 6, 4)", DIAG_HOST, "divisible"},
        {"self.n = nn.BatchNorm2d(3)", "return self.n(x)", "torch.rand(2, 3, 4)", DIAG_HOST, "dimensions"},
        {"self.n = nn.BatchNorm1d(3)", "return self.n(x)", "torch.rand(1, 3)", DIAG_HOST,
         "more than 1 value"},
        {"self.n = nn.Nothing()", "return x", "torch.rand(1)", DIAG_REFUSED, "nn.Nothing"},
        {"pass", "return torch.linalg.svd(x)", "torch.rand(2, 2)", DIAG_REFUSED, "svd"},
        {"pass", "return x.nothing()", "torch.rand(2, 2)", DIAG_REFUSED, "nothing"},
        {"pass", "return torch.einsum('ii->i', x)", "torch.rand(2, 2)", DIAG_UNSUPPORTED, "einsum"},
        {"pass", "return torch.matmul(x, y)", "torch.rand(2, 3), torch.rand(4, 2)", DIAG_HOST,
         "cannot be multiplied"},
        {"pass", "return 1", "torch.rand(2)", DIAG_UNSUPPORTED, "must return tensors"},
        {"pass", "x[0] = 1; return x", "torch.rand(2)", DIAG_UNSUPPORTED, "in place"},
        {"pass", "y = x; x += 1; return x * y", "torch.rand(2)", DIAG_UNSUPPORTED, "old name"},
        {"pass", "y = x.t(); F.relu(x, inplace=True); return y + 1", "torch.rand(2, 2)", DIAG_UNSUPPORTED,
         "old name"},
        {"self.r = nn.ReLU(inplace=True)", "y = x[0]; self.r(y); return x * 2", "torch.rand(2, 2)",
         DIAG_UNSUPPORTED, "old name"},
        {"pass", "F.relu(x, inplace=True); return x", "torch.rand(2, 2)", DIAG_UNSUPPORTED, "old name"},
        {"pass", "y = x[0]; y += x; return y", "torch.rand(2, 2)", DIAG_HOST, "does not fit"},
        {"pass", "return open('/etc/passwd')", "torch.rand(2)", DIAG_REFUSED, "open"},
        {"import os", "return x", "torch.rand(2)", DIAG_UNSUPPORTED, "import"},
        {"pass", "return x.__class__", "torch.rand(2)", DIAG_REFUSED, "__class__"},
        {"self.me = self", "return x", "torch.rand(2)", DIAG_UNSUPPORTED, "hold each other"},
        {"pass", "return x", "torch.rand(-2)", DIAG_HOST, "negative"},
        {"pass", "return x", "torch.rand(1 << 40, 1 << 40)", DIAG_HOST, "too large"},
        {"pass", "return self.forward(x)", "torch.rand(2)", DIAG_HOST, "recursion"},
        {"self.w = nn.Parameter(torch.ones(2).long())", "return x", "torch.rand(2)", DIAG_HOST,
         "floating point"},
    };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        refused_model(model_text(wrong[i].init, wrong[i].body, wrong[i].inputs), wrong[i].kind,
                      wrong[i].part);
    refused_model("x = 1\n", DIAG_REFUSED, "class Model(nn.Module)");
    refused_model("class Model:\n    pass\ndef get_inputs():\n    return []\n", DIAG_REFUSED, "nn.Module");
    refused_model("class Model(\n", DIAG_SYNTAX, "");
    refused_model(
        "import torch.nn as nn\nclass Model(nn.Module):\n    pass\ndef get_inputs():\n    return []\n",
        DIAG_UNSUPPORTED, "no forward");
    refused_model(
        "import torch.nn as nn\nclass Model(nn.Module):\n    def forward(self):\n        while True:\n"
        "            pass\ndef get_inputs():\n    return []\n",
        DIAG_BUDGET, "budget");
}

// What goes wrong inside of the library is told where the file called it.
static void places_are_the_files(void **state) {
    (void)state;
    const char *source =
        model_text("self.d = nn.Dropout(0.2)", "y = x + 1\n        return self.d(y)", "torch.rand(4)");
    ModuleFile m = file_of(source);
    ModuleRun run;
    DiagList d = DIAGS(&arena);
    assert_false(module_evaluate(&arena, &m, &(ModuleAsk){.shapes = true}, &run, &d));
    const char *call = strstr(source, "self.d(y)");
    assert_int_equal(d.at[0].span.at, call - source);
}

// Definitions of rows, and kernel files, get none of this.
static void others_have_none_of_it(void **state) {
    (void)state;
    BoundCtx c = {.arena = &arena, .elements_left = 1 << 20};
    static const char *const body[] = {"torch.cumprod(x, dim=0)", "torch.triu(x)", "library.conv(x, x)",
                                       "torch.rand(3)", "x.flip(0)"};
    for (size_t i = 0; i < sizeof body / sizeof *body; i++) {
        DiagList d = DIAGS(&arena);
        const Bound *x = bound_apply(&c, BOUND_FULL, NULL, 0, (int64_t[]){2, 2}, 2, 1);
        const char *text = arena_printf(&arena, "import torch\ndef reference(x):\n    return %s\n", body[i]);
        assert_null(host_reference(&c, parsed(&arena, text), &x, 1, 10000, &d));
        assert_non_null(diag_first(&d));
    }
}

static void values_at_small_sizes(void **state) {
    (void)state;
    ModuleFile m = file_of(model_text("self.fc = nn.Linear(4096, 2048)", "return torch.log(self.fc(x) + y)",
                                      "torch.rand(512, 4096), torch.rand(2048) + 100"));
    ModuleValues *v = NEW(&arena, ModuleValues);
    DiagList d = DIAGS(&arena);
    assert_true(module_values(&arena, &m, &(ValuesAsk){.seed = 5, .sizes.work = MODULE_WORK}, v, &d));
    assert_true(v->run.work > 0 && v->run.output[0]->numel > 0);
    // Wide inputs would make the logarithm NaN here and there; published ones do not.
    m = file_of(model_text("pass", "return torch.log(x)", "torch.rand(64, 64)"));
    assert_true(module_values(&arena, &m, &(ValuesAsk){.seed = 5, .sizes.work = MODULE_WORK}, v, &d));
    assert_true(v->published_values);
    m = file_of(model_text("pass", "return torch.exp(-x)", "torch.rand(4096, 4096)"));
    assert_true(module_values(&arena, &m, &(ValuesAsk){.seed = 5, .sizes.work = MODULE_WORK}, v, &d));
    assert_false(v->published_values);
    Buf out = BUF(&arena);
    module_describe(&out, &m, v);
    assert_non_null(strstr(buf_cstr(&out), "operators: - (line 12), torch.exp (line 12)\n"));
    assert_non_null(strstr(buf_cstr(&out), "published float32[4096, 4096]\n"));
}

// Values of a caller, as a draw would hand them in: the same answer as with those that were drawn.
static Tensor stored(StorageTable *table, const Bound *b) {
    Tensor t = {.dtype = b->dtype, .rank = b->rank};
    memcpy(t.shape, b->shape, sizeof t.shape);
    tensor_contiguous_strides(&t);
    size_t bytes = (size_t)b->numel * (size_t)dtype_bytes(b->dtype);
    void *raw = arena_alloc(&arena, bytes + 1, 1, 8);
    dtype_store_row(b->dtype, raw, 1, b->v, (size_t)b->numel);
    assert_true(storage_wrap(table, b->dtype, raw, bytes, &t.storage));
    return t;
}

static void values_that_are_given(void **state) {
    (void)state;
    StorageTable table = {.arena = &arena};
    ModuleFile m = file_of(model_text("self.fc = nn.Linear(5, 3); self.n = nn.BatchNorm1d(3)",
                                      "return F.nll_loss(self.n(self.fc(x)) * z, y, reduction='none')",
                                      "torch.rand(8, 5), torch.randint(0, 3, (8,)), 0.5"));
    ModuleRun r = evaluated(&m, &(ModuleAsk){.seed = 6}), given;
    Tensor input[3] = {stored(&table, r.input[0].tensor), stored(&table, r.input[1].tensor)}, tensor[6];
    assert_int_equal(r.tensors, 6);
    for (int i = 0; i < 6; i++) tensor[i] = stored(&table, r.tensor[i].value);
    DiagList d = DIAGS(&arena);
    ModuleAsk ask = {
        .seed = 77, .work_max = 1 << 20, .input = input, .inputs = 3, .tensor = tensor, .tensors = 6};
    assert_true(module_evaluate(&arena, &m, &ask, &given, &d));
    assert_memory_equal(given.output[0]->v, r.output[0]->v, sizeof(double) * 8);
    assert_memory_equal(given.output[0]->e, r.output[0]->e, sizeof(double) * 8);
    // Others than the file asks for are refused.
    ask.tensors = 5;
    assert_false(module_evaluate(&arena, &m, &ask, &given, &d));
    expect_finding(&d, DIAG_HOST, "more parameters", "");
    d = DIAGS(&arena);
    ask.tensors = 6;
    tensor[0].shape[0]--;
    assert_false(module_evaluate(&arena, &m, &ask, &given, &d));
    expect_finding(&d, DIAG_HOST, "parameter 0", "");
    d = DIAGS(&arena);
    tensor[0].shape[0]++;
    input[1].dtype = DT_I32;
    assert_false(module_evaluate(&arena, &m, &ask, &given, &d));
    expect_finding(&d, DIAG_HOST, "input 1", "");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(operations_by_loops, arena_teardown),
        cmocka_unit_test_teardown(operations_differ, arena_teardown),
        cmocka_unit_test_teardown(parameters_have_names, arena_teardown),
        cmocka_unit_test_teardown(parameters_by_name, arena_teardown),
        cmocka_unit_test_teardown(what_is_refused, arena_teardown),
        cmocka_unit_test_teardown(places_are_the_files, arena_teardown),
        cmocka_unit_test_teardown(others_have_none_of_it, arena_teardown),
        cmocka_unit_test_teardown(values_at_small_sizes, arena_teardown),
        cmocka_unit_test_teardown(values_that_are_given, arena_teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
