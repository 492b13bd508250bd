#define PCRE2_CODE_UNIT_WIDTH 8
#include "weights/peft.h"

#include <math.h>
#include <pcre2.h>
#include <stdio.h>
#include <strings.h>

#include "weights/format/mapped.h"
#include "weights/format/shown.h"

enum { CONFIG_MAX = 1 << 20, PATTERNS_MAX = 256, PATTERN_LENGTH_MAX = 4096, RANK_MAX = 1 << 16 };
enum { MATCH_LIMIT = 10000, HEAP_LIMIT_KIB = 4096 };

// A rule for modules: an entry of a list (the module itself or its last parts), or a regular expression.
typedef struct {
    Str text;
    pcre2_code *code; // NULL: an entry of a list
    double value;     // of rank_pattern and alpha_pattern
} Rule;
typedef struct {
    Rule *at;
    int n;
} Rules;

struct Peft {
    Json json;
    int r;
    double alpha;
    bool rslora, all_linear, some_layers;
    Rules target, exclude, layers_pattern, rank, alphas;
    const json_t *layers; // layers_to_transform
    pcre2_match_data *match;
    pcre2_match_context *limits;
};

typedef enum {
    READ,    // by the code below
    IDLE,    // has no influence on what an adapter computes
    NOTHING, // only "nothing" (null, false, empty) is built
} KeyKind;
static const struct {
    const char *key;
    KeyKind kind;
} keys[] = {
    {"peft_type", READ},
    {"r", READ},
    {"lora_alpha", READ},
    {"use_rslora", READ},
    {"target_modules", READ},
    {"exclude_modules", READ},
    {"layers_to_transform", READ},
    {"layers_pattern", READ},
    {"rank_pattern", READ},
    {"alpha_pattern", READ},
    {"bias", READ},
    {"init_lora_weights", READ},
    {"task_type", IDLE},
    {"auto_mapping", IDLE},
    {"peft_version", IDLE},
    {"base_model_name_or_path", IDLE},
    {"revision", IDLE},
    {"inference_mode", IDLE},
    {"lora_dropout", IDLE},
    {"megatron_core", IDLE},
    {"qalora_group_size", IDLE},
    {"ensure_weight_tying", IDLE},
    {"eva_config", IDLE},
    {"runtime_config", IDLE},
    {"use_dora", NOTHING},
    {"lora_bias", NOTHING},
    {"modules_to_save", NOTHING},
    {"fan_in_fan_out", NOTHING},
    {"layer_replication", NOTHING},
    {"trainable_token_indices", NOTHING},
    {"target_parameters", NOTHING},
    {"alora_invocation_tokens", NOTHING},
    {"use_qalora", NOTHING},
    {"use_bdlora", NOTHING},
    {"megatron_config", NOTHING},
    {"loftq_config", NOTHING},
    {"corda_config", NOTHING},
    {"arrow_config", NOTHING},
    {"kasa_config", NOTHING},
    {"velora_config", NOTHING},
    {"lora_ga_config", NOTHING},
    {"monteclora_config", NOTHING},
};

static bool keys_allowed(const Json *j) {
    const char *key;
    json_t *v;
    json_object_foreach(j->root, key, v) {
        KeyKind kind = NOTHING; // a key of a later PEFT: fine as long as it says nothing
        for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
            if (strcmp(keys[i].key, key) == 0) kind = keys[i].kind;
        if (kind == NOTHING && !json_is_nothing(v))
            return err_set(j->e, ERR_INPUT, "%s: \"%s\" is not built; save the adapter without it", j->file,
                           shown(str_of(key)).at);
    }
    return true;
}

// ---- patterns

// The user's text, and what PEFT puts around it before it matches.
typedef struct {
    const char *before;
    Str text;
    const char *after;
} Pattern;

