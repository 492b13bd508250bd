#include "train/save.h"
#include "base/io.h"
#include "base/json.h"
#include "weights/files.h"
#include "weights/format/safetensors.h"
#include "weights/format/safetensors_write.h"
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

static const char *const lora_module[LORA_ROLES] = {"q_proj",    "k_proj",  "v_proj",   "o_proj",
                                                    "gate_proj", "up_proj", "down_proj"};

// ---- texts

static bool json_write(const char *folder, const char *name, json_t *o, Err *e) {
    enum { DIGITS = 17 };
    Arena a = {0};
    Buf text = BUF(&a);
    bool ok = json_put_precise(&text, o, DIGITS) || err_set(e, ERR_INPUT, "%s: a name is not UTF-8", name);
    buf_putc(&text, '\n');
    ok = ok && io_write_atomic(arena_printf(&a, "%s/%s", folder, name), buf_str(&text), e);
    arena_free(&a);
    return ok;
}

static json_t *eos_of(const ModelConfig *c) {
    if (c->eos_count == 1) return json_integer(c->eos[0]);
    json_t *list = json_array();
    for (int i = 0; i < c->eos_count; i++) json_array_append_new(list, json_integer(c->eos[i]));
    return c->eos_count ? list : (json_decref(list), json_null());
}

static json_t *config_of(const ModelConfig *c) {
    json_t *theta = json_pack("{s:s, s:f}", "rope_type", c->llama3_rope ? "llama3" : "default", "rope_theta",
                              c->rope_theta);
    if (c->llama3_rope) {
        json_object_set_new(theta, "factor", json_real(c->rope_factor));
        json_object_set_new(theta, "low_freq_factor", json_real(c->rope_low));
        json_object_set_new(theta, "high_freq_factor", json_real(c->rope_high));
        json_object_set_new(theta, "original_max_position_embeddings",
                            json_integer((json_int_t)c->rope_original));
    }
    json_t *o = json_pack(
        "{s:[s], s:s, s:i, s:i, s:i, s:i, s:i, s:i, s:i, s:i, s:f, s:o, s:b, s:s, s:s, s:o}", "architectures",
        ARCH_INFO[c->arch].class, "model_type", ARCH_INFO[c->arch].model_type, "hidden_size", c->hidden,
        "num_hidden_layers", c->layers, "num_attention_heads", c->heads, "num_key_value_heads", c->kv_heads,
        "head_dim", c->head_dim, "intermediate_size", c->intermediate, "vocab_size", c->vocab,
        "max_position_embeddings", c->context, "rms_norm_eps", (double)c->norm_eps, "rope_parameters", theta,
        "tie_word_embeddings", c->tied, "hidden_act", "silu", "dtype", "float32", "eos_token_id", eos_of(c));
    if (c->profile[0]) json_object_set_new(o, "ouroboros_profile", json_string(c->profile));
    if (c->bos >= 0) json_object_set_new(o, "bos_token_id", json_integer(c->bos));
    if (c->arch == ARCH_MISTRAL) json_object_set_new(o, "sliding_window", json_null());
    return o;
}

static json_t *adapter_config(const Parameters *p, const Checkpoint *base) {
    json_t *targets = json_array();
    for (int i = 0; i < LORA_ROLES; i++)
        if (parameters_find(p, LORA_ROLE[i], 0, PART_A))
            json_array_append_new(targets, json_string(lora_module[i]));
    return json_pack("{s:s, s:s, s:s, s:i, s:f, s:f, s:o, s:s, s:b, s:b, s:b, s:b}", "peft_type", "LORA",
                     "task_type", "CAUSAL_LM", "base_model_name_or_path", base->path, "r", p->rank,
                     "lora_alpha", (double)p->alpha, "lora_dropout", 0.0, "target_modules", targets, "bias",
                     "none", "fan_in_fan_out", 0, "inference_mode", 1, "use_rslora", 0, "use_dora", 0);
}

// ---- numbers

// A tensor's name in the file: of the model, or as PEFT has it.
static const char *name_of(Arena *a, const TrainTensor *t) {
    RoleName name = role_name(t->role, t->layer, false);
    if (t->part == PART_WHOLE) return arena_printf(a, "%s", name.at);
    return arena_printf(a, "base_model.model.%.*s.lora_%c.weight", (int)(strlen(name.at) - strlen(".weight")),
                        name.at, t->part == PART_A ? 'A' : 'B');
}

// Rows of q and k of a base from GGUF are in the order of neighbours; PEFT's are in that of halves.
static const float *as_published(Arena *a, const Parameters *p, const Checkpoint *base,
                                 const TrainTensor *t) {
    const float *x = p->value + t->at;
    if (t->part != PART_B || !base->rope_neighbours || (t->role != ROLE_Q && t->role != ROLE_K)) return x;
    float *halves = arena_raw(a, (size_t)(t->rows * t->cols) * sizeof *halves, 64);
    int heads = t->role == ROLE_Q ? p->config.heads : p->config.kv_heads;
    rope_rows_reorder(x, halves, &(RopeRows){heads, p->config.head_dim, t->cols, false});
    return halves;
}

