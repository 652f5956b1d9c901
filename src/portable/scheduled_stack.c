/* Stacks of coroutines, and the switch from one to another.  On x86-64 a switch saves the six
 * registers that a call preserves, and takes nanoseconds; elsewhere it is ucontext's, which also
 * asks the system for the signal mask. */
#define _GNU_SOURCE
#include "portable/machine.h"
#include "portable/scheduled_stack.h"

#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

/* AddressSanitizer has to know on which stack the program runs. */
#if ROOST_ADDRESS_SANITIZER
#include <sanitizer/asan_interface.h>
#include <sanitizer/common_interface_defs.h>

/* The thread's own stack, known once a coroutine has been entered from it. */
static const void *thread_bottom;
static size_t thread_bytes;

static void asan_leave(struct stack *from, const struct stack *to)
{
    if (to->bottom) __sanitizer_start_switch_fiber(&from->fake, to->bottom, to->bytes);
    else __sanitizer_start_switch_fiber(&from->fake, thread_bottom, thread_bytes);
}

static void asan_arrive(void *fake)
{
    const void *bottom;
    size_t bytes;
    __sanitizer_finish_switch_fiber(fake, &bottom, &bytes);
    if (!thread_bottom) thread_bottom = bottom, thread_bytes = bytes;
}

/* Removes the red zones of frames that were abandoned on the stack. */
static void asan_forget(const struct stack *stack) { __asan_unpoison_memory_region(stack->bottom, stack->bytes); }
#else
static void asan_leave(struct stack *from, const struct stack *to) { (void)from, (void)to; }
static void asan_arrive(void *fake) { (void)fake; }
static void asan_forget(const struct stack *stack) { (void)stack; }
#endif

void stack_make(struct stack *stack, size_t bytes)
{
    const size_t page = (size_t)sysconf(_SC_PAGESIZE);
    char *memory = (char *)mmap(NULL, page + bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (memory == MAP_FAILED || mprotect(memory, page, PROT_NONE)) abort();
    stack->bottom = memory + page;
    stack->bytes = bytes;
    stack->fake = NULL;
}

void stack_entered(void) { asan_arrive(NULL); }

#if defined(ROOST_STACK_SWITCH)

void stack_switch_registers(void **from_top, void *to_top);
__asm__(".text\n"
        ".globl stack_switch_registers\n"
        ".hidden stack_switch_registers\n"
        ".type stack_switch_registers, @function\n"
        "stack_switch_registers:\n"
        "    pushq %rbp\n"
        "    pushq %rbx\n"
        "    pushq %r12\n"
        "    pushq %r13\n"
        "    pushq %r14\n"
        "    pushq %r15\n"
        "    movq %rsp, (%rdi)\n"
        "    movq %rsi, %rsp\n"
        "    popq %r15\n"
        "    popq %r14\n"
        "    popq %r13\n"
        "    popq %r12\n"
        "    popq %rbx\n"
        "    popq %rbp\n"
        "    ret\n"
        ".size stack_switch_registers, .-stack_switch_registers\n");

enum { PRESERVED = 6 /* registers above the stack pointer */ };

void stack_begin(struct stack *stack, void (*entry)(void))
{
    uintptr_t *top = (uintptr_t *)(void *)(stack->bottom + stack->bytes);
    asan_forget(stack);
    *--top = 0; /* where entry would return to; with it, the stack is aligned as after a call */
    *--top = (uintptr_t)entry;
    for (int i = 0; i < PRESERVED; i++) *--top = 0;
    stack->top = top;
    stack->fake = NULL;
}

void stack_switch(struct stack *from, struct stack *to)
{
    asan_leave(from, to);
    stack_switch_registers(&from->top, to->top);
    asan_arrive(from->fake);
}

#else

void stack_begin(struct stack *stack, void (*entry)(void))
{
    asan_forget(stack);
    getcontext(&stack->context);
    stack->context.uc_stack.ss_sp = stack->bottom;
    stack->context.uc_stack.ss_size = stack->bytes;
    stack->context.uc_link = NULL;
    makecontext(&stack->context, entry, 0);
    stack->fake = NULL;
}

void stack_switch(struct stack *from, struct stack *to)
{
    asan_leave(from, to);
    swapcontext(&from->context, &to->context);
    asan_arrive(from->fake);
}

#endif
