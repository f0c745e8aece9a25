// server.h - a program that keeps variables and obeys commands, one on each line of standard input.
//
// Every command ends with a line `%%% OK`; after a failure, a line `%%% FAILURE` and the message come before it. A command that fails
// changes no variable: it looks at all its words before it does anything. After server_variables.h, server_commands.h and
// server_values.h, which have the commands by groups.

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
RAIDO_FN void raido_do_pause_profiling(struct raido_server *s) { raido_set_profiling(s->c, 0); }
RAIDO_FN void raido_do_unpause_profiling(struct raido_server *s) { raido_set_profiling(s->c, s->c->config->profiling); }
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
  struct raido_options options = {NULL, NULL, 0, 0, 0, 0, NULL};
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
