// server.h - a program that keeps variables and obeys commands, one on each line of standard input.
//
// Every command ends with a line `%%% OK`; after a failure, a line `%%% FAILURE` and the message come before it. A command that fails
// changes no variable: it looks at all its words before it does anything.

struct raido_variable {
  struct raido_variable *next;         // in its bucket
  struct raido_object *object;
  int consumed;                        // a call has used it up
  char name[];
};

enum { RAIDO_BUCKETS = 1024 };

struct raido_server {
  struct raido_context *c;
  struct raido_variable *buckets[RAIDO_BUCKETS];
  char **words;                        // of the line, the command first
  size_t count, room;
};

// ---- Failures ----

RAIDO_FN void raido_failure(const char *format, ...) __attribute__((format(printf, 1, 2)));
RAIDO_FN void raido_failure(const char *format, ...) {
  va_list args;
  va_start(args, format);
  fputs("%%% FAILURE\n", stdout);
  vprintf(format, args);
  fputc('\n', stdout);
  va_end(args);
}

// What the context has to say.
RAIDO_FN void raido_context_failure(struct raido_server *s) {
  char *text = raido_get_error(s->c);
  raido_failure("%s", text != NULL ? text : "Error: out of memory.");
  free(text);
}

// ---- Variables, types, entry points; NULL or -1 after a failure ----

RAIDO_FN struct raido_variable **raido_place(struct raido_server *s, const char *name) {
  struct raido_variable **at = &s->buckets[raido_hash(UINT64_C(14695981039346656037), name) % RAIDO_BUCKETS];
  while (*at != NULL && strcmp((*at)->name, name) != 0) at = &(*at)->next;
  return at;
}

RAIDO_FN struct raido_variable *raido_variable(struct raido_server *s, const char *name) {
  struct raido_variable *v = *raido_place(s, name);
  if (v == NULL) raido_failure("Unknown variable: %s", name);
  return v;
}

RAIDO_FN struct raido_object *raido_value_of(struct raido_server *s, const char *name) {
  struct raido_variable *v = raido_variable(s, name);
  if (v == NULL) return NULL;
  if (v->consumed) raido_failure("Variable has been consumed: %s", name);
  return v->consumed ? NULL : v->object;
}

// Whether variables with these names can be made.
RAIDO_FN int raido_are_new(struct raido_server *s, size_t first, size_t n, size_t step) {
  for (size_t k = 0; k < n; k++) {
    const char *name = s->words[first + k * step];
    int known = *raido_place(s, name) != NULL;
    for (size_t j = 0; j < k; j++) known |= strcmp(name, s->words[first + j * step]) == 0;
    if (known) { raido_failure("Variable already exists: %s", name); return 0; }
  }
  return 1;
}

// Takes the object. 0, or 1 after a failure.
RAIDO_FN int raido_define(struct raido_server *s, const char *name, struct raido_object *o) {
  struct raido_variable *v = malloc(sizeof *v + strlen(name) + 1), **at = raido_place(s, name);
  if (v == NULL) {
    raido_free(s->c, o);
    raido_failure("Error: out of memory.");
    return 1;
  }
  v->next = *at;
  v->object = o;
  v->consumed = 0;
  memcpy(v->name, name, strlen(name) + 1);
  *at = v;
  return 0;
}

RAIDO_FN void raido_undefine(struct raido_server *s, const char *name) {
  struct raido_variable **at = raido_place(s, name), *v = *at;
  *at = v->next;
  raido_free(s->c, v->object);
  free(v);
}

RAIDO_FN int raido_find_type(const char *name) {
  for (int k = 0; k < RAIDO_TYPES; k++)
    if (strcmp(raido_interface[k].name, name) == 0) return k;
  raido_failure("Unknown type %s", name);
  return -1;
}

RAIDO_FN int raido_find_entry(const char *name) {
  for (int k = 0; k < RAIDO_ENTRIES; k++)
    if (strcmp(raido_entries[k].name, name) == 0) return k;
  raido_failure("Unknown entry point: %s", name);
  return -1;
}

// An object made of a value: numbers are objects here, too.
union raido_result { struct raido_object *object; unsigned char number[8]; };
RAIDO_FN struct raido_object *raido_boxed(struct raido_server *s, int type, const union raido_result *r) {
  if (!raido_is_primitive(type)) return r->object;
  struct raido_object *o = raido_object_new(s->c, type);
  if (o != NULL) memcpy(o->leaves[0].scalar, r->number, 8);
  return o;
}
RAIDO_INLINE const void *raido_unboxed(const struct raido_object *o) {
  return raido_is_primitive(o->type) ? (const void *)o->leaves[0].scalar : o;
}

