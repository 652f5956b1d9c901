/* Status names and texts, and the last error of a thread. */
#include "api/table.h"

struct error *thread_error(void)
{
    static _Thread_local struct error error;
    return &error;
}

/* clang-format off */
#define STATUS_TEXT(name, number, text) case number: return text;
#define STATUS_NAME(name, number, text) case number: return #name;
/* clang-format on */

ROOST_EXPORT const char *roost_status_string(roost_status status)
{
    switch ((int)status) {
        ROOST_STATUS_LIST(STATUS_TEXT)
    default: return "not a status";
    }
}

ROOST_EXPORT const char *roost_status_name(roost_status status)
{
    switch ((int)status) {
        ROOST_STATUS_LIST(STATUS_NAME)
    default: return "not a status";
    }
}

ROOST_EXPORT const char *roost_item_status_string(roost_item_status status)
{
    switch ((int)status) {
        ROOST_ITEM_LIST(STATUS_TEXT)
    default: return "not a status";
    }
}

ROOST_EXPORT const char *roost_last_error(const roost_table *table) { return table ? table->error.text : thread_error()->text; }
