#include "tile/cover/met_entries.h"

#include <string.h>

#include "tile/cover/outcomes.h"

static void set(uint8_t *bits, int i) { bits[i / 8] |= (uint8_t)(1 << i % 8); }

void met_begin(MetEntries *m, int run) {
    m->run = run;
    m->asked = m->hit = m->alike = false;
    m->numbers = m->items = 0;
    m->around = 0; // a call may have ended within a loop
}

void met_end(MetEntries *m, bool kept) {
    for (int i = 0; kept && i < m->tables; i++) {
        MetTable *t = &m->table[i];
        for (size_t k = 0; t->run == m->run && k < sizeof t->met; k++) t->met[k] |= t->now[k];
    }
}

static bool is_table(const MetTable *t, uint32_t at, const void *made, uint64_t around) {
    return t->at == at && t->made == made && t->around == around;
}

int met_looked_up(MetEntries *m, uint32_t at, const void *made, int entries, int found) {
    int i = 0;
    uint64_t around = made ? 0 : m->around;
    while (i < m->tables && !is_table(&m->table[i], at, made, around)) i++;
    if (i == MET_TABLES_MAX) return -1;
    MetTable *t = &m->table[i];
    if (i == m->tables) m->tables++, *t = (MetTable){.at = at, .made = made, .around = around};
    if (entries > MET_ENTRIES_MAX) entries = MET_ENTRIES_MAX;
    if (entries > t->entries) t->entries = entries;
    if (t->run != m->run) memset(t->now, 0, sizeof t->now);
    t->run = m->run;
    if (found >= 0 && found < t->entries) set(t->now, found);
    return i == m->aim_table && m->aim_entry < entries ? m->aim_entry : -1;
}

void met_told(MetEntries *m) { set(m->table[m->aim_table].met, m->aim_entry); }

void met_key_begin(MetEntries *m, bool hit) {
    m->asked = m->alike = true;
    m->hit |= hit;
    m->numbers = 0;
}

void met_key_number(MetEntries *m, int64_t key, int64_t want) {
    if (m->numbers == KEY_NUMBERS_MAX) return;
    m->key[m->numbers] = key;
    m->want[m->numbers++] = want;
}

static bool has_number(const MetEntries *m, int64_t x) {
    for (int i = 0; i < m->items; i++)
        if (m->item[i] == x) return true;
    return false;
}

// Which of two that are compared is the item's own is not told: so they are to differ by nothing.
static void met_difference(MetEntries *m, int64_t left, int64_t right) {
    int64_t by;
    met_key_number(m, __builtin_sub_overflow(left, right, &by) ? INT64_MAX : by, 0);
}

void met_compared(MetEntries *m, int64_t left, int64_t right) {
    if (m->sought && (has_number(m, left) || has_number(m, right))) met_difference(m, left, right);
}

void met_item_begin(MetEntries *m, bool sought) {
    m->sought = sought;
    m->items = 0;
    m->equals = m->equal = m->others = m->other = m->taken = false;
}

void met_item_equal(MetEntries *m, int64_t left, int64_t right, bool equal) {
    if (has_number(m, left) || has_number(m, right)) {
        m->equals = true;
        m->equal |= equal;
        return;
    }
    m->others = true;
    m->other = equal;
    if (m->sought) met_difference(m, left, right);
}

void met_item_equal_texts(MetEntries *m, Str left, Str right, bool equal) {
    size_t i = 0, k = 0;
    int64_t x, y;
    m->others = true;
    m->other = equal;
    while (m->sought && text_number(left, &i, &x) && text_number(right, &k, &y)) met_difference(m, x, y);
}

bool met_item_wanted(const MetEntries *m) { return m->equals ? m->equal : m->others ? m->other : m->taken; }

// Texts with other words between their numbers are found out by the call that does not meet the entry.
void met_key_texts(MetEntries *m, Str key, Str want) {
    size_t i = 0, k = 0;
    int64_t x, y;
    bool any = false;
    while (text_number(key, &i, &x) && text_number(want, &k, &y)) met_key_number(m, x, y), any = true;
    if (!any) met_key_other(m, str_eq(key, want));
}

void met_key_other(MetEntries *m, bool same) { m->alike = m->alike && same; }
