// The kernel in a reply.
#include "propose/extract.h"

#include "grammar/smith_test.h"

#define K "def run(x):\n    return x\n"

static void replies(void **state) {
    (void)state;
    static const struct {
        const char *reply;
        bool cut;
        Extraction is;
        const char *source;
    } table[] = {
        {"```python\n" K "```", false, EXTRACT_KERNEL, K},
        {"```\n" K "```", false, EXTRACT_KERNEL, K},
        {"```python " K "```", false, EXTRACT_KERNEL, K},
        {"```" K "```", false, EXTRACT_KERNEL, K},
        {"```py\n" K "```", false, EXTRACT_KERNEL, K},
        {"```python3 \r\n" K "```", false, EXTRACT_KERNEL, K},
        {"```Python\n\n\n" K "```", false, EXTRACT_KERNEL, K},
        {"Here you are:\n```python\n" K "```\nand\n```python\ndef other(): pass\n```", false, EXTRACT_KERNEL,
         K},
        {"```python\n" K "```\nIt is cut somewh", true, EXTRACT_KERNEL, K},
        {"<think>```python\ndef no(): pass\n```</think>\n```python\n" K "```", false, EXTRACT_KERNEL, K},
        {"  <think>\n\n</think>\n\n```python\n" K "```", false, EXTRACT_KERNEL, K},
        {"hm, def a</think>```python\n" K "```", false, EXTRACT_KERNEL, K}, // the prompt held <think>
        {"<think>```python\n" K "```", false, EXTRACT_NONE, ""},            // never came to an answer
        {"<think>```python\n" K "```", true, EXTRACT_TRUNCATED, ""},
        {"of <think> and </think>: ```python\n" K "```", false, EXTRACT_KERNEL, K},
        {"```python\n" K, true, EXTRACT_TRUNCATED, ""},
        {"```python\n" K, false, EXTRACT_KERNEL, K}, // from the first beginning on
        {"```python\n@triton.jit\ndef k(): pass\n" K, false, EXTRACT_KERNEL,
         "@triton.jit\ndef k(): pass\n" K},
        {"First import torch\n" K, false, EXTRACT_KERNEL, "import torch\n" K},
        {"So:\n" K "```\nDone.", false, EXTRACT_KERNEL, K}, // the prompt opened the block
        {"So:\n" K "```\nDone.", true, EXTRACT_KERNEL, K},
        {"def _k(): pass", false, EXTRACT_KERNEL, "def _k(): pass"},
        {"def helper(): pass\n" K, false, EXTRACT_KERNEL, K},
        {"I would import numpy.", false, EXTRACT_NONE, ""},
        {"```\n\n```", false, EXTRACT_NONE, ""},
        {"``````", false, EXTRACT_NONE, ""},
        {"```", false, EXTRACT_NONE, ""},
        {"```bash\npip install triton\n```\n", false, EXTRACT_NONE, ""},
        {"", false, EXTRACT_NONE, ""},
        {"", true, EXTRACT_TRUNCATED, ""},
        {"I am sorry, but as", true, EXTRACT_TRUNCATED, ""},
    };
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        Str source;
        Extraction is = extract_kernel(str_of(table[i].reply), table[i].cut, &source);
        if (is != table[i].is || !str_is(source, table[i].source))
            fail_msg("%s: %d '%.*s'", table[i].reply, is, STR_ARG(source));
    }
    Str source;
    assert_int_equal(extract_kernel((Str){0}, false, &source), EXTRACT_NONE);
    assert_int_equal(extract_kernel((Str){"```\0def ```", 11}, false, &source), EXTRACT_KERNEL);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(replies),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