// The value of a function of api.h becomes a variable, unless it failed.
RAIDO_FN void raido_define_result(struct raido_server *s, const char *name, int type, int failed, const union raido_result *r) {
  struct raido_object *o = failed ? NULL : raido_boxed(s, type, r);
  if (o == NULL) raido_context_failure(s);
  else raido_define(s, name, o);
}

// The values of the words from `first` on, whose types must be those of `parts` or, without it, `type`. Free the list; NULL after a failure.
RAIDO_FN const void **raido_operands(struct raido_server *s, size_t first, size_t n, const struct raido_part *parts, const int *types, int type,
                                     const char *what) {
  const void **values = calloc(n + 1, sizeof *values);
  if (values == NULL) raido_failure("Error: out of memory.");
  for (size_t k = 0; k < n && values != NULL; k++) {
    const struct raido_object *o = raido_value_of(s, s->words[first + k]);
    int wanted = parts != NULL ? parts[k].type : types != NULL ? types[k] : type, wrong = o == NULL;
    if (o != NULL && o->type != wanted) {
      wrong = 1;
      if (parts != NULL) raido_failure("%s %s mismatch: expected type %s, got %s", what, parts[k].name, raido_interface[wanted].name, raido_type_of(o)->name);
      else raido_failure("%s %zu mismatch: expected type %s, got %s", what, k, raido_interface[wanted].name, raido_type_of(o)->name);
    }
    if (wrong) {
      free(values);
      return NULL;
    }
    values[k] = raido_unboxed(o);
  }
  return values;
}

// ---- Commands: what is there ----

RAIDO_FN void raido_print_type(int type, int starred) { printf("%s%s\n", starred && !raido_is_primitive(type) ? "*" : "", raido_interface[type].name); }

RAIDO_FN void raido_do_types(struct raido_server *s) {
  (void)s;
  for (int k = 0; k < RAIDO_TYPES; k++) puts(raido_interface[k].name);
}
RAIDO_FN void raido_do_entry_points(struct raido_server *s) {
  (void)s;
  for (int k = 0; k < RAIDO_ENTRIES; k++) puts(raido_entries[k].name);
}
RAIDO_FN void raido_do_inputs(struct raido_server *s) {
  int e = raido_find_entry(s->words[1]);
  for (int k = 0; e >= 0 && k < raido_entries[e].input_count; k++) raido_print_type(raido_entries[e].inputs[k].type, raido_entries[e].inputs[k].consumed);
}
RAIDO_FN void raido_do_output(struct raido_server *s) {
  int e = raido_find_entry(s->words[1]);
  if (e >= 0) raido_print_type(raido_entries[e].output, raido_entries[e].unique);
}
RAIDO_FN void raido_do_outputs(struct raido_server *s) {
  int e = raido_find_entry(s->words[1]);
  if (e < 0) return;
  const struct raido_type_info *t = &raido_interface[raido_entries[e].output];
  if (!t->is_tuple) raido_print_type(raido_entries[e].output, raido_entries[e].unique);
  else for (int k = 0; k < t->part_count; k++) raido_print_type(t->parts[k].type, raido_entries[e].unique);
}
RAIDO_FN void raido_do_attributes(struct raido_server *s) {
  int e = raido_find_entry(s->words[1]);
  if (e >= 0) for (const char *const *a = raido_entries[e].attributes; *a != NULL; a++) puts(*a);
}
RAIDO_FN void raido_do_kind(struct raido_server *s) {
  static const char *const kinds[] = {"primitive", "array", "record", "sum", "opaque"};
  int t = raido_find_type(s->words[1]);
  if (t >= 0) puts(kinds[raido_interface[t].kind]);
}
// Whether a type is of this kind; if not, a failure says so.
RAIDO_FN int raido_is_kind(const struct raido_type_info *t, int kind) {
  static const char *const kinds[] = {"a primitive", "an array", "a record", "a sum", "an opaque"};
  if (t->kind != kind) raido_failure("Not %s type", kinds[kind]);
  return t->kind == kind;
}
// The number of a type of this kind, -1 after a failure.
RAIDO_FN int raido_find_type_of(const char *name, int kind) {
  int t = raido_find_type(name);
  return t >= 0 && raido_is_kind(&raido_interface[t], kind) ? t : -1;
}
RAIDO_FN void raido_do_rank(struct raido_server *s) {
  int t = raido_find_type_of(s->words[1], RAIDO_ARRAY);
  if (t >= 0) printf("%d\n", raido_interface[t].rank);
}
RAIDO_FN void raido_do_elemtype(struct raido_server *s) {
  int t = raido_find_type_of(s->words[1], RAIDO_ARRAY);
  if (t >= 0) puts(raido_interface[raido_interface[t].elem].name);
}
RAIDO_FN void raido_do_fields(struct raido_server *s) {
  int t = raido_find_type_of(s->words[1], RAIDO_RECORD);
  for (int k = 0; t >= 0 && k < raido_interface[t].part_count; k++)
    printf("%s %s\n", raido_interface[t].parts[k].name, raido_interface[raido_interface[t].parts[k].type].name);
}
RAIDO_FN void raido_do_variants(struct raido_server *s) {
  int type = raido_find_type(s->words[1]);
  if (type < 0) return;
  const struct raido_type_info *t = &raido_interface[type];
  if (!raido_is_kind(t, RAIDO_SUM)) return;
  for (int k = 0; k < t->variant_count; k++) {
    puts(t->variants[k].name);
    for (int j = 0; j < t->variants[k].count; j++) printf("- %s\n", raido_interface[t->variants[k].types[j]].name);
  }
}
RAIDO_FN void raido_do_type(struct raido_server *s) {
  struct raido_variable *v = raido_variable(s, s->words[1]);
  if (v != NULL) puts(raido_type_of(v->object)->name);
}

