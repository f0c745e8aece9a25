// values.h - values of the outside world: reading them as text or binary data, printing them, the data format of both.
//
// The reader knows the expected type. It decides per value: after blanks, a byte `b` starts binary data, all else is
// text. Elements are read into a growing buffer, since the extents of a text array are known only at its end.

enum raido_type { RAIDO_I8, RAIDO_I16, RAIDO_I32, RAIDO_I64, RAIDO_U8, RAIDO_U16, RAIDO_U32, RAIDO_U64,
                  RAIDO_F16, RAIDO_F32, RAIDO_F64, RAIDO_BOOL };

static const struct { const char *name; int bytes; } raido_types[] = {
  {"i8", 1}, {"i16", 2}, {"i32", 4}, {"i64", 8}, {"u8", 1}, {"u16", 2}, {"u32", 4}, {"u64", 8},
  {"f16", 2}, {"f32", 4}, {"f64", 8}, {"bool", 1}};

// A scalar, or an array in row major order. RAIDO_MAX_RANK is the greatest rank in the program's interface.
struct raido_value {
  enum raido_type type;
  int rank;
  int borrowed;             // the memory belongs to the user
  i64 shape[RAIDO_MAX_RANK];
  void *data;               // rank > 0: a block, of the device if values lie there
  unsigned char scalar[8];  // rank 0
};

RAIDO_INLINE i64 raido_volume(const struct raido_value *v) {
  i64 n = 1;
  for (int k = 0; k < v->rank; k++) n *= v->shape[k];
  return n;
}

RAIDO_INLINE i64 raido_value_bytes(const struct raido_value *v) { return raido_volume(v) * raido_types[v->type].bytes; }

// ---- Input ----

struct raido_input {
  FILE *file;
  int ended;
  size_t at, end;
  int is_binary;           // the value that is wrong
  char problem[640];       // what was expected and what came, when a value could not be read
  char buffer[65536];
};

// Remembers what is wrong with a value; the first report counts.
RAIDO_FN int raido_mismatch(struct raido_input *in, const char *got, const char *format, ...) __attribute__((format(printf, 3, 4), cold));

RAIDO_FN int raido_mismatch(struct raido_input *in, const char *got, const char *format, ...) {
  if (in->problem[0] != 0) return 0;
  va_list args;
  va_start(args, format);
  size_t n = (size_t)vsnprintf(in->problem, sizeof in->problem, format, args);
  va_end(args);
  if (n >= sizeof in->problem) return 0;
  const char *text = got[0] == 0 ? ", but the input ended" : ", but got `%.100s`";
  snprintf(in->problem + n, sizeof in->problem - n, text, got);
  return 0;
}

// What there is, without waiting until there is more: whoever writes may wait for an answer. 0 at the end.
RAIDO_FN size_t raido_more(struct raido_input *in, void *to, size_t n) {
  ssize_t got;
  do got = in->ended ? 0 : read(fileno(in->file), to, n);
  while (got < 0 && errno == EINTR);
  in->ended = got <= 0;
  return got > 0 ? (size_t)got : 0;
}

RAIDO_FN int raido_peek(struct raido_input *in) {
  if (in->at == in->end) {
    in->at = 0;
    in->end = raido_more(in, in->buffer, sizeof in->buffer);
    if (in->end == 0) return EOF;
  }
  return (unsigned char)in->buffer[in->at];
}

RAIDO_FN int raido_next(struct raido_input *in) {
  int c = raido_peek(in);
  if (c != EOF) in->at++;
  return c;
}

RAIDO_FN size_t raido_take(struct raido_input *in, void *to, size_t n) {
  size_t got = 0;
  while (got < n) {
    if (in->at == in->end && n - got >= sizeof in->buffer) {   // no detour for what is long
      size_t direct = raido_more(in, (char *)to + got, n - got);
      if (direct == 0) break;
      got += direct;
      continue;
    }
    if (raido_peek(in) == EOF) break;
    size_t part = in->end - in->at < n - got ? in->end - in->at : n - got;
    memcpy((char *)to + got, in->buffer + in->at, part);
    in->at += part;
    got += part;
  }
  return got;
}

