// Modules of torch as holders of parameters, and what gives those their first values.
#include "host/normalized.h"

#define MODEL(init, forward)                                                                       \
    "import torch\nfrom torch import nn\nclass ModelNew(nn.Module):\n    def __init__(self, n):\n" \
    "        super().__init__()\n        " init "\n    def forward(self, x):\n        " forward "\n"

static void holders_are_classes(void **state) {
    (void)state;
    HAS(MODEL("self.ln = nn.LayerNorm(n, eps=0.1)", "return x"), "self.ln = nn.LayerNorm(n, eps=0.1)");
    HAS(MODEL("self.l = torch.nn.Linear(n, 3, bias=False)", "return x"),
        "self.weight = torch.nn.Parameter(torch.empty(out_features, in_features)) if True else None");
    HAS(MODEL("self.l = nn.Linear(n, 3)\n        self.m = nn.Linear(n, 3)", "return x"), "class nn.Linear(");
    LACKS(MODEL("self.c = nn.Conv2d(1, 2, 3)", "return x"), "class nn.");
    LACKS(MODEL("self.ln = nn.LayerNorm(n)", "return x") "def run(x):\n    return ModelNew(3)(x)\n",
          "of torch");
}

static void names_are_registered(void **state) {
    (void)state;
    HAS(MODEL("self.register_parameter('w', nn.Parameter(n))", "return x"), "self.w = nn.Parameter(n)");
    HAS(MODEL("self.register_buffer('b', None, persistent=False)", "return x"), "self.b = None");
    HAS(MODEL("self.register_buffer(n, None)", "return x"), "self.register_buffer(n, None)");
    HAS(MODEL("self.register_buffer('__b', None)", "return x"), "self.register_buffer(");
}

#define WEIGHT "self.w = nn.Parameter(n)\n        "
static void first_values_go(void **state) {
    (void)state;
    HAS(MODEL(WEIGHT "nn.init.normal_(self.w, std=n / 2)", "return x"), "\n        n / 2,\n");
    HAS(MODEL(WEIGHT "self.w.data.uniform_(-n, n)", "return x"), "\n        -n, n\n");
    HAS(MODEL("self.ln = nn.LayerNorm(n)\n        torch.nn.init.ones_(self.ln.weight)", "return x"),
        "\n        ()\n");
    LACKS(MODEL(WEIGHT "self.start()", "return x") "    def start(self):\n        nn.init.ones_(self.w)\n",
          "ones_");
}

static void others_stay(void **state) {
    (void)state;
    HAS(MODEL(WEIGHT "pass", "nn.init.ones_(self.w)"), "ones_(self.w)");
    HAS(MODEL(WEIGHT "self.start()", "self.start()") "    def start(self):\n        nn.init.ones_(self.w)\n",
        "ones_");
    HAS(MODEL(WEIGHT "self.later = self.start",
              "self.later()") "    def start(self):\n        nn.init.ones_(self.w)\n",
        "ones_");
    HAS(MODEL(WEIGHT "self.later = lambda: self.start()",
              "self.later()") "    def start(self):\n        nn.init.ones_(self.w)\n",
        "ones_");
    HAS(MODEL(WEIGHT "def later():\n            nn.init.ones_(self.w)\n        self.later = later",
              "self.later()"),
        "ones_");
    HAS(MODEL(WEIGHT "pass", "Other(self)") "    def start(self):\n        nn.init.ones_(self.w)\nclass "
                                            "Other:\n    def __init__(self, m):\n        m.start()\n",
        "ones_");
    HAS(MODEL("self.w = torch.empty(n)\n        nn.init.ones_(self.w)", "return x"), "ones_(self.w)");
    HAS(MODEL(WEIGHT "self.w = n\n        nn.init.ones_(self.w)", "return x"), "ones_(self.w)");
    HAS(MODEL(WEIGHT "nn.init.ones_(n.w)", "return x"), "ones_(n.w)");
    HAS(MODEL(WEIGHT "nn.init.ones_(n)", "return x"), "ones_(n)");
    HAS(MODEL(WEIGHT "self.w.data.copy_(n)", "return x"), "copy_(n)");
}

// Of a file that is judged as a ModelNew of a reference in module form.
static const char *as_new(Arena *a, const char *source) {
    DiagList d = DIAGS(a);
    Node *module = (Node *)(uintptr_t)parsed(a, source);
    module->module.model = parsed(a, "init = []\n");
    if (!host_normalize(a, module, &d)) return d.at[0].msg;
    Buf b = BUF(a);
    print_module(&b, module);
    return buf_cstr(&b);
}

static void expect_new(const char *source, const char *part, bool there) {
    Arena a = {0};
    const char *got = as_new(&a, source);
    if ((strstr(got, part) != NULL) != there)
        fail_msg("%s '%s' in:\n%s", there ? "no" : "there is", part, got);
    arena_free(&a);
}

