// options.h - the command line of an executable (RAIDO_EXECUTABLE) or a server: it fills a configuration. Options act in order.

struct raido_options {
  const char *entry, *runtime_file;
  int runs, measured_runs, binary, print;
  const char *counts_file;
};

enum { RAIDO_PRINT_PARAMS = 256, RAIDO_PARAM, RAIDO_TUNING, RAIDO_CACHE, RAIDO_CPU, RAIDO_NUM_THREADS, RAIDO_MEM_LIMIT, RAIDO_BLOCKS, RAIDO_IGNORED,
       RAIDO_LIST, RAIDO_DUMP, RAIDO_LOAD, RAIDO_DUMP_BINARY, RAIDO_LOAD_BINARY, RAIDO_BUILD_OPTION, RAIDO_COUNT, RAIDO_COUNT_FILE, RAIDO_SAMPLE };

static const struct option raido_long_options[] = {
  {"help", no_argument, NULL, 'h'},
#ifdef RAIDO_EXECUTABLE
  {"entry-point", required_argument, NULL, 'e'},
  {"write-runtime-to", required_argument, NULL, 't'},
  {"runs", required_argument, NULL, 'r'},
  {"binary-output", no_argument, NULL, 'b'},
  {"no-print-result", no_argument, NULL, 'n'},
#endif
  {"debugging", no_argument, NULL, 'D'},
  {"log", no_argument, NULL, 'L'},
  {"profile", no_argument, NULL, 'P'},
  {"print-params", no_argument, NULL, RAIDO_PRINT_PARAMS},
  {"print-sizes", no_argument, NULL, RAIDO_PRINT_PARAMS},
  {"param", required_argument, NULL, RAIDO_PARAM},
  {"size", required_argument, NULL, RAIDO_PARAM},
  {"tuning", required_argument, NULL, RAIDO_TUNING},
  {"cache-file", required_argument, NULL, RAIDO_CACHE},
  {"mem-limit", required_argument, NULL, RAIDO_MEM_LIMIT},
#ifndef RAIDO_DEVICE
  {"cpu", required_argument, NULL, RAIDO_CPU},
#endif
#ifdef RAIDO_THREADS
  {"num-threads", required_argument, NULL, RAIDO_NUM_THREADS},
#endif
#if defined(RAIDO_EMULATED) && defined(RAIDO_EXECUTABLE)
  {"counts", no_argument, NULL, RAIDO_COUNT},
  {"counts-file", required_argument, NULL, RAIDO_COUNT_FILE},
  {"sample", required_argument, NULL, RAIDO_SAMPLE},
#endif
#ifdef RAIDO_DEVICE
  {"device", required_argument, NULL, 'd'},
  {"platform", required_argument, NULL, 'p'},
  {"default-thread-block-size", required_argument, NULL, RAIDO_BLOCKS},
  {"default-group-size", required_argument, NULL, RAIDO_BLOCKS},
  {"default-grid-size", required_argument, NULL, RAIDO_IGNORED},
  {"default-num-groups", required_argument, NULL, RAIDO_IGNORED},
  {"default-num-thread-blocks", required_argument, NULL, RAIDO_IGNORED},
  {"default-tile-size", required_argument, NULL, RAIDO_IGNORED},
  {"default-reg-tile-size", required_argument, NULL, RAIDO_IGNORED},
  {"default-registers", required_argument, NULL, RAIDO_IGNORED},
  {"default-cache", required_argument, NULL, RAIDO_IGNORED},
  {"default-threshold", required_argument, NULL, RAIDO_IGNORED},
  {"unified-memory", required_argument, NULL, RAIDO_IGNORED},
  {"list-devices", no_argument, NULL, RAIDO_LIST},
  {"dump-cuda", required_argument, NULL, RAIDO_DUMP},
  {"dump-opencl", required_argument, NULL, RAIDO_DUMP},
  {"load-cuda", required_argument, NULL, RAIDO_LOAD},
  {"load-opencl", required_argument, NULL, RAIDO_LOAD},
  {"dump-ptx", required_argument, NULL, RAIDO_DUMP_BINARY},
  {"dump-opencl-binary", required_argument, NULL, RAIDO_DUMP_BINARY},
  {"load-ptx", required_argument, NULL, RAIDO_LOAD_BINARY},
  {"load-opencl-binary", required_argument, NULL, RAIDO_LOAD_BINARY},
  {"nvrtc-option", required_argument, NULL, RAIDO_BUILD_OPTION},
  {"build-option", required_argument, NULL, RAIDO_BUILD_OPTION},
#endif
  {NULL, 0, NULL, 0}};