RAIDO_INLINE int raido_is_blank(int c) { return c == ' ' || (c >= 9 && c <= 13); }

RAIDO_FN void raido_skip_blanks(struct raido_input *in) {
  while (raido_is_blank(raido_peek(in))) raido_next(in);
}

RAIDO_INLINE int raido_is_token(int c) {
  return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '.' || c == '-' || c == '+' || c == '_';
}

enum { RAIDO_TOKEN = 400 };

// The next token without underscores; empty at the end of the input. Comments run from `--` to the end of the line.
RAIDO_FN void raido_token(struct raido_input *in, char *token) {
  for (;;) {
    raido_skip_blanks(in);
    int n = 0, c = raido_peek(in), comment = 0;
    if (c == EOF) { token[0] = 0; return; }
    if (!raido_is_token(c)) { token[0] = (char)raido_next(in); token[1] = 0; return; }
    while (raido_is_token(c = raido_peek(in))) {
      raido_next(in);
      if (n == 1 && c == '-' && token[0] == '-') { comment = 1; break; }
      if (c == '_') continue;
      if (n < RAIDO_TOKEN - 1) token[n++] = (char)c;
      else token[n - 1] = '_';                           // too long: no number
    }
    token[n] = 0;
    if (!comment) return;
    while ((c = raido_next(in)) != '\n' && c != EOF) {}
  }
}

RAIDO_FN int raido_strip_suffix(char *token, const char *suffix) {
  size_t n = strlen(token), m = strlen(suffix);
  if (n <= m || strcmp(token + n - m, suffix) != 0) return 0;
  token[n - m] = 0;
  return 1;
}

// The first number of the program that did not fit into its type, and what is read instead.
RAIDO_FN void raido_warn_of_low_bits(const char *number, const char *type, const char *what) {
  static int warned;
  if (__atomic_exchange_n(&warned, 1, __ATOMIC_RELAXED)) return;
  fprintf(stderr, "Warning: %.100s does not fit into %s: %s are read. Other such numbers are not reported.\n", number, type, what);
}

// A number that does not fit keeps its low bits, as users of the data format expect. Beyond 64 bits it is the nearest number of 64 bits
// first. Hexadecimal and binary digits may also fill the sign.
RAIDO_FN int raido_scan_integer(char *t, enum raido_type type, void *out) {
  const char *number = t;
  int negative = 0, base = 10, digits = 0;
  raido_strip_suffix(t, raido_types[type].name);
  if (*t == '-' || *t == '+') negative = *t++ == '-';
  if (t[0] == '0' && (t[1] == 'x' || t[1] == 'X')) { base = 16; t += 2; }
  else if (t[0] == '0' && (t[1] == 'b' || t[1] == 'B')) { base = 2; t += 2; }
  u64 value = 0;
  int over = 0;
  for (; *t != 0; t++, digits++) {
    int d = *t >= '0' && *t <= '9' ? *t - '0' : *t >= 'a' && *t <= 'f' ? *t - 'a' + 10 : *t >= 'A' && *t <= 'F' ? *t - 'A' + 10 : 99;
    if (d >= base) return 0;
    if (__builtin_mul_overflow(value, (u64)base, &value)) over = 1;
    if (__builtin_add_overflow(value, (u64)d, &value)) over = 1;
  }
  if (digits == 0) return 0;
  int is_signed = type <= RAIDO_I64;
  u64 all = UINT64_MAX >> (64 - 8 * raido_types[type].bytes), half = all / 2 + 1;
  u64 limit = negative ? (is_signed ? half : 0) : is_signed && base == 10 ? half - 1 : all;
  if (over || value > limit) {
    u64 greatest = !is_signed ? UINT64_MAX : negative ? (u64)1 << 63 : base == 10 ? INT64_MAX : UINT64_MAX;
    if (value > greatest) over = 1;
    raido_warn_of_low_bits(number, raido_types[type].name, over ? "the low bits of the nearest number of 64 bits" : "its low bits");
    if (over) {
      value = greatest;
      negative &= is_signed;
    }
  }
  if (negative) value = 0 - value;
  switch (raido_types[type].bytes) {
    case 1: { u8 x = (u8)value; memcpy(out, &x, 1); break; }
    case 2: { u16 x = (u16)value; memcpy(out, &x, 2); break; }
    case 4: { u32 x = (u32)value; memcpy(out, &x, 4); break; }
    default: memcpy(out, &value, 8);
  }
  return 1;
}

