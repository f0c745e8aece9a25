// main.h - an executable: options, arguments from standard input, runs, results on standard output.
//
// The generated program before it supplies `raido_entries` (sorted by name), their number `raido_entry_count`,
// raido_program_start and raido_program_stop.

struct raido_options {
  const char *entry, *runtime_file;
  int runs, measured_runs, binary, print;
};

#ifdef RAIDO_DEVICE
RAIDO_FN int raido_device_option(struct raido_context *c, int which, const char *value);
#endif

enum { RAIDO_PRINT_PARAMS = 256, RAIDO_PARAM, RAIDO_TUNING, RAIDO_CACHE, RAIDO_NUM_THREADS };

static const struct option raido_long_options[] = {
  {"help", no_argument, NULL, 'h'},
  {"entry-point", required_argument, NULL, 'e'},
  {"write-runtime-to", required_argument, NULL, 't'},
  {"runs", required_argument, NULL, 'r'},
  {"binary-output", no_argument, NULL, 'b'},
  {"no-print-result", no_argument, NULL, 'n'},
  {"debugging", no_argument, NULL, 'D'},
  {"log", no_argument, NULL, 'L'},
  {"profile", no_argument, NULL, 'P'},
  {"print-params", no_argument, NULL, RAIDO_PRINT_PARAMS},
  {"print-sizes", no_argument, NULL, RAIDO_PRINT_PARAMS},
  {"param", required_argument, NULL, RAIDO_PARAM},
  {"size", required_argument, NULL, RAIDO_PARAM},
  {"tuning", required_argument, NULL, RAIDO_TUNING},
  {"cache-file", required_argument, NULL, RAIDO_CACHE},
#ifdef RAIDO_THREADS
  {"num-threads", required_argument, NULL, RAIDO_NUM_THREADS},
#endif
#ifdef RAIDO_DEVICE
  {"device", required_argument, NULL, 'd'},
  {"platform", required_argument, NULL, 'p'},
  {"default-thread-block-size", required_argument, NULL, RAIDO_DEVICE_OPTIONS},
  {"default-group-size", required_argument, NULL, RAIDO_DEVICE_OPTIONS},
  {"default-grid-size", required_argument, NULL, RAIDO_DEVICE_OPTIONS + 1},
  {"default-num-groups", required_argument, NULL, RAIDO_DEVICE_OPTIONS + 1},
  {"default-num-thread-blocks", required_argument, NULL, RAIDO_DEVICE_OPTIONS + 1},
  {"default-tile-size", required_argument, NULL, RAIDO_DEVICE_OPTIONS + 2},
  {"default-reg-tile-size", required_argument, NULL, RAIDO_DEVICE_OPTIONS + 2},
  {"default-registers", required_argument, NULL, RAIDO_DEVICE_OPTIONS + 2},
  {"default-cache", required_argument, NULL, RAIDO_DEVICE_OPTIONS + 2},
  {"default-threshold", required_argument, NULL, RAIDO_DEVICE_OPTIONS + 2},
  {"unified-memory", required_argument, NULL, RAIDO_DEVICE_OPTIONS + 2},
  {"list-devices", no_argument, NULL, RAIDO_DEVICE_OPTIONS + 3},
  {"dump-cuda", required_argument, NULL, RAIDO_DEVICE_OPTIONS + 4},
  {"dump-opencl", required_argument, NULL, RAIDO_DEVICE_OPTIONS + 4},
  {"load-cuda", required_argument, NULL, RAIDO_DEVICE_OPTIONS + 5},
  {"load-opencl", required_argument, NULL, RAIDO_DEVICE_OPTIONS + 5},
  {"nvrtc-option", required_argument, NULL, RAIDO_DEVICE_OPTIONS + 6},
  {"build-option", required_argument, NULL, RAIDO_DEVICE_OPTIONS + 6},
#endif
  {NULL, 0, NULL, 0}};

