/* A graph as a multimap from vertices to their neighbours: edges are appended, degrees are
 * counts, neighbourhoods are gathered, and one call removes all edges of a vertex.  The program
 * compares every answer with a sorted list of the edges.
 *
 *     cc graph.c $(pkg-config --cflags --libs roost) && ./a.out    (a made-up graph)
 *     zstd -dc web.tsv.zst | ./a.out /dev/stdin                    (lines "u v", # comments) */
#include <errno.h>
#include <inttypes.h>
#include <roost/roost.h>
#include <roost/multi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct edge {
    uint32_t from, to;
};

/* The edges, sorted, and the same by vertex: those of vertex[i] are edges offset[i] ..  offset[i
 * + 1] - 1. */
struct graph {
    struct edge *edge;
    uint32_t *from, *to; /* the edges as arrays for the table */
    size_t edges, room;
    uint32_t *vertex;
    uint64_t *offset;
    size_t vertices;
};

static void fail(const char *text)
{
    fprintf(stderr, "graph: %s\n", text);
    exit(1);
}

static void require(roost_status status, const roost_table *table)
{
    if (status == ROOST_OK) return;
    fprintf(stderr, "%s: %s\n", roost_status_name(status), roost_last_error(table));
    exit(1);
}

static void *memory(void *old, size_t n, size_t bytes)
{
    void *new = realloc(old, (n + 1) * bytes);
    if (!new) fail("no memory");
    return new;
}

/* ---- Edges ----------------------------------------------------------------------------------- */

static void add_edge(struct graph *g, uint32_t from, uint32_t to)
{
    if (g->edges == g->room) {
        g->room = 2 * g->room + 1024;
        g->edge = memory(g->edge, g->room, sizeof *g->edge);
    }
    g->edge[g->edges++] = (struct edge){from, to};
}

/* Reads a vertex's number at *text and moves *text behind it.  False: there is none. */
static int read_vertex(char **text, uint32_t *vertex)
{
    char *begin = *text;
    begin += strspn(begin, " \t");
    if (*begin < '0' || *begin > '9') return 0;
    errno = 0;
    const unsigned long long number = strtoull(begin, text, 10);
    *vertex = (uint32_t)number;
    return errno == 0 && number <= UINT32_MAX;
}

static void read_graph(struct graph *g, const char *name)
{
    char line[256];
    uint32_t from, to;
    FILE *file = fopen(name, "r");
    if (!file) fail(strerror(errno));
    for (size_t number = 1; fgets(line, sizeof line, file); number++) {
        char *text = line + strspn(line, " \t\r\n");
        if (*text == '#' || *text == 0) continue;
        if (!read_vertex(&text, &from) || !read_vertex(&text, &to) || text[strspn(text, " \t\r\n")] != 0) {
            fprintf(stderr, "graph: line %zu is not \"u v\", two numbers below 2^32\n", number);
            exit(1);
        }
        add_edge(g, from, to);
    }
    if (ferror(file)) fail("the file cannot be read");
    fclose(file);
}

/* Some vertices have many edges, most have few; some edges occur twice. */
static void make_graph(struct graph *g)
{
    enum { VERTICES = 20000, EDGES = 200000 };
    uint64_t state = 1;
    for (int i = 0; i < EDGES; i++) {
        uint32_t end[2];
        for (int e = 0; e < 2; e++) {
            state = state * 6364136223846793005u + 1442695040888963407u;
            const uint64_t x = state >> 40; /* 24 bits */
            end[e] = (uint32_t)(x * x * VERTICES >> 48);
        }
        add_edge(g, end[0], end[1]);
    }
}

static int compare_edges(const void *a, const void *b)
{
    const struct edge *left = a, *right = b;
    if (left->from != right->from) return left->from < right->from ? -1 : 1;
    return left->to < right->to ? -1 : left->to > right->to;
}

static void sort_edges(struct graph *g)
{
    qsort(g->edge, g->edges, sizeof *g->edge, compare_edges);
    g->from = memory(NULL, g->edges, sizeof *g->from);
    g->to = memory(NULL, g->edges, sizeof *g->to);
    g->vertex = memory(NULL, g->edges, sizeof *g->vertex);
    g->offset = memory(NULL, g->edges, sizeof *g->offset);
    for (size_t i = 0; i < g->edges; i++) {
        g->from[i] = g->edge[i].from;
        g->to[i] = g->edge[i].to;
        if (i && g->from[i] == g->from[i - 1]) continue;
        g->vertex[g->vertices] = g->from[i];
        g->offset[g->vertices++] = i;
    }
    g->offset[g->vertices] = g->edges;
}

