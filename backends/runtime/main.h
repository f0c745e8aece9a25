// main.h - an executable: arguments from standard input, runs, results on standard output.

RAIDO_FN const struct raido_entry *raido_find_entry(const char *name) {
  for (int k = 0; k < RAIDO_ENTRIES; k++)
    if (strcmp(raido_entries[k].name, name) == 0) return &raido_entries[k];
  fprintf(stderr, "No entry point '%s'.  Select another with --entry-point.  Options are:\n", name);
  for (int k = 0; k < RAIDO_ENTRIES; k++) fprintf(stderr, "%s\n", raido_entries[k].name);
  exit(1);
}

RAIDO_FN void raido_panic_error(struct raido_context *c) {
  raido_panic(c->program, "%s", c->main.error != NULL ? raido_error_text(c->main.error) : "a failure without a message");
}

// Values that text and binary data can denote: numbers and arrays of them.
RAIDO_FN int raido_has_text(const struct raido_type_info *t) {
  return t->kind == RAIDO_PRIMITIVE || (t->kind == RAIDO_ARRAY && raido_interface[t->elem].kind == RAIDO_PRIMITIVE);
}

RAIDO_FN void raido_read_arguments(struct raido_context *c, const struct raido_entry *e, struct raido_value *in) {
  struct raido_input *input = calloc(1, sizeof *input);
  if (input == NULL) raido_panic(c->program, "out of memory");
  input->file = stdin;
  if (isatty(0) && e->input_count > 0) fprintf(stderr, "Reading input from the terminal; end it with ^D.\n");
  for (int k = 0; k < e->input_count; k++) {
    const struct raido_type_info *t = &raido_interface[e->inputs[k].type];
    if (!raido_has_text(t)) raido_panic(c->program, "Cannot read input #%d of type struct %s *", k, t->c_name);
    in[k].type = t->leaves[0].type;
    in[k].rank = t->leaves[0].rank;
    errno = 0;
    if (raido_read(&c->main, input, &in[k])) continue;
    if (input->is_binary) raido_panic(c->program, "binary-input: %s", input->problem);
    const char *what = t->rank > 0 ? "Cannot read input" : "Error when reading input", *more = input->problem[0] != 0 ? input->problem : "there is too little memory for it";
    raido_panic(c->program, "%s #%d of type %s (errno: %s).\nArgument `%s`: %s.", what, k, t->name, strerror(errno), e->inputs[k].name, more);
  }
  char token[RAIDO_TOKEN];
  raido_token(input, token);
  if (token[0] != 0) raido_panic(c->program, "Expected EOF on stdin after reading input for \"%s\".", e->name);
  free(input);
}

// Objects for a run. The last one uses the values up.
RAIDO_FN void raido_make_arguments(struct raido_context *c, const struct raido_entry *e, struct raido_value *in, struct raido_object **args, int last) {
  for (int k = 0; k < e->input_count; k++) {
    args[k] = raido_object_new(c, e->inputs[k].type);
    if (args[k] == NULL) raido_panic_error(c);
    struct raido_value *v = &args[k]->leaves[0];
    *v = in[k];
    if (v->rank == 0) continue;
    i64 bytes = raido_value_bytes(v);
    if (last) {
      if (raido_from_host(c, v) != 0) raido_panic_error(c);
      continue;
    }
    v->data = raido_data_new(&c->main, bytes);
    if (v->data == NULL || raido_data_write(&c->main, v->data, 0, in[k].data, bytes) != 0) raido_panic_error(c);
  }
}

// Nested tuples are spread; what is neither a number nor an array of them cannot be printed.
RAIDO_FN int raido_print_result(struct raido_context *c, int type, const struct raido_value *leaves, int binary) {
  const struct raido_type_info *t = &raido_interface[type];
  if (t->is_tuple) {
    for (int k = 0; k < t->part_count; k++)
      if (raido_print_result(c, t->parts[k].type, leaves + t->parts[k].leaf, binary) != 0) return 1;
    return 0;
  }
  if (!raido_has_text(t)) {
    fflush(stdout);
    fprintf(stderr, "Values of type \"struct %s *\" have no external representation.\n", t->c_name);
    return 1;
  }
  struct raido_value host;
  if (raido_to_host(c, &host, leaves) != 0) raido_panic_error(c);
  if (binary) raido_print_binary(stdout, &host); else raido_print_text(stdout, &host);
  fputc('\n', stdout);
  raido_host_done(c, &host);
  return 0;
}