RAIDO_FN int raido_scan_float(char *t, enum raido_type type, void *out) {
  const char *name = raido_types[type].name;
  double value;
  char special[16];
  snprintf(special, sizeof special, "-%s.inf", name);
  if (strcmp(t, special) == 0) value = -INFINITY;
  else if (strcmp(t, special + 1) == 0) value = INFINITY;
  else if (strncmp(t, name, 3) == 0 && strcmp(t + 3, ".nan") == 0) value = NAN;
  else {
    int hexadecimal = strpbrk(t, "xX") != NULL && strpbrk(t, "pP") == NULL;
    if (!hexadecimal) raido_strip_suffix(t, name);
    char *end;
    if (*t == 0) return 0;
    value = type == RAIDO_F32 ? (double)strtof(t, &end) : strtod(t, &end);
    if (*end != 0) return 0;
  }
  if (type == RAIDO_F64) memcpy(out, &value, 8);
  else if (type == RAIDO_F32) { f32 x = (f32)value; memcpy(out, &x, 4); }
  else { f16 x = raido_f32_to_f16(raido_odd_f32(value)); memcpy(out, &x, 2); }
  return 1;
}

RAIDO_FN int raido_scan(char *token, enum raido_type type, void *out) {
  if (type == RAIDO_BOOL) {
    u8 x = strcmp(token, "true") == 0;
    memcpy(out, &x, 1);
    return x || strcmp(token, "false") == 0;
  }
  return type >= RAIDO_F16 ? raido_scan_float(token, type, out) : raido_scan_integer(token, type, out);
}

struct raido_buffer { char *data; size_t used, size; int failed; };

RAIDO_FN char *raido_grow(struct raido_buffer *b, size_t n) {
  if (b->used + n > b->size) {
    b->size = 2 * b->size + n + 1024;
    char *data = realloc(b->data, b->size);
    if (data == NULL) return NULL;
    b->data = data;
  }
  b->used += n;
  return b->data + b->used - n;
}

// ---- Fast ways for what data consist of ----