static void in_module_form_more_holders(void **state) {
    (void)state;
    expect_new(MODEL("self.c = nn.Conv2d(1, 2, 3)", "return x"), "class nn.Conv2d(", true);
    expect_new(MODEL("self.c = nn.Conv2d(1, 2, 3)", "return x"),
               "torch.empty((out_channels, in_channels // groups, *self.kernel_size))", true);
    expect_new(MODEL("self.c = nn.ConvTranspose1d(1, 2, 3)", "return x"),
               "torch.empty((in_channels, out_channels // groups, *self.kernel_size))", true);
    expect_new(MODEL("self.b = nn.BatchNorm3d(4)", "return x"), "self.running_mean = ", true);
    expect_new(MODEL("self.c = nn.Conv2d(1, 2, 3)", "return self.c.to(x.device)"),
               "def to(self, device=None):", true);
    LACKS(MODEL("self.l = nn.Linear(n, 3)", "return x"), "def to(");
    expect_new(MODEL("self.l = nn.LSTM(4, 4)", "return x"), "class nn.", false);
    // A bias that may be None is a parameter all the same.
    expect_new(
        MODEL("if n: self.b = nn.Parameter(n)\n        else: self.register_parameter('b', None)\n        "
              "nn.init.ones_(self.b)",
              "return x"),
        "ones_", false);
}

// A tensor that becomes an nn.Parameter and nothing else; fan_in of a parameter's shape.
static void in_module_form_tensors_become_parameters(void **state) {
    (void)state;
    expect_new(MODEL(WEIGHT "pass", "self.w.data = self.w.data.to(x.device)"), "self.w.to(x.device)\n", true);
    expect_new(MODEL(WEIGHT "pass", "self.w.data = self.w.data.to(x.device)"), ".data = ", false);
    expect_new(MODEL(WEIGHT "pass", "self.w.data = x.data.to(x.device)"), ".data = ", true);
#define LOCAL \
    "w = torch.randn(n, 3).uniform_(-1, 1)\n        nn.init.ones_(w)\n        self.w = nn.Parameter(w)"
    expect_new(MODEL(LOCAL, "return x"), "w = torch.empty(n, 3)\n", true);
    expect_new(MODEL(LOCAL, "return x"), "ones_", false);
    expect_new(MODEL(LOCAL "\n        self.kept = w", "return x"), "torch.randn(n, 3).uniform_", true);
    LACKS(MODEL(LOCAL, "return x"), "torch.empty(n, 3)\n");
    expect_new(
        MODEL(WEIGHT "f, _ = nn.init._calculate_fan_in_and_fan_out(self.w)\n        self.f = f", "return x"),
        "self.w.numel() // self.w.shape[0]", true);
    HAS(MODEL(WEIGHT "f, _ = nn.init._calculate_fan_in_and_fan_out(self.w)\n        self.f = f", "return x"),
        "_calculate_fan_in_and_fan_out");
}

// What may be left to PyTorch computes; what may not is a holder, or is not read.
static void what_is_allowed_computes(void **state) {
    (void)state;
    static const char layers[] = MODEL("self.c = nn.Conv2d(1, 2, 3)\n        self.r = nn.ReLU()", "return x");
    static const struct {
        const char *facts, *part;
        bool there;
    } row[] = {{"library = 2\n", "torch.nn.functional.conv2d(input, self.weight, ", true},
               {"library = 2\n", "torch.nn.functional.relu(input, inplace=self.inplace)", true},
               {"library = 1\n", "functional.conv2d(", false},
               {"library = 1\n", "torch.nn.functional.relu(", true},
               {"library = 0\n", "torch.nn.functional.relu(", false},
               {"library = 0\n", "class nn.Conv2d(", true},
               {"library = 0\n", "nn.ReLU()", true}};
    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        Arena a = {0};
        DiagList d = DIAGS(&a);
        Node *module = parse_module(&a, str_of(layers), &d);
        assert_non_null(module);
        module->module.model = parse_module(&a, str_of(row[i].facts), &d);
        Buf text = BUF(&a);
        if (!host_normalize(&a, module, &d)) fail_msg("%s", d.at[0].msg);
        print_module(&text, module);
        if ((strstr(buf_cstr(&text), row[i].part) != NULL) != row[i].there)
            fail_msg("%s: %s in\n%s", row[i].facts, row[i].part, buf_cstr(&text));
        arena_free(&a);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(holders_are_classes),
        cmocka_unit_test(names_are_registered),
        cmocka_unit_test(first_values_go),
        cmocka_unit_test(others_stay),
        cmocka_unit_test(in_module_form_more_holders),
        cmocka_unit_test(in_module_form_tensors_become_parameters),
        cmocka_unit_test(what_is_allowed_computes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
