// deep_stack.h - room for recursion.
//
// The compiler recurses over what users nest and over calls of functions, and generated programs have chains of thousands of calls.
// So a command runs on a thread whose stack is as large as the address space gives without cost. Pages that nobody touches do not exist.
#pragma once
#include <functional>

namespace raido {

// Runs f on a large stack and returns its result. What exhausts even that ends the process with a message and exit code 2.
int on_deep_stack(const std::function<int()>& f);

// The address that recursion of this thread may grow down to: what is below is left for those who do not count.
const char* stack_limit();
inline const char* stack_now() { return static_cast<const char*>(__builtin_frame_address(0)); }

}  // namespace raido