// ---- Commands: calls ----

RAIDO_FN int raido_share_memory(const struct raido_object *a, const struct raido_object *b) {
  for (int j = 0; j < raido_type_of(a)->leaf_count; j++)
    for (int k = 0; k < raido_type_of(b)->leaf_count; k++)
      if (a->leaves[j].data != NULL && a->leaves[j].data == b->leaves[k].data) return 1;
  return 0;
}

// All variables that lie in the same memory are used up, too.
RAIDO_FN void raido_mark_consumed(struct raido_server *s, const struct raido_object *o) {
  for (int k = 0; k < RAIDO_BUCKETS; k++)
    for (struct raido_variable *v = s->buckets[k]; v != NULL; v = v->next)
      if (v->object == o || raido_share_memory(v->object, o)) v->consumed = 1;
}

RAIDO_FN void raido_run_call(struct raido_server *s, const struct raido_entry *e, const struct raido_object *const *args, int spread) {
  const void *in[RAIDO_INPUTS];
  struct raido_object *result = NULL;
  struct raido_context *c = s->c;
  for (int k = 0; k < e->input_count; k++) in[k] = raido_unboxed(args[k]);
  int failed = raido_enter(c);
  raido_sync(c);
  i64 started = raido_nanoseconds();
  if (!failed) failed = raido_call(c, e, in, &result);
  printf("runtime: %" PRId64 "\n", (raido_nanoseconds() - started) / 1000);
  raido_leave(c);
  if (failed != RAIDO_REFUSED)                       // that is said before anything runs
    for (int k = 0; k < e->input_count; k++)
      if (e->inputs[k].consumed && !raido_is_primitive(e->inputs[k].type)) raido_mark_consumed(s, args[k]);
  if (failed) { raido_context_failure(s); return; }
  if (!spread) { raido_define(s, s->words[2], result); return; }
  const struct raido_type_info *t = raido_type_of(result);
  for (int k = 0; k < t->part_count && !failed; k++) {
    union raido_result r;
    failed = raido_project(c, &r, result, k);
    struct raido_object *o = failed ? NULL : raido_boxed(s, t->parts[k].type, &r);
    if (o == NULL) raido_context_failure(s);
    failed = o == NULL || raido_define(s, s->words[2 + k], o) != 0;
    for (int j = 0; failed && j < k; j++) raido_undefine(s, s->words[2 + j]);
  }
  raido_free(c, result);
}

// call ENTRY OUT IN..., or with a name for each component of the result.
RAIDO_FN void raido_do_call(struct raido_server *s) {
  int number = raido_find_entry(s->words[1]);
  if (number < 0) return;
  const struct raido_entry *e = &raido_entries[number];
  const struct raido_type_info *t = &raido_interface[e->output];
  size_t given = s->count - 2, inputs = (size_t)e->input_count, outputs = 1, parts = (size_t)t->part_count;
  if (t->is_tuple && parts != 1 && given == parts + inputs) {
    outputs = parts;
    int all = given > inputs;                        // one name and a surplus word?
    for (size_t k = 0; k < inputs && all; k++) all = *raido_place(s, s->words[3 + k]) != NULL;
    if (all && inputs > 0 && parts > 1) outputs = 1;
  }
  if (given < outputs + inputs) { raido_failure("Insufficient command args."); return; }
  if (!raido_are_new(s, 2, outputs, 1)) return;
  const struct raido_object *args[RAIDO_INPUTS];
  for (size_t k = 0; k < inputs; k++) {
    args[k] = raido_value_of(s, s->words[2 + outputs + k]);
    if (args[k] == NULL) return;
    int wanted = e->inputs[k].type;
    if (args[k]->type != wanted) {
      raido_failure("Wrong input type.  Expected %s, got %s.", raido_interface[wanted].name, raido_type_of(args[k])->name);
      return;
    }
  }
  raido_run_call(s, e, args, t->is_tuple && outputs == parts);
}