static bool weights_write(const Parameters *p, const Checkpoint *base, const char *path, Err *e) {
    Arena a = {0};
    SafetensorsRow *row = NEWN(&a, SafetensorsRow, (size_t)p->count);
    for (int i = 0; i < p->count; i++) {
        const TrainTensor *t = &p->tensor[i];
        bool vector = t->part == PART_WHOLE && role_is_vector(t->role);
        row[i] = (SafetensorsRow){name_of(&a, t),
                                  vector ? 1 : 2,
                                  {vector ? t->cols : t->rows, t->cols},
                                  as_published(&a, p, base, t)};
    }
    bool ok = safetensors_write(path, row, p->count, e);
    arena_free(&a);
    return ok;
}

// All numbers in one row each: exactly what training goes on with.
static bool optimizer_write(const Parameters *p, const char *path, Err *e) {
    int64_t n = (int64_t)p->numbers;
    SafetensorsRow row[] = {
        {"first", 1, {n, 0}, p->first}, {"second", 1, {n, 0}, p->second}, {"value", 1, {n, 0}, p->value}};
    return safetensors_write(path, row, 3, e);
}

bool training_export(const Parameters *p, const Checkpoint *base, const char *folder, Err *e) {
    Arena a = {0};
    bool ok = io_make_dirs(folder, e);
    if (p->rank) {
        ok = ok && json_write(folder, "adapter_config.json", adapter_config(p, base), e) &&
             weights_write(p, base, arena_printf(&a, "%s/adapter_model.safetensors", folder), e);
    } else {
        ok = ok && json_write(folder, "config.json", config_of(&p->config), e) &&
             weights_write(p, base, arena_printf(&a, "%s/model.safetensors", folder), e);
        if (base->vocabulary.json.len)
            ok = ok &&
                 io_write_atomic(arena_printf(&a, "%s/tokenizer.json", folder), base->vocabulary.json, e);
        if (base->chat_template.len)
            ok = ok &&
                 io_write_atomic(arena_printf(&a, "%s/chat_template.jinja", folder), base->chat_template, e);
    }
    arena_free(&a);
    return ok;
}

// ---- folders

static bool folder_sync(const char *path, Err *e) {
    int fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    bool ok = fd >= 0 && (fsync(fd) == 0 || errno == EINVAL);
    if (!ok) err_record(e, ERR_IO, "%s: %s", path, strerror(errno));
    if (fd >= 0) close(fd);
    return ok;
}

// A folder without folders in it, as all here are. What stays is told by the next save that stumbles over it.
static void folder_remove(const char *path) {
    DIR *d = opendir(path);
    for (const struct dirent *f; d && (f = readdir(d)) != NULL;)
        if (strcmp(f->d_name, ".") != 0 && strcmp(f->d_name, "..") != 0) unlinkat(dirfd(d), f->d_name, 0);
    if (d) closedir(d);
    rmdir(path);
}

#define NAME "checkpoint-"
// The step of a checkpoint's name; -1: it is none.
static int64_t step_of(const char *name) {
    if (strncmp(name, NAME, strlen(NAME)) != 0 || !char_is_digit(name[strlen(NAME)])) return -1;
    char *end;
    errno = 0;
    long long step = strtoll(name + strlen(NAME), &end, 10);
    return *end || errno ? -1 : step;
}

static int newest_first(const void *a, const void *b) {
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x < y) - (x > y);
}

// Steps of all whole checkpoints, newest first. Halves that an ended program left are removed on request.
static bool run_list(Arena *a, const char *run, bool clean, int64_t **step, int *n, Err *e) {
    DIR *d = opendir(run);
    int room = 0;
    *n = 0;
    *step = NULL;
    if (!d) return errno == ENOENT || err_set(e, ERR_IO, "%s: %s", run, strerror(errno));
    for (const struct dirent *f; (f = readdir(d)) != NULL;) {
        int64_t at = step_of(f->d_name);
        if (clean && str_starts(str_of(f->d_name), ".part-" NAME))
            folder_remove(arena_printf(a, "%s/%s", run, f->d_name));
        if (at < 0) continue;
        if (*n == room) {
            room = 2 * room + 16;
            *step = MORE(a, int64_t, *step, *n, room);
        }
        (*step)[(*n)++] = at;
    }
    closedir(d);
    if (*n) qsort(*step, (size_t)*n, sizeof **step, newest_first);
    return true;
}

static const char *folder_of(Arena *a, const char *run, int64_t step) {
    return arena_printf(a, "%s/" NAME "%06lld", run, (long long)step);
}

