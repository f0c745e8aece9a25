// words_counts.h - the words by which the counted kernels of the emulator say what they do; device_counts.h listens.
//
// A fiber writes down where it is, by the line of the text, and what it does there. Lines grow in the order in which a program runs
// but for loops, which say where an iteration begins and where all have ended. So the notes of the lanes of a warp can be put together again
// as if the lanes had run in lockstep: this is exact, since kernels are structured.

// The kinds of operations. Integers of at most 32 bits count as i32, halves as f32; `add` is everything that costs as much as an addition.
#define RAIDO_OPERATION_KINDS(X)                                                            \
  X(i32_add) X(i32_mul) X(i32_div) X(i64_add) X(i64_mul) X(i64_div) X(convert)    \
  X(f32_add) X(f32_mul) X(f32_fma) X(f32_div) X(f32_special)                      \
  X(f64_add) X(f64_mul) X(f64_fma) X(f64_div) X(f64_special) X(f64_tensor)
#define RAIDO_ENUM(kind) RAIDO_OP_##kind,
enum raido_operation { RAIDO_OPERATION_KINDS(RAIDO_ENUM) RAIDO_KIND_COUNT };

enum raido_note_kind { RAIDO_READ, RAIDO_WRITE, RAIDO_UPDATE, RAIDO_RAN, RAIDO_BRANCHES, RAIDO_ITERATION, RAIDO_LOOP_END };

#define OP(kind, n) [RAIDO_OP_##kind] = n
#define RAIDO_NOTE_RAN(what, number, ...)                                        \
  do {                                                                           \
    static const u16 ran_[RAIDO_KIND_COUNT] = {__VA_ARGS__};                     \
    raido_note(__LINE__, what, number, (u64)(uintptr_t)ran_);                    \
  } while (0)
#define RAN(...) RAIDO_NOTE_RAN(RAIDO_RAN, 0, __VA_ARGS__)
#define ITERATION(loop, ...) RAIDO_NOTE_RAN(RAIDO_ITERATION, loop, __VA_ARGS__)
#define LOOP_END(loop) raido_note(__LINE__, RAIDO_LOOP_END, loop, 0)
#define BRANCH(condition) raido_note_branch(__LINE__, condition)
#define LOAD(m, i) (READS(m, i), (m)[i])
#define STORE(m, i, v) (WRITES(m, i), (m)[i] = (v))
#define UPDATES(m, i) raido_note(__LINE__, RAIDO_UPDATE, sizeof *(m), (u64)(uintptr_t)&(m)[i])
#define READS_VECTOR(m, i, n) raido_note(__LINE__, RAIDO_READ, (n) * sizeof *(m), (u64)(uintptr_t)&(m)[i])
#define READS(m, i) raido_note(__LINE__, RAIDO_READ, sizeof *(m), (u64)(uintptr_t)&(m)[i])
#define WRITES(m, i) raido_note(__LINE__, RAIDO_WRITE, sizeof *(m), (u64)(uintptr_t)&(m)[i])

RAIDO_UNSEEN int raido_note_branch(int line, int taken) {
  raido_note(line, RAIDO_BRANCHES, 0, (u64)taken);
  return taken;
}
