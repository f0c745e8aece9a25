// image.h - how a program stands after the loader in an executable: written by link.cc, read by load.h. C that is also C++.
//
// The file: loader, zeros up to a page, image, imports (texts that end with zero), fixups, struct raido_image. The image is what will be in memory,
// first the code, then the data, which begin at a page. Places in it and after it are counted from its start. A fixup adds the address of
// the image to the word at a place. The addresses of the imports go into the words at `slots`.
#pragma once
#include <stdint.h>

struct raido_image {
  uint64_t start;                      // in the file
  uint64_t size, stored, code;         // in memory, in the file, of the code: whole pages
  uint64_t slots, imports, import_bytes;
  uint64_t fixups, fixup_count;        // in the file, after the image; each a uint64_t
  uint64_t program;                    // the place of raido_program
  char mark[16];
};

#define RAIDO_IMAGE_MARK "raido image 1\n\n"