bool training_latest(Arena *a, const char *run, Str *out, Err *e) {
    int64_t *step;
    int n;
    *out = (Str){"", 0};
    if (!run_list(a, run, false, &step, &n, e)) return false;
    if (n) *out = str_of(folder_of(a, run, step[0]));
    return true;
}

static json_t *state_of(const TrainState *s) {
    return json_pack("{s:I, s:I, s:I, s:I, s:I, s:f, s:I, s:s}", "step", (json_int_t)s->step, "tokens",
                     (json_int_t)s->tokens, "epoch", (json_int_t)s->epoch, "place", (json_int_t)s->place,
                     "seed", (json_int_t)s->seed, "best", s->best, "without", (json_int_t)s->without, "plan",
                     s->plan);
}

// Older ones go only when the new one has its name on the disk: rename first, so that none is ever half
// there.
static bool thin(Arena *a, const SaveRequest *q, Err *e) {
    int64_t *step;
    int n;
    if (!run_list(a, q->run, true, &step, &n, e)) return false;
    for (int i = q->keep; i < n; i++) {
        const char *path = folder_of(a, q->run, step[i]);
        const char *part = arena_printf(a, "%s/.part-" NAME "%lld", q->run, (long long)step[i]);
        if (rename(path, part) != 0) return err_set(e, ERR_IO, "%s: %s", path, strerror(errno));
        folder_remove(part);
    }
    return true;
}

bool training_save(const SaveRequest *q, Err *e) {
    Arena a = {0};
    const char *path = folder_of(&a, q->run, q->state.step);
    const char *part = arena_printf(&a, "%s/.part-" NAME "%lld", q->run, (long long)q->state.step);
    folder_remove(part);           // of a program that was ended
    if (access(path, F_OK) == 0) { // training is exact: the same step of a run has the same numbers
        arena_free(&a);
        return true;
    }
    bool ok = io_make_dirs(q->run, e) && training_export(q->parameters, q->base, part, e) &&
              json_write(part, "training.json", state_of(&q->state), e) &&
              optimizer_write(q->parameters, arena_printf(&a, "%s/optimizer.safetensors", part), e) &&
              folder_sync(part, e);
    if (ok && rename(part, path) != 0) ok = err_set(e, ERR_IO, "%s: %s", path, strerror(errno));
    ok = ok && folder_sync(q->run, e) && thin(&a, q, e);
    arena_free(&a);
    return ok;
}

// ---- back again

static bool state_read(Arena *a, const char *folder, TrainState *s, Err *e) {
    enum { BYTES_MAX = 1 << 16 };
    Json j;
    const int64_t most = INT64_MAX;
    int64_t seed = 0;
    Str plan = {0};
    bool ok =
        json_open(a, arena_printf(a, "%s/training.json", folder), BYTES_MAX, &j, e) &&
        json_get_int(&j, j.root, "step", 0, most, &s->step) &&
        json_get_int(&j, j.root, "tokens", 0, most, &s->tokens) &&
        json_get_int(&j, j.root, "epoch", 0, most, &s->epoch) &&
        json_get_int(&j, j.root, "place", 0, most, &s->place) &&
        json_get_int(&j, j.root, "seed", 0, most, &seed) && json_get_real(&j, j.root, "best", &s->best) &&
        json_get_int(&j, j.root, "without", 0, most, &s->without) && json_get_text(&j, j.root, "plan", &plan);
    if (ok) snprintf(s->plan, sizeof s->plan, "%.*s", STR_ARG(plan));
    s->seed = (uint64_t)seed;
    json_close(&j);
    return ok;
}

static bool row_read(const StoredTable *t, const char *path, const char *name, float *out, size_t n, Err *e) {
    const Stored *s = stored_find(t, str_of(name));
    if (!s || s->type != W_F32 || s->rank != 1 || s->shape[0] != (int64_t)n)
        return err_set(e, ERR_INPUT,
                       "%s: \"%s\" is not the row of %zu numbers that goes with this model: it is of "
                       "another one, or of another adapter",
                       path, name, n);
    memcpy(out, s->data, n * sizeof *out);
    return true;
}

bool training_load(Parameters *p, const char *folder, TrainState *out, Err *e) {
    Arena a = {0};
    Mapped map = {0};
    StoredTable t = {0};
    const char *path = arena_printf(&a, "%s/optimizer.safetensors", folder);
    bool ok =
        state_read(&a, folder, out, e) && mapped_open(&a, path, &map, e) && safetensors_read(&a, &map, &t, e);
    if (ok && stored_seal(&a, &t)) ok = err_set(e, ERR_INPUT, "%s: a tensor is there twice", path);
    ok = ok && row_read(&t, path, "value", p->value, p->numbers, e) &&
         row_read(&t, path, "first", p->first, p->numbers, e) &&
         row_read(&t, path, "second", p->second, p->numbers, e);
    mapped_close(&map);
    arena_free(&a);
    return ok;
}