// ---- Commands: files ----

// Reads an object: numbers and arrays of them from text or binary data, others as they were stored.
RAIDO_FN struct raido_object *raido_read_object(struct raido_server *s, struct raido_input *in, int type) {
  struct raido_context *c = s->c;
  const struct raido_type_info *t = &raido_interface[type];
  struct raido_object *o = raido_object_new(c, type);
  int failed = o == NULL, stored = t->leaf_count != 1 || t->kind == RAIDO_RECORD || t->kind == RAIDO_SUM;
  struct raido_value unit = {.type = RAIDO_BOOL};
  for (int k = 0; k < (t->leaf_count > 0 ? t->leaf_count : 1) && !failed; k++) {
    struct raido_value *v = t->leaf_count > 0 ? &o->leaves[k] : &unit;
    raido_skip_blanks(in);
    failed = (stored && raido_peek(in) != 'b') || !raido_read(&c->main, in, v);
    if (failed) v->data = NULL;
    else failed = raido_from_host(c, v) != 0;
  }
  if (o != NULL && (failed || !raido_consistent(o))) {
    raido_object_free(c, o);
    o = NULL;
  }
  return o;
}

RAIDO_FN void raido_restore_all(struct raido_server *s, struct raido_input *in, const int *types, struct raido_object **objects, size_t n) {
  const char *file = s->words[1];
  size_t got = 0;
  raido_enter(s->c);
  errno = 0;
  while (got < n && (objects[got] = raido_read_object(s, in, types[got])) != NULL) got++;
  int reason = errno;
  char rest[RAIDO_TOKEN] = "";
  if (got == n) raido_token(in, rest);
  raido_leave(s->c);
  free(raido_get_error(s->c));
  if (got < n)
    raido_failure("Failed to restore variable %s.\nPossibly malformed data in %s (errno: %s)", s->words[2 + 2 * got], file,
                  in->problem[0] != 0 ? in->problem : strerror(reason));
  else if (rest[0] != 0)
    raido_failure("Expected EOF after reading %zu values from %s", n, file);
  int failed = got < n || rest[0] != 0;
  size_t defined = 0;
  for (; defined < n && !failed; defined++) failed = raido_define(s, s->words[2 + 2 * defined], objects[defined]) != 0;
  for (size_t k = defined; k < got; k++) raido_free(s->c, objects[k]);
  if (failed && defined > 0) for (size_t k = 0; k + 1 < defined; k++) raido_undefine(s, s->words[2 + 2 * k]);
}

RAIDO_FN void raido_do_restore(struct raido_server *s) {
  size_t n = (s->count - 2) / 2;
  if (s->count % 2 != 0) { raido_failure("Insufficient command args."); return; }
  FILE *f = fopen(s->words[1], "rb");
  if (f == NULL) { raido_failure("Failed to open %s: %s", s->words[1], strerror(errno)); return; }
  struct raido_input *in = calloc(1, sizeof *in);
  struct raido_object **objects = calloc(n + 1, sizeof *objects);
  int *types = calloc(n + 1, sizeof *types), known = in != NULL && objects != NULL && types != NULL;
  if (!known) raido_failure("Error: out of memory.");
  if (known) known = raido_are_new(s, 2, n, 2);
  for (size_t k = 0; k < n && known; k++) {
    types[k] = raido_find_type(s->words[3 + 2 * k]);
    known = types[k] >= 0;
  }
  if (known) {
    in->file = f;
    raido_restore_all(s, in, types, objects, n);
  }
  fclose(f);
  free(in);
  free(objects);
  free(types);
}

RAIDO_FN int raido_write_object(struct raido_context *c, FILE *f, const struct raido_object *o) {
  const struct raido_type_info *t = raido_type_of(o);
  const struct raido_value unit = {.type = RAIDO_BOOL};
  if (t->leaf_count == 0) raido_print_binary(f, &unit);
  for (int k = 0; k < t->leaf_count; k++) {
    struct raido_value host;
    if (raido_to_host(c, &host, &o->leaves[k]) != 0) return 1;
    raido_print_binary(f, &host);
    raido_host_done(c, &host);
  }
  return 0;
}

