// objects.h - the values of the outside world: what a type of the interface is, objects of these types, calls of entry points,
// and contexts. The command line of executables, the server and the functions of a library are thin layers over it.
//
// An object lists the leaves of its type: scalars, and blocks that several objects may share. The types are a table that the
// generated program supplies (raido_interface; the first twelve are the scalars, in the order of raido_type). So whatever is done with
// objects is done here and in api.h for all types. Nothing here takes the lock of a context: that is its callers' business.

enum raido_kind { RAIDO_PRIMITIVE, RAIDO_ARRAY, RAIDO_RECORD, RAIDO_SUM, RAIDO_OPAQUE };

struct raido_leaf { enum raido_type type; int rank; };
struct raido_part { const char *name; int type, leaf; };             // leaf: its first one
struct raido_variant {
  const char *name;
  int count;
  const int *types, *slots;            // of the values it holds; for each of their leaves, which leaf of the sum it is
};
struct raido_type_info {
  const char *name, *c_name;           // c_name: of the struct, without `struct`
  enum raido_kind kind;
  int rank, elem;                      // of an array
  int leaf_count;
  const struct raido_leaf *leaves;
  int part_count;
  const struct raido_part *parts;      // the fields of a record; of an array of records, their arrays
  int variant_count;
  const struct raido_variant *variants;
  int is_tuple;                        // a record
};

struct raido_input_info { const char *name; int type, consumed; };
struct raido_entry {
  const char *name;
  int input_count;
  const struct raido_input_info *inputs;
  int output;                          // the type of the result
  int spread;                          // the command `outputs` lists its fields
  const char *unique;                  // for the result, then for each of its fields, `*` if it is unique, otherwise `-`
  const char *const *attributes;
  const char *kept;                    // for each leaf of the inputs, `k` if its block can end up in the result, otherwise `-`
  int number;                          // of its function
};

// The functions of the program, in one of its versions (versions.h).
#ifndef RAIDO_RUNS
#define RAIDO_RUNS (RAIDO_ENTRIES + 1)
#endif
struct raido_code {
  const char *name;
  int (*start)(struct raido_worker *w);                              // computes the top-level values
  // For each leaf of the inputs a pointer to its scalar or to the raido_value. The leaves of the result have their types.
  int (*run[RAIDO_RUNS])(struct raido_worker *w, const void *const *in, struct raido_value *out);
};

struct raido_object {
  int type;
  struct raido_value leaves[];
};

#ifndef RAIDO_LOADED                                   // else the tables come with the code (llvm/loader.c)
static const struct raido_type_info raido_interface[RAIDO_TYPES];
#endif
RAIDO_FN int raido_program_start(struct raido_context *c);
RAIDO_FN void raido_program_stop(struct raido_context *c);
RAIDO_FN void raido_program_refresh(struct raido_context *c);

// ---- Memory of arrays ----

#ifdef RAIDO_DEVICE
RAIDO_FN void *raido_data_new(struct raido_worker *w, i64 bytes) {
  struct raido_memory *m = raido_device_alloc(w, bytes);
  if (m != NULL) m->held = 1;
  return m;
}
RAIDO_FN void raido_data_hold(struct raido_worker *w, void *data) {
  struct raido_memory *m = data;
  (void)w;
  if (m == NULL) return;
  m->references++;
  m->held++;
}
RAIDO_FN void raido_data_keep(void *data) { if (data != NULL) ((struct raido_memory *)data)->held++; }
RAIDO_FN int raido_data_lasts(const void *data) { return ((const struct raido_memory *)data)->lasts; }
RAIDO_FN void raido_data_drop(struct raido_worker *w, void *data) {
  if (data == NULL) return;
  ((struct raido_memory *)data)->held--;
  raido_device_release(w, data);
}
RAIDO_FN int raido_data_write(struct raido_worker *w, void *data, i64 at, const void *from, i64 bytes) {
  return raido_device_put(w, data, at, from, bytes);
}
RAIDO_FN int raido_data_read(struct raido_worker *w, void *to, void *data, i64 at, i64 bytes) {
  return raido_device_get(w, to, data, at, bytes);
}
RAIDO_FN int raido_data_copy(struct raido_worker *w, void *to, i64 to_at, void *from, i64 from_at, i64 bytes) {
  return raido_device_copy(w, to, to_at, from, from_at, bytes, 1);
}
RAIDO_FN int raido_sync(struct raido_context *c) { return raido_device_sync(&c->main); }
#else
RAIDO_FN void *raido_data_new(struct raido_worker *w, i64 bytes) {
  void *data = raido_alloc(w, bytes);
  if (data != NULL) raido_header(data)->held = 1;
  return data;
}
RAIDO_FN void raido_data_hold(struct raido_worker *w, void *data) {
  raido_retain(w, data);
  if (data != NULL) raido_header(data)->held++;
}
RAIDO_FN void raido_data_keep(void *data) { if (data != NULL) raido_header(data)->held++; }
RAIDO_FN int raido_data_lasts(void *data) { return raido_header(data)->lasts; }
RAIDO_FN void raido_data_drop(struct raido_worker *w, void *data) {
  if (data == NULL) return;
  raido_header(data)->held--;
  raido_release(w, data);
}
RAIDO_FN int raido_data_write(struct raido_worker *w, void *data, i64 at, const void *from, i64 bytes) {
  (void)w;
  if (bytes > 0) memcpy((char *)data + at, from, (size_t)bytes);
  return 0;
}
RAIDO_FN int raido_data_read(struct raido_worker *w, void *to, void *data, i64 at, i64 bytes) {
  (void)w;
  if (bytes > 0) memcpy(to, (char *)data + at, (size_t)bytes);
  return 0;
}
RAIDO_FN int raido_data_copy(struct raido_worker *w, void *to, i64 to_at, void *from, i64 from_at, i64 bytes) {
  return raido_data_write(w, to, to_at, (char *)from + from_at, bytes);
}
RAIDO_FN int raido_sync(struct raido_context *c) { (void)c; return 0; }
#endif