static const char raido_option_help[] =
  "  -h/--help                     print this and exit\n"
  "  -e/--entry-point NAME         run this entry point (default: main)\n"
  "  -t/--write-runtime-to FILE    write the time of each run to FILE, in microseconds\n"
  "  -r/--runs N                   N measured runs after one that is not measured\n"
  "  -b/--binary-output            print results in the binary format\n"
  "  -n/--no-print-result          do not print results\n"
  "  -D/--debugging                log and profile\n"
  "  -L/--log                      log on standard error\n"
  "  -P/--profile                  profile\n"
  "  --print-params                print the tuning parameters and exit\n"
  "  --param NAME=INT              set a tuning parameter\n"
  "  --tuning FILE                 read tuning parameters from FILE\n"
  "  --cache-file FILE             keep compiled GPU code in FILE\n"
#ifdef RAIDO_THREADS
  "  --num-threads N               use N threads (default: one for each processor)\n"
#endif
#ifdef RAIDO_DEVICE
  "  -d/--device NAME              use the device whose name contains NAME; #k: the k-th device\n"
  "  -p/--platform NAME            OpenCL: use the platform whose name contains NAME\n"
  "  --default-thread-block-size N threads in a block\n"
  "  --list-devices                print the devices and exit\n"
  "  --dump-cuda, --dump-opencl FILE   write the kernels' source to FILE and exit\n"
  "  --load-cuda, --load-opencl FILE   use FILE as the kernels' source\n"
  "  --nvrtc-option, --build-option OPT  give OPT to the compiler of the kernels\n"
#endif
  ;

RAIDO_FN void raido_tuning_file(const char *program, const char *name) {
  FILE *f = fopen(name, "r");
  if (f == NULL) raido_panic(program, "When loading tuning file '%s': Cannot open file: %s", name, strerror(errno));
  char line[512];
  for (int number = 1; fgets(line, sizeof line, f) != NULL; number++) {
    line[strcspn(line, "\r\n")] = 0;
    if (line[strspn(line, " \t")] == 0 || strncmp(line, "--", 2) == 0) continue;
    char *equals = strchr(line, '=');
    if (equals != NULL) *equals = 0;
    int done = equals != NULL ? raido_set_param(line, equals + 1) : RAIDO_PARAM_INVALID;
    if (done == RAIDO_PARAM_INVALID)
      raido_panic(program, "When loading tuning file '%s': Invalid line %d (must be of form 'name=int').", name, number);
    if (done == RAIDO_PARAM_UNKNOWN)               // the file may have been made for another backend
      fprintf(stderr, "%s: tuning file '%s': unknown name on line %d is left out: %s\n", program, name, number, line);
  }
  fclose(f);
}

