/* Growing bytes to write states into, and careful reading: what comes back from a file may be of another FMU. */
#include "bytes.h"

#include <stdlib.h>
#include <string.h>

uint8_t *write_room(ByteWriter *out, size_t size) {
  if (out->failed) return NULL;
  if (size > out->capacity - out->size) {
    size_t capacity = out->capacity > 0 ? out->capacity : 256;
    while (capacity - out->size < size) capacity *= 2;
    uint8_t *grown = realloc(out->bytes, capacity);
    if (!grown) {
      out->failed = true;
      return NULL;
    }
    out->bytes = grown;
    out->capacity = capacity;
  }
  uint8_t *room = out->bytes + out->size;
  out->size += size;
  return room;
}

void write_bytes(ByteWriter *out, const void *bytes, size_t size) {
  if (size == 0) return;
  uint8_t *room = write_room(out, size);
  if (room) memcpy(room, bytes, size);
}

void write_number(ByteWriter *out, double value) { write_bytes(out, &value, sizeof value); }

void write_numbers(ByteWriter *out, const double values[], size_t count) {
  write_bytes(out, values, count * sizeof values[0]);
}

void write_long(ByteWriter *out, int64_t value) { write_bytes(out, &value, sizeof value); }

void write_binary(ByteWriter *out, const Binary *value) {
  write_long(out, (int64_t)value->size);
  write_bytes(out, value->bytes, value->size);
}

void write_text(ByteWriter *out, const char *text) {
  const Binary value = {text ? strlen(text) : 0, (uint8_t *)(uintptr_t)text};
  write_binary(out, &value);
}

const uint8_t *read_view(ByteReader *in, size_t size) {
  if (size > in->size - in->at) {
    in->at = in->size;
    return NULL;
  }
  const uint8_t *view = in->bytes + in->at;
  in->at += size;
  return view;
}

bool read_bytes(ByteReader *in, void *bytes, size_t size) {
  if (size == 0) return true;
  const uint8_t *view = read_view(in, size);
  if (view) memcpy(bytes, view, size);
  else memset(bytes, 0, size);
  return view != NULL;
}

bool read_number(ByteReader *in, double *value) { return read_bytes(in, value, sizeof *value); }

bool read_numbers(ByteReader *in, double values[], size_t count) {
  return read_bytes(in, values, count * sizeof values[0]);
}

bool read_long(ByteReader *in, int64_t *value) { return read_bytes(in, value, sizeof *value); }

bool read_binary(ByteReader *in, Binary *place) {
  int64_t size = 0;
  if (!read_long(in, &size) || size < 0) return false;
  const uint8_t *view = read_view(in, (size_t)size);
  uint8_t *copy = view ? malloc((size_t)size + 1) : NULL;
  if (!copy) return false;
  memcpy(copy, view, (size_t)size);
  copy[size] = 0;
  free(place->bytes);
  place->bytes = copy;
  place->size = (size_t)size;
  return true;
}

bool read_text(ByteReader *in, char **place) {
  Binary value = {0, NULL};
  if (!read_binary(in, &value)) return false;
  free(*place);
  *place = (char *)value.bytes;
  return true;
}
