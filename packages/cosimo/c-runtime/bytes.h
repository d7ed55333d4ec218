/* States as bytes: what units write one after the other, and read back in the same order. Of this machine, for this machine. */
#ifndef COSIMO_BYTES_H
#define COSIMO_BYTES_H

#include "unit.h"

struct ByteWriter {
  uint8_t *bytes;
  size_t size;
  size_t capacity;
  /* Memory was short: `bytes` is not what was written. */
  bool failed;
};

struct ByteReader {
  const uint8_t *bytes;
  size_t size;
  size_t at;
};

void write_bytes(ByteWriter *out, const void *bytes, size_t size);
/* Room for `size` bytes that the caller fills before anything else is written; NULL where there is no memory. */
uint8_t *write_room(ByteWriter *out, size_t size);
bool read_bytes(ByteReader *in, void *bytes, size_t size);
/* The bytes themselves, which stay the reader's; NULL where there are not that many. */
const uint8_t *read_view(ByteReader *in, size_t size);

#endif