RAIDO_FN void raido_parse_options(struct raido_context *c, int argc, char **argv, struct raido_options *o) {
  const char *program = c->program;
  int which;
  opterr = 0;
#ifdef RAIDO_DEVICE
  const char *letters = ":he:t:r:bnDLPd:p:";
#else
  const char *letters = ":he:t:r:bnDLP";
#endif
  while ((which = getopt_long(argc, argv, letters, raido_long_options, NULL)) != -1) {
    switch (which) {
      case 'h': printf("Usage: %s [OPTION]...\nOptions:\n%s", program, raido_option_help); exit(0);
      case 'e': o->entry = optarg; break;
      case 't': {
        o->runtime_file = optarg;
        FILE *f = fopen(optarg, "w");
        if (f == NULL) raido_panic(program, "Cannot open %s: %s", optarg, strerror(errno));
        fclose(f);
        break;
      }
      case 'r':
        o->runs = o->measured_runs = atoi(optarg);
        if (o->runs <= 0) raido_panic(program, "Need a positive number of runs, not %s", optarg);
        o->runs++;
        break;
      case 'b': o->binary = 1; break;
      case 'n': o->print = 0; break;
      case 'D': c->debugging = c->logging = c->profiling = 1; break;
      case 'L': c->logging = 1; break;
      case 'P': c->profiling = 1; break;
      case RAIDO_PRINT_PARAMS:
        for (struct raido_param *p = raido_params; p->name != NULL; p++) printf("%s (%s)\n", p->name, p->kind);
        exit(0);
      case RAIDO_PARAM: {
        char *equals = strchr(optarg, '=');
        if (equals == NULL) raido_panic(program, "Invalid argument for --parameter option: %s", optarg);
        *equals = 0;
        int done = raido_set_param(optarg, equals + 1);
        if (done == RAIDO_PARAM_UNKNOWN) raido_panic(program, "Unknown tuning parameter: %s", optarg);
        if (done == RAIDO_PARAM_INVALID) raido_panic(program, "Invalid argument for --parameter option: %s=%s", optarg, equals + 1);
        break;
      }
      case RAIDO_TUNING: raido_tuning_file(program, optarg); break;
      case RAIDO_CACHE: break;
      case RAIDO_NUM_THREADS: c->num_threads = atoi(optarg); break;
      case ':': fprintf(stderr, "%s: Missing argument for option %s\n", program, argv[optind - 1]); exit(255);
      case '?':
        fprintf(stderr, "Usage: %s [OPTIONS]...\nOptions:\n%s\n", program, raido_option_help);
        raido_panic(program, "Unknown option: %s", argv[optind - 1]);
      default:
#ifdef RAIDO_DEVICE
        if (raido_device_option(c, which, optarg) != 0) raido_panic(program, "%s", c->main.error);
#endif
        break;
    }
  }
  if (optind < argc) raido_panic(program, "Excess non-option: %s", argv[optind]);
}

RAIDO_FN const struct raido_entry *raido_find_entry(const char *name) {
  for (int k = 0; k < raido_entry_count; k++)
    if (strcmp(raido_entries[k].name, name) == 0) return &raido_entries[k];
  fprintf(stderr, "No entry point '%s'.  Select another with --entry-point.  Options are:\n", name);
  for (int k = 0; k < raido_entry_count; k++) fprintf(stderr, "%s\n", raido_entries[k].name);
  exit(1);
}

RAIDO_FN void raido_read_arguments(struct raido_context *c, const struct raido_entry *e, struct raido_value *in) {
  struct raido_input *input = calloc(1, sizeof *input);
  if (input == NULL) raido_panic(c->program, "out of memory");
  input->file = stdin;
  if (isatty(0) && e->inputs > 0) fprintf(stderr, "Reading input from the terminal; end it with ^D.\n");
  for (int k = 0; k < e->inputs; k++) {
    const struct raido_external *x = &e->input[k];
    if (x->opaque != NULL) raido_panic(c->program, "Cannot read input #%d of type %s", k, x->opaque);
    in[k].type = x->type;
    in[k].rank = x->rank;
    errno = 0;
    if (raido_read(&c->main, input, &in[k])) continue;
    char type[2 * RAIDO_MAX_RANK + 8] = "";
    for (int d = 0; d < x->rank; d++) strcat(type, "[]");
    strcat(type, raido_types[x->type].name);
    const char *what = x->rank > 0 ? "Cannot read input" : "Error when reading input", *more = input->problem[0] != 0 ? input->problem : "too large";
    raido_panic(c->program, "%s #%d of type %s (errno: %s).\nArgument `%s`: %s.", what, k, type, strerror(errno), x->name, more);
  }
  char token[RAIDO_TOKEN];
  raido_token(input, token);
  if (token[0] != 0) raido_panic(c->program, "Expected EOF on stdin after reading input for \"%s\".", e->name);
  free(input);
}

