// words_fibers.h - the vocabulary of kernels in C. A thread of a block is a fiber with a stack of its own. It gives the
// processor away only where it waits at a barrier. device_fibers.h runs the blocks.
//
// The sanitizers are told of every switch. To the thread sanitizer each fiber is a thread; barriers, the start and the end
// of a kernel are all that orders them. So it finds what would be a race on a device, even though the fibers of a block
// take turns. Atomics are relaxed: they are no race among themselves and order nothing else.
#include <sys/mman.h>

#if defined(__SANITIZE_THREAD__)
#define RAIDO_TSAN 1
#endif
#if defined(__SANITIZE_ADDRESS__)
#define RAIDO_ASAN 1
#endif
#if defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define RAIDO_TSAN 1
#endif
#if __has_feature(address_sanitizer)
#define RAIDO_ASAN 1
#endif
#endif

#ifdef RAIDO_TSAN
void *__tsan_create_fiber(unsigned flags);
void __tsan_destroy_fiber(void *fiber);
void __tsan_switch_to_fiber(void *fiber, unsigned flags);
void *__tsan_get_current_fiber(void);
void __tsan_acquire(void *place);
void __tsan_release(void *place);
#else
#define __tsan_acquire(place) ((void)(place))
#define __tsan_release(place) ((void)(place))
#endif
#ifdef RAIDO_ASAN
void __sanitizer_start_switch_fiber(void **fake_stack, const void *stack, size_t size);
void __sanitizer_finish_switch_fiber(void *fake_stack, const void **stack, size_t *size);
void __asan_poison_memory_region(void const volatile *at, size_t size);
void __asan_unpoison_memory_region(void const volatile *at, size_t size);
#else
#define __asan_poison_memory_region(at, size) ((void)(at))
#define __asan_unpoison_memory_region(at, size) ((void)(at))
#endif
// What the emulator itself does between fibers is not part of the kernel.
#define RAIDO_UNSEEN static __attribute__((unused, noinline, no_sanitize("thread"), no_sanitize("address")))

// GCC optimises the emulator itself even where it does not optimise kernels, which are compiled faster than they are run.
#if defined(__GNUC__) && !defined(__clang__)
#define RAIDO_OPTIMISED _Pragma("GCC push_options") _Pragma("GCC optimize(\"O2\")")
#define RAIDO_AS_BEFORE _Pragma("GCC pop_options")
#else
#define RAIDO_OPTIMISED
#define RAIDO_AS_BEFORE
#endif
RAIDO_OPTIMISED

// Saves the registers that a call preserves and the stack pointer, and takes those of another fiber.
#if defined(__x86_64__) && !defined(RAIDO_UCONTEXT)
typedef void *raido_registers;
void raido_switch(raido_registers *from, raido_registers *to);
__asm__(".pushsection .text\n"
        ".type raido_switch, @function\n"
        "raido_switch:\n"
        "  pushq %rbp; pushq %rbx; pushq %r12; pushq %r13; pushq %r14; pushq %r15\n"
        "  movq %rsp, (%rdi); movq (%rsi), %rsp\n"
        "  popq %r15; popq %r14; popq %r13; popq %r12; popq %rbx; popq %rbp\n"
        "  ret\n"
        ".size raido_switch, .-raido_switch\n"
        ".popsection\n");
RAIDO_UNSEEN void raido_prepare(raido_registers *r, char *stack, size_t size, void (*run)(void)) {
  void **top = (void **)(stack + size);
  *--top = NULL;                          // the return address of `run`, which does not return
  memcpy(--top, &run, sizeof run);
  for (int k = 0; k < 6; k++) *--top = NULL;
  *r = top;
}
#else
#include <ucontext.h>
typedef ucontext_t raido_registers;
RAIDO_UNSEEN void raido_switch(raido_registers *from, raido_registers *to) { swapcontext(from, to); }
RAIDO_UNSEEN void raido_prepare(raido_registers *r, char *stack, size_t size, void (*run)(void)) {
  getcontext(r);
  r->uc_stack.ss_sp = stack;
  r->uc_stack.ss_size = size;
  r->uc_link = NULL;
  makecontext(r, run, 0);
}
#endif

enum raido_fiber_state { RAIDO_READY, RAIDO_WAITING, RAIDO_ENDED };
enum { RAIDO_BLOCK_WORDS = 32, RAIDO_SHARED_BYTES = 48 << 10, RAIDO_STACK_BYTES = 256 << 10 };

// What a counted kernel says (words_counts.h): value is an address, whether a branch is taken, or a table of operations; number a size or a loop.
struct raido_note {
  u64 value;
  u32 line, kind : 4, number : 28;
};
enum { RAIDO_NOTES = 128, RAIDO_NOTE_BARRIER = 15 };

struct raido_fiber {
  raido_registers registers;
  struct raido_note *notes;               // NULL: nobody listens
  int noted, heard;
  enum raido_fiber_state state;
  int line;                               // of the barrier where it waits
  i64 barriers;                           // that it has passed
  size_t shared;                          // bytes of shared memory that it has declared
  void *thread, *fake_stack;              // what the sanitizers know it as
};

