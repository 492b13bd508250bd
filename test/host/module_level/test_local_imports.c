// Imports inside functions go to module level where what they bring is used nowhere else.
#include "host/normalized.h"

#define IN(body) "import torch\ndef f(n):\n    n = n + 1\n" body "    return n\n"

static void they_move_where_nobody_can_tell(void **state) {
    (void)state;
    HAS(IN("    import math\n    n = math.floor(n)\n") "def run(x):\n    return f(x)\n",
        "import math\nimport torch\n");
    HAS(IN("    if n:\n        from triton import cdiv\n        n = cdiv(n, 2)\n") "def run(x):\n    return "
                                                                                   "f(x)\n",
        "triton.cdiv(n, 2)");
    HAS(IN("    import math\n    n = math.floor(n)\n") "def run(x):\n    x = f(x)\n    import math\n    "
                                                       "return math.ceil(x)\n",
        "import math\nimport torch\n");
    HAS("class A:\n    def f(self):\n        self.n = 1\n        import math\n        return math.pi\ndef "
        "run(x):\n    return A().f()\n",
        "import math\n\nclass A");
}

static void others_stay(void **state) {
    (void)state;
#define STAYS(source, line) HAS(source, "    " line "\n")
    // Before the import Python does not know the name, nor where the branch with it was not taken.
    STAYS(IN("    n = math.floor(n)\n    import math\n") "def run(x):\n    return f(x)\n", "import math");
    STAYS(
        IN("    if n:\n        from math import floor\n    n = floor(n)\n") "def run(x):\n    return f(x)\n",
        "from math import floor");
    // Others would find it, too.
    STAYS(IN("    from math import floor\n") "def run(x):\n    return floor(f(x))\n",
          "from math import floor");
    // It is bound to something else somewhere.
    STAYS(IN("    from math import floor\n    floor = 3\n") "def run(x):\n    return f(x)\n",
          "from math import floor");
    STAYS(IN("    from math import floor\n    n = [floor for floor in n]\n") "def run(x):\n    return f(x)\n",
          "from math import floor");
    STAYS(IN("    from math import ceil as floor\n") "from math import floor\ndef run(x):\n    return f(x)\n",
          "from math import ceil as floor");
    STAYS(IN("    import ctypes\n") "def run(x):\n    return f(x)\n", "import ctypes");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(they_move_where_nobody_can_tell),
        cmocka_unit_test(others_stay),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
