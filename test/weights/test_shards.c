// A model of several files: which file holds what, and every way in which they can disagree.
#include "weights/opened.h"

// ---- several files

static const char *sharded(const Tensors *t, const char *map_of_first, int in_second) {
    const char *folder = folder_new(&arena);
    Buf index = BUF(&arena);
    int half = t->n / 2;
    text_put(&arena, folder, "config.json", config_with(&arena, "{}"));
    safetensors_put(&arena, arena_printf(&arena, "%s/model-1.safetensors", folder), t->at, half);
    safetensors_put(&arena, arena_printf(&arena, "%s/model-2.safetensors", folder), t->at + half,
                    t->n - half);
    buf_puts(&index, "{\"metadata\":{\"total_size\":1},\"weight_map\":{");
    for (int i = 0; i < t->n; i++)
        buf_printf(&index, "%s\"%s\":\"%s\"", i ? "," : "", t->at[i].name,
                   i == 0 && map_of_first       ? map_of_first
                   : i < half && i != in_second ? "model-1.safetensors"
                                                : "model-2.safetensors");
    buf_puts(&index, "}}");
    text_put(&arena, folder, "model.safetensors.index.json", buf_cstr(&index));
    return folder;
}

static void test_shards(void **state) {
    (void)state;
    Tensors t = tensors_of(&arena, false, true);
    Checkpoint *c;
    Err e;
    const char *folder = sharded(&t, NULL, -1);
    if (!opens(folder, &c, &e)) fail_msg("%s", e.msg);
    checkpoint_close(c);
    // A single file goes before the index, even a broken one.
    text_put(&arena, folder, "model.safetensors", "x");
    refused_at(folder, "model.safetensors: 1 bytes");
    unlink(arena_printf(&arena, "%s/model.safetensors", folder));
    unlink(arena_printf(&arena, "%s/model-2.safetensors", folder));
    refused_at(folder, "part 2 of 2, is not there: finish the download");
    folder_remove(folder);

    folder = sharded(&t, NULL, 3);
    refused_at(folder, "is not in model-2.safetensors, which the index names for it");
    folder_remove(folder);
    Tensors less = t;
    folder = sharded(&t, NULL, -1);
    less.at[less.n++] = (Tensor){"more", "F32", 1, {1}, NULL, 4};
    safetensors_put(&arena, arena_printf(&arena, "%s/model-2.safetensors", folder), less.at + t.n / 2,
                    less.n - t.n / 2);
    refused_at(folder, "\"more\" is not in the index");
    folder_remove(folder);
    // The same tensor in both files.
    folder = sharded(&t, NULL, -1);
    safetensors_put(&arena, arena_printf(&arena, "%s/model-2.safetensors", folder), t.at, t.n);
    refused_at(folder, "is there twice");
    folder_remove(folder);
    static const char *const names[] = {"../model-1.safetensors",
                                        "/etc/passwd",
                                        "a/b.safetensors",
                                        "..",
                                        "",
                                        ".safetensors",
                                        "model-1.bin",
                                        "a\\\\b.safetensors",
                                        "a b.safetensors",
                                        "\\u0001.safetensors"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        folder = sharded(&t, names[i], -1);
        refused_at(folder, "plain name of a .safetensors file");
        folder_remove(folder);
    }
    static const char *const indexes[] = {"{}", "{\"weight_map\":{}}", "{\"weight_map\":[]}",
                                          "{\"weight_map\":{\"a\":1}}"};
    for (size_t i = 0; i < sizeof indexes / sizeof *indexes; i++) {
        folder = sharded(&t, NULL, -1);
        text_put(&arena, folder, "model.safetensors.index.json", indexes[i]);
        refused_at(folder, i == 3 ? "plain name" : "\"weight_map\"");
        folder_remove(folder);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_shards),
    };
    return cmocka_run_group_tests(tests, NULL, tear_down);
}