// One block, run by one thread of the operating system. `memory` is mapped anew for each block under the thread
// sanitizer, which then knows nothing about it: two words that stand for the barriers, two of raido_look_back, shared memory, stacks.
struct raido_emulated_block {
  struct dev *device;
  i64 number, size, position;             // position: in the sample
  struct raido_fiber *fibers, *current;
  char *memory;
  size_t bytes;
  int counted;                            // what its threads say is heard
  struct raido_note *notes;
  struct raido_counting *counting;
  raido_registers scheduler;
  void *thread, *fake_stack;
  const void *stack;
  size_t stack_size;
};
static __thread struct raido_emulated_block *raido_here;
static i64 raido_atomics;

RAIDO_UNSEEN i64 raido_local_id(void) { return raido_here->current - raido_here->fibers; }
RAIDO_UNSEEN i64 raido_block_id(void) { return raido_here->number; }
RAIDO_UNSEEN i64 raido_block_size(void) { return raido_here->size; }

// Back to the scheduler, with the reason.
RAIDO_UNSEEN void raido_give_way(enum raido_fiber_state state) {
  struct raido_emulated_block *b = raido_here;
  struct raido_fiber *f = b->current;
  f->state = state;
#ifdef RAIDO_ASAN
  __sanitizer_start_switch_fiber(state == RAIDO_ENDED ? NULL : &f->fake_stack, b->stack, b->stack_size);
#endif
#ifdef RAIDO_TSAN
  __tsan_switch_to_fiber(b->thread, 1);
#endif
  raido_switch(&f->registers, &b->scheduler);
#ifdef RAIDO_ASAN
  __sanitizer_finish_switch_fiber(f->fake_stack, &b->stack, &b->stack_size);
#endif
}

RAIDO_UNSEEN void raido_note_down(struct raido_fiber *f, int line, int kind, u64 number, u64 value) {
  f->notes[f->noted++] = (struct raido_note){value, (u32)line, (u32)kind & 15, (u32)number & 0xfffffff};
}
// Whoever has filled its notes gives way until they have been heard.
RAIDO_UNSEEN void raido_note(int line, int kind, u64 number, u64 value) {
  struct raido_fiber *f = raido_here->current;
  raido_note_down(f, line, kind, number, value);
  if (f->noted == RAIDO_NOTES) raido_give_way(RAIDO_READY);
}

RAIDO_UNSEEN void raido_barrier(int line) {
  struct raido_fiber *f = raido_here->current;
  if (f->notes != NULL) raido_note_down(f, line, RAIDO_NOTE_BARRIER, 0, 0);       // it waits in any case
  char *order = raido_here->memory + 8 * (f->barriers++ & 1);
  f->line = line;
  __tsan_release(order);
  raido_give_way(RAIDO_WAITING);
  __tsan_acquire(order);
}

// All threads of a block declare the same arrays in the same order; poisoned bytes lie between two of them.
RAIDO_UNSEEN void *raido_shared(size_t bytes) {
  struct raido_fiber *f = raido_here->current;
  char *at = raido_here->memory + RAIDO_BLOCK_WORDS + f->shared;
  f->shared += (bytes + 63) / 32 * 32;
  if (f->shared > RAIDO_SHARED_BYTES) {
    fprintf(stderr, "emulator: a block has %d bytes of shared memory, not %zu\n", (int)RAIDO_SHARED_BYTES, f->shared);
    _exit(70);
  }
  __asan_unpoison_memory_region(at, bytes);
  return at;
}

// Threads of a block have written in order before the first one comes here, which orders the blocks; the barrier passes that on.
// Where only a sample of the blocks runs, none is the last.
RAIDO_UNSEEN bool raido_skips_blocks(void);
RAIDO_UNSEEN size_t raido_dynamic_bytes(void);
#if RAIDO_ORDERS_BLOCKS
RAIDO_INLINE bool raido_last_block(i32 *tickets, i64 at, i64 count) {
  bool *last = raido_shared(sizeof *last);
  if (raido_local_id() == 0) *last = false;
  if (raido_local_id() == 0 && !raido_skips_blocks()) {
    *last = __atomic_fetch_add(tickets + at, 1, __ATOMIC_ACQ_REL) == count - 1;
    __atomic_add_fetch(&raido_atomics, 1, __ATOMIC_RELAXED);
    if (*last) tickets[at] = 0;
  }
  raido_barrier(__LINE__);
  return *last;
}

