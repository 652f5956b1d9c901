/* Which engine does a work fastest?  The estimate interpolates between measured points, at which
 * one factor varied at a time.  An engine's rate is the rate for its number of keys, times the
 * changes by its load factor and its widths. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "api/checks.h"
#include "api/choose.h"
#include "api/registry.h"

/* The measured rates (bench/choice writes the file) of an engine at a point of an axis, one for
 * each work from ROOST_WORK_INSERT on. 0: unable, or not measured. */
enum axis { AXIS_KEYS, AXIS_LOAD, AXIS_WIDTH };
enum { WORKS = ROOST_WORK_GROWTH + 1, BASE_WIDTH = 44 };

struct point {
    enum choice_place place;
    enum axis axis;
    const char *engine;
    /* log2 of the keys, or the load factor, or 10 * key bytes + value bytes. */
    double at;
    double rate[WORKS];
};

static const struct point points[] = {
#define POINT(place, axis, engine, at, insert, hits, half, misses, erase, mixed, growth)                                           \
    {CHOICE_##place, AXIS_##axis, engine, at, {0, insert, hits, half, misses, erase, mixed, growth}},
#define HOST_BATCH(items)
#include "api/choice_points.inc"
#undef POINT
#undef HOST_BATCH
};

static const uint64_t host_batch = 0
#define POINT(place, axis, engine, at, insert, hits, half, misses, erase, mixed, growth)
#define HOST_BATCH(items) +items
#include "api/choice_points.inc"
#undef POINT
#undef HOST_BATCH
    ;

#define BASE_LOAD 0.8

/* ---- One engine's rate ----------------------------------------------------------------------- */

static bool is_of(const struct point *p, const char *engine, enum choice_place place, enum axis axis, roost_work work)
{
    return p->place == place && p->axis == axis && !strcmp(p->engine, engine) && p->rate[work] > 0;
}

/* Interpolates between the two nearest points; beyond the first or last point its rate holds.
 * *last: the coordinate of the last point. */
static double rate_at(const char *engine, enum choice_place place, enum axis axis, roost_work work, double at, double *last)
{
    const struct point *below = NULL, *above = NULL;
    *last = -INFINITY;
    for (size_t i = 0; i < sizeof points / sizeof points[0]; i++) {
        const struct point *p = &points[i];
        if (!is_of(p, engine, place, axis, work)) continue;
        if (p->at > *last) *last = p->at;
        if (p->at <= at && (!below || p->at > below->at)) below = p;
        if (p->at >= at && (!above || p->at < above->at)) above = p;
    }
    if (!below || !above) return below ? below->rate[work] : above ? above->rate[work] : 0;
    if (below == above) return below->rate[work];
    const double share = (at - below->at) / (above->at - below->at);
    return below->rate[work] + share * (above->rate[work] - below->rate[work]);
}

/* Did a measurement show that the engine does not reach this load? */
static bool lacks_load(const char *engine, enum choice_place place, roost_work work, double load)
{
    for (size_t i = 0; i < sizeof points / sizeof points[0]; i++) {
        const struct point *p = &points[i];
        if (p->place == place && p->axis == AXIS_LOAD && !strcmp(p->engine, engine) && fabs(p->at - load) < 0.005 &&
            !(p->rate[work] > 0))
            return true;
    }
    return false;
}

/* The work whose measurements along all axes stand in for those of `work`. */
static roost_work nearest_to(roost_work work)
{
    return work == ROOST_WORK_MIXED ? ROOST_WORK_FIND_HALF : work == ROOST_WORK_GROWTH ? ROOST_WORK_INSERT : work;
}

/* The factor by which a load factor or a width changes a rate. 0: the engine does not reach this
 * load, or does not have this width.  A work that was not measured there takes the factor of its
 * nearest. */
static double factor(const char *engine, const struct choice_hints *h, enum axis axis, double at, double usual, roost_work work)
{
    double last;
    const roost_work like = nearest_to(work);
    const double there = rate_at(engine, h->place, axis, like, at, &last),
                 here = rate_at(engine, h->place, axis, like, usual, &last);
    if (!(there > 0) || !(here > 0)) return 0;
    if (axis == AXIS_LOAD && (at > last + 0.005 || lacks_load(engine, h->place, like, at))) return 0;
    for (size_t i = 0; axis == AXIS_WIDTH && i < sizeof points / sizeof points[0]; i++)
        if (is_of(&points[i], engine, h->place, axis, like) && points[i].at == at) return points[i].rate[like] / here;
    return axis == AXIS_WIDTH ? 0 : there / here;
}

static double rate_of_work(const char *engine, const struct choice_hints *h, roost_work work)
{
    double last;
    /* An unknown number of keys counts as infinite: there the engines differ most. */
    const double keys = h->keys ? log2((double)h->keys) : INFINITY;
    const roost_work like = nearest_to(work);
    double rate = rate_at(engine, h->place, AXIS_KEYS, work, keys, &last);
    if (like != work && rate > 0) { /* measured at one number of keys only */
        double ends;
        const double there = rate_at(engine, h->place, AXIS_KEYS, like, keys, &ends);
        rate *= there / rate_at(engine, h->place, AXIS_KEYS, like, last, &ends);
    }
    rate *= factor(engine, h, AXIS_LOAD, h->load, BASE_LOAD, work);
    return rate * factor(engine, h, AXIS_WIDTH, 10 * h->key_bytes + h->value_bytes, BASE_WIDTH, work);
}

/* Is the engine able to do the work, however slowly? */
static bool is_able(const struct engine *engine, const struct choice_hints *h)
{
    if (h->multi && !engine->multi) return false;
    /* Without growth a table may be captured into a graph. */
    return h->growth || engine->captures;
}

double choice_rate(const struct engine *engine, const struct choice_hints *h)
{
    if (!is_able(engine, h)) return 0;
    if (h->work != ROOST_WORK_ANY) return rate_of_work(engine->name, h, h->work);
    const double insert = rate_of_work(engine->name, h, ROOST_WORK_INSERT),
                 find = rate_of_work(engine->name, h, ROOST_WORK_FIND_HALF);
    return insert > 0 && find > 0 ? 2 / (1 / insert + 1 / find) : 0;
}

const struct engine *choice_engine(const struct choice_hints *h)
{
    const struct engine *best = NULL, *able = NULL;
    double most = 0;
    for (size_t i = 0; registry_at(i); i++) {
        const double rate = choice_rate(registry_at(i), h);
        if (!able && is_able(registry_at(i), h)) able = registry_at(i);
        if (rate > most) most = rate, best = registry_at(i);
    }
    return best ? best : able ? able : registry_at(0);
}

bool choice_stays_on_host(uint64_t batch) { return batch && batch <= host_batch; }