// The next token as a number of this type, if it is a plain one that lies in the buffer; otherwise 0, and nothing is taken. Every number
// that is read here is what raido_scan makes of it.
RAIDO_FN int raido_fast_number(struct raido_input *in, enum raido_type type, void *out) {
  const char *p = in->buffer + in->at, *end = in->buffer + in->end;
  while (p < end && raido_is_blank((unsigned char)*p)) p++;
  if (end - p < 128 || type == RAIDO_F16 || type == RAIDO_BOOL) return 0;
  const char *stop = p + 64;                           // far enough from the end for what follows the digits
  int negative = *p == '-', digits = 0, places = 0, exponent = 0;   // zeros at the front are no digits
  p += negative;
  u64 m = 0;
  if (*p < '0' || *p > '9') return 0;
  for (; *p >= '0' && *p <= '9' && p < stop && digits < 19; p++, digits += m != 0) m = 10 * m + (u64)(*p - '0');
  if (type >= RAIDO_F32) {
    if (*p == '.' && p[1] >= '0' && p[1] <= '9')
      for (p++; *p >= '0' && *p <= '9' && p < stop && digits < 19; p++, digits += m != 0, places++) m = 10 * m + (u64)(*p - '0');
    if (*p == 'e' || *p == 'E') {
      int down = p[1] == '-';
      const char *q = p + 1 + (p[1] == '-' || p[1] == '+');
      if (*q < '0' || *q > '9') return 0;
      for (; *q >= '0' && *q <= '9' && q < stop + 32 && exponent < 1000; q++) exponent = 10 * exponent + (*q - '0');
      if (down) exponent = -exponent;
      p = q;
    }
  } else if (*p >= '0' && *p <= '9') {                 // the twentieth digit may be one too many
    if (__builtin_mul_overflow(m, UINT64_C(10), &m) || __builtin_add_overflow(m, (u64)(*p++ - '0'), &m)) return 0;
  }
  const char *name = raido_types[type].name;
  if (*p == name[0] && strncmp(p, name, strlen(name)) == 0) p += strlen(name);
  if (raido_is_token((unsigned char)*p)) return 0;
  if (type < RAIDO_F16) {
    u64 all = UINT64_MAX >> (64 - 8 * raido_types[type].bytes), limit = type <= RAIDO_I64 ? all / 2 : all;
    if (m > limit || (negative && type > RAIDO_I64)) return 0;
    if (negative) m = 0 - m;
    memcpy(out, &m, (size_t)raido_types[type].bytes);          // little endian
  } else {
#if LDBL_MANT_DIG == 64 && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
    // Powers up to 10^27 are exact, so the product has one rounding, to 64 bits; the second one is right unless those are next to a tie.
    static const long double powers[] = {1e0L, 1e1L, 1e2L, 1e3L, 1e4L, 1e5L, 1e6L, 1e7L, 1e8L, 1e9L, 1e10L, 1e11L, 1e12L, 1e13L,
                                         1e14L, 1e15L, 1e16L, 1e17L, 1e18L, 1e19L, 1e20L, 1e21L, 1e22L, 1e23L, 1e24L, 1e25L, 1e26L, 1e27L};
    exponent -= places;
    if (exponent < -27 || exponent > 27) return 0;
    long double x = exponent < 0 ? (long double)m / powers[-exponent] : (long double)m * powers[exponent];
    u64 bits;
    memcpy(&bits, &x, sizeof bits);
    u64 below = type == RAIDO_F64 ? bits & 0x7ff : bits & 0xffffffffff, tie = type == RAIDO_F64 ? 0x400 : UINT64_C(0x8000000000);
    if (below + 1 >= tie && below <= tie + 1) return 0;
    if (negative) x = -x;
    if (type == RAIDO_F64) { f64 y = (f64)x; memcpy(out, &y, sizeof y); }
    else if (x > FLT_MAX || x < -FLT_MAX) return 0;
    else { f32 y = (f32)x; memcpy(out, &y, sizeof y); }
#else
    return 0;
#endif
  }
  in->at = (size_t)(p - in->buffer);
  return 1;
}

// Reads a text array whose first token is in `token`; depth is the number of brackets already open.
// Plain numbers with commas between them, and before them unless they begin the row, as many as there are; a comma after them stays.
// How many, or -1 if there is no memory.
RAIDO_FN i64 raido_fast_row(struct raido_input *in, enum raido_type type, struct raido_buffer *b, int begins) {
  size_t size = (size_t)raido_types[type].bytes, before = 0;
  for (i64 n = 0;; n++) {
    unsigned char number[8];
    if (in->end - in->at < 256 && in->end == sizeof in->buffer) {   // what is left goes to the front
      memmove(in->buffer, in->buffer + in->at, in->end - in->at);
      in->end -= in->at;
      in->at = 0;
      in->end += raido_more(in, in->buffer + in->end, sizeof in->buffer - in->end);
    }
    before = in->at;
    if (n > 0 || !begins) {
      if (in->at == in->end || in->buffer[in->at] != ',') return n;
      in->at++;
    }
    if (!raido_fast_number(in, type, number)) {
      in->at = before;
      return n;
    }
    char *to = raido_grow(b, size);
    if (to == NULL) return -1;
    memcpy(to, number, size);
  }
}

