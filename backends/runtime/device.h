// device.h - the options that every device understands.

#define RAIDO_DEVICE 1

enum { RAIDO_BUILD_OPTIONS = 16 };
enum { RAIDO_DEVICE_OPTIONS = 300 };

struct dev_options {
  const char *device, *platform;       // part of the name, or #k
  const char *source;                  // of the kernels
  const char *build_options[RAIDO_BUILD_OPTIONS];
  int build_option_count;
  int list;                            // print the devices and exit
};
