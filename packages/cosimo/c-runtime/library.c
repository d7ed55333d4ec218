/*
 * Loading the binaries of FMUs inside: at the places where both versions of the standard put them.
 *
 * Symbols stay with their library (RTLD_LOCAL), because all FMUs of one version have the same names, and an FMU that carries its own
 * copy of a library gets that one and not the host's where possible (library-binding.c).
 */
#define _GNU_SOURCE
#include "float-state.h"
#include "inner-fmu.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifdef _WIN32
#include <windows.h>
#define LIBRARY_ENDING ".dll"
#define FMI2_SYSTEM "win"
#define FMI3_SYSTEM "windows"
#else
#include <dirent.h>
#include <dlfcn.h>
#include <time.h>
#ifdef __APPLE__
#define LIBRARY_ENDING ".dylib"
#define FMI2_SYSTEM "darwin"
#define FMI3_SYSTEM "darwin"
#else
#define LIBRARY_ENDING ".so"
#define FMI2_SYSTEM "linux"
#define FMI3_SYSTEM "linux"
#endif
#endif

#if defined(__aarch64__) || defined(_M_ARM64)
#define FMI3_MACHINE "aarch64"
#elif defined(__x86_64__) || defined(_M_X64)
#define FMI3_MACHINE "x86_64"
#else
#define FMI3_MACHINE "x86"
#endif

#define FMI2_FOLDER (sizeof(void *) == 8 ? FMI2_SYSTEM "64" : FMI2_SYSTEM "32")
#define FMI3_FOLDER FMI3_MACHINE "-" FMI3_SYSTEM

char *path_inside(const Unit *unit, const FmuModel *model, const char *rest) {
  const char *resources = unit->host->resources;
  const size_t size = strlen(resources) + strlen(model->folder) + strlen(rest) + 3;
  char *path = unit_allocate(unit, size, 1);
  if (path) snprintf(path, size, "%s/%s/%s", resources, model->folder, rest);
  return path;
}

static void *load(const char *path, int binding) {
#ifdef _WIN32
  (void)binding;
  return (void *)LoadLibraryExA(path, NULL, LOAD_WITH_ALTERED_SEARCH_PATH);
#else
  return dlopen(path, RTLD_NOW | RTLD_LOCAL | binding);
#endif
}

static void *symbol_in(void *library, const char *name) {
#ifdef _WIN32
  void *symbol = NULL;
  FARPROC found = GetProcAddress((HMODULE)library, name);
  memcpy(&symbol, &found, sizeof symbol);
  return symbol;
#else
  return dlsym(library, name);
#endif
}

static const char *reason(void) {
#ifdef _WIN32
  return "the system does not say why";
#else
  const char *text = dlerror();
  return text ? text : "the system does not say why";
#endif
}

void close_library(void *library) {
  if (!library) return;
  /* Destructors are code of the FMU, too. */
  const FloatState ours = float_state();
#ifdef _WIN32
  FreeLibrary((HMODULE)library);
#else
  dlclose(library);
#endif
  float_set(ours);
}

void pause_briefly(void) {
#ifdef _WIN32
  Sleep(1);
#else
  const struct timespec rest = {0, 200000};
  nanosleep(&rest, NULL);
#endif
}

static bool exists(const char *path) {
  FILE *file = fopen(path, "rb");
  if (file) fclose(file);
  return file != NULL;
}

/* The path of the library, to be freed; NULL after a report. */
static char *find_library(const Unit *unit, const FmuModel *model, int fmi_version) {
  const char *const folders[] = {fmi_version == 2 ? FMI2_FOLDER : FMI3_FOLDER, fmi_version == 2 ? FMI3_FOLDER : FMI2_FOLDER};
  for (size_t i = 0; i < 2; i++) {
    char rest[512];
    snprintf(rest, sizeof rest, "binaries/%s/%s%s", folders[i], model->identifier, LIBRARY_ENDING);
    char *path = path_inside(unit, model, rest);
    if (!path || exists(path)) return path;
    free(path);
  }
  /* A folder can be opened too: without a name there is nothing to look for. */
  if (model->library[0] != '\0') {
    char *path = path_inside(unit, model, model->library);
    if (!path || exists(path)) return path;
    free(path);
  }
  unit_fail(unit, "the FMU inside has no library for this machine (%s or %s)", folders[0], folders[1]);
  return NULL;
}

#ifdef _WIN32
static void *load_with_siblings(const char *path, int binding) { return load(path, binding); }
#else
enum { MOST_SIBLINGS = 256 };

/* Opens every library beside `path` that opens, into handles[count] and behind; returns how many that are. */
static size_t open_siblings(const char *path, int binding, void *handles[], size_t count) {
  const size_t first = count;
  const char *name = strrchr(path, '/') + 1;
  char folder[4096];
  char sibling[4096 + 256];
  snprintf(folder, sizeof folder, "%.*s", (int)(name - path), path);
  DIR *entries = opendir(folder);
  if (!entries) return 0;
  for (struct dirent *entry = readdir(entries); entry && count < MOST_SIBLINGS; entry = readdir(entries)) {
    if (!strstr(entry->d_name, LIBRARY_ENDING) || strcmp(entry->d_name, name) == 0) continue;
    snprintf(sibling, sizeof sibling, "%s%s", folder, entry->d_name);
    handles[count] = load(sibling, binding);
    if (handles[count]) count++;
  }
  closedir(entries);
  return count - first;
}

/*
 * A library that needs others beside it finds them once they are loaded by their full paths. These may need each other, so it is
 * tried as long as more of them open. What the library uses stays with it; the handles themselves are given back.
 */
static void *load_with_siblings(const char *path, int binding) {
  void *handles[MOST_SIBLINGS];
  size_t count = 0;
  void *library = load(path, binding);
  for (size_t before = 0, opened = 1; !library && opened > before;) {
    before = count == 0 ? 0 : opened;
    opened = open_siblings(path, binding, handles, count);
    count += opened;
    library = load(path, binding);
  }
  while (count > 0) dlclose(handles[--count]);
  return library;
}
#endif

void *open_library(const Unit *unit, const FmuModel *model, int fmi_version, const LibrarySymbol symbols[], size_t count,
                   void *functions) {
  char *path = find_library(unit, model, fmi_version);
  if (!path) return NULL;
  FloatGuard floats = {.reported = false};
  const int binding = library_binding(unit, path);
  float_enter(&floats);
  void *library = load_with_siblings(path, binding);
  float_leave(unit, &floats, "while its library was loaded");
  if (!library) unit_fail(unit, "the library of the FMU inside cannot be loaded: %s", reason());
  free(path);
  if (!library) return NULL;
  for (size_t i = 0; i < count; i++) {
    void *symbol = symbol_in(library, symbols[i].name);
    if (!symbol && symbols[i].required) {
      unit_fail(unit, "the library of the FMU inside has no function %s", symbols[i].name);
      close_library(library);
      return NULL;
    }
    memcpy((char *)functions + symbols[i].offset, &symbol, sizeof symbol);
  }
  return library;
}

int64_t whole_number(double value) { return value > -9.2e18 && value < 9.2e18 ? (int64_t)value : 0; }
