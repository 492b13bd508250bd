#include "measure/heat_map.h"

#include "base/numeric/fmath.h"

enum { WIDE = 90, HIGH = 24, TOP = 64, LEFT_MOST = 330, LETTER = 7, PAD = 14, LEGEND = 66, STEPS = 41 };
#define FONT "Helvetica, Arial, sans-serif"

typedef struct {
    const HeatMap *m;
    Str row[HEAT_LINES_MAX], column[HEAT_LINES_MAX];
    int rows, columns, left;
} Layout;

typedef struct {
    double r, g, b;
} Colour;

static int place_of(Str *line, int *n, Str name) {
    for (int i = 0; i < *n; i++)
        if (str_eq(line[i], name)) return i;
    if (*n == HEAT_LINES_MAX) return -1;
    line[*n] = name;
    return (*n)++;
}

static double limited(double x, double lo, double hi) { return x < lo ? lo : x > hi ? hi : x; }

// -1 .. 1: half as fast .. twice as fast; of shares 0 .. 1: a half or less .. all.
static double darkness(const HeatMap *m, double value) {
    double factors = f64_log2(value);
    return limited(m->share ? 1 + factors : factors, m->share ? 0 : -1, 1);
}

static Colour colour_of(double t) {
    static const Colour none = {247, 247, 247}, fast = {33, 102, 172}, slow = {178, 24, 43};
    const Colour *to = t < 0 ? &slow : &fast;
    double k = t < 0 ? -t : t;
    return (Colour){none.r + k * (to->r - none.r), none.g + k * (to->g - none.g),
                    none.b + k * (to->b - none.b)};
}

static void put_escaped(Buf *out, Str s) {
    for (size_t i = 0; i < s.len; i++) {
        char c = s.p[i];
        if (c == '<')
            buf_puts(out, "&lt;");
        else if (c == '>')
            buf_puts(out, "&gt;");
        else if (c == '&')
            buf_puts(out, "&amp;");
        else
            buf_putc(out, (unsigned char)c < ' ' ? ' ' : c);
    }
}

static void put_text(Buf *out, double x, double y, const char *style, Str s) {
    buf_printf(out, "<text x=\"%.1f\" y=\"%.1f\" %s>", x, y, style);
    put_escaped(out, s);
    buf_puts(out, "</text>\n");
}

static void put_number(Buf *out, const HeatMap *m, double value) {
    if (m->share)
        buf_printf(out, "%.0f %%", 100 * value);
    else
        buf_printf(out, "%.2f", value);
}

static void put_field(Buf *out, const Layout *l, int row, int column, const HeatField *f) {
    double x = l->left + column * WIDE, y = TOP + row * HIGH, t = f->value > 0 ? darkness(l->m, f->value) : 0;
    Colour c = f->value > 0 ? colour_of(t) : (Colour){255, 255, 255};
    buf_printf(out, "<rect x=\"%.1f\" y=\"%.1f\" width=\"%d\" height=\"%d\" fill=\"#%02x%02x%02x\"/>\n", x, y,
               WIDE - 1, HIGH - 1, (unsigned)c.r, (unsigned)c.g, (unsigned)c.b);
    bool dark = t > 0.62 || t < -0.62;
    buf_printf(out, "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"middle\" fill=\"%s\">", x + (WIDE - 1) / 2.0,
               y + 16, f->value > 0 ? (dark ? "#fff" : "#111") : "#777");
    if (f->value > 0)
        put_number(out, l->m, f->value);
    else
        put_escaped(out, str_of(f->mark ? f->mark : ""));
    buf_puts(out, "</text>\n");
}

static void lay_out(Layout *l) {
    size_t longest = 0;
    for (int i = 0; i < l->m->fields; i++) {
        const HeatField *f = &l->m->field[i];
        place_of(l->row, &l->rows, f->row);
        place_of(l->column, &l->columns, f->column);
        if (f->row.len > longest) longest = f->row.len;
    }
    l->left = (int)longest * LETTER + 2 * PAD;
    if (l->left > LEFT_MOST) l->left = LEFT_MOST;
}