// Scans by tiles (words_cuda.h). Blocks begin in order, so that the number of a block is that of its tile. A tile is marked with 4 * launch, plus
// 1: its total is there; 2: what the scan has reached with it, too; 3: only that. It shall not depend on time how far a block looks back:
// it waits until the scan has reached every (block size + 5)th tile, and takes only the totals of others. That is further than one look.
RAIDO_INLINE i64 raido_next_tile(i32 *states, i64 tiles) {
  (void)states;
  if (tiles > 1 && raido_local_id() == 0) __atomic_add_fetch(&raido_atomics, 1, __ATOMIC_RELAXED);
  return raido_block_id();
}
RAIDO_INLINE void raido_publish(i32 *states, i64 tile, i64 launch, bool reached) {
  i32 mark = (i32)(4 * launch), *state = states + 1 + tile;
  if (raido_skips_blocks()) return;
  __atomic_store_n(state, mark + (!reached ? 1 : __atomic_load_n(state, __ATOMIC_RELAXED) == mark + 1 ? 2 : 3), __ATOMIC_RELEASE);
}
RAIDO_INLINE i32 raido_wait_for_tile(i32 *states, i64 tile, i64 launch) {
  i32 least = tile % (raido_block_size() + 5) == 0 ? 2 : 1, state;
  while ((state = __atomic_load_n(states + 1 + tile, __ATOMIC_ACQUIRE) - (i32)(4 * launch)) < least) sched_yield();
  return least == 2 ? 3 : state;
}
RAIDO_UNSEEN i64 *raido_word_of_block(void) { return (i64 *)(raido_here->memory + 16); }
RAIDO_INLINE i64 raido_look_back(i32 *states, i64 launch, i64 end) {
  i64 *found = raido_word_of_block(), tile = end - 1;
  if (raido_skips_blocks()) return 2 * tile + 1;
  if (raido_local_id() == 0) {
    bool reached;
    while (!(reached = raido_wait_for_tile(states, tile, launch) == 3) && tile > end - raido_block_size()) tile--;
    *found = 2 * tile + reached;
  }
  raido_barrier(__LINE__);
  return *found;
}
#else
RAIDO_INLINE bool raido_last_block(i32 *tickets, i64 at, i64 count) {
  (void)tickets, (void)at, (void)count;
  return false;
}
RAIDO_INLINE i64 raido_next_tile(i32 *states, i64 tiles) {
  (void)states, (void)tiles;
  return raido_block_id();
}
#endif

// How often a loop runs may depend on the size of blocks, which is no constant here; compilers warn of the rest.
#undef RAIDO_UNROLLED
#define RAIDO_UNROLLED
#define KERNEL static void
#define DENSE_KERNEL KERNEL
#define GLOBAL
#define LOCAL
#define LOCAL_ID() raido_local_id()
#define BLOCK_ID() raido_block_id()
#define BLOCK_SIZE() raido_block_size()
#define GLOBAL_ID() (raido_block_id() * raido_block_size() + raido_local_id())
#define BARRIER() raido_barrier(__LINE__)
#define BLOCK_THREADS BLOCK_SIZE()
#define SHARED(T, name, n) T *const name = (T *)raido_shared(sizeof(T) * (n))
#define DYNAMIC_PARAMETER
#define DYNAMIC_SHARED i64 *const dynamic_ = raido_shared(raido_dynamic_bytes())

#define ATOMIC_STORE(T, memory, index, value)                             \
  do {                                                                    \
    T stored_ = (value);                                                  \
    __atomic_store((memory) + (index), &stored_, __ATOMIC_RELAXED);       \
  } while (0)
#define RAIDO_PEEK(cell) __atomic_load_n(cell, __ATOMIC_RELAXED)
#define RAIDO_FENCE() ((void)0)
#define RAIDO_TRY_LOCK(lock) raido_try_lock(lock)
#define RAIDO_OPEN(lock) __atomic_store_n(lock, 0, __ATOMIC_RELEASE)
#define RAIDO_CAS_64 raido_cas_64
#define RAIDO_CAS_32 raido_cas_32
// Updates of memory of the device are counted.
RAIDO_UNSEEN void raido_updated(const volatile void *p) {
  u64 at = (u64)((const volatile char *)p - raido_here->memory);
  if (at >= RAIDO_BLOCK_WORDS + RAIDO_SHARED_BYTES) __atomic_add_fetch(&raido_atomics, 1, __ATOMIC_RELAXED);
}
// A fiber does not give way while it has a lock, so others of its block never wait for it.
RAIDO_INLINE bool raido_try_lock(volatile i32 *p) {
  if (__atomic_exchange_n(p, 1, __ATOMIC_ACQUIRE) != 0) return false;
  raido_updated(p);
  return true;
}
RAIDO_INLINE i64 raido_peek_64(volatile i64 *p) { return __atomic_load_n(p, __ATOMIC_RELAXED); }
RAIDO_INLINE i64 raido_seen_64(volatile i64 *p) { return __atomic_load_n(p, __ATOMIC_RELAXED); }
RAIDO_INLINE i32 raido_peek_32(volatile i32 *p) { return __atomic_load_n(p, __ATOMIC_RELAXED); }
RAIDO_INLINE i64 raido_cas_64(volatile i64 *p, i64 expected, i64 value) {
  if (__atomic_compare_exchange_n(p, &expected, value, 0, __ATOMIC_RELAXED, __ATOMIC_RELAXED)) raido_updated(p);
  return expected;
}
RAIDO_INLINE i32 raido_cas_32(volatile i32 *p, i32 expected, i32 value) {
  if (__atomic_compare_exchange_n(p, &expected, value, 0, __ATOMIC_RELAXED, __ATOMIC_RELAXED)) raido_updated(p);
  return expected;
}
RAIDO_AS_BEFORE
