#include "train/plot.h"
#include "base/json.h"
#include "base/numeric/fmath.h"
#include <math.h>

// ---- reading

// Sums and differences of such losses are numbers; no float32 is larger.
static const double loss_max = 1e39;

static void point_add(Arena *a, PlotLine *l, double step, double value) {
    if (l->n == l->room) {
        l->room = 2 * l->room + 64;
        l->at = MORE(a, PlotPoint, l->at, l->n, l->room);
    }
    l->at[l->n++] = (PlotPoint){step, value};
}

static bool share_of(const Json *j, const json_t *o, double *out) {
    int64_t samples = 0, valid = 0;
    if (!json_get_int(j, o, "samples", 0, INT32_MAX, &samples) ||
        !json_get_int(j, o, "valid", 0, samples, &valid))
        return false;
    *out = samples ? (double)valid / (double)samples : 0;
    return true;
}

static int group_of(Arena *a, PlotRun *r, Str name) {
    for (int i = 0; i < r->groups; i++)
        if (str_eq(r->group_name[i], name)) return i;
    if (r->groups == PLOT_GROUPS_MAX) return -1; // the share of all has to do for these
    r->group_name[r->groups] = str_dup(a, name);
    return r->groups++;
}

static bool gate_read(Arena *a, const Json *j, double step, PlotRun *r) {
    double share;
    const char *name;
    json_t *row, *ops = json_object_get(j->root, "ops");
    if (!share_of(j, j->root, &share)) return false;
    point_add(a, &r->valid, step, share);
    json_object_foreach(ops, name, row) {
        int i = group_of(a, r, str_of(name));
        if (!json_is_object(row)) return err_set(j->e, ERR_INPUT, "\"ops\" holds what is no object");
        if (!share_of(j, row, &share)) return false;
        if (i >= 0) point_add(a, &r->group[i], step, share);
    }
    return true;
}

static bool line_read(Arena *a, const Json *j, PlotRun *r) {
    Str kind = {0};
    int64_t step = -1;
    double loss = NAN;
    if (!json_get_text(j, j->root, "kind", &kind) || !json_get_int(j, j->root, "step", 0, INT64_MAX, &step) ||
        !json_get_real(j, j->root, "loss", &loss))
        return false;
    if (step < 0) return err_set(j->e, ERR_INPUT, "\"step\" is missing");
    if (str_is(kind, "gate")) return gate_read(a, j, (double)step, r);
    if (!str_is(kind, "step") && !str_is(kind, "evaluation")) return true; // of a later version
    if (!isfinite(loss)) return err_set(j->e, ERR_INPUT, "\"loss\" is missing");
    if (fabs(loss) > loss_max)
        return err_set(j->e, ERR_INPUT, "\"loss\" is %g, which no picture shows", loss);
    point_add(a, str_is(kind, "step") ? &r->loss : &r->held, (double)step, loss);
    return true;
}

bool plot_read(Arena *a, const char *file, Str name, Str text, PlotRun *out, Err *e) {
    *out = (PlotRun){.name = str_dup(a, name)};
    int64_t number = 1;
    for (const char *p = text.p, *end = text.p + text.len, *stop; p < end; p = stop + 1, number++) {
        stop = memchr(p, '\n', (size_t)(end - p));
        if (!stop) break; // a line that is being written
        Json j;
        bool ok = json_parse("this line", (Str){p, (size_t)(stop - p)}, &j, e) && line_read(a, &j, out);
        json_close(&j);
        if (!ok) return err_ctx(e, "%s, line %lld", file, (long long)number);
    }
    return out->loss.n || err_set(e, ERR_INPUT, "%s: no step is told", file);
}

// ---- drawing: one or two panels side by side, in points of 1/72 inch

enum { PANEL_W = 300, PANEL_H = 210, LEFT = 48, TOP = 30, GAP = 62, BOTTOM = 46, LEGEND_ROW = 15, TICKS = 5 };

// Okabe and Ito's colours, which people with any colour vision tell apart.
static const char *const color[PLOT_RUNS_MAX] = {"#0072b2", "#d55e00", "#009e73", "#cc79a7",
                                                 "#56b4e9", "#e69f00", "#000000", "#999999"};
static const char *const dash[PLOT_RUNS_MAX] = {"", "6 3", "2 2", "8 3 2 3", "10 4", "1 3", "4 4", "6 2 2 2"};

typedef struct {
    Buf *out;
    double x, y;             // upper left corner of the plot itself
    double steps, low, high; // what it shows
    bool logarithmic;        // low > 0 then
} Panel;

static double x_of(const Panel *p, double step) { return p->x + PANEL_W * step / p->steps; }
static double y_of(const Panel *p, double v) {
    double share = p->logarithmic ? f64_log(p->high / v) / f64_log(p->high / p->low)
                                  : (p->high - v) / (p->high - p->low);
    return p->y + PANEL_H * share;
}

