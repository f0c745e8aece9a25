// server_commands.h - the commands of a server on types, entry points, calls, files and variables.

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
  if (e >= 0) raido_print_type(raido_entries[e].output, raido_entries[e].unique[0] == '*');
}
RAIDO_FN void raido_do_outputs(struct raido_server *s) {
  int e = raido_find_entry(s->words[1]);
  if (e < 0) return;
  const struct raido_type_info *t = &raido_interface[raido_entries[e].output];
  if (!raido_entries[e].spread) raido_print_type(raido_entries[e].output, raido_entries[e].unique[0] == '*');
  else for (int k = 0; k < t->part_count; k++) raido_print_type(t->parts[k].type, raido_entries[e].unique[k + 1] == '*');
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
  if ((int)t->kind != kind) raido_failure("Not %s type", kinds[kind]);
  return (int)t->kind == kind;
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
  if (!raido_are_new(s, 2, outputs, 1)) return;
  raido_run_call(s, e, args, t->is_tuple && outputs == parts);
}

// ---- Commands: files ----

// Reads an object: numbers and arrays of them from text or binary data, others as they were stored.
RAIDO_FN struct raido_object *raido_read_object(struct raido_server *s, struct raido_input *in, int type) {
  struct raido_context *c = s->c;
  const struct raido_type_info *t = &raido_interface[type];
  struct raido_object *o = raido_object_new(c, type);
  int failed = o == NULL, stored = t->leaf_count != 1 || t->kind == RAIDO_RECORD || t->kind == RAIDO_SUM;
  for (int k = 0; k < t->leaf_count && !failed; k++) {
    struct raido_value *v = &o->leaves[k];
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
