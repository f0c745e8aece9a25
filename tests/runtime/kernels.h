// kernels.h - kernels in the words of the vocabularies, correct ones and ones with a planted fault; kernels.c runs them.
RAIDO_INLINE i64 add_i64(i64 x, i64 y) { return (i64)((u64)x + (u64)y); }
RAIDO_INLINE i64 max_i64(i64 x, i64 y) { return x > y ? x : y; }
RAIDO_INLINE i64 xor_i64(i64 x, i64 y) { return x ^ y; }
RAIDO_INLINE i32 min_i32(i32 x, i32 y) { return x < y ? x : y; }
RAIDO_INLINE f64 add_f64(f64 x, f64 y) { return x + y; }
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

// Shared memory, updated by operations that a device may have and by compare-and-swap; then memory of the device.
KERNEL gathered(GLOBAL i64 *out) {
  SHARED(i64, own, 4);
  SHARED(f64, sum, 1);
  SHARED(i32, least, 1);
  SHARED(u8, bytes, 4);
  if (LOCAL_ID() < 4) own[LOCAL_ID()] = 0, bytes[LOCAL_ID()] = 0;
  if (LOCAL_ID() == 0) sum[0] = 0.0, least[0] = 1000;
  BARRIER();
  NATIVE_UPDATE(i64, add, LOCAL, own, 0, LOCAL_ID());
  NATIVE_UPDATE(i64, max, LOCAL, own, 1, LOCAL_ID());
  NATIVE_UPDATE(i64, xor, LOCAL, own, 2, (i64)1 << 40 << LOCAL_ID() % 16);
  NATIVE_UPDATE(f64, add, LOCAL, sum, 0, 0.5);
  NATIVE_UPDATE(i32, min, LOCAL, least, 0, 7 - (i32)LOCAL_ID());
  SHARED_UPDATE(u8, add_u8, bytes, 1, 1);
  {
    ATOMIC_CELL(i64, LOCAL, own, 3);
    do {
      i64 old = ATOMIC_OLD(i64);
      ATOMIC_SWAP(i64, old + 3);
    } while (ATOMIC_AGAIN);
  }
  BARRIER();
  if (LOCAL_ID() < 4) NATIVE_UPDATE(i64, add, GLOBAL, out, LOCAL_ID(), own[LOCAL_ID()]);
  if (LOCAL_ID() == 0) ATOMIC_UPDATE(i64, add_i64, out, 4, (i64)sum[0] + 1000 * least[0] + 1000000 * bytes[1]);
}

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
