/* The statuses of calls and of items.  roost.h includes this. */
#ifndef ROOST_STATUS_H
#define ROOST_STATUS_H

#ifdef __cplusplus
extern "C" {
#endif

#if defined(ROOST_BUILDING) && defined(__GNUC__)
#define ROOST_EXPORT __attribute__((visibility("default")))
#else
#define ROOST_EXPORT
#endif

/* What a call returns.  X(name, number, text). */
#define ROOST_STATUS_LIST(X)                                                                       \
    X(ROOST_OK, 0, "success")                                                                      \
    X(ROOST_ERR_ARGUMENT, 1, "an argument is wrong")                                               \
    X(ROOST_ERR_UNSUPPORTED, 2, "this engine or machine cannot do this")                           \
    X(ROOST_ERR_NOT_FOUND, 3, "no engine, device or option of this name")                          \
    X(ROOST_ERR_FULL, 4, "some items were not stored: the table is full and may not grow")         \
    X(ROOST_ERR_MEMORY, 5, "memory was refused; some items may not have been stored")              \
    X(ROOST_ERR_DEVICE, 6, "the device or its driver failed")                                      \
    X(ROOST_ERR_CORRUPT, 7, "the table violates one of its invariants, or a snapshot is damaged")  \
    X(ROOST_ERR_COMM, 8, "another rank of the table's comm failed, or did not come")               \
    X(ROOST_ERR_OVERFLOW, 9, "a sum does not fit into its type")                                   \
    X(ROOST_ERR_IO, 10, "the system refused to read or to write")

#define ROOST_STATUS_ENUM(name, number, text) name = number,
typedef enum roost_status { ROOST_STATUS_LIST(ROOST_STATUS_ENUM) } roost_status;
#undef ROOST_STATUS_ENUM

/* The result of one item: a byte per item in roost_call.statuses.  X(name, number, text). */
#define ROOST_ITEM_LIST(X)                                                                         \
    X(ROOST_ITEM_NONE, 0, "not processed")                                                         \
    X(ROOST_ITEM_INSERTED, 1, "the key was new and is stored")                                     \
    X(ROOST_ITEM_UPDATED, 2, "the key was there and its value was combined or overwritten")        \
    X(ROOST_ITEM_KEPT, 3, "the key was there and its value was kept (mode KEEP)")                  \
    X(ROOST_ITEM_FOUND, 4, "the key was found")                                                    \
    X(ROOST_ITEM_ABSENT, 5, "the key was not in the table")                                        \
    X(ROOST_ITEM_ERASED, 6, "the key was there and this item removed it")                          \
    X(ROOST_ITEM_FULL, 7, "not stored: the table is full")                                         \
    X(ROOST_ITEM_NO_MEMORY, 8, "not stored: the table had to grow and memory was refused")

#define ROOST_ITEM_ENUM(name, number, text) name = number,
typedef enum roost_item_status { ROOST_ITEM_LIST(ROOST_ITEM_ENUM) } roost_item_status;
#undef ROOST_ITEM_ENUM

/* The meaning of a status in English, or its name, such as "ROOST_ERR_FULL".
 * Returns: a static string, never NULL, for any number. */
ROOST_EXPORT const char *roost_status_string(roost_status status);
ROOST_EXPORT const char *roost_status_name(roost_status status);
ROOST_EXPORT const char *roost_item_status_string(roost_item_status status);

#ifdef __cplusplus
}
#endif
#endif