static void put_fields(Buf *out, Layout *l) {
    double sum[HEAT_LINES_MAX] = {0};
    int n[HEAT_LINES_MAX] = {0};
    for (int i = 0; i < l->m->fields; i++) {
        const HeatField *f = &l->m->field[i];
        int r = place_of(l->row, &l->rows, f->row), c = place_of(l->column, &l->columns, f->column);
        if (r < 0 || c < 0) continue;
        put_field(out, l, r, c, f);
        if (f->value <= 0) continue;
        sum[r] += f64_log2(f->value);
        n[r]++;
    }
    for (int r = 0; r < l->rows; r++)
        put_field(out, l, r, l->columns,
                  &(HeatField){.value = n[r] ? f64_exp2(sum[r] / n[r]) : 0, .mark = "\xe2\x80\x93"});
}

static void put_scale(Buf *out, const Layout *l) {
    double y = TOP + l->rows * HIGH + 22, x0 = l->left, wide = 4.0 * WIDE, from = l->m->share ? 0 : -1;
    for (int i = 0; i < STEPS; i++) {
        Colour c = colour_of(from + (1 - from) * i / (STEPS - 1));
        buf_printf(out, "<rect x=\"%.2f\" y=\"%.1f\" width=\"%.2f\" height=\"10\" fill=\"#%02x%02x%02x\"/>\n",
                   x0 + wide * i / STEPS, y, wide / STEPS + 0.4, (unsigned)c.r, (unsigned)c.g, (unsigned)c.b);
    }
    static const char *const factor[] = {"\xe2\x89\xa4 0.5", "1", "\xe2\x89\xa5 2"}, *const share[] = {
                                                                                         "\xe2\x89\xa4 50 %",
                                                                                         "71 %", "100 %"};
    for (int i = 0; i < 3; i++)
        put_text(out, x0 + wide * i / 2, y + 23, "text-anchor=\"middle\" font-size=\"10\"",
                 str_of(l->m->share ? share[i] : factor[i]));
    put_text(out, x0 - PAD, y + 9, "text-anchor=\"end\" font-size=\"10\"", str_of(l->m->legend));
}

void heat_map_svg(Buf *out, const HeatMap *m) {
    Layout l = {.m = m};
    lay_out(&l);
    size_t legend = strlen(m->legend) * 5 + 2 * PAD;
    if ((size_t)l.left < legend) l.left = (int)legend;
    int columns = l.columns + 1 < 5 ? 5 : l.columns + 1, width = l.left + columns * WIDE + PAD,
        height = TOP + l.rows * HIGH + LEGEND + (m->foot ? 14 : 0) + (m->note ? 14 : 0);
    buf_printf(out,
               "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" viewBox=\"0 0 %d %d\" "
               "font-family=\"" FONT "\" font-size=\"12\" fill=\"#111\">\n",
               width, height, width, height);
    buf_printf(out, "<rect width=\"%d\" height=\"%d\" fill=\"#fff\"/>\n", width, height);
    put_text(out, PAD, 22, "font-size=\"14\" font-weight=\"bold\"", str_of(m->title));
    for (int c = 0; c <= l.columns; c++)
        put_text(out, l.left + c * WIDE + (WIDE - 1) / 2.0, TOP - 8, "text-anchor=\"middle\"",
                 c < l.columns ? l.column[c] : STR("geomean"));
    for (int r = 0; r < l.rows; r++)
        put_text(out, l.left - PAD, TOP + r * HIGH + 16, "text-anchor=\"end\"", l.row[r]);
    put_fields(out, &l);
    put_scale(out, &l);
    static const char small[] = "font-size=\"10\" fill=\"#555\"";
    if (m->foot) put_text(out, PAD, height - (m->note ? 22 : 8), small, str_of(m->foot));
    if (m->note) put_text(out, PAD, height - 8, small, str_of(m->note));
    buf_puts(out, "</svg>\n");
}