static bool rule_compile(Arena *a, const Json *j, const char *key, Pattern p, Rule *out) {
    Str text = p.text;
    if (text.len > PATTERN_LENGTH_MAX)
        return err_set(j->e, ERR_INPUT, "%s: \"%s\": a pattern of %zu bytes", j->file, key, text.len);
    Buf b = BUF(a);
    buf_puts(&b, p.before);
    buf_str_put(&b, text);
    buf_puts(&b, p.after);
    int why;
    PCRE2_SIZE at;
    out->text = text;
    out->code = pcre2_compile((PCRE2_SPTR)buf_cstr(&b), b.len, PCRE2_ANCHORED | PCRE2_NEVER_BACKSLASH_C, &why,
                              &at, NULL);
    if (out->code) return true;
    char words[120] = "";
    size_t before = strlen(p.before);
    pcre2_get_error_message(why, (PCRE2_UCHAR *)words, sizeof words);
    return err_set(j->e, ERR_INPUT, "%s: \"%s\": \"%s\" is no pattern: at byte %zu, %s", j->file, key,
                   shown(text).at,
                   at < before              ? 0
                   : at - before > text.len ? text.len
                                            : at - before,
                   words);
}

static bool rule_matches(const Peft *p, const Rule *r, const char *module, bool *out, Err *e) {
    size_t n = strlen(module);
    if (!r->code) { // the module, or one that ends in a point and the entry
        *out = n == r->text.len ? str_is(r->text, module)
                                : n > r->text.len && module[n - r->text.len - 1] == '.' &&
                                      memcmp(module + n - r->text.len, r->text.p, r->text.len) == 0;
        return true;
    }
    int rc = pcre2_match(r->code, (PCRE2_SPTR)module, n, 0, PCRE2_NO_UTF_CHECK, p->match, p->limits);
    *out = rc >= 0;
    if (rc >= 0 || rc == PCRE2_ERROR_NOMATCH) return true;
    return err_set(e, ERR_LIMIT, "%s: the pattern \"%s\" takes too long", p->json.file, shown(r->text).at);
}

static bool rules_match(const Peft *p, const Rules *rules, const char *module, bool *out, Err *e) {
    *out = false;
    for (int i = 0; i < rules->n && !*out; i++)
        if (!rule_matches(p, &rules->at[i], module, out, e)) return false;
    return true;
}

// A list of entries, or one regular expression that has to match the whole path.
static bool read_modules(Arena *a, Peft *p, const char *key, Rules *out) {
    const Json *j = &p->json;
    const json_t *v = json_object_get(j->root, key);
    if (json_is_nothing(v)) return true;
    size_t n = json_is_array(v) ? json_array_size(v) : 1;
    if (n > PATTERNS_MAX)
        return err_set(j->e, ERR_INPUT, "%s: \"%s\": more than %d entries", j->file, key, PATTERNS_MAX);
    out->at = NEWN(a, Rule, n);
    for (size_t i = 0; i < n; i++) {
        const json_t *s = json_is_array(v) ? json_array_get(v, i) : v;
        if (!json_is_string(s) || !json_string_length(s))
            return err_set(j->e, ERR_INPUT, "%s: \"%s\": a list of names, or one pattern, belongs here",
                           j->file, key);
        out->at[out->n].text = json_str(s);
        if (json_is_string(v) &&
            !rule_compile(a, j, key, (Pattern){"(?:", json_str(s), ")\\z"}, &out->at[out->n]))
            return false;
        out->n++;
    }
    return true;
}

// rank_pattern, alpha_pattern: from patterns to numbers.
static bool read_numbers(Arena *a, Peft *p, const char *key, bool whole, Rules *out) {
    const Json *j = &p->json;
    const json_t *v = json_object_get(j->root, key);
    const char *pattern;
    json_t *number;
    if (json_is_nothing(v)) return true;
    if (!json_is_object(v))
        return err_set(j->e, ERR_INPUT, "%s: \"%s\": an object belongs here", j->file, key);
    if (json_object_size(v) > PATTERNS_MAX)
        return err_set(j->e, ERR_INPUT, "%s: \"%s\": more than %d entries", j->file, key, PATTERNS_MAX);
    out->at = NEWN(a, Rule, json_object_size(v));
    json_object_foreach((json_t *)(uintptr_t)v, pattern, number) {
        double x = json_number_value(number);
        if (!json_is_number(number) || (whole && !json_is_integer(number)) || !(x > 0 && x <= RANK_MAX))
            return err_set(j->e, ERR_INPUT, "%s: \"%s\": \"%s\": a number from 1 to %d belongs here", j->file,
                           key, shown(str_of(pattern)).at, RANK_MAX);
        Rule *r = &out->at[out->n];
        r->value = x;
        // A pattern that begins with ^ starts at the whole path, every other one behind any point.
        bool whole_path = pattern[0] == '^';
        if (!rule_compile(a, j, key, (Pattern){whole_path ? "(?:" : "(?:.*\\.)?(?:", str_of(pattern), ")\\z"},
                          r))
            return false;
        out->n++;
    }
    return true;
}