RAIDO_FN int raido_read_rows(struct raido_input *in, char *token, struct raido_value *v, int depth, int *known, struct raido_buffer *b) {
  i64 n = 0;
  if (strcmp(token, "[") != 0) return raido_mismatch(in, token, "expected `[` of %s", depth == 0 ? "an array" : "a row");
  if (depth + 1 == v->rank) n = raido_fast_row(in, v->type, b, 1);
  if (n < 0) return 0;
  raido_token(in, token);
  while (strcmp(token, "]") != 0) {
    if (n > 0) {
      if (strcmp(token, ",") != 0) return raido_mismatch(in, token, "expected `,` or `]` after element %" PRId64, n - 1);
      raido_token(in, token);
      if (strcmp(token, "]") == 0) break;
    }
    if (depth + 1 < v->rank) {
      if (!raido_read_rows(in, token, v, depth + 1, known, b)) return 0;
    } else {
      char *out = raido_grow(b, (size_t)raido_types[v->type].bytes);
      if (out == NULL) return 0;
      char word[RAIDO_TOKEN];
      memcpy(word, token, sizeof word);
      if (!raido_scan(token, v->type, out)) return raido_mismatch(in, word, "expected an element of type %s", raido_types[v->type].name);
      i64 more = raido_fast_row(in, v->type, b, 0);
      if (more < 0) return 0;
      n += more;
    }
    n++;
    raido_token(in, token);
  }
  // Without a row its extents are unknown.
  if (n == 0 && depth + 1 < v->rank) return raido_mismatch(in, "[]", "expected rows, or `empty([0]..%s)` with all dimensions", raido_types[v->type].name);
  if (!known[depth]) { known[depth] = 1; v->shape[depth] = n; }
  if (v->shape[depth] == n) return 1;
  char length[32];
  snprintf(length, sizeof length, "%" PRId64, n);
  return raido_mismatch(in, length, "expected rows of the same length, %" PRId64 " as in the first", v->shape[depth]);
}

RAIDO_FN int raido_read_empty(struct raido_input *in, char *token, struct raido_value *v) {
  int zero = 0;
  raido_token(in, token);
  if (strcmp(token, "(") != 0) return 0;
  for (int k = 0; k < v->rank; k++) {
    raido_token(in, token);
    if (strcmp(token, "[") != 0) return 0;
    raido_token(in, token);
    char *end;
    v->shape[k] = strtoll(token, &end, 10);
    if (*token < '0' || *token > '9' || *end != 0) return 0;
    zero |= v->shape[k] == 0;
    raido_token(in, token);
    if (strcmp(token, "]") != 0) return 0;
  }
  raido_token(in, token);
  if (strcmp(token, raido_types[v->type].name) != 0) return 0;
  raido_token(in, token);
  return strcmp(token, ")") == 0 && zero;
}

// Copies what is in the buffer, from the end on. What was copied goes back to the system at once, so that data are not there twice.
RAIDO_FN void raido_move(struct raido_buffer *b, char *to) {
  const size_t part = (size_t)1 << 20;
  while (b->used > 0) {
    size_t begin = (b->used - 1) / part * part;
    memcpy(to + begin, b->data + begin, b->used - begin);
    b->used = begin;
    char *less = begin > 0 ? realloc(b->data, begin) : NULL;
    if (less != NULL) b->data = less;
  }
}

RAIDO_FN int raido_read_text(struct raido_worker *w, struct raido_input *in, struct raido_value *v) {
  char token[RAIDO_TOKEN];
  raido_token(in, token);
  if (v->rank == 0) {
    char word[RAIDO_TOKEN];
    memcpy(word, token, sizeof word);
    return raido_scan(token, v->type, v->scalar) || raido_mismatch(in, word, "expected a value of type %s", raido_types[v->type].name);
  }
  struct raido_buffer b = {NULL, 0, 0, 0};
  int known[RAIDO_MAX_RANK] = {0};
  int ok = strcmp(token, "empty") != 0 ? raido_read_rows(in, token, v, 0, known, &b)
           : raido_read_empty(in, token, v) ||
                 raido_mismatch(in, token, "expected `empty(..)` with %d dimensions, one of them 0, of %s", v->rank, raido_types[v->type].name);
  if (ok) {
    v->data = raido_alloc(w, (i64)b.used);
    ok = v->data != NULL;
    if (ok) raido_move(&b, v->data);
  }
  free(b.data);
  return ok;
}

