-- A date library: civil dates from days, weekdays, formatted as bytes, sum-typed months.
module date: {
  type t
  val of_ymd: i32 -> i32 -> i32 -> #ok t | #error
  val to_ymd: t -> (i32, i32, i32)
  val add_days: i32 -> t -> t
  val diff: t -> t -> i32
  val weekday: t -> #mon | #tue | #wed | #thu | #fri | #sat | #sun
  val show: t -> [10]u8
} = {
  type t = i32

  def days_from_civil (y: i32) (m: i32) (d: i32): i32 =
    let y = if m <= 2 then y - 1 else y
    let era = (if y >= 0 then y else y - 399) // 400
    let yoe = y - era * 400
    let doy = (153 * (m + (if m > 2 then -3 else 9)) + 2) // 5 + d - 1
    let doe = yoe * 365 + yoe // 4 - yoe // 100 + doy
    in era * 146097 + doe - 719468

  def to_ymd (z: t) =
    let z = z + 719468
    let era = (if z >= 0 then z else z - 146096) // 146097
    let doe = z - era * 146097
    let yoe = (doe - doe // 1460 + doe // 36524 - doe // 146096) // 365
    let doy = doe - (365 * yoe + yoe // 4 - yoe // 100)
    let mp = (5 * doy + 2) // 153
    let d = doy - (153 * mp + 2) // 5 + 1
    let m = if mp < 10 then mp + 3 else mp - 9
    in (yoe + era * 400 + i32.bool (m <= 2), m, d)

  def of_ymd y m d: #ok t | #error =
    let n = days_from_civil y m d
    in if m >= 1 && m <= 12 && to_ymd n == (y, m, d) then #ok n else #error

  def add_days k (d: t): t = d + k
  def diff (a: t) (b: t) = a - b

  def weekday (d: t): #mon | #tue | #wed | #thu | #fri | #sat | #sun =
    match (d + 3) % 7
    case 0 -> #mon
    case 1 -> #tue
    case 2 -> #wed
    case 3 -> #thu
    case 4 -> #fri
    case 5 -> #sat
    case _ -> #sun

  def two (x: i32): [2]u8 = [u8.i32 (x / 10 % 10) + '0', u8.i32 (x % 10) + '0']

  def show d =
    let (y, m, d) = to_ymd d
    in two (y / 100) ++ two y ++ "-" ++ two m ++ "-" ++ two d :> [10]u8
}

def number (d: #mon | #tue | #wed | #thu | #fri | #sat | #sun): u8 =
  match d
  case #mon -> 1
  case #tue -> 2
  case #wed -> 3
  case #thu -> 4
  case #fri -> 5
  case #sat -> 6
  case #sun -> 7

-- ==
-- entry: after
-- input { 2024i32 2i32 28i32 [0i32, 1i32, 2i32, 366i32, -60i32] }
-- output { [[50u8, 48u8, 50u8, 52u8, 45u8, 48u8, 50u8, 45u8, 50u8, 56u8], [50u8, 48u8, 50u8, 52u8, 45u8, 48u8, 50u8, 45u8,
--   50u8, 57u8], [50u8, 48u8, 50u8, 52u8, 45u8, 48u8, 51u8, 45u8, 48u8, 49u8], [50u8, 48u8, 50u8, 53u8, 45u8, 48u8, 50u8,
--   45u8, 50u8, 56u8], [50u8, 48u8, 50u8, 51u8, 45u8, 49u8, 50u8, 45u8, 51u8, 48u8]] [3u8, 4u8, 5u8, 5u8, 6u8] -60i32 }
-- input { 2023i32 2i32 29i32 [0i32] } output { [[48u8, 48u8, 48u8, 48u8, 48u8, 48u8, 48u8, 48u8, 48u8, 48u8]] [0u8] -1i32 }
-- input { 1i32 1i32 1i32 [-1i32] } output { [[48u8, 48u8, 48u8, 48u8, 45u8, 49u8, 50u8, 45u8, 51u8, 49u8]] [7u8] -1i32 }
entry after [n] (y: i32) (m: i32) (d: i32) (ks: [n]i32) =
  match date.of_ymd y m d
  case #error -> (map (const "0000000000") ks, map (const 0) ks, -1)
  case #ok t ->
    let ts = map (\k -> date.add_days k t) ks
    in (map date.show ts, map (date.weekday >-> number) ts,
        if n == 0 then 0 else date.diff ts[n - 1] t)