// ---- Objects ----

RAIDO_INLINE const struct raido_type_info *raido_type_of(const struct raido_object *o) { return &raido_interface[o->type]; }

// Without data.
RAIDO_FN struct raido_object *raido_object_new(struct raido_context *c, int type) {
  const struct raido_type_info *t = &raido_interface[type];
  struct raido_object *o = calloc(1, sizeof *o + (size_t)t->leaf_count * sizeof o->leaves[0]);
  if (o == NULL) {
    raido_lack_memory(&c->main, "Error: out of memory.");
    return NULL;
  }
  o->type = type;
  for (int k = 0; k < t->leaf_count; k++) {
    o->leaves[k].type = t->leaves[k].type;
    o->leaves[k].rank = t->leaves[k].rank;
  }
  return o;
}

RAIDO_FN void raido_leaf_free(struct raido_context *c, struct raido_value *v) {
#ifdef RAIDO_DEVICE
  if (v->rank > 0 && v->data != NULL) raido_data_drop(&c->main, v->data);
#else
  if (v->rank > 0 && v->data != NULL && !v->borrowed) raido_data_drop(&c->main, v->data);
#endif
}

RAIDO_FN void raido_object_free(struct raido_context *c, struct raido_object *o) {
  if (o == NULL) return;
  for (int k = 0; k < raido_type_of(o)->leaf_count; k++) raido_leaf_free(c, &o->leaves[k]);
  free(o);
}

// `to` becomes the same array in a block of its own.
RAIDO_FN int raido_leaf_copy(struct raido_context *c, struct raido_value *to, const struct raido_value *from) {
  struct raido_value v = *from;
  i64 bytes = raido_value_bytes(&v);
  v.borrowed = 0;
  v.data = raido_data_new(&c->main, bytes);
  if (v.data == NULL) return 1;
  if (raido_data_copy(&c->main, v.data, 0, from->data, 0, bytes) != 0) {
    raido_data_drop(&c->main, v.data);
    return 1;
  }
  *to = v;
  return 0;
}
// `to` becomes the same value; what is borrowed is copied, since nobody knows how long it lasts.
RAIDO_FN int raido_leaf_alias(struct raido_context *c, struct raido_value *to, const struct raido_value *from) {
  if (from->rank > 0 && from->borrowed) return raido_leaf_copy(c, to, from);
  if (from->rank > 0) raido_data_hold(&c->main, from->data);
  *to = *from;
  return 0;
}

// The value on the host. On a device that is a copy.
RAIDO_FN int raido_to_host(struct raido_context *c, struct raido_value *host, const struct raido_value *v) {
  *host = *v;
#ifdef RAIDO_DEVICE
  if (v->rank == 0) return 0;
  host->data = raido_alloc(&c->main, raido_value_bytes(v));
  if (host->data == NULL) return 1;
  if (raido_data_read(&c->main, host->data, v->data, 0, raido_value_bytes(v)) != 0) {
    raido_release(&c->main, host->data);
    return 1;
  }
#else
  (void)c;
#endif
  return 0;
}
RAIDO_FN void raido_host_done(struct raido_context *c, struct raido_value *host) {
#ifdef RAIDO_DEVICE
  if (host->rank > 0) raido_release(&c->main, host->data);
#else
  (void)c;
  (void)host;
#endif
}

