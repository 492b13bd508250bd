#include "model/model_plain.h"
#include "base/numeric/fmath.h"
#include "model/rope.h"
#include <math.h>

typedef struct {
    Arena *a;
    const Checkpoint *c;
    const Adapter *adapter;
    int count;
} Plain;

static double *numbers(const Plain *p, int width) {
    return NEWN(p->a, double, (size_t)p->count *(size_t)width);
}

static float *row_of(const Plain *p, const Weight *w, int64_t row) {
    float *x = NEWN(p->a, float, (size_t)w->cols);
    weight_row(w, row, x);
    return x;
}

static double dot(const float *w, const double *x, int64_t n) {
    double sum = 0;
    for (int64_t i = 0; i < n; i++) sum += (double)w[i] * x[i];
    return sum;
}

// y = W x + b + scale * B (A x), for every position.
static double *linear(const Plain *p, WeightRole role, WeightRole bias, int layer, const double *x) {
    const Weight *w = checkpoint_weight(p->c, role, layer);
    if (!w) w = checkpoint_weight(p->c, ROLE_EMBED, 0); // a tied head
    const Weight *b = bias == ROLE_COUNT ? NULL : checkpoint_weight(p->c, bias, layer);
    const float *add = b ? row_of(p, b, 0) : NULL;
    double *y = numbers(p, (int)w->rows);
    for (int64_t r = 0; r < w->rows; r++) {
        ArenaMark mark = arena_mark(p->a);
        const float *row = row_of(p, w, r);
        for (int t = 0; t < p->count; t++)
            y[t * w->rows + r] = dot(row, x + t * w->cols, w->cols) + (add ? (double)add[r] : 0);
        arena_reset(p->a, mark);
    }
    for (int i = 0; p->adapter && i < p->adapter->count; i++) {
        const LoraPart *l = &p->adapter->part[i];
        if (l->role != role || l->layer != layer) continue;
        double *low = NEWN(p->a, double, (size_t)l->rank);
        for (int t = 0; t < p->count; t++) {
            for (int k = 0; k < l->rank; k++) low[k] = dot(l->a + k * l->in, x + t * l->in, l->in);
            for (int64_t r = 0; r < l->out; r++)
                y[t * l->out + r] += (double)l->scale * dot(l->b + r * l->rank, low, l->rank);
        }
    }
    return y;
}

static double *norm(const Plain *p, WeightRole role, int layer, const double *x) {
    int n = p->c->config.hidden;
    const float *w = row_of(p, checkpoint_weight(p->c, role, layer), 0);
    double *y = numbers(p, n);
    for (int t = 0; t < p->count; t++) {
        double sum = 0;
        for (int i = 0; i < n; i++) sum += x[t * n + i] * x[t * n + i];
        double scale = 1 / sqrt(sum / n + (double)p->c->config.norm_eps);
        for (int i = 0; i < n; i++) y[t * n + i] = x[t * n + i] * scale * (double)w[i];
    }
    return y;
}

static void rotate(const Plain *p, double *x, int heads) {
    int dim = p->c->config.head_dim, half = dim / 2;
    float *frequency = NEWN(p->a, float, (size_t)half), *c = NEWN(p->a, float, (size_t)half),
          *s = NEWN(p->a, float, (size_t)half);
    rope_frequencies(p->c, frequency);
    bool neighbours = p->c->rope_neighbours;
    for (int t = 0; t < p->count; t++) {
        rope_angles(frequency, half, t, c, s);
        for (int h = 0; h < heads; h++) {
            double *v = x + (t * heads + h) * dim;
            for (int i = 0; i < half; i++) {
                double *a = neighbours ? v + 2 * i : v + i, *b = neighbours ? a + 1 : a + half;
                double turned = *a * (double)c[i] - *b * (double)s[i];
                *b = *b * (double)c[i] + *a * (double)s[i];
                *a = turned;
            }
        }
    }
}

typedef struct {
    const double *q, *k, *v;
    int stride; // of k and v from one position to the next
} Head;

// softmax(q k / sqrt(dim)) v over the positions up to t.
static void attend_one(const Plain *p, int t, const Head *h, double *out) {
    const double *q = h->q, *k = h->k, *v = h->v;
    int stride = h->stride;
    int dim = p->c->config.head_dim;
    double *w = NEWN(p->a, double, (size_t)t + 1), top = -INFINITY, sum = 0;
    for (int j = 0; j <= t; j++) {
        for (int d = 0; d < dim; d++) w[j] += q[d] * k[j * stride + d];
        w[j] /= sqrt(dim);
        if (w[j] > top) top = w[j];
    }
    for (int j = 0; j <= t; j++) sum += w[j] = f64_exp(w[j] - top);
    for (int j = 0; j <= t; j++)
        for (int d = 0; d < dim; d++) out[d] += w[j] / sum * v[j * stride + d];
}

static double *attention(const Plain *p, int layer, const double *x) {
    const ModelConfig *g = &p->c->config;
    double *q = linear(p, ROLE_Q, ROLE_Q_BIAS, layer, x), *k = linear(p, ROLE_K, ROLE_K_BIAS, layer, x);
    double *v = linear(p, ROLE_V, ROLE_V_BIAS, layer, x), *mixed = numbers(p, g->heads * g->head_dim);
    rotate(p, q, g->heads);
    rotate(p, k, g->kv_heads);
    int stride = g->kv_heads * g->head_dim;
    for (int t = 0; t < p->count; t++)
        for (int h = 0; h < g->heads; h++) {
            int at = (t * g->heads + h) * g->head_dim, shared = h / (g->heads / g->kv_heads) * g->head_dim;
            attend_one(p, t, &(Head){q + at, k + shared, v + shared, stride}, mixed + at);
        }
    return linear(p, ROLE_O, ROLE_COUNT, layer, mixed);
}

static double *mlp(const Plain *p, int layer, const double *x) {
    double *gate = linear(p, ROLE_GATE, ROLE_COUNT, layer, x), *up = linear(p, ROLE_UP, ROLE_COUNT, layer, x);
    for (int i = 0; i < p->count * p->c->config.intermediate; i++) gate[i] *= f64_sigmoid(gate[i]) * up[i];
    return linear(p, ROLE_DOWN, ROLE_COUNT, layer, gate);
}

void model_plain(const Checkpoint *c, const Adapter *adapter, const int32_t *token, int count,
                 float *logits) {
    Arena a = {0};
    Plain p = {&a, c, adapter, count};
    int hidden = c->config.hidden;
    double *x = numbers(&p, hidden);
    for (int t = 0; t < count; t++) {
        const float *row = row_of(&p, checkpoint_weight(c, ROLE_EMBED, 0), token[t]);
        for (int i = 0; i < hidden; i++) x[t * hidden + i] = (double)row[i];
    }
    for (int layer = 0; layer < c->config.layers; layer++) {
        const double *more = attention(&p, layer, norm(&p, ROLE_ATTN_NORM, layer, x));
        for (int i = 0; i < count * hidden; i++) x[i] += more[i];
        more = mlp(&p, layer, norm(&p, ROLE_FFN_NORM, layer, x));
        for (int i = 0; i < count * hidden; i++) x[i] += more[i];
    }
    const double *y = linear(&p, ROLE_HEAD, ROLE_COUNT, 0, norm(&p, ROLE_NORM, 0, x));
    for (int i = 0; i < count * c->config.vocab; i++) logits[i] = (float)y[i];
    arena_free(&a);
}