RAIDO_FN int raido_wrong_binary(struct raido_input *in, const char *format, ...) __attribute__((format(printf, 2, 3), cold));

RAIDO_FN int raido_wrong_binary(struct raido_input *in, const char *format, ...) {
  va_list args;
  va_start(args, format);
  vsnprintf(in->problem, sizeof in->problem, format, args);
  va_end(args);
  return 0;
}

RAIDO_FN int raido_read_binary(struct raido_worker *w, struct raido_input *in, struct raido_value *v) {
  unsigned char head[2];
  char name[5] = {0};
  raido_next(in);
  in->is_binary = 1;
  if (raido_take(in, head, 1) != 1) return raido_wrong_binary(in, "could not read version.");
  if (head[0] != 2) return raido_wrong_binary(in, "File uses version %d, but I only understand version 2.", head[0]);
  if (raido_take(in, head + 1, 1) != 1) return raido_wrong_binary(in, "could not read rank.");
  if (raido_take(in, name, 4) != 4) return raido_wrong_binary(in, "could not read type.");
  const char *trimmed = name + strspn(name, " ");
  int type = 0, rank = head[1], count = (int)(sizeof raido_types / sizeof raido_types[0]);
  while (type < count && strcmp(trimmed, raido_types[type].name) != 0) type++;
  if (type == count) return raido_wrong_binary(in, "Did not recognize the type '%s'.", name);
  if (v->rank == 0 && rank != 0)
    return raido_wrong_binary(in, "Expected scalar (0 dimensions), but got array with %d dimensions.", rank);
  if (v->rank != rank)
    return raido_wrong_binary(in, "Expected %d dimensions, but got array with %d dimensions.", v->rank, rank);
  if (type != (int)v->type && rank == 0)
    return raido_wrong_binary(in, "Expected scalar of type %s but got scalar of type %s.", raido_types[v->type].name, trimmed);
  if (type != (int)v->type)
    return raido_wrong_binary(in, "Expected %dD-array with element type '%s' but got %dD-array with element type '%s'.", v->rank,
                raido_types[v->type].name, rank, trimmed);
  size_t bytes = (size_t)raido_types[type].bytes;
  if (rank == 0) {
    in->is_binary = 0;                               // cut short, it is reported as a text
    if (raido_take(in, v->scalar, bytes) != bytes) return raido_mismatch(in, "", "expected a value of type %s", raido_types[type].name);
    if (type == RAIDO_BOOL) v->scalar[0] = v->scalar[0] != 0;
    return 1;
  }
  i64 n = 1;
  for (int k = 0; k < rank; k++) {
    if (raido_take(in, &v->shape[k], 8) != 8) return raido_wrong_binary(in, "Couldn't get dims.");
    if (v->shape[k] < 0) return raido_wrong_binary(in, "Failed to allocate array of size %" PRId64 ".", (i64)((u64)v->shape[k] * bytes));
    n = raido_size(n, v->shape[k]);
  }
  v->data = raido_alloc(w, raido_size(n, (i64)bytes));
  if (v->data == NULL) return raido_wrong_binary(in, "Failed to allocate array of size %" PRId64 ".", n);
  size_t got = raido_take(in, v->data, (size_t)n * bytes);
  if (got != (size_t)n * bytes) {
    raido_release(w, v->data);
    v->data = NULL;
    return raido_wrong_binary(in, "tried to read %" PRId64 " elements of an array, but only got %" PRId64 " elements.", n, (i64)(got / bytes));
  }
  if (type == RAIDO_BOOL)
    for (i64 i = 0; i < n; i++) ((u8 *)v->data)[i] = ((u8 *)v->data)[i] != 0;
  return 1;
}

