// params.h - the numbers that the user of a program may set: those of `#[param(name)]`, and limits of the compiler's choices.
//
// The generated program before it supplies `raido_params`. For a limit 0 means the compiler's own value.

RAIDO_INLINE i64 raido_tuned(int k, i64 fallback) {
  return raido_params[k].set ? raido_params[k].value : fallback;
}

enum { RAIDO_PARAM_SET, RAIDO_PARAM_UNKNOWN, RAIDO_PARAM_INVALID };

RAIDO_FN int raido_set_param(const char *name, const char *text) {
  struct raido_param *p = raido_params;
  while (p->name != NULL && strcmp(p->name, name) != 0) p++;
  char *end;
  errno = 0;
  i64 value = (i64)strtoll(text, &end, 10);
  if (end == text || *end != 0 || errno != 0) return RAIDO_PARAM_INVALID;
  if (p->name == NULL) return RAIDO_PARAM_UNKNOWN;
  p->set = value != 0 || strcmp(p->kind, "custom") == 0;
  p->value = value;
  return RAIDO_PARAM_SET;
}