RAIDO_FN void raido_do_store(struct raido_server *s) {
  const char *name = s->words[1];
  for (size_t k = 2; k < s->count; k++)
    if (raido_value_of(s, s->words[k]) == NULL) return;
  FILE *f = fopen(name, "wb");
  if (f == NULL) { raido_failure("Failed to open %s: %s", name, strerror(errno)); return; }
  int failed = 0;
  raido_enter(s->c);
  for (size_t k = 2; k < s->count && !failed; k++) failed = raido_write_object(s->c, f, (*raido_place(s, s->words[k]))->object);
  raido_leave(s->c);
  int lost = ferror(f);
  if (fclose(f) != 0) lost = 1;
  int reason = errno;
  if (failed || lost) raido_remove_partial(name);
  if (failed) raido_context_failure(s);
  else if (lost) raido_failure("Failed to write %s: %s", name, strerror(reason));
}

// ---- Commands: variables ----

RAIDO_FN void raido_do_free(struct raido_server *s) {
  for (size_t k = 1; k < s->count; k++) {
    int twice = 0;
    for (size_t j = 1; j < k; j++) twice |= strcmp(s->words[j], s->words[k]) == 0;
    if (twice) raido_failure("Unknown variable: %s", s->words[k]);
    if (twice || raido_variable(s, s->words[k]) == NULL) return;
  }
  for (size_t k = 1; k < s->count; k++) raido_undefine(s, s->words[k]);
}
RAIDO_FN void raido_do_rename(struct raido_server *s) {
  struct raido_variable *v = raido_variable(s, s->words[1]);
  if (v == NULL || !raido_are_new(s, 2, 1, 1)) return;
  struct raido_object *o = v->object;
  int consumed = v->consumed;
  if (raido_define(s, s->words[2], NULL) != 0) return;
  v->object = NULL;
  raido_undefine(s, s->words[1]);
  v = *raido_place(s, s->words[2]);
  v->object = o;
  v->consumed = consumed;
}
RAIDO_FN void raido_free_variables(struct raido_server *s) {
  for (int k = 0; k < RAIDO_BUCKETS; k++)
    while (s->buckets[k] != NULL) raido_undefine(s, s->buckets[k]->name);
}
RAIDO_FN void raido_do_clear(struct raido_server *s) {
  raido_free_variables(s);
  if (raido_clear_caches(s->c) != 0) raido_context_failure(s);
}

// ---- Commands: arrays ----

RAIDO_FN struct raido_object *raido_array_variable(struct raido_server *s, const char *name) {
  struct raido_object *o = raido_value_of(s, name);
  if (o != NULL && !raido_is_kind(raido_type_of(o), RAIDO_ARRAY)) return NULL;
  return o;
}
RAIDO_FN void raido_do_shape(struct raido_server *s) {
  struct raido_object *o = raido_array_variable(s, s->words[1]);
  for (int d = 0; o != NULL && d < raido_type_of(o)->rank; d++) printf("%" PRId64 "\n", raido_shape(o)[d]);
}

// The numbers from word `first` on, each at least 0 and less than its limit, if there is one.
RAIDO_FN int raido_numbers(struct raido_server *s, size_t first, int n, const i64 *limits, i64 *out, const char *wrong) {
  for (int d = 0; d < n; d++) {
    const char *word = s->words[first + (size_t)d];
    if (raido_number(word, &out[d]) && word[strspn(word, "0123456789")] == 0 && (limits == NULL || out[d] < limits[d])) continue;
    raido_failure(wrong, word, d + 1);
    return 0;
  }
  return 1;
}
RAIDO_FN int raido_index_count(struct raido_server *s, const struct raido_object *a, size_t given) {
  int rank = raido_type_of(a)->rank;
  (void)s;
  if (given == (size_t)rank) return 1;
  raido_failure("%d indices expected but %zu values provided.", rank, given);
  return 0;
}
#define RAIDO_WRONG_INDEX "Invalid index `%s` on dimension %d."
#define RAIDO_WRONG_SIZE "Invalid size `%s` of dimension %d."

RAIDO_FN void raido_do_index(struct raido_server *s) {
  i64 at[RAIDO_MAX_RANK];
  if (!raido_are_new(s, 1, 1, 1)) return;
  struct raido_object *a = raido_array_variable(s, s->words[2]);
  if (a == NULL || !raido_index_count(s, a, s->count - 3)) return;
  if (!raido_numbers(s, 3, raido_type_of(a)->rank, raido_shape(a), at, RAIDO_WRONG_INDEX)) return;
  union raido_result r;
  int failed = raido_index(s->c, &r, a, at);
  raido_define_result(s, s->words[1], raido_type_of(a)->elem, failed, &r);
}