RAIDO_FN void raido_note_runtime(const char *program, const char *file, i64 spent) {
  FILE *f = fopen(file, "a");
  if (f == NULL) raido_panic(program, "Cannot open %s: %s", file, strerror(errno));
  int lost = fprintf(f, "%" PRId64 "\n", (spent + 500) / 1000) < 0;
  if (fclose(f) != 0 || lost) raido_panic(program, "Cannot write %s: %s", file, strerror(errno));
}

#ifdef RAIDO_EMULATED
// What the last run did (device_counts.h).
RAIDO_FN void raido_report_counts(struct raido_context *c, const struct raido_options *o) {
  const struct dev *d = &c->device->dev;
  if (c->config->counts & 1) raido_print_counts(d);
  if (o->counts_file == NULL) return;
  FILE *f = fopen(o->counts_file, "w");
  if (f == NULL) raido_panic(c->program, "Cannot open %s: %s", o->counts_file, strerror(errno));
  raido_write_counts(d, f, o->entry);
  int lost = ferror(f);
  if (fclose(f) != 0 || lost) raido_panic(c->program, "Cannot write %s: %s", o->counts_file, strerror(errno));
}
#endif

int main(int argc, char **argv) {
  struct raido_options options = {"main", NULL, 1, 1, 0, 1, NULL};
  const char *program = argv[0] != NULL ? argv[0] : "program";
  struct raido_config *cfg = raido_config_new();
  if (cfg == NULL) raido_panic(program, "out of memory");
  cfg->count = 1;
  raido_parse_options(cfg, program, argc, argv, &options);
  struct raido_context *c = raido_context_new(cfg, program);
  if (c == NULL) raido_panic(program, "out of memory");
  if (raido_enter(c) != 0) raido_panic_error(c);
  int ready = cfg->texts[RAIDO_TEXT_DUMP_BINARY] == NULL, failed = 0;
  const struct raido_entry *e = ready ? raido_find_entry(options.entry) : NULL;
  if (ready) {
    struct raido_value *in = calloc((size_t)e->input_count + 1, sizeof *in);
    struct raido_object **args = calloc((size_t)e->input_count + 1, sizeof *args), *result = NULL;
    const void **passed = calloc((size_t)e->input_count + 1, sizeof *passed);
    if (in == NULL || args == NULL || passed == NULL) raido_panic(program, "out of memory");
    raido_read_arguments(c, e, in);
#ifdef RAIDO_EMULATED
    for (int k = 0; k < e->input_count; k++)
      if (in[k].rank > 0) raido_header(in[k].data)->held = 1;   // also after a sampled run that fails, and is repeated
#endif
    for (int run = 0; run < options.runs; run++) {
      raido_object_free(c, result);
      result = NULL;
      raido_make_arguments(c, e, in, args, run + 1 == options.runs && cfg->sample == 0);
      for (int k = 0; k < e->input_count; k++) passed[k] = raido_interface[args[k]->type].rank == 0 ? (const void *)args[k]->leaves[0].scalar : args[k];
      if (raido_sync(c) != 0) raido_panic_error(c);
      i64 started = raido_nanoseconds();
      raido_set_profiling(c, cfg->profiling && run + 1 == options.runs);
#ifdef RAIDO_EMULATED
      raido_counts_begin(&c->device->dev);
#endif
      int wrong = raido_call(c, e, passed, &result);
      raido_set_profiling(c, 0);
#ifdef RAIDO_EMULATED
      if (raido_counts_end(&c->device->dev)) {         // a sampled run that needs more of its values
        raido_free_error(c->main.error);
        c->main.error = NULL;
        raido_device_empty_lists(c->device);
        run--;
        wrong = 0;
      }
#endif
      if (wrong) raido_panic_error(c);
      i64 spent = raido_nanoseconds() - started;
      for (int k = 0; k < e->input_count; k++) raido_object_free(c, args[k]);
      if (options.runtime_file != NULL && run >= options.runs - options.measured_runs) raido_note_runtime(program, options.runtime_file, spent);
    }
#ifdef RAIDO_EMULATED
    if (cfg->counts) raido_report_counts(c, &options);
#endif
    if (options.print && cfg->sample == 0) {
      failed = raido_print_result(c, e->output, result->leaves, options.binary);
      if (raido_interface[e->output].is_tuple && raido_interface[e->output].part_count == 0) fputc('\n', stdout);
      if (fflush(stdout) != 0 || ferror(stdout)) raido_panic(program, "Cannot write the results: %s", strerror(errno));
    }
#ifdef RAIDO_PROFILED
    if (cfg->profiling && RAIDO_PROFILED) raido_print_profile(c);
#endif
    raido_object_free(c, result);
    free(in);
    free(args);
    free(passed);
  }
  raido_leave(c);
  raido_context_free(c);
  raido_config_free(cfg);
  return failed;
}
