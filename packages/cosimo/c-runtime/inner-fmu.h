/*
 * FMUs inside an exported FMU: what the exporter knows of each of them, as data, and the makers of their units.
 * The FMU lies unpacked in `<resources>/<folder>`.
 */
#ifndef COSIMO_INNER_FMU_H
#define COSIMO_INNER_FMU_H

#include "unit.h"

typedef enum {
  TYPE_FLOAT64,
  TYPE_FLOAT32,
  TYPE_INT8,
  TYPE_UINT8,
  TYPE_INT16,
  TYPE_UINT16,
  TYPE_INT32,
  TYPE_UINT32,
  TYPE_INT64,
  TYPE_UINT64,
  TYPE_BOOLEAN,
  TYPE_STRING,
  TYPE_BINARY,
  TYPE_ENUMERATION,
  TYPE_CLOCK
} ValueType;

typedef struct {
  ValueType type;
  uint32_t reference;
  /* Number of elements. */
  uint32_t size;
  bool is_input;
} FmuPort;

/* A structural parameter (FMI 3), set in configuration mode as soon as the instance exists. */
typedef struct {
  unsigned port;
  double value;
} FmuStructure;

typedef struct {
  const char *folder;
  const char *identifier;
  const char *token;
  /* The library where it was exported, relative to `folder`: tried when there is none at the usual places. */
  const char *library;
  /* By port number. */
  const FmuPort *ports;
  size_t port_count;
  /* False: every step must have the same size, to the last bit. */
  bool has_variable_step;
  bool has_resources;
  /* FMI 2: it may take steps in the background. */
  bool is_asynchronous;
  /* FMI 2: log categories that say why a call failed. */
  const char *const *categories;
  size_t category_count;
  /* FMI 3. */
  const FmuStructure *structure;
  size_t structure_count;
  /* FMI 3: inputs that follow slopes inside a step, by intermediate updates. */
  const unsigned *followed;
  size_t followed_count;
} FmuModel;

Unit *make_fmi2_unit(const FmuModel *model, const UnitHost *host, const char *name);
Unit *make_fmi3_unit(const FmuModel *model, const UnitHost *host, const char *name);

/* ---- values before initialization (given.c) --------------------------------------------------------------------------------- */

/* How a unit sets values at once; NULL for banks that its version does not have. */
typedef struct {
  UnitStatus (*numbers)(Unit *unit, const unsigned ports[], size_t count, const double values[]);
  UnitStatus (*longs)(Unit *unit, const unsigned ports[], size_t count, const int64_t values[]);
  UnitStatus (*texts)(Unit *unit, const unsigned ports[], size_t count, const char *const values[]);
  UnitStatus (*binaries)(Unit *unit, const unsigned ports[], size_t count, const Binary values[]);
} GivenSetters;

/* Keep what a write holds. */
UnitStatus given_numbers(const Unit *unit, const FmuModel *model, ByteWriter *given, const unsigned ports[], size_t count,
                         const double values[]);
UnitStatus given_longs(const Unit *unit, const FmuModel *model, ByteWriter *given, const unsigned ports[], size_t count,
                       const int64_t values[]);
UnitStatus given_texts(const Unit *unit, const FmuModel *model, ByteWriter *given, const unsigned ports[], size_t count,
                       const char *const values[]);
UnitStatus given_binaries(const Unit *unit, const FmuModel *model, ByteWriter *given, const unsigned ports[], size_t count,
                          const Binary values[]);
/* Sets what was kept for inputs, or for everything else, in the order of the writes. */
UnitStatus given_hand_over(Unit *unit, const FmuModel *model, const ByteWriter *given, bool inputs, const GivenSetters *set);
void given_forget(ByteWriter *given);
/* Copies for saved states; `saved` is owned. */
UnitStatus given_save(const Unit *unit, const ByteWriter *given, Binary *saved);
UnitStatus given_restore(const Unit *unit, ByteWriter *given, const Binary *saved);

/* What an FMU does not write must not be read as a text: NULL before the call, an empty text and, once, a warning
   after it. */
void texts_expect(const char *values[], size_t count);
void texts_check(const Unit *unit, const char *call, const char *values[], size_t count, bool *reported);

/* A double as the integer that it means; NaN becomes 0. */
int64_t whole_number(double value);

/* ---- libraries (library.c) -------------------------------------------------------------------------------------------------- */

typedef struct {
  const char *name;
  size_t offset;
  bool required;
} LibrarySymbol;

/* Loads the model's library and fills `functions` with what `symbols` name; NULL after a report. */
void *open_library(const Unit *unit, const FmuModel *model, int fmi_version, const LibrarySymbol symbols[], size_t count,
                   void *functions);
void close_library(void *library);
/* What to add to the flags of dlopen so that the library at `path` gets the symbols that are its own (library-binding.c). */
int library_binding(const Unit *unit, const char *path);
/* `<resources>/<folder>/<rest>`, to be freed; NULL after a report. */
char *path_inside(const Unit *unit, const FmuModel *model, const char *rest);
/* A short pause while another thread works. */
void pause_briefly(void);

#endif
