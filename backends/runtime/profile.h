// profile.h - where the time goes: what devices do, and where in its source the program is while threads of the processor work.
//
// The program says where each of its threads is (RAIDO_MARK). If it was compiled with --profile, a thread of its own looks at them every
// 0.2 ms. The time since it looked last counts for the places where it finds them, so the times of threads add up.

// The event is kept until somebody asks for the report. Without memory it is lost.
RAIDO_FN void raido_note_event(struct raido_context *c, const struct raido_event *what) {
  struct raido_event *e = malloc(sizeof *e);
  if (e == NULL) return;
  *e = *what;
  e->next = NULL;
  *c->last_event = e;
  c->last_event = &e->next;
}

#ifdef RAIDO_SAMPLES
struct raido_profiler {
  pthread_t thread;
  pthread_mutex_t lock;                                    // guards `times` and `samples`
  u32 stop;
  i64 *times, *samples;                                    // of each place: nanoseconds, how often a thread was there
};

RAIDO_FN void raido_sample(struct raido_profiler *p, struct raido_worker *w, i64 time) {
  int place = __atomic_load_n(&w->place, __ATOMIC_RELAXED);
  if (place == 0) return;
  p->times[place] += time;
  p->samples[place]++;
}
RAIDO_FN void *raido_profile(void *argument) {
  struct raido_context *c = argument;
  struct raido_profiler *p = c->profiler;
  const struct timespec pause = {0, 200000};
  for (i64 last = raido_nanoseconds(); !__atomic_load_n(&p->stop, __ATOMIC_ACQUIRE);) {
    nanosleep(&pause, NULL);
    i64 now = raido_nanoseconds();
    if (__atomic_load_n(&c->profiling, __ATOMIC_RELAXED)) {
      pthread_mutex_lock(&p->lock);
      raido_sample(p, &c->main, now - last);
#ifdef RAIDO_THREADS
      for (int k = 1; c->pool != NULL && k < c->pool->count; k++) raido_sample(p, &c->pool->workers[k], now - last);
#endif
      pthread_mutex_unlock(&p->lock);
    }
    last = now;
  }
  return NULL;
}

// The pool is there. Without memory or a thread there are no samples.
RAIDO_FN void raido_profiler_start(struct raido_context *c) {
  size_t places = (size_t)RAIDO_SAMPLES;
  struct raido_profiler *p = c->config->profiling && places > 0 ? calloc(1, sizeof *p + 2 * places * sizeof *p->times) : NULL;
  if (p == NULL) return;
  p->times = (i64 *)(void *)(p + 1);
  p->samples = p->times + places;
  pthread_mutex_init(&p->lock, NULL);
  c->profiler = p;
  if (pthread_create(&p->thread, NULL, raido_profile, c) == 0) return;
  c->profiler = NULL;
  pthread_mutex_destroy(&p->lock);
  free(p);
}
RAIDO_FN void raido_profiler_stop(struct raido_context *c) {
  struct raido_profiler *p = c->profiler;
  if (p == NULL) return;
  __atomic_store_n(&p->stop, 1u, __ATOMIC_RELEASE);
  pthread_join(p->thread, NULL);
  pthread_mutex_destroy(&p->lock);
  free(p);
}
// Makes an event of each place.
RAIDO_FN void raido_note_samples(struct raido_context *c) {
  struct raido_profiler *p = c->profiler;
  if (p == NULL) return;
  pthread_mutex_lock(&p->lock);
  for (int k = 1; k < RAIDO_SAMPLES; k++)
    if (p->samples[k] > 0) raido_note_event(c, &(struct raido_event){.name = raido_place_kinds[k], .place = k, .duration = p->times[k], .samples = p->samples[k]});
  memset(p->times, 0, 2 * (size_t)RAIDO_SAMPLES * sizeof *p->times);
  pthread_mutex_unlock(&p->lock);
}
#else
RAIDO_FN void raido_note_samples(struct raido_context *c) { (void)c; }
#endif

#ifdef RAIDO_EXECUTABLE
RAIDO_FN int raido_by_place(const void *one, const void *other) {
  const struct raido_event *a = one, *b = other;
  int names = strcmp(a->name, b->name);
  return names != 0 ? names : a->place - b->place;
}
RAIDO_FN int raido_by_time(const void *one, const void *other) {
  i64 a = ((const struct raido_event *)one)->duration, b = ((const struct raido_event *)other)->duration;
  return (a < b) - (a > b);
}
// A table on standard error: events of one name and place together, the longest time first.
RAIDO_FN void raido_print_profile(struct raido_context *c) {
  size_t n = 0, rows = 0;
  i64 all = 0;
  raido_note_samples(c);
  for (struct raido_event *e = c->events; e != NULL; e = e->next) n++;
  struct raido_event *es = calloc(n + 1, sizeof *es);
  if (es == NULL) return;
  n = 0;
  for (struct raido_event *e = c->events; e != NULL; e = e->next) {
    es[n] = *e;
    if (e->samples == 0) es[n].samples = 1;
    all += es[n++].duration;
  }
  qsort(es, n, sizeof *es, raido_by_place);
  for (size_t k = 0; k < n; k++) {
    if (rows > 0 && raido_by_place(&es[rows - 1], &es[k]) == 0) {
      es[rows - 1].duration += es[k].duration;
      es[rows - 1].samples += es[k].samples;
    } else {
      es[rows++] = es[k];
    }
  }
  qsort(es, rows, sizeof *es, raido_by_time);
  fprintf(stderr, "%12s %7s %9s  %-24s %s\n", "milliseconds", "share", "count", "what", "where");
  for (size_t k = 0; k < rows; k++)
    fprintf(stderr, "%12.3f %6.1f%% %9" PRId64 "  %-24s %s\n", (double)es[k].duration / 1e6, all > 0 ? 100.0 * (double)es[k].duration / (double)all : 0.0,
            es[k].samples, es[k].name, raido_places[es[k].place]);
  free(es);
}
#endif