// As XML: what it has no characters for becomes question marks, so that a name from a path spoils no picture.
static void text_put(Buf *b, Str s) {
    for (size_t at = 0; at < s.len;) {
        int n = 1;
        Str rest = {s.p + at, s.len - at};
        const bool text = utf8_prefix((Str){rest.p, rest.len < 4 ? rest.len : 4}) > 0;
        const uint32_t code = text ? utf8_at(rest.p, &n) : 0;
        if (code == '<')
            buf_puts(b, "&lt;");
        else if (code == '>')
            buf_puts(b, "&gt;");
        else if (code == '&')
            buf_puts(b, "&amp;");
        else if (code < ' ' || (code & 0xfffe) == 0xfffe)
            buf_putc(b, '?');
        else
            buf_put(b, rest.p, (size_t)n);
        at += (size_t)n;
    }
}

// How many tens are multiplied; where that is a whole number, rounding may not lose one.
static double decades_of(double x) { return f64_log(x) / f64_log(10) + 1e-9; }

// 1, 2 or 5 times a power of ten: about `n` of them in the range.
static double tick_of(double range, int n) {
    double unit = f64_pow(10, floor(decades_of(range / n)));
    return unit * (range / n < 2 * unit ? 1 : range / n < 5 * unit ? 2 : 5);
}

static void level_put(const Panel *p, double v, bool percent) {
    buf_printf(p->out, "<line x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\" class=\"g\"/>", p->x,
               y_of(p, v), p->x + PANEL_W, y_of(p, v));
    buf_printf(p->out, "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"end\">%g%s</text>\n", p->x - 5,
               y_of(p, v) + 3.5, percent ? 100 * v : v, percent ? " %" : "");
}

// 1, 2 and 5 of each decade; of many decades the 1 only, or that of every second, third and so on.
static void decades_put(const Panel *p, bool percent) {
    enum { DECADES_WITH_ALL = 4, DECADES_MARKED = 12 };
    static const double digit[] = {1, 2, 5};
    double decades = decades_of(p->high / p->low), each = ceil(decades / DECADES_MARKED);
    for (double k = floor(decades_of(p->low)); k <= decades_of(p->high); k += each)
        for (int i = 0; i < (decades > DECADES_WITH_ALL ? 1 : 3); i++) {
            double v = f64_pow(10, k) * digit[i];
            if (v >= p->low * (1 - 1e-9) && v <= p->high * (1 + 1e-9)) level_put(p, v, percent);
        }
}

static void levels_put(const Panel *p, bool percent) {
    if (p->logarithmic) {
        decades_put(p, percent);
        return;
    }
    // Counted: where the range is small beside its values, adding could stand still.
    double each = tick_of(p->high - p->low, TICKS), first = ceil(p->low / each - 1e-9);
    for (int i = 0; i <= 3 * TICKS; i++) {
        double v = each * (first + i);
        if (v > p->high + 1e-9 * each) break;
        level_put(p, fabs(v) < 1e-9 * each ? 0 : v, percent); // -0 where the range begins at 0
    }
}

static void axes_put(const Panel *p, const char *title, bool percent) {
    double tx = tick_of(p->steps, TICKS);
    buf_printf(p->out, "<text x=\"%.1f\" y=\"%.1f\" class=\"t\">%s</text>\n", p->x, p->y - 10, title);
    levels_put(p, percent);
    for (double s = 0; s <= p->steps * 1.0001; s += tx)
        buf_printf(
            p->out,
            "<line x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\" class=\"a\"/><text x=\"%.1f\" y=\"%.1f\" "
            "text-anchor=\"middle\">%g</text>\n",
            x_of(p, s), p->y + PANEL_H, x_of(p, s), p->y + PANEL_H + 4.0, x_of(p, s), p->y + PANEL_H + 15.0,
            s);
    buf_printf(p->out,
               "<path d=\"M%.1f %.1fV%.1fH%.1f\" class=\"a\"/><text x=\"%.1f\" y=\"%.1f\" "
               "text-anchor=\"middle\">step</text>\n",
               p->x, p->y, p->y + PANEL_H, p->x + PANEL_W, p->x + PANEL_W / 2.0, p->y + PANEL_H + 30.0);
}

// At most as many points as can be seen: each stands for the mean of its neighbours.
static void line_put(const Panel *p, const PlotLine *l, int look, double width, double opacity) {
    enum { SEEN = 300 };
    if (!l->n) return;
    int each = (l->n + SEEN - 1) / SEEN;
    buf_printf(p->out,
               "<polyline fill=\"none\" stroke=\"%s\" stroke-width=\"%.1f\" stroke-opacity=\"%.2f\" "
               "stroke-dasharray=\"%s\" points=\"",
               color[look], width, opacity, dash[look]);
    for (int i = 0; i < l->n; i += each) {
        double step = 0, value = 0;
        int n = 0;
        for (; n < each && i + n < l->n; n++) step += l->at[i + n].step, value += l->at[i + n].value;
        buf_printf(p->out, "%s%.1f,%.1f", i ? " " : "", x_of(p, step / n), y_of(p, value / n));
    }
    buf_puts(p->out, "\"/>\n");
}
static void dots_put(const Panel *p, const PlotLine *l, int look) {
    for (int i = 0; i < l->n; i++)
        buf_printf(p->out, "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"2.2\" fill=\"%s\"/>\n",
                   x_of(p, l->at[i].step), y_of(p, l->at[i].value), color[look]);
}