static const char *const raido_option_help[] = {
  "  -h/--help                     print this and exit\n",
#ifdef RAIDO_EXECUTABLE
  "  -e/--entry-point NAME         run this entry point (default: main)\n",
  "  -t/--write-runtime-to FILE    write the time of each run to FILE, in microseconds\n",
  "  -r/--runs N                   N measured runs after one that is not measured\n",
  "  -b/--binary-output            print results in the binary format\n",
  "  -n/--no-print-result          do not print results\n",
#endif
  "  -D/--debugging                log and profile\n",
#ifdef RAIDO_EXECUTABLE
  "  -L/--log                      log on standard error\n",
#else
  "  -L/--log                      log on standard output\n",
#endif
  "  -P/--profile                  say where the time goes\n",
  "  --print-params                print the tuning parameters and exit\n",
  "  --param NAME=INT              set a tuning parameter\n",
  "  --tuning FILE                 read tuning parameters from FILE\n",
  "  --cache-file FILE             keep compiled GPU code in FILE\n",
  "  --mem-limit BYTES             use no more memory for arrays\n",
#ifndef RAIDO_DEVICE
  "  --cpu VERSION                 run this version of the program: avx512, avx2, baseline (default: the first that works)\n",
#endif
#ifdef RAIDO_THREADS
  "  --num-threads N               use N threads (default: one for each processor)\n",
#endif
#if defined(RAIDO_EMULATED) && defined(RAIDO_EXECUTABLE)
  "  --counts                      print what each kernel does on standard error\n",
  "  --counts-file FILE            write that to FILE as JSON\n",
  "  --sample N                    count N blocks of each launch, 4 at least; there are no results then\n",
#endif
#ifdef RAIDO_DEVICE
  "  -d/--device NAME              use the device whose name contains NAME; #k: the k-th device\n",
  "  -p/--platform NAME            OpenCL: use the platform whose name contains NAME\n",
  "  --default-thread-block-size N threads in a block\n",
  "  --list-devices                print the devices and exit\n",
  "  --dump-cuda, --dump-opencl FILE   write the kernels' source to FILE and exit\n",
  "  --load-cuda, --load-opencl FILE   use FILE as the kernels' source\n",
  "  --dump-ptx, --dump-opencl-binary FILE   write the compiled kernels to FILE and exit\n",
  "  --load-ptx, --load-opencl-binary FILE   use FILE as the compiled kernels\n",
  "  --nvrtc-option, --build-option OPT  give OPT to the compiler of the kernels\n",
#endif
};

RAIDO_FN void raido_print_help(FILE *out) {
  fputs("Options:\n", out);
  for (size_t k = 0; k < sizeof raido_option_help / sizeof raido_option_help[0]; k++) fputs(raido_option_help[k], out);
}

// True if the text is a number.
RAIDO_FN int raido_number(const char *text, i64 *value) {
  char *end;
  errno = 0;
  *value = (i64)strtoll(text, &end, 10);
  return end != text && *end == 0 && errno == 0;
}

RAIDO_FN void raido_trim_end(char *text) {
  size_t n = strlen(text);
  while (n > 0 && strchr(" \t\r\n", text[n - 1]) != NULL) text[--n] = 0;
}

RAIDO_FN void raido_tuning_file(struct raido_config *cfg, const char *program, const char *name) {
  FILE *f = fopen(name, "r");
  if (f == NULL) raido_panic(program, "When loading tuning file '%s': Cannot open file: %s", name, strerror(errno));
  char line[512];
  for (int number = 1; fgets(line, sizeof line, f) != NULL; number++) {
    raido_trim_end(line);
    char *param = line + strspn(line, " \t"), *equals = strchr(param, '=');
    if (*param == 0 || strncmp(param, "--", 2) == 0) continue;
    i64 value;
    if (equals == NULL || !raido_number(equals + 1, &value))
      raido_panic(program, "When loading tuning file '%s': Invalid line %d (must be of form 'name=int').", name, number);
    *equals = 0;
    raido_trim_end(param);
    if (raido_config_param(cfg, param, value) != 0)   // the file may have been made for another backend
      fprintf(stderr, "%s: tuning file '%s': unknown name on line %d is left out: %s\n", program, name, number, param);
  }
  fclose(f);
}

RAIDO_FN void raido_param_option(struct raido_config *cfg, const char *program, char *text) {
  char *equals = strchr(text, '=');
  if (equals == NULL) raido_panic(program, "Invalid argument for --parameter option: %s", text);
  *equals = 0;
  if (raido_config_param(cfg, text, (i64)strtoll(equals + 1, NULL, 10)) != 0) raido_panic(program, "Unknown tuning parameter: %s", text);
}

#ifdef RAIDO_DEVICE
RAIDO_FN void raido_list_devices(struct raido_config *cfg, const char *program) {
  struct dev *dev = calloc(1, sizeof *dev);
  if (dev == NULL) raido_panic(program, "out of memory");
  dev_list(dev, cfg);
  free(dev);
}