RAIDO_FN void raido_do_set(struct raido_server *s) {
  i64 at[RAIDO_MAX_RANK];
  struct raido_object *a = raido_value_of(s, s->words[1]), *v = a == NULL ? NULL : raido_value_of(s, s->words[2]);
  if (v == NULL || raido_array_variable(s, s->words[1]) == NULL || !raido_index_count(s, a, s->count - 3)) return;
  int elem = raido_type_of(a)->elem;
  if (v->type != elem) { raido_failure("Type mismatch: expected element of type %s, got %s", raido_interface[elem].name, raido_type_of(v)->name); return; }
  if (!raido_numbers(s, 3, raido_type_of(a)->rank, raido_shape(a), at, RAIDO_WRONG_INDEX)) return;
  if (raido_set(s->c, a, raido_unboxed(v), at) != 0) raido_context_failure(s);
}

RAIDO_FN void raido_do_new_array(struct raido_server *s) {
  i64 extents[RAIDO_MAX_RANK], n = 1;
  if (!raido_are_new(s, 1, 1, 1)) return;
  int type = raido_find_type_of(s->words[2], RAIDO_ARRAY);
  if (type < 0) return;
  const struct raido_type_info *t = &raido_interface[type];
  size_t first = 3 + (size_t)t->rank;
  if (s->count < first) { raido_failure("Insufficient command args."); return; }
  if (!raido_numbers(s, 3, t->rank, NULL, extents, RAIDO_WRONG_SIZE)) return;
  for (int d = 0; d < t->rank; d++) n = raido_size(n, extents[d]);
  size_t given = s->count - first;
  if ((i64)given != n) { raido_failure("Expected %" PRId64 " values, but got %zu.", n, given); return; }
  const void **values = raido_operands(s, first, given, NULL, NULL, t->elem, "Value");
  if (values == NULL) return;
  union raido_result r;
  int failed = raido_array_of(s->c, &r, type, values, extents);
  free(values);
  raido_define_result(s, s->words[1], type, failed, &r);
}

// ---- Commands: records and sums ----

RAIDO_FN void raido_make_record(struct raido_server *s, int type, const char *parts) {
  const struct raido_type_info *t = &raido_interface[type];
  size_t given = s->count - 3;
  if (given != (size_t)t->part_count) { raido_failure("%d %s expected but %zu values provided.", t->part_count, parts, given); return; }
  const void **values = raido_operands(s, 3, given, t->parts, NULL, 0, "Field");
  if (values == NULL) return;
  union raido_result r;
  int failed = raido_record(s->c, &r, type, values);
  free(values);
  raido_define_result(s, s->words[1], type, failed, &r);
}
RAIDO_FN void raido_do_new(struct raido_server *s) {
  int type = raido_are_new(s, 1, 1, 1) ? raido_find_type_of(s->words[2], RAIDO_RECORD) : -1;
  if (type >= 0) raido_make_record(s, type, "fields");
}
RAIDO_FN void raido_do_zip(struct raido_server *s) {
  int type = raido_are_new(s, 1, 1, 1) ? raido_find_type_of(s->words[2], RAIDO_ARRAY) : -1;
  if (type < 0) return;
  if (raido_interface[raido_interface[type].elem].kind != RAIDO_RECORD) raido_failure("Cannot zip this array type");
  else raido_make_record(s, type, "arrays");
}
RAIDO_FN void raido_do_unzip(struct raido_server *s) {
  struct raido_object *a = raido_value_of(s, s->words[1]);
  if (a == NULL) return;
  const struct raido_type_info *t = raido_type_of(a);
  size_t given = s->count - 2;
  if (t->kind != RAIDO_ARRAY || raido_interface[t->elem].kind != RAIDO_RECORD) { raido_failure("Cannot unzip this array type"); return; }
  if (given != (size_t)t->part_count) { raido_failure("%d arrays expected but %zu values provided.", t->part_count, given); return; }
  if (!raido_are_new(s, 2, given, 1)) return;
  for (int k = 0; k < t->part_count; k++) {
    union raido_result r;
    int failed = raido_project(s->c, &r, a, k);
    if (failed) raido_context_failure(s);
    if (!failed) failed = raido_define(s, s->words[2 + k], r.object);
    if (!failed) continue;
    for (int j = 0; j < k; j++) raido_undefine(s, s->words[2 + j]);
    return;
  }
}
RAIDO_FN void raido_do_project(struct raido_server *s) {
  struct raido_object *o = raido_are_new(s, 1, 1, 1) ? raido_value_of(s, s->words[2]) : NULL;
  if (o == NULL) return;
  const struct raido_type_info *t = raido_type_of(o);
  int k = 0;
  if (!raido_is_kind(t, RAIDO_RECORD)) return;
  while (k < t->part_count && strcmp(t->parts[k].name, s->words[3]) != 0) k++;
  if (k == t->part_count) { raido_failure("No such field"); return; }
  union raido_result r;
  int failed = raido_project(s->c, &r, o, k);
  raido_define_result(s, s->words[1], t->parts[k].type, failed, &r);
}

