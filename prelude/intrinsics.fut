-- | What only `intrinsics.NAME` reaches: accumulators and strided views, and the primitive types also there.

import "array"
import "soacs"

module intrinsics = {
  type i8 = i8    type i16 = i16    type i32 = i32    type i64 = i64
  type u8 = u8    type u16 = u16    type u32 = u32    type u64 = u64
  type f16 = f16  type f32 = f32    type f64 = f64    type bool = bool

  -- | A write-only view of an array of type a, as the streams below give it to their function.
  module accumulators: { type~ acc 'a } = { type~ acc 'a = bool }
  open accumulators

  -- | Run f for every element of bs in any order; what it writes ends in dest. Of two writes to one place either stays.
  #[intrinsic]
  def scatter_stream 'a 'b [k] [n] (dest: *[k]a) (f: *acc ([k]a) -> b -> acc ([k]a)) (bs: [n]b): *[k]a = ???

  -- | As scatter_stream; writes are combined by op, with neutral element ne.
  #[intrinsic]
  def hist_stream 'a 'b [k] [n] (dest: *[k]a) (op: a -> a -> a) (ne: a) (f: *acc ([k]a) -> b -> acc ([k]a)) (bs: [n]b): *[k]a = ???

  -- | Write x at index i; what lies outside is ignored.
  #[intrinsic]
  def acc_write 'a [k] (accumulator: *acc ([k]a)) (i: i64) (x: a): *acc ([k]a) = ???

  -- Is every element of a view inside an array of size n? Strides are compared first, so that nothing overflows.
  local def inside (n: i64) (offset: i64) (n1: i64, s1: i64) (n2: i64, s2: i64) (n3: i64, s3: i64) (n4: i64, s4: i64): bool =
    let fits (k: i64, s: i64) = k <= 1 || (let most = n / (k - 1) in -most <= s && s <= most)
    let low (k: i64, s: i64) = if s < 0 then (k - 1) * s else 0
    let high (k: i64, s: i64) = if s < 0 then 0 else (k - 1) * s
    in n1 >= 0 && n2 >= 0 && n3 >= 0 && n4 >= 0
       && (n1 == 0 || n2 == 0 || n3 == 0 || n4 == 0
           || (0 <= offset && offset < n && fits (n1, s1) && fits (n2, s2) && fits (n3, s3) && fits (n4, s4)
               && 0 <= offset + low (n1, s1) + low (n2, s2) + low (n3, s3) + low (n4, s4)
               && offset + high (n1, s1) + high (n2, s2) + high (n3, s3) + high (n4, s4) < n))

  -- as, or an error that shows the view.
  #[intrinsic(checked_view)]
  local def checked2 'a [n] (ok: bool) (as: [n]a) (offset: i64) (n1: i64) (s1: i64) (n2: i64) (s2: i64): [n]a = ???
  #[intrinsic(checked_view)]
  local def checked3 'a [n] (ok: bool) (as: [n]a) (offset: i64) (n1: i64) (s1: i64) (n2: i64) (s2: i64) (n3: i64) (s3: i64): [n]a = ???
  #[intrinsic(checked_view)]
  local def checked4 'a [n] (ok: bool) (as: [n]a) (offset: i64) (n1: i64) (s1: i64) (n2: i64) (s2: i64) (n3: i64) (s3: i64)
                            (n4: i64) (s4: i64): [n]a = ???

  local def view2 'a [n] (as: [n]a) (offset: i64) (n1: i64) (s1: i64) (n2: i64) (s2: i64): [n]a =
    checked2 (inside n offset (n1, s1) (n2, s2) (1, 0) (1, 0)) as offset n1 s1 n2 s2
  local def view3 'a [n] (as: [n]a) (offset: i64) (n1: i64) (s1: i64) (n2: i64) (s2: i64) (n3: i64) (s3: i64): [n]a =
    checked3 (inside n offset (n1, s1) (n2, s2) (n3, s3) (1, 0)) as offset n1 s1 n2 s2 n3 s3
  local def view4 'a [n] (as: [n]a) (offset: i64) (n1: i64) (s1: i64) (n2: i64) (s2: i64) (n3: i64) (s3: i64) (n4: i64) (s4: i64): [n]a =
    checked4 (inside n offset (n1, s1) (n2, s2) (n3, s3) (n4, s4)) as offset n1 s1 n2 s2 n3 s3 n4 s4

  -- | The array whose element (i, j) is as[offset + i * s1 + j * s2].
  def flat_index_2d 'a [n] (as: [n]a) (offset: i64) (n1: i64) (s1: i64) (n2: i64) (s2: i64): ?[m][k].[m][k]a =
    let as = view2 as offset n1 s1 n2 s2
    in #[unsafe] tabulate_2d n1 n2 (\i j -> as[offset + i * s1 + j * s2])

  def flat_index_3d 'a [n] (as: [n]a) (offset: i64) (n1: i64) (s1: i64) (n2: i64) (s2: i64) (n3: i64) (s3: i64): ?[m][k][l].[m][k][l]a =
    let as = view3 as offset n1 s1 n2 s2 n3 s3
    in #[unsafe] tabulate_3d n1 n2 n3 (\i j k -> as[offset + i * s1 + j * s2 + k * s3])

  def flat_index_4d 'a [n] (as: [n]a) (offset: i64) (n1: i64) (s1: i64) (n2: i64) (s2: i64) (n3: i64) (s3: i64) (n4: i64) (s4: i64)
      : ?[m][k][l][p].[m][k][l][p]a =
    let as = view4 as offset n1 s1 n2 s2 n3 s3 n4 s4
    in #[unsafe] tabulate n1 (\i -> tabulate_3d n2 n3 n4 (\j k l -> as[offset + i * s1 + j * s2 + k * s3 + l * s4]))

  -- | Write vs[i, j] at offset + i * s1 + j * s2, which are different places.
  def flat_update_2d 'a [n] [m] [k] (as: *[n]a) (offset: i64) (s1: i64) (s2: i64) (vs: [m][k]a): *[n]a =
    let as = view2 as offset m s1 k s2
    in scatter as (flatten (tabulate_2d m k (\i j -> offset + i * s1 + j * s2))) (flatten vs)

  def flat_update_3d 'a [n] [m] [k] [l] (as: *[n]a) (offset: i64) (s1: i64) (s2: i64) (s3: i64) (vs: [m][k][l]a): *[n]a =
    let as = view3 as offset m s1 k s2 l s3
    in scatter as (flatten_3d (tabulate_3d m k l (\i j h -> offset + i * s1 + j * s2 + h * s3))) (flatten_3d vs)

  def flat_update_4d 'a [n] [m] [k] [l] [p] (as: *[n]a) (offset: i64) (s1: i64) (s2: i64) (s3: i64) (s4: i64) (vs: [m][k][l][p]a): *[n]a =
    let as = view4 as offset m s1 k s2 l s3 p s4
    let at = tabulate m (\i -> tabulate_3d k l p (\j h g -> offset + i * s1 + j * s2 + h * s3 + g * s4))
    in scatter as (flatten_4d at) (flatten_4d vs)
}
