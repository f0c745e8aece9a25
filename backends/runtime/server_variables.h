// server_variables.h - what a server keeps: a table of variables, each an object, and how a command finds them. Each function says
// what is wrong before it returns NULL or -1.

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