RAIDO_FN void raido_do_variant(struct raido_server *s) {
  struct raido_object *o = raido_value_of(s, s->words[1]);
  if (o == NULL) return;
  if (raido_is_kind(raido_type_of(o), RAIDO_SUM)) puts(raido_type_of(o)->variants[raido_variant_of(o)].name);
}
RAIDO_FN void raido_do_construct(struct raido_server *s) {
  int type = raido_are_new(s, 1, 1, 1) ? raido_find_type(s->words[2]) : -1, k = 0;
  if (type < 0) return;
  const struct raido_type_info *t = &raido_interface[type];
  if (!raido_is_kind(t, RAIDO_SUM)) return;
  while (k < t->variant_count && strcmp(t->variants[k].name, s->words[3]) != 0) k++;
  if (k == t->variant_count) { raido_failure("No such variant"); return; }
  size_t given = s->count - 4;
  if (given != (size_t)t->variants[k].count) { raido_failure("%d values expected but %zu values provided.", t->variants[k].count, given); return; }
  const void **values = raido_operands(s, 4, given, NULL, t->variants[k].types, 0, "Value");
  if (values == NULL) return;
  union raido_result r;
  int failed = raido_construct(s->c, &r, type, k, values);
  free(values);
  raido_define_result(s, s->words[1], type, failed, &r);
}
RAIDO_FN void raido_do_destruct(struct raido_server *s) {
  struct raido_object *o = raido_value_of(s, s->words[1]);
  if (o == NULL) return;
  if (!raido_is_kind(raido_type_of(o), RAIDO_SUM)) return;
  int variant = raido_variant_of(o), failed = 0;
  const struct raido_variant *v = &raido_type_of(o)->variants[variant];
  size_t given = s->count - 2;
  if (given != (size_t)v->count) { raido_failure("%d variables expected but %zu variables provided.  %s", v->count, given, v->name); return; }
  if (!raido_are_new(s, 2, given, 1)) return;
  union raido_result *r = calloc(given + 1, sizeof *r);
  void **outs = calloc(given + 1, sizeof *outs);
  failed = r == NULL || outs == NULL;
  for (size_t k = 0; k < given && !failed; k++) outs[k] = &r[k];
  if (!failed) failed = raido_destruct(s->c, outs, o, variant);
  if (failed) raido_context_failure(s);
  size_t done = 0;
  for (; done < given && !failed; done++) {
    struct raido_object *part = raido_boxed(s, v->types[done], &r[done]);
    if (part == NULL) raido_context_failure(s);
    failed = part == NULL || raido_define(s, s->words[2 + done], part) != 0;
  }
  if (failed && done > 0) {
    for (size_t k = done; k < given; k++) if (!raido_is_primitive(v->types[k])) raido_free(s->c, r[k].object);
    for (size_t k = 0; k + 1 < done; k++) raido_undefine(s, s->words[2 + k]);
  }
  free(r);
  free(outs);
}

// ---- Commands: the context ----

RAIDO_FN void raido_do_tuning_params(struct raido_server *s) {
  if (raido_find_entry(s->words[1]) < 0) return;
  for (int k = 0; k < RAIDO_PARAMS; k++)
    if (strcmp(raido_params[k].kind, "custom") != 0) puts(raido_params[k].name);
}
RAIDO_FN void raido_do_tuning_param_class(struct raido_server *s) {
  for (int k = 0; k < RAIDO_PARAMS; k++)
    if (strcmp(raido_params[k].name, s->words[1]) == 0) { puts(raido_params[k].kind); return; }
  raido_failure("Unknown tuning parameter: %s", s->words[1]);
}
RAIDO_FN void raido_do_set_tuning_param(struct raido_server *s) {
  if (raido_config_param(s->c->config, s->words[1], (i64)strtoll(s->words[2], NULL, 10)) != 0)
    raido_failure("Failed to set tuning parameter %s to %lld", s->words[1], strtoll(s->words[2], NULL, 10));
}
RAIDO_FN void raido_do_pause_profiling(struct raido_server *s) { s->c->profiling = 0; }
RAIDO_FN void raido_do_unpause_profiling(struct raido_server *s) { s->c->profiling = s->c->config->profiling; }
RAIDO_FN void raido_do_report(struct raido_server *s) {
  char *text = raido_report(s->c);
  if (text == NULL) raido_context_failure(s);
  else puts(text);
  free(text);
}

// ---- Lines ----

