// kernels.h - kernels in the words of the vocabularies, correct ones and ones with a planted fault; kernels.c runs them.
RAIDO_INLINE i64 add_i64(i64 x, i64 y) { return (i64)((u64)x + (u64)y); }
RAIDO_INLINE u8 add_u8(u8 x, u8 y) { return (u8)(x + y); }

// Sums a block in shared memory and adds the sum to *total.
KERNEL block_sum(i64 n, GLOBAL i64 *xs, GLOBAL i64 *total) {
  SHARED(i64, part, 256);
  i64 here = LOCAL_ID();
  part[here] = GLOBAL_ID() < n ? xs[GLOBAL_ID()] : 0;
  BARRIER();
  for (i64 d = BLOCK_SIZE() / 2; d > 0; d /= 2) {
    if (here < d) part[here] = part[here] + part[here + d];
    BARRIER();
  }
  if (here == 0) ATOMIC_UPDATE(i64, add_i64, total, 0, part[0]);
}

// Each block waits for the one before it: they are begun in order.
KERNEL chain(GLOBAL i64 *flags) {
  if (LOCAL_ID() == 0 && BLOCK_ID() > 0)
    while (raido_peek_64(flags + BLOCK_ID() - 1) == 0) { }
  BARRIER();
  if (LOCAL_ID() == 0) (void)raido_cas_64(flags + BLOCK_ID(), 0, 1);
}

// Bytes are updated through the words that hold them.
KERNEL count_bytes(GLOBAL u8 *cells) { ATOMIC_UPDATE(u8, add_u8, cells, GLOBAL_ID() % 5, 1); }

KERNEL missing_barrier(GLOBAL i64 *out) {
  SHARED(i64, part, 256);
  part[LOCAL_ID()] = LOCAL_ID();
  out[GLOBAL_ID()] = part[(LOCAL_ID() + 1) % BLOCK_SIZE()];
}

// A barrier orders the threads of a block, not blocks.
KERNEL race_between_blocks(GLOBAL i64 *out) {
  BARRIER();
  if (LOCAL_ID() == 0) out[0] = BLOCK_ID();
  BARRIER();
}

KERNEL plain_beside_atomic(GLOBAL i64 *out) {
  ATOMIC_UPDATE(i64, add_i64, out, 0, 1);
  if (GLOBAL_ID() == 5) out[1] = out[0];
}

KERNEL out_of_bounds(GLOBAL i64 *out, i64 n) { if (GLOBAL_ID() <= n) out[GLOBAL_ID()] = 1; }

KERNEL out_of_shared(GLOBAL i64 *out) {
  SHARED(i64, part, 64);
  SHARED(i64, other, 64);
  other[LOCAL_ID()] = 1;
  part[LOCAL_ID() + 1] = 1;
  BARRIER();
  out[GLOBAL_ID()] = part[LOCAL_ID()];
}

KERNEL early_end(GLOBAL i64 *out) {
  if (LOCAL_ID() == 3) return;
  BARRIER();
  out[GLOBAL_ID()] = 1;
}

KERNEL two_barriers(GLOBAL i64 *out) {
  if (LOCAL_ID() < 32) {
    BARRIER();
  } else {
    BARRIER();
  }
  out[GLOBAL_ID()] = 1;
}

// The first thread waits for the second one of its block.
KERNEL waits_inside(GLOBAL i64 *flag) {
  if (LOCAL_ID() == 0)
    while (raido_peek_64(flag) == 0) { }
  else (void)raido_cas_64(flag, 0, 1);
}
