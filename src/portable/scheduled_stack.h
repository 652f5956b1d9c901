/* Stacks of coroutines, and the switch from one to another: all that the scheduled machine needs of an operating system. */
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
    void *fake; /* AddressSanitizer's stack of locals, while this one does not run */
#if defined(ROOST_STACK_SWITCH)
    void *top; /* the stack pointer: registers that a call preserves lie above it */
#else
    ucontext_t context;
#endif
};

/* Memory for a stack, an inaccessible page below it.  Aborts if there is none: tests alone make stacks. */
void stack_make(struct stack *stack, size_t bytes);

/* The next switch to the stack begins `entry`, which must never return.  What the stack held is forgotten. */
void stack_begin(struct stack *stack, void (*entry)(void));

/* The first thing that `entry` does. */
void stack_entered(void);

/* Leaves the running coroutine, which is kept in *from, and goes on with *to. */
void stack_switch(struct stack *from, struct stack *to);

#endif
