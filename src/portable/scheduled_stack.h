/* Stacks of coroutines, and the switch from one to another: the part of the scheduled machine that
 * depends on the operating system. */
#ifndef ROOST_PORTABLE_SCHEDULED_STACK_H
#define ROOST_PORTABLE_SCHEDULED_STACK_H

#include <stddef.h>

#if defined(__x86_64__) && !defined(ROOST_SCHEDULED_UCONTEXT)
#define ROOST_STACK_SWITCH 1
#else
#include <ucontext.h>
#endif

/* A coroutine that is not running. */
struct stack {
    char *bottom; /* NULL: the thread's own stack */
    size_t bytes;
    void *fake; /* AddressSanitizer's fake stack, while this coroutine does not run */
#if defined(ROOST_STACK_SWITCH)
    void *top; /* the stack pointer; registers that a call preserves lie above it */
#else
    ucontext_t context;
#endif
};

/* Allocates a stack with an inaccessible page below it.  Aborts on failure: only tests make
 * stacks. */
void stack_make(struct stack *stack, size_t bytes);

/* Makes the next switch to the stack begin `entry`, which must never return.  Discards the stack's
 * contents. */
void stack_begin(struct stack *stack, void (*entry)(void));

/* Must be the first call of `entry`. */
void stack_entered(void);

/* Leaves the running coroutine, saves it in *from, and continues *to. */
void stack_switch(struct stack *from, struct stack *to);

#endif