static void legend_put(Buf *b, double x, double y, int look, Str name, const char *more) {
    buf_printf(b,
               "<line x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\" stroke=\"%s\" stroke-width=\"1.6\" "
               "stroke-dasharray=\"%s\"/>",
               x, y - 3.5, x + 24, y - 3.5, color[look], dash[look]);
    buf_printf(b, "<text x=\"%.1f\" y=\"%.1f\">", x + 30, y);
    text_put(b, name);
    buf_printf(b, "%s</text>\n", more);
}

static void grow(const PlotLine *l, double *steps, double *low, double *high) {
    for (int i = 0; i < l->n; i++) {
        *steps = fmax(*steps, l->at[i].step);
        *low = fmin(*low, l->at[i].value);
        *high = fmax(*high, l->at[i].value);
    }
}

// What lies below is 0 for a logarithmic axis.
static const double least_marked = 1e-30;

static void loss_panel(const PlotRun *run, int runs, Panel *p) {
    p->low = INFINITY, p->high = -INFINITY;
    for (int i = 0; i < runs; i++) {
        grow(&run[i].loss, &p->steps, &p->low, &p->high);
        grow(&run[i].held, &p->steps, &p->low, &p->high);
    }
    // From ten times on, what comes last would lie on the axis.
    p->logarithmic = p->low > least_marked && p->high >= 10 * p->low;
    if (!p->logarithmic && p->low > 0 && p->low < 0.6 * p->high) p->low = 0;
    // A range that digits of its values cannot tell apart is none.
    if (p->high - p->low <= 1e-6 * fmax(fabs(p->low), fabs(p->high)))
        p->high = p->low + fmax(1, fabs(p->low));
    axes_put(p, p->logarithmic ? "Loss per token, logarithmic" : "Loss per token", false);
    for (int i = 0; i < runs; i++) {
        line_put(p, &run[i].loss, i, 1.3, run[i].held.n ? 0.55 : 1);
        line_put(p, &run[i].held, i, 1.3, 1);
        if (run[i].loss.n == 1) dots_put(p, &run[i].loss, i); // a line of one point is none
        dots_put(p, &run[i].held, i);
    }
    for (int i = 0; i < runs; i++)
        legend_put(p->out, p->x, p->y + PANEL_H + BOTTOM + LEGEND_ROW * i, i, run[i].name,
                   run[i].held.n ? " (dots: held-out documents)" : "");
}

// Of one run its ops, of several their shares of all samples.
static void valid_panel(const PlotRun *run, int runs, Panel *p) {
    p->low = 0, p->high = 1;
    axes_put(p, "Samples that are accepted", true);
    int groups = runs == 1 ? run->groups : runs;
    for (int i = 0; i < groups; i++) {
        const PlotLine *l = runs == 1 ? &run->group[i] : &run[i].valid;
        line_put(p, l, i, 1.6, 1);
        dots_put(p, l, i);
        legend_put(p->out, p->x, p->y + PANEL_H + BOTTOM + LEGEND_ROW * i, i,
                   runs == 1 ? run->group_name[i] : run[i].name, "");
    }
}

void plot_svg(const PlotRun *run, int runs, Buf *out) {
    int rows = runs;
    bool judged = false;
    Panel loss = {.out = out, .x = LEFT, .y = TOP, .steps = 1};
    for (int i = 0; i < runs; i++) judged |= run[i].valid.n > 0;
    if (judged && runs == 1 && run->groups > rows) rows = run->groups;
    int width = LEFT + PANEL_W + 20 + (judged ? GAP + PANEL_W : 0);
    int height = TOP + PANEL_H + BOTTOM + LEGEND_ROW * rows + 4;
    buf_printf(
        out,
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%dpt\" height=\"%dpt\" viewBox=\"0 0 %d %d\">\n",
        width, height, width, height);
    buf_puts(out,
             "<style>text{font:10px Helvetica,Arial,sans-serif;fill:#222}.t{font-size:12px;font-weight:bold}"
             ".g{stroke:#ddd;stroke-width:.6}.a{stroke:#222;stroke-width:.9;fill:none}</style>\n"
             "<rect width=\"100%\" height=\"100%\" fill=\"#fff\"/>\n");
    loss_panel(run, runs, &loss);
    if (judged) {
        Panel valid = {.out = out, .x = LEFT + PANEL_W + GAP, .y = TOP, .steps = loss.steps};
        valid_panel(run, runs, &valid);
    }
    buf_puts(out, "</svg>\n");
}
