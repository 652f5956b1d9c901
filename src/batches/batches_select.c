/* The items of a batch that have a flag. */
#include <string.h>

#include "batches/batches.h"
#include "batches/batches_kernels.h"

static roost_status select_on_device(struct backend *b, const struct batches_args *args, uint64_t *n)
{
    roost_status status = b->operations->fill(b, args->words, 0, sizeof *args->words);
    if (!status) status = backend_launch(b, batches_kernel_for(b, BATCHES_select), args, sizeof *args, args->n);
    return status ? status : backend_read(b, n, args->words, sizeof *n);
}

roost_status batches_select_items(struct backend *b, const struct batch *batch, uint8_t flag, void *keys, void *values,
                                  uint64_t *word, uint64_t *n)
{
    struct batches_args args;
    memset(&args, 0, sizeof args);
    args.batch = *batch;
    args.columns.keys = keys;
    args.columns.values_in = values;
    args.words = word;
    args.n = batch->n;
    args.flag = flag;
    if (b) return select_on_device(b, &args, n);
    *word = 0;
    batches_host_kernel(BATCHES_select)->host(&args, 0, args.n);
    *n = *word;
    return ROOST_OK;
}