static bool read_layers(Arena *a, Peft *p) {
    const Json *j = &p->json;
    const json_t *layers = json_object_get(j->root, "layers_to_transform"),
                 *pattern = json_object_get(j->root, "layers_pattern");
    if (json_absent(layers) || (json_is_array(layers) && !json_array_size(layers))) return true;
    if (!json_is_array(json_object_get(j->root, "target_modules")))
        return err_set(j->e, ERR_INPUT, "%s: \"layers_to_transform\" goes with a list of target_modules only",
                       j->file);
    size_t n = json_is_array(layers) ? json_array_size(layers) : 1;
    for (size_t i = 0; i < n; i++)
        if (!json_is_integer(json_is_array(layers) ? json_array_get(layers, i) : layers))
            return err_set(j->e, ERR_INPUT, "%s: \"layers_to_transform\": numbers of layers belong here",
                           j->file);
    p->some_layers = true;
    p->layers = layers;
    if (json_is_nothing(pattern)) {
        p->layers_pattern = (Rules){NEW(a, Rule), 1};
        return rule_compile(a, j, "layers_pattern", (Pattern){"", STR(".*?\\.[^.]*\\.(?<idx>\\d+)\\."), ""},
                            p->layers_pattern.at);
    }
    n = json_is_array(pattern) ? json_array_size(pattern) : 1;
    if (n > PATTERNS_MAX)
        return err_set(j->e, ERR_INPUT, "%s: \"layers_pattern\": more than %d", j->file, PATTERNS_MAX);
    p->layers_pattern.at = NEWN(a, Rule, n);
    for (size_t i = 0; i < n; i++) {
        const json_t *s = json_is_array(pattern) ? json_array_get(pattern, i) : pattern;
        if (!json_is_string(s))
            return err_set(j->e, ERR_INPUT, "%s: \"layers_pattern\": a text, or a list of them, belongs here",
                           j->file);
        if (!rule_compile(a, j, "layers_pattern",
                          (Pattern){"(?:^|.*?\\.)(?:", json_str(s), ")\\.(?<idx>\\d+)\\."},
                          &p->layers_pattern.at[i]))
            return false;
        p->layers_pattern.n++;
    }
    return true;
}

static bool read_kind(const Peft *p) {
    // Those that change the base's weights when the adapter is loaded (pissa, olora, loftq, corda, ...) are
    // not here.
    static const char *const starts[] = {"gaussian", "eva", "orthogonal"};
    const Json *j = &p->json;
    Str type = {0}, bias = STR("none");
    if (!json_get_text(j, j->root, "peft_type", &type) || !json_get_text(j, j->root, "bias", &bias))
        return false;
    if (!str_is(type, "LORA"))
        return err_set(j->e, ERR_INPUT, "%s: \"peft_type\" \"%s\" is not built; there is: LORA", j->file,
                       shown(type).at);
    if (!str_is(bias, "none"))
        return err_set(j->e, ERR_INPUT, "%s: \"bias\" \"%s\" is not built; there is: none", j->file,
                       shown(bias).at);
    const json_t *start = json_object_get(j->root, "init_lora_weights");
    bool known = json_absent(start) || json_is_boolean(start);
    for (size_t i = 0; json_is_string(start) && i < sizeof starts / sizeof *starts; i++)
        known |= str_is(json_str(start), starts[i]);
    if (known) return true;
    return err_set(j->e, ERR_INPUT,
                   "%s: \"init_lora_weights\" \"%s\" changes the base's weights: save the adapter converted "
                   "to plain LoRA",
                   j->file, json_is_string(start) ? shown(json_str(start)).at : "?");
}

