// hf: names to places in the local cache, and what to do where something is missing.
#include "weights/opened.h"

// ---- the Hugging Face cache

static void test_hub(void **state) {
    (void)state;
    static const char commit[] = "0123456789abcdef0123456789abcdef01234567";
    const char *cache = folder_new(&arena), *model = folder_with("{}");
    setenv("HF_HUB_CACHE", cache, 1);
    const char *repo = arena_printf(&arena, "%s/models--org--name-1.5B", cache);
    refused_at("hf:org/name-1.5B", "get it with: hf download org/name-1.5B");
    refused_at("hf:org/name@v2:sub/x", "hf download org/name --include \"sub/x/*\" --revision v2");
    refused_at("hf:org/name:a.gguf", "hf download org/name a.gguf");
    static const char *const bad[] = {"hf:name", "hf:/name",    "hf:org/", "hf:a/b/c",   "hf:../name",
                                      "hf:a/..", "hf:a/b:../c", "hf:a/b@", "hf:a/b:",    "hf:a/b;ls",
                                      "hf:a/-b", "hf:a/b:x//y", "hf:a/$b", "hf:a/b@../x"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) refused_at(bad[i], "write hf:org/name");
    // Without the prefix it is a path, and where there is none, the prefix is what was forgotten.
    refused_at("org/name-1.5B",
               "No such file or directory; a model of the Hugging Face cache is named hf:org/name-1.5B");
    static const char *const paths[] = {"./org/name", "org/name.gguf", "/org/name",
                                        "a/b/c",      "name",          "../name"};
    for (size_t i = 0; i < sizeof paths / sizeof *paths; i++) {
        Err not = {0};
        Checkpoint *none;
        assert_false(checkpoint_open(&arena, paths[i], &none, &not ));
        assert_says(not, "No such file");
        assert_null(strstr(not .msg, "hf:"));
    }

    assert_int_equal(mkdir(repo, 0700), 0);
    assert_int_equal(mkdir(arena_printf(&arena, "%s/refs", repo), 0700), 0);
    assert_int_equal(mkdir(arena_printf(&arena, "%s/snapshots", repo), 0700), 0);
    text_put(&arena, repo, "refs/main", "../../../etc");
    refused_at("hf:org/name-1.5B", "no commit");
    text_put(&arena, repo, "refs/main", arena_printf(&arena, "%s\n", commit));
    refused_at("hf:org/name-1.5B", "hf download org/name-1.5B");
    assert_int_equal(symlink(model, arena_printf(&arena, "%s/snapshots/%s", repo, commit)), 0);
    Checkpoint *c;
    Err e;
    if (!opens("hf:org/name-1.5B", &c, &e)) fail_msg("%s", e.msg);
    checkpoint_close(c);
    if (!opens(arena_printf(&arena, "hf:org/name-1.5B@%s", commit), &c, &e)) fail_msg("%s", e.msg);
    checkpoint_close(c);
    refused_at("hf:org/name-1.5B:sub", "--include \"sub/*\"");
    // A download that was not finished: the command names the revision that is half there.
    const char *rest = arena_printf(&arena, "; get it with: hf download org/name-1.5B --revision %s", commit);
    if (!opens("hf:org/name-1.5B", &c, &e)) fail_msg("%s", e.msg);
    assert_non_null(strstr(c->no_vocabulary, rest));
    checkpoint_close(c);
    assert_int_equal(
        rename(arena_printf(&arena, "%s/model.safetensors", model), arena_printf(&arena, "%s/q.gguf", model)),
        0);
    refused_at("hf:org/name-1.5B", rest);
    unlink(arena_printf(&arena, "%s/config.json", model));
    refused_at("hf:org/name-1.5B", "name a GGUF file itself: hf:org/name-1.5B:q.gguf");
    assert_int_equal(
        rename(arena_printf(&arena, "%s/q.gguf", model), arena_printf(&arena, "%s/model.safetensors", model)),
        0);
    refused_at("hf:org/name-1.5B", rest);
    text_put(&arena, model, "config.json", LLAMA_CONFIG);
    // Where the cache is, by HF_HOME.
    unsetenv("HF_HUB_CACHE");
    const char *home = folder_new(&arena);
    assert_int_equal(symlink(cache, arena_printf(&arena, "%s/hub", home)), 0);
    setenv("HF_HOME", home, 1);
    if (!opens("hf:org/name-1.5B", &c, &e)) fail_msg("%s", e.msg);
    checkpoint_close(c);
    const char *was = arena_printf(&arena, "%s", getenv("HOME") ? getenv("HOME") : "/");
    setenv("HOME", home, 1);
    setenv("HF_HOME", "~", 1);
    if (!opens("hf:org/name-1.5B", &c, &e)) fail_msg("%s", e.msg);
    checkpoint_close(c);
    setenv("HF_HUB_CACHE", "~/hub/", 1);
    if (!opens("hf:org/name-1.5B", &c, &e)) fail_msg("%s", e.msg);
    checkpoint_close(c);
    setenv("HF_HUB_CACHE", "~other", 1);
    refused_at("hf:org/name-1.5B", "~other/models--org--name-1.5B/refs/main is not there");
    unsetenv("HF_HUB_CACHE");
    unsetenv("HF_HOME");
    setenv("HOME", was, 1);
    folder_remove(home);
    folder_remove(cache);
    folder_remove(model);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_hub),
    };
    return cmocka_run_group_tests(tests, NULL, tear_down);
}