// The object's leaf takes the place of a value that was read on the host, whose block it uses up.
RAIDO_FN int raido_from_host(struct raido_context *c, struct raido_value *v) {
  if (v->rank == 0) return 0;
#ifdef RAIDO_DEVICE
  void *host = v->data;
  i64 bytes = raido_value_bytes(v);
  v->data = raido_data_new(&c->main, bytes);
  int failed = v->data == NULL || raido_data_write(&c->main, v->data, 0, host, bytes) != 0;
  raido_release(&c->main, host);
  return failed;
#else
  (void)c;
  raido_data_keep(v->data);
  return 0;
#endif
}

// ---- Calls ----

// Whoever passes NULL on did not look whether the value could be made.
RAIDO_FN int raido_missing(struct raido_context *c, const void *value) { return value == NULL && raido_refuse(&c->main, "A value is NULL."); }

// The arguments of an entry point do not agree on an extent. Servers and libraries say what clients compare with, others which one.
RAIDO_FN int raido_wrong_size(struct raido_worker *w, const char *argument, int dimension, i64 wanted, i64 got) {
#if defined(RAIDO_EXECUTABLE) || defined(RAIDO_PYTHON)
  return raido_refuse(w, "Error: entry point arguments have invalid sizes.\nArgument `%s`: dimension %d should be %" PRId64 ", but is %" PRId64 ".",
                      argument, dimension, wanted, got);
#else
  (void)argument, (void)dimension, (void)wanted, (void)got;
  return raido_refuse(w, "Error: entry point arguments have invalid sizes.\n");
#endif
}

// After a failure all that is not held is freed.
RAIDO_FN void raido_recover(struct raido_context *c) {
#ifdef RAIDO_DEVICE
  raido_device_sync(&c->main);                       // nothing runs any more, and the failure word is clear
  raido_device_reclaim(c);
#endif
  raido_reclaim(c);
}

// A leaf of a result moves to a block of its own.
RAIDO_FN int raido_move_leaf(struct raido_context *c, struct raido_value *v) {
  void *before = v->data;
  i64 bytes = raido_value_bytes(v);
  v->data = raido_data_new(&c->main, bytes);
  int failed = v->data == NULL || raido_data_copy(&c->main, v->data, 0, before, 0, bytes) != 0;
  raido_data_drop(&c->main, before);
  return failed;
}
// Who gets a result may have it overwritten. So it lies neither where a top-level value does, nor where another leaf of it does.
RAIDO_FN int raido_set_apart(struct raido_context *c, struct raido_object *result) {
  struct raido_value *leaves = result->leaves;
  int failed = 0;
  for (int k = 0; k < raido_type_of(result)->leaf_count && !failed; k++) {
    if (leaves[k].rank == 0 || leaves[k].data == NULL) continue;
    int shared = raido_data_lasts(leaves[k].data);
    for (int j = 0; j < k && !shared; j++) shared = leaves[j].rank > 0 && leaves[j].data == leaves[k].data;
    if (shared) failed = raido_move_leaf(c, &leaves[k]);
  }
  return failed;
}

// Whether leaf `j` of argument `k` lies where another leaf of the arguments does.
RAIDO_FN int raido_passed_twice(const struct raido_entry *e, const void *const *in, int k, int j) {
  const void *data = ((const struct raido_object *)in[k])->leaves[j].data;
  for (int other = 0; other < e->input_count && data != NULL; other++) {
    const struct raido_type_info *t = &raido_interface[e->inputs[other].type];
    const struct raido_object *o = t->kind == RAIDO_PRIMITIVE ? NULL : in[other];
    for (int i = 0; o != NULL && i < t->leaf_count; i++)
      if (o->leaves[i].rank > 0 && o->leaves[i].data == data && (other != k || i != j)) return 1;
  }
  return 0;
}

