#include "train/engine/plain.h"
#include "base/numeric/fmath.h"
#include <math.h>

void plain_linear(const PlainLinear *l, double *y) {
    for (int t = 0; t < l->count; t++)
        for (int r = 0; r < l->rows; r++) {
            double sum = l->b ? l->b[r] : 0;
            for (int c = 0; c < l->cols; c++) sum += l->w[r * l->cols + c] * l->x[t * l->cols + c];
            y[t * l->rows + r] = sum;
        }
}

void plain_linear_back(const PlainLinear *l, const double *dy, double *dx, double *dw, double *db) {
    for (int t = 0; t < l->count; t++)
        for (int r = 0; r < l->rows; r++) {
            double d = dy[t * l->rows + r];
            for (int c = 0; dx && c < l->cols; c++) dx[t * l->cols + c] += d * l->w[r * l->cols + c];
            for (int c = 0; dw && c < l->cols; c++) dw[r * l->cols + c] += d * l->x[t * l->cols + c];
            if (db) db[r] += d;
        }
}

static double norm_scale(const PlainNorm *l, const double *x) {
    double sum = 0;
    for (int i = 0; i < l->n; i++) sum += x[i] * x[i];
    return 1 / sqrt(sum / l->n + l->eps);
}

void plain_norm(const PlainNorm *l, double *y) {
    for (int t = 0; t < l->count; t++) {
        const double *x = l->x + t * l->n;
        double s = norm_scale(l, x);
        for (int i = 0; i < l->n; i++) y[t * l->n + i] = x[i] * s * l->w[i];
    }
}

// dy/dx of x s(x) w: s w dy, and through s: -s^3 x / n times the sum of dy w x.
void plain_norm_back(const PlainNorm *l, const double *dy, double *dx, double *dw) {
    for (int t = 0; t < l->count; t++) {
        const double *x = l->x + t * l->n, *d = dy + t * l->n;
        double s = norm_scale(l, x), sum = 0;
        for (int i = 0; i < l->n; i++) sum += d[i] * l->w[i] * x[i];
        for (int i = 0; i < l->n; i++) {
            dx[t * l->n + i] += s * l->w[i] * d[i] - s * s * s * x[i] / l->n * sum;
            if (dw) dw[i] += d[i] * x[i] * s;
        }
    }
}

void plain_swiglu(int n, const double *gate, const double *up, double *y) {
    for (int i = 0; i < n; i++) y[i] = gate[i] * f64_sigmoid(gate[i]) * up[i];
}

void plain_swiglu_back(int n, const double *gate, const double *up, const double *dy, double *dgate,
                       double *dup) {
    for (int i = 0; i < n; i++) {
        double s = f64_sigmoid(gate[i]);
        dgate[i] += dy[i] * up[i] * (s + gate[i] * s * (1 - s));
        dup[i] += dy[i] * gate[i] * s;
    }
}

// Weights of position t over 0 to t, in w.
static void attention_weights(const PlainAttention *a, int t, int head, double *w) {
    const double *q = a->q + (t * a->heads + head) * a->dim;
    int shared = head / (a->heads / a->kv_heads);
    double top = -INFINITY, sum = 0;
    for (int j = 0; j <= t; j++) {
        const double *k = a->k + (j * a->kv_heads + shared) * a->dim;
        w[j] = 0;
        for (int d = 0; d < a->dim; d++) w[j] += q[d] * k[d];
        w[j] /= sqrt(a->dim);
        if (w[j] > top) top = w[j];
    }
    for (int j = 0; j <= t; j++) sum += w[j] = f64_exp(w[j] - top);
    for (int j = 0; j <= t; j++) w[j] /= sum;
}

void plain_attention(const PlainAttention *a, double *y) {
    Arena arena = {0};
    double *w = NEWN(&arena, double, (size_t)a->length);
    for (int t = 0; t < a->length; t++)
        for (int h = 0; h < a->heads; h++) {
            double *out = y + (t * a->heads + h) * a->dim;
            attention_weights(a, t, h, w);
            for (int d = 0; d < a->dim; d++) out[d] = 0;
            for (int j = 0; j <= t; j++)
                for (int d = 0; d < a->dim; d++)
                    out[d] += w[j] * a->v[(j * a->kv_heads + h / (a->heads / a->kv_heads)) * a->dim + d];
        }
    arena_free(&arena);
}

void plain_attention_back(const PlainAttention *a, const double *dy, double *dq, double *dk, double *dv) {
    Arena arena = {0};
    double *w = NEWN(&arena, double, (size_t)a->length), *dw = NEWN(&arena, double, (size_t)a->length);
    for (int t = 0; t < a->length; t++)
        for (int h = 0; h < a->heads; h++) {
            int at = (t * a->heads + h) * a->dim;
            double mean = 0;
            attention_weights(a, t, h, w);
            for (int j = 0; j <= t; j++) {
                int row = (j * a->kv_heads + h / (a->heads / a->kv_heads)) * a->dim;
                dw[j] = 0;
                for (int d = 0; d < a->dim; d++) {
                    dw[j] += dy[at + d] * a->v[row + d];
                    dv[row + d] += w[j] * dy[at + d];
                }
                mean += w[j] * dw[j];
            }
            for (int j = 0; j <= t; j++) {
                int row = (j * a->kv_heads + h / (a->heads / a->kv_heads)) * a->dim;
                double score = w[j] * (dw[j] - mean) / sqrt(a->dim);
                for (int d = 0; d < a->dim; d++) {
                    dq[at + d] += score * a->k[row + d];
                    dk[row + d] += score * a->q[at + d];
                }
            }
        }
    arena_free(&arena);
}

void plain_turn(const PlainTurn *t, double *x) {
    int half = t->dim / 2;
    for (int h = 0; h < t->heads; h++)
        for (int i = 0; i < half; i++) {
            double *a = x + h * t->dim + (t->neighbours ? 2 * i : i), *b = t->neighbours ? a + 1 : a + half;
            double c = (double)t->cos[i], s = t->back ? -(double)t->sin[i] : (double)t->sin[i], old = *a;
            *a = old * c - *b * s;
            *b = *b * c + old * s;
        }
}

static double logarithm_of_sum(int vocab, const double *logits) {
    double top = -INFINITY, sum = 0;
    for (int i = 0; i < vocab; i++) top = logits[i] > top ? logits[i] : top;
    for (int i = 0; i < vocab; i++) sum += f64_exp(logits[i] - top);
    return top + f64_log(sum);
}

double plain_cross(int vocab, const double *logits, int target) {
    return logarithm_of_sum(vocab, logits) - logits[target];
}

void plain_cross_back(int vocab, const double *logits, int target, double weight, double *dlogits) {
    double lse = logarithm_of_sum(vocab, logits);
    for (int i = 0; i < vocab; i++) dlogits[i] += weight * (f64_exp(logits[i] - lse) - (i == target));
}