RAIDO_FN void raido_dump_kernels(const char *program, const char *name) {
  FILE *f = fopen(name, "w");
  if (f == NULL) raido_panic(program, "Cannot open %s: %s", name, strerror(errno));
  for (int k = 0; raido_kernel_source[k] != NULL; k++) fputs(raido_kernel_source[k], f);
  int unwritten = ferror(f);
  if (fclose(f) != 0 || unwritten) raido_panic(program, "Cannot write %s: %s", name, strerror(errno));
}

// Nonzero: there is no memory.
RAIDO_FN int raido_load_kernels(struct raido_config *cfg, const char *program, const char *name) {
  size_t size;
  char *source = raido_whole_file(name, &size);
  if (source == NULL) raido_panic(program, "Cannot open %s: %s", name, strerror(errno));
  int lost = raido_config_text(cfg, RAIDO_TEXT_SOURCE, source);
  free(source);
  return lost;
}
#endif

RAIDO_FN void raido_parse_options(struct raido_config *cfg, const char *program, int argc, char **argv, struct raido_options *o) {
  int which, lost = 0;
#ifdef RAIDO_EXECUTABLE
  const char *letters = ":he:t:r:bnDLPd:p:";
#else
  const char *letters = ":hDLPd:p:";
#endif
  char known[32];
  snprintf(known, sizeof known, "%s", letters);
#ifndef RAIDO_DEVICE
  known[strlen(known) - 4] = 0;
#endif
  opterr = 0;
  while ((which = getopt_long(argc, argv, known, raido_long_options, NULL)) != -1) {
    switch (which) {
      case 'h': printf("Usage: %s [OPTION]...\n", program); raido_print_help(stdout); exit(0);
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
      case 'D': cfg->debugging = cfg->logging = cfg->profiling = 1; break;
      case 'L': cfg->logging = 1; break;
      case 'P':
        cfg->profiling = 1;
#ifdef RAIDO_PROFILED
        if (RAIDO_PROFILED) break;
#endif
        fprintf(stderr, "%s: to say where its time goes, it must be compiled with --profile\n", program);
        break;
      case RAIDO_PRINT_PARAMS:
        for (int k = 0; k < RAIDO_PARAMS; k++) printf("%s (%s)\n", raido_params[k].name, raido_params[k].kind);
        exit(0);
      case RAIDO_PARAM: raido_param_option(cfg, program, optarg); break;
      case RAIDO_TUNING: raido_tuning_file(cfg, program, optarg); break;
      case RAIDO_CACHE: lost = raido_config_text(cfg, RAIDO_TEXT_CACHE, optarg); break;
      case RAIDO_CPU: lost = raido_config_text(cfg, RAIDO_TEXT_CPU, optarg); break;
      case RAIDO_NUM_THREADS: cfg->num_threads = atoi(optarg); break;
      case RAIDO_MEM_LIMIT:
        if (!raido_number(optarg, &cfg->mem_limit) || cfg->mem_limit <= 0) raido_panic(program, "Need a positive number of bytes, not %s", optarg);
        break;
      case RAIDO_COUNT: cfg->counts |= 1; break;
      case RAIDO_COUNT_FILE: cfg->counts |= 2; o->counts_file = optarg; break;
      case RAIDO_SAMPLE:
        cfg->sample = atoi(optarg);
        if (cfg->sample < 4) raido_panic(program, "Need a sample of at least 4 blocks, not %s", optarg);
        break;
#ifdef RAIDO_DEVICE
      case 'd': lost = raido_config_text(cfg, RAIDO_TEXT_DEVICE, optarg); break;
      case 'p': lost = raido_config_text(cfg, RAIDO_TEXT_PLATFORM, optarg); break;
      case RAIDO_BLOCKS: raido_config_param(cfg, "default_thread_block_size", atoi(optarg)); break;
      case RAIDO_LIST: raido_list_devices(cfg, program); exit(0);
      case RAIDO_DUMP: raido_dump_kernels(program, optarg); exit(0);
      case RAIDO_LOAD: lost = raido_load_kernels(cfg, program, optarg); break;
      case RAIDO_DUMP_BINARY: lost = raido_config_text(cfg, RAIDO_TEXT_DUMP_BINARY, optarg); break;
      case RAIDO_LOAD_BINARY: lost = raido_config_text(cfg, RAIDO_TEXT_BINARY, optarg); break;
      case RAIDO_BUILD_OPTION: lost = raido_config_build_option(cfg, optarg); break;
#endif
      case RAIDO_IGNORED: break;
      case ':': fprintf(stderr, "%s: Missing argument for option %s\n", program, argv[optind - 1]); exit(255);
      default:
        fprintf(stderr, "Usage: %s [OPTIONS]...\n", program);
        raido_print_help(stderr);
        fputc('\n', stderr);
        raido_panic(program, "Unknown option: %s", argv[optind - 1]);
    }
    if (lost) raido_panic(program, "out of memory");
  }
  if (cfg->sample > 0 && cfg->counts == 0) cfg->counts = 1;
  if (optind < argc) raido_panic(program, "Excess non-option: %s", argv[optind]);
}
