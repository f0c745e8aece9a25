#include "compiler/base/deep_stack.h"

#include <csignal>
#include <cstddef>
#include <cstdint>

#include <pthread.h>
#include <sys/mman.h>
#include <unistd.h>

namespace raido {
namespace {

constexpr size_t largest = size_t(2) << 30, smallest = size_t(8) << 20, guard = size_t(64) << 10;
char* stack_begin = nullptr;          // the guard, then the stack

struct Task { const std::function<int()>* run; int result; };

void overflow(int signal, siginfo_t* info, void*) {
  auto at = reinterpret_cast<uintptr_t>(info->si_addr), begin = reinterpret_cast<uintptr_t>(stack_begin);
  if (at >= begin && at < begin + guard) {
    static const char text[] = "Error: stack overflow: the program is nested too deeply, or recurs without end.\n";
    if (write(STDERR_FILENO, text, sizeof text - 1) < 0) _exit(1);
    _exit(2);
  }
  std::signal(signal, SIG_DFL);       // a fault of ours: back to what the system does
}

void* thread(void* argument) {
  static char handler_stack[64 << 10];
  stack_t other{}, before{};
  other.ss_sp = handler_stack;
  other.ss_size = sizeof handler_stack;
  sigaltstack(&other, &before);       // restored at the end: a sanitizer frees the one it gave to the thread
  struct sigaction action{};
  action.sa_sigaction = overflow;
  action.sa_flags = SA_SIGINFO | SA_ONSTACK;
  sigaction(SIGSEGV, &action, nullptr);
  auto& task = *static_cast<Task*>(argument);
  task.result = (*task.run)();
  sigaltstack(&before, nullptr);
  return nullptr;
}

}  // namespace

int on_deep_stack(const std::function<int()>& f) {
  size_t size = largest;
  void* memory = MAP_FAILED;
  while (size >= smallest) {          // less where the address space is limited
    memory = mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_STACK, -1, 0);
    if (memory != MAP_FAILED) break;
    size /= 2;
  }
  if (memory == MAP_FAILED) return f();
  stack_begin = static_cast<char*>(memory);
  mprotect(memory, guard, PROT_NONE);
  Task task{&f, 0};
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setstack(&attributes, stack_begin + guard, size - guard);
  pthread_t id;
  int failed = pthread_create(&id, &attributes, thread, &task);
  pthread_attr_destroy(&attributes);
  if (failed) return f();
  pthread_join(id, nullptr);
  return task.result;
}

const char* stack_limit() {
  constexpr size_t reserve = size_t(1) << 20;
  pthread_attr_t attributes;
  void* begin = nullptr;
  size_t size = 0;
  if (pthread_getattr_np(pthread_self(), &attributes) != 0) return stack_now() - smallest / 4;
  pthread_attr_getstack(&attributes, &begin, &size);
  pthread_attr_destroy(&attributes);
  return static_cast<const char*>(begin) + reserve;
}

}  // namespace raido