// Reads a value of v's type and rank; 0 if the input is not one.
RAIDO_FN int raido_read(struct raido_worker *w, struct raido_input *in, struct raido_value *v) {
  raido_skip_blanks(in);
  in->is_binary = 0;
  in->problem[0] = 0;
  return raido_peek(in) == 'b' ? raido_read_binary(w, in, v) : raido_read_text(w, in, v);
}

// ---- Output ----

// Writes a number to `to`, which has room for RAIDO_SCALAR_TEXT bytes, and returns the end.
RAIDO_FN char *raido_scalar_text(char *to, enum raido_type type, const void *p) {
  i64 i = 0;
  u64 u = 0;
  switch (type) {
    case RAIDO_I8: i = *(const i8 *)p; break;
    case RAIDO_I16: { i16 x; memcpy(&x, p, 2); i = x; break; }
    case RAIDO_I32: { i32 x; memcpy(&x, p, 4); i = x; break; }
    case RAIDO_I64: memcpy(&i, p, 8); break;
    case RAIDO_U8: u = *(const u8 *)p; break;
    case RAIDO_U16: { u16 x; memcpy(&x, p, 2); u = x; break; }
    case RAIDO_U32: { u32 x; memcpy(&x, p, 4); u = x; break; }
    case RAIDO_U64: memcpy(&u, p, 8); break;
    case RAIDO_F16: { f16 x; memcpy(&x, p, 2); return raido_float_text(to, (f64)raido_f16_to_f32(x), 9, "f16"); }
    case RAIDO_F32: { f32 x; memcpy(&x, p, 4); return raido_float_text(to, (f64)x, 9, "f32"); }
    case RAIDO_F64: { f64 x; memcpy(&x, p, 8); return raido_float_text(to, x, 17, "f64"); }
    case RAIDO_BOOL: return to + sprintf(to, *(const u8 *)p ? "true" : "false");
  }
  return raido_integer_text(to, type > RAIDO_I64 ? u : i < 0 ? 0 - (u64)i : (u64)i, i < 0, raido_types[type].name);
}

RAIDO_FN const char *raido_print_rows(FILE *out, const struct raido_value *v, int depth, const char *p) {
  char text[4096], *to = text;
  *to++ = '[';
  for (i64 i = 0; i < v->shape[depth]; i++) {
    if (i > 0) { *to++ = ','; *to++ = ' '; }
    if (depth + 1 == v->rank) {
      to = raido_scalar_text(to, v->type, p);
      p += raido_types[v->type].bytes;
    }
    if (depth + 1 == v->rank && to < text + sizeof text - RAIDO_SCALAR_TEXT - 3) continue;
    fwrite(text, 1, (size_t)(to - text), out);
    to = text;
    if (depth + 1 < v->rank) p = raido_print_rows(out, v, depth + 1, p);
  }
  *to++ = ']';
  fwrite(text, 1, (size_t)(to - text), out);
  return p;
}

RAIDO_FN void raido_print_text(FILE *out, const struct raido_value *v) {
  if (v->rank == 0) {
    char text[RAIDO_SCALAR_TEXT];
    fwrite(text, 1, (size_t)(raido_scalar_text(text, v->type, v->scalar) - text), out);
    return;
  }
  if (raido_volume(v) != 0) { raido_print_rows(out, v, 0, v->data); return; }
  fputs("empty(", out);
  for (int k = 0; k < v->rank; k++) fprintf(out, "[%" PRId64 "]", v->shape[k]);
  fprintf(out, "%s)", raido_types[v->type].name);
}

RAIDO_FN void raido_print_binary(FILE *out, const struct raido_value *v) {
  fputc('b', out);
  fputc(2, out);
  fputc(v->rank, out);
  fprintf(out, "%4s", raido_types[v->type].name);
  fwrite(v->shape, 8, (size_t)v->rank, out);
  size_t bytes = (size_t)raido_types[v->type].bytes;
  if (v->rank == 0) fwrite(v->scalar, 1, bytes, out);
  else fwrite(v->data, bytes, (size_t)raido_volume(v), out);
}