// Runs an entry point and waits for its end. An array that it consumes may be another argument, too: then it gets a copy.
// `in`: for each input a pointer to its scalar, or the object. 0, or the code of a failure.
RAIDO_FN int raido_call(struct raido_context *c, const struct raido_entry *e, const void *const *in, struct raido_object **result) {
  const void *leaves[RAIDO_INPUT_LEAVES] = {NULL};
  struct raido_value copies[RAIDO_INPUT_LEAVES];
  int n = 0, copied = 0, failed = 0;
  char *pending = c->main.error;
  c->main.error = NULL;
  struct raido_object *out = raido_object_new(c, e->output);
  failed = out == NULL;
  for (int k = 0; k < e->input_count && !failed; k++) {
    const struct raido_type_info *t = &raido_interface[e->inputs[k].type];
    if (t->kind == RAIDO_PRIMITIVE) { leaves[n++] = in[k]; continue; }
    const struct raido_object *o = in[k];
    failed = raido_missing(c, o);
    for (int j = 0; j < t->leaf_count && !failed; j++, n++) {
      const struct raido_value *v = &o->leaves[j];
      leaves[n] = v->rank == 0 ? (const void *)v->scalar : v;
      if (v->rank == 0) continue;
      int lost = v->borrowed && e->kept[n] == 'k';                    // nobody knows how long such memory lasts
      if (lost || (e->inputs[k].consumed && raido_passed_twice(e, in, k, j))) {
        failed = raido_leaf_copy(c, &copies[copied], v);
        leaves[n] = &copies[copied];
        copied += !failed;
      }
    }
  }
  if (!failed) {
    raido_program_refresh(c);
    u64 mode = raido_flush_subnormals();
    failed = c->code->run[e->number](&c->main, leaves, out->leaves) != 0;
    raido_set_mode(mode);
    if (!failed) failed = raido_sync(c) != 0;
    if (!failed) {
      for (int k = 0; k < raido_interface[e->output].leaf_count; k++)
        if (out->leaves[k].rank > 0) raido_data_keep(out->leaves[k].data);
      failed = raido_set_apart(c, out) != 0;
      for (int k = 0; failed && k < raido_interface[e->output].leaf_count; k++) raido_leaf_free(c, &out->leaves[k]);
    }
  }
  for (int k = 0; k < copied; k++) raido_leaf_free(c, &copies[k]);
  if (failed) {
    free(out);
    raido_recover(c);
    failed = raido_error_code(c->main.error);
  } else {
    *result = out;
  }
  if (pending != NULL) {                                              // the first error is kept until it is fetched
    if (c->main.error != NULL) raido_free_error(c->main.error);
    c->main.error = pending;
  }
  return failed;
}

// ---- Contexts ----

RAIDO_FN void raido_set_profiling(struct raido_context *c, int on) { __atomic_store_n(&c->profiling, on, __ATOMIC_RELAXED); }

// NULL if there is no memory or no configuration, or it is in use. A context whose program could not start has an error.
RAIDO_FN struct raido_context *raido_context_new(struct raido_config *cfg, const char *program) {
  struct raido_context *c = cfg == NULL || cfg->in_use ? NULL : calloc(1, sizeof *c);
  if (c == NULL) return NULL;
  cfg->in_use = 1;
  c->program = program;
  c->config = cfg;
  c->debugging = cfg->debugging;
  c->logging = cfg->logging;
  c->profiling = cfg->profiling;
  c->num_threads = cfg->num_threads;
  c->limit = (size_t)cfg->mem_limit;
  c->log = stderr;
  c->last_event = &c->events;
  c->main.context = c;
  c->main.alone = 1;
  c->main.stack = raido_stack_end();
  pthread_mutex_init(&c->lock, NULL);
  pthread_mutex_init(&c->use, NULL);
  u64 mode = raido_flush_subnormals();
  c->started = raido_program_start(c) == 0;
#ifdef RAIDO_SAMPLES
  raido_profiler_start(c);
#endif
  raido_set_mode(mode);
#ifdef RAIDO_DEVICE
  if (c->started) raido_device_hold_all(c);
  raido_device_leave(c);
#endif
  if (c->started) raido_hold_all(c);
  else raido_free_all(c);
  return c;
}

// Before and after what a thread does with a context. 0, or the code of a failure: its program did not start.
RAIDO_FN int raido_enter(struct raido_context *c) {
  pthread_mutex_lock(&c->use);
  c->main.stack = raido_stack_end();
#ifdef RAIDO_DEVICE
  raido_device_enter(c);
#endif
  if (c->started) return 0;
  raido_refuse(&c->main, "The context could not be made.");
  return raido_error_code(c->main.error);
}
RAIDO_FN void raido_leave(struct raido_context *c) {
  __atomic_store_n(&c->main.place, 0, __ATOMIC_RELAXED);
#ifdef RAIDO_DEVICE
  raido_device_leave(c);
#endif
  pthread_mutex_unlock(&c->use);
}

RAIDO_FN void raido_context_free(struct raido_context *c) {
  if (c == NULL) return;
#ifdef RAIDO_SAMPLES
  raido_profiler_stop(c);
#endif
  raido_program_stop(c);
  raido_free_all(c);
  while (c->events != NULL) {
    struct raido_event *next = c->events->next;
    free(c->events);
    c->events = next;
  }
  if (c->main.error != NULL) raido_free_error(c->main.error);
  pthread_mutex_destroy(&c->use);
  pthread_mutex_destroy(&c->lock);
  c->config->in_use = 0;
  free(c);
}