static const struct {
  const char *name;
  size_t words;                        // at least so many after it
  void (*run)(struct raido_server *s);
} raido_commands[] = {
  {"types", 0, raido_do_types}, {"entry_points", 0, raido_do_entry_points}, {"inputs", 1, raido_do_inputs}, {"output", 1, raido_do_output},
  {"outputs", 1, raido_do_outputs}, {"attributes", 1, raido_do_attributes}, {"kind", 1, raido_do_kind}, {"rank", 1, raido_do_rank},
  {"elemtype", 1, raido_do_elemtype}, {"fields", 1, raido_do_fields}, {"variants", 1, raido_do_variants}, {"type", 1, raido_do_type},
  {"call", 1, raido_do_call}, {"restore", 1, raido_do_restore}, {"store", 1, raido_do_store}, {"free", 0, raido_do_free},
  {"rename", 2, raido_do_rename}, {"clear", 0, raido_do_clear}, {"shape", 1, raido_do_shape}, {"index", 2, raido_do_index},
  {"set", 2, raido_do_set}, {"new_array", 2, raido_do_new_array}, {"new", 2, raido_do_new}, {"zip", 2, raido_do_zip},
  {"unzip", 1, raido_do_unzip}, {"project", 3, raido_do_project}, {"variant", 1, raido_do_variant}, {"construct", 3, raido_do_construct},
  {"destruct", 1, raido_do_destruct}, {"tuning_params", 1, raido_do_tuning_params}, {"tuning_param_class", 1, raido_do_tuning_param_class},
  {"set_tuning_param", 2, raido_do_set_tuning_param}, {"pause_profiling", 0, raido_do_pause_profiling},
  {"unpause_profiling", 0, raido_do_unpause_profiling}, {"report", 0, raido_do_report}};

RAIDO_FN int raido_add_word(struct raido_server *s, char *word) {
  if (s->count == s->room) {
    size_t room = 2 * s->room + 64;
    char **words = realloc(s->words, room * sizeof *words);
    if (words == NULL) return 1;
    s->words = words;
    s->room = room;
  }
  s->words[s->count++] = word;
  return 0;
}

// Runs of what is not blank, or anything between quotes; what follows a quote that is not closed does not count.
RAIDO_FN int raido_split(struct raido_server *s, char *line) {
  s->count = 0;
  for (;;) {
    line += strspn(line, " \t\r\n");
    if (*line == 0) return 0;
    char *word = line, *end;
    if (*word == '"') {
      end = strchr(++word, '"');
      if (end == NULL) return 0;
    } else {
      end = word + strcspn(word, " \t\r\n");
    }
    line = *end == 0 ? end : end + 1;
    *end = 0;
    if (raido_add_word(s, word) != 0) return 1;
  }
}

RAIDO_FN void raido_obey(struct raido_server *s, char *line) {
  if (raido_split(s, line) != 0) { raido_failure("Error: out of memory."); return; }
  if (s->count == 0) { raido_failure("Empty line"); return; }
  for (size_t k = 0; k < sizeof raido_commands / sizeof raido_commands[0]; k++) {
    if (strcmp(raido_commands[k].name, s->words[0]) != 0) continue;
    if (s->count - 1 < raido_commands[k].words) raido_failure("Insufficient command args.");
    else raido_commands[k].run(s);
    return;
  }
  raido_failure("Unknown command: %s", s->words[0]);
}

int main(int argc, char **argv) {
  const char *program = argv[0] != NULL ? argv[0] : "program";
  struct raido_options options = {NULL, NULL, 0, 0, 0, 0};
  struct raido_config *cfg = raido_config_new();
  struct raido_server *s = calloc(1, sizeof *s);
  if (cfg == NULL || s == NULL) raido_panic(program, "out of memory");
  raido_parse_options(cfg, program, argc, argv, &options);
  s->c = raido_context_new(cfg, program);
  if (s->c == NULL) raido_panic(program, "out of memory");
  if (!s->c->started) {
    char *text = raido_get_error(s->c);
    fprintf(stderr, "%s: Error during context initialisation:\n%s%s", program, text != NULL ? text : "out of memory",
            text != NULL && text[0] != 0 && text[strlen(text) - 1] == '\n' ? "" : "\n");
    free(text);
  } else {
    s->c->log = stdout;
    char *line = NULL;
    size_t room = 0;
    for (;;) {
      puts("%%% OK");
      if (fflush(stdout) != 0 || getline(&line, &room, stdin) < 0) break;
      raido_obey(s, line);
    }
    free(line);
  }
  int failed = !s->c->started || ferror(stdout);
  raido_free_variables(s);
  raido_context_free(s->c);
  raido_config_free(cfg);
  free(s->words);
  free(s);
  return failed;
}