RAIDO_FN void raido_copy_arguments(struct raido_context *c, const struct raido_entry *e, const struct raido_value *in,
                                   struct raido_value *copy) {
  for (int k = 0; k < e->inputs; k++) {
    copy[k] = in[k];
    if (in[k].rank == 0) continue;
    i64 bytes = raido_volume(&in[k]) * raido_types[in[k].type].bytes;
    copy[k].data = raido_alloc(&c->main, bytes);
    if (copy[k].data == NULL) raido_panic(c->program, "%s", c->main.error);
    if (bytes > 0) memcpy(copy[k].data, in[k].data, (size_t)bytes);
  }
}

RAIDO_FN void raido_release_values(struct raido_context *c, struct raido_value *v, int n) {
  for (int k = 0; k < n; k++)
    if (v[k].rank > 0) raido_release(&c->main, v[k].data);
}

RAIDO_FN int raido_print_results(const char *program, const struct raido_entry *e, const struct raido_value *out, const struct raido_options *o) {
  for (int k = 0; k < e->outputs; k++) {
    if (e->output[k].opaque != NULL) {
      fflush(stdout);
      fprintf(stderr, "Values of type \"%s\" have no external representation.\n", e->output[k].opaque);
      return 1;
    }
    if (o->binary) raido_print_binary(stdout, &out[k]); else raido_print_text(stdout, &out[k]);
    fputc('\n', stdout);
  }
  if (e->outputs == 0) fputc('\n', stdout);
  if (fflush(stdout) != 0 || ferror(stdout)) raido_panic(program, "Cannot write the results: %s", strerror(errno));
  return 0;
}

int main(int argc, char **argv) {
  static struct raido_context context;
  struct raido_context *c = &context;
  struct raido_options options = {"main", NULL, 1, 1, 0, 1};
  c->program = argv[0] != NULL ? argv[0] : "program";
  c->log = stderr;
  c->main.context = c;
  c->main.stack = (const char *)&options;
  pthread_mutex_init(&c->lock, NULL);
  raido_parse_options(c, argc, argv, &options);
  u64 mode = raido_flush_subnormals();
  if (raido_program_start(c) != 0) raido_panic(c->program, "%s", c->main.error);
  raido_set_mode(mode);
  const struct raido_entry *e = raido_find_entry(options.entry);
  struct raido_value *values = calloc((size_t)(2 * e->inputs + e->outputs) + 1, sizeof *values);
  if (values == NULL) raido_panic(c->program, "out of memory");
  struct raido_value *in = values, *copy = in + e->inputs, *out = copy + e->inputs;
  raido_read_arguments(c, e, in);
  for (int run = 0; run < options.runs; run++) {
    raido_copy_arguments(c, e, in, copy);
    if (run > 0) raido_release_values(c, out, e->outputs);
    c->started = raido_nanoseconds();
    c->stopped = 0;
    raido_flush_subnormals();
    if (e->run(&c->main, copy, out) != 0) raido_panic(c->program, "%s", c->main.error);
    raido_set_mode(mode);
    i64 spent = (c->stopped != 0 ? c->stopped : raido_nanoseconds()) - c->started;
    raido_release_values(c, copy, e->inputs);
    if (options.runtime_file != NULL && run >= options.runs - options.measured_runs) {
      FILE *f = fopen(options.runtime_file, "a");
      if (f == NULL) raido_panic(c->program, "Cannot open %s: %s", options.runtime_file, strerror(errno));
      int lost = fprintf(f, "%" PRId64 "\n", (spent + 500) / 1000) < 0;
      if (fclose(f) != 0 || lost) raido_panic(c->program, "Cannot write %s: %s", options.runtime_file, strerror(errno));
    }
  }
  int failed = options.print ? raido_print_results(c->program, e, out, &options) : 0;
  raido_release_values(c, out, e->outputs);
  raido_release_values(c, in, e->inputs);
  raido_program_stop(c);
  raido_free_all(c);
  pthread_mutex_destroy(&c->lock);
  free(values);
  return failed;
}