static bool read_all(Arena *a, Peft *p) {
    const Json *j = &p->json;
    int64_t r = 8; // PEFT's defaults
    p->alpha = 8;
    if (!keys_allowed(j) || !read_kind(p) || !json_get_int(j, j->root, "r", 1, RANK_MAX, &r) ||
        !json_get_real(j, j->root, "lora_alpha", &p->alpha) ||
        !json_get_bool(j, j->root, "use_rslora", &p->rslora))
        return false;
    p->r = (int)r;
    if (!(p->alpha > 0 && p->alpha <= 1e6))
        return err_set(j->e, ERR_INPUT, "%s: \"lora_alpha\" is %g", j->file, p->alpha);
    const json_t *targets = json_object_get(j->root, "target_modules");
    if (json_is_nothing(targets))
        return err_set(j->e, ERR_INPUT, "%s: \"target_modules\" is missing", j->file);
    p->all_linear = json_is_string(targets) && strcasecmp(json_string_value(targets), "all-linear") == 0;
    return (p->all_linear || read_modules(a, p, "target_modules", &p->target)) &&
           read_modules(a, p, "exclude_modules", &p->exclude) && read_layers(a, p) &&
           read_numbers(a, p, "rank_pattern", true, &p->rank) &&
           read_numbers(a, p, "alpha_pattern", false, &p->alphas);
}

bool peft_open(Arena *a, const char *path, Peft **out, Err *e) {
    Peft *p = NEW(a, Peft);
    *out = p;
    if (!json_open(a, path, CONFIG_MAX, &p->json, e)) return false;
    p->match = pcre2_match_data_create(32, NULL); // enough for <idx> behind a pattern's own groups
    p->limits = pcre2_match_context_create(NULL);
    if (!p->match || !p->limits) return err_set(e, ERR_IO, "%s: no memory for patterns", path);
    pcre2_set_match_limit(p->limits, MATCH_LIMIT);
    pcre2_set_heap_limit(p->limits, HEAP_LIMIT_KIB);
    return read_all(a, p);
}

void peft_close(Peft *p) {
    Rules *all[] = {&p->target, &p->exclude, &p->layers_pattern, &p->rank, &p->alphas};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        for (int k = 0; k < all[i]->n; k++) pcre2_code_free(all[i]->at[k].code);
    pcre2_match_data_free(p->match);
    pcre2_match_context_free(p->limits);
    json_close(&p->json);
    *p = (Peft){0};
}

static bool layer_chosen(const Peft *p, const char *module, bool *out, Err *e) {
    *out = false;
    for (int i = 0; i < p->layers_pattern.n; i++) {
        bool matches;
        char digits[16];
        PCRE2_SIZE len = sizeof digits;
        if (!rule_matches(p, &p->layers_pattern.at[i], module, &matches, e)) return false;
        if (!matches ||
            pcre2_substring_copy_byname(p->match, (PCRE2_SPTR) "idx", (PCRE2_UCHAR *)digits, &len) != 0)
            continue;
        long long layer = -1;
        if (sscanf(digits, "%lld", &layer) != 1) return true;
        if (json_is_integer(p->layers)) *out = json_integer_value(p->layers) == layer;
        for (size_t k = 0; k < json_array_size(p->layers) && !*out; k++)
            *out = json_integer_value(json_array_get(p->layers, k)) == layer;
        return true; // the first pattern that matches decides
    }
    return true;
}

bool peft_adapts(const Peft *p, const char *module, bool linear, bool *out, Err *e) {
    bool excluded;
    *out = false;
    if (!rules_match(p, &p->exclude, module, &excluded, e)) return false;
    if (excluded) return true;
    *out = p->all_linear && linear;
    if (!p->all_linear && !rules_match(p, &p->target, module, out, e)) return false;
    return !*out || !p->some_layers || layer_chosen(p, module, out, e);
}

bool peft_scale(const Peft *p, const char *module, int *rank, float *scale, Err *e) {
    double r = p->r, alpha = p->alpha;
    const Rules *patterns[] = {&p->rank, &p->alphas};
    double *value[] = {&r, &alpha};
    for (int which = 0; which < 2; which++)
        for (int i = 0; i < patterns[which]->n; i++) { // the first that matches counts
            bool matches;
            if (!rule_matches(p, &patterns[which]->at[i], module, &matches, e)) return false;
            if (!matches) continue;
            *value[which] = patterns[which]->at[i].value;
            break;
        }
    *rank = (int)r;
    *scale = (float)(p->rslora ? alpha / sqrt(r) : alpha / r);
    return true;
}