/* ---- What the table answers ------------------------------------------------------------------ */

static int compare_vertices(const void *a, const void *b)
{
    const uint32_t left = *(const uint32_t *)a, right = *(const uint32_t *)b;
    return left < right ? -1 : left > right;
}

/* Checks the degrees of all vertices.  Every `gone`-th vertex has no edges (0: all have theirs). */
static void verify_degrees(const roost_table *table, const struct graph *g, size_t gone)
{
    uint64_t *degree = memory(NULL, g->vertices, sizeof *degree);
    size_t largest = 0;
    require(roost_count(table, g->vertex, g->vertices, degree, NULL), table);
    for (size_t i = 0; i < g->vertices; i++) {
        const uint64_t expected = gone && i % gone == 0 ? 0 : g->offset[i + 1] - g->offset[i];
        if (degree[i] != expected) fail("a vertex has another degree");
        if (degree[i] > degree[largest]) largest = i;
    }
    if (g->vertices) printf("largest degree: %" PRIu64 ", of vertex %" PRIu32 "\n", degree[largest], g->vertex[largest]);
    free(degree);
}

/* Checks all neighbourhoods.  Each comes unordered, and is sorted to be compared. */
static void verify_neighbours(const roost_table *table, const struct graph *g)
{
    uint32_t *neighbour = memory(NULL, g->edges, sizeof *neighbour);
    require(roost_find_all(table, g->vertex, g->vertices, g->offset, neighbour, NULL), table);
    for (size_t i = 0; i < g->vertices; i++)
        qsort(neighbour + g->offset[i], (size_t)(g->offset[i + 1] - g->offset[i]), sizeof *neighbour, compare_vertices);
    if (memcmp(neighbour, g->to, g->edges * sizeof *neighbour) != 0) fail("a vertex has other neighbours");
    free(neighbour);
}

/* ---- Changes --------------------------------------------------------------------------------- */

/* Removes the edges of every `step`-th vertex, and returns their number. */
static uint64_t remove_edges(roost_table *table, const struct graph *g, size_t step)
{
    const size_t most = g->vertices / step + 1;
    uint32_t *vertex = memory(NULL, most, sizeof *vertex);
    uint64_t *removed = memory(NULL, most, sizeof *removed), sum = 0;
    size_t n = 0;
    for (size_t i = 0; i < g->vertices; i += step) vertex[n++] = g->vertex[i];
    require(roost_erase_all(table, vertex, n, removed, NULL), table);
    for (size_t i = 0; i < n; i++) sum += removed[i];
    free(vertex);
    free(removed);
    return sum;
}

/* Appends them again. */
static void restore_edges(roost_table *table, const struct graph *g, size_t step)
{
    uint32_t *from = memory(NULL, g->edges, sizeof *from), *to = memory(NULL, g->edges, sizeof *to);
    size_t n = 0;
    for (size_t i = 0; i < g->vertices; i += step)
        for (uint64_t e = g->offset[i]; e < g->offset[i + 1]; e++) {
            from[n] = g->from[e];
            to[n++] = g->to[e];
        }
    require(roost_insert(table, ROOST_APPEND, from, to, n, NULL), table);
    free(from);
    free(to);
}

static void run(roost_table *table, const struct graph *g)
{
    enum { STEP = 10 };
    require(roost_insert(table, ROOST_APPEND, g->from, g->to, g->edges, NULL), table);
    printf("%zu edges of %zu vertices\n", g->edges, g->vertices);
    verify_degrees(table, g, 0);
    verify_neighbours(table, g);
    printf("%" PRIu64 " edges removed, with every %dth vertex\n", remove_edges(table, g, STEP), STEP);
    verify_degrees(table, g, STEP);
    restore_edges(table, g, STEP);
    verify_degrees(table, g, 0);
    verify_neighbours(table, g);
    printf("all degrees and neighbours are right\n");
}

int main(int argc, char **argv)
{
    static struct graph graph;
    roost_config config;
    roost_table *table;

    if (argc > 1) read_graph(&graph, argv[1]);
    else make_graph(&graph);
    sort_edges(&graph);
    require(roost_config_init(&config, sizeof config), NULL);
    config.engine = "slab";
    config.flags = ROOST_MULTI;
    config.capacity = graph.edges;
    require(roost_table_create(&table, &config), NULL);
    run(table, &graph);
    roost_table_destroy(table);
    free(graph.edge), free(graph.from), free(graph.to), free(graph.vertex), free(graph.offset);
    return 0;
}
