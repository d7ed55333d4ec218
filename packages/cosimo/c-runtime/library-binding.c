/*
 * Whether a library is bound to its own symbols first.
 *
 * On Linux the symbols of the running program come before those of a library that it loads: an FMU with a zlib of its own would get
 * the program's. RTLD_DEEPBIND turns that around, for all symbols. But programs hold copies of some objects of the C++ library
 * (std::cout), and only those are initialized: a library that uses them and is bound deep crashes. Such a library is bound as usual,
 * with a warning where it also brings symbols that the program has; every other one is bound deep. Cosimo's own rule
 * (platform/native/deep-binding.ts) avoids deep binding in more cases; the results are the same.
 */
#define _GNU_SOURCE
#include "inner-fmu.h"

#include <string.h>

#ifndef _WIN32
#include <dlfcn.h>
#endif

#if defined(__SANITIZE_ADDRESS__) || !defined(RTLD_DEEPBIND) || !defined(__linux__)
/* Sanitizers must stay in the way of malloc; other systems bind that way by themselves. */
int library_binding(const Unit *unit, const char *path) {
  (void)unit;
  (void)path;
  return 0;
}
#else
#include <dirent.h>
#include <elf.h>
#include <fcntl.h>
#include <link.h>
#include <stdio.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

/* A library as a file; `bytes` is NULL where it could not be read. */
typedef struct {
  const uint8_t *bytes;
  size_t size;
} Image;

typedef struct {
  /* The running program: a handle for its symbols, and where it lies. */
  void *symbols;
  void *base;
  bool uses_copies;
  /* The first symbol that both have, and how many there are. */
  char clash[128];
  size_t clashes;
} Search;

static Image open_image(const char *path) {
  Image image = {NULL, 0};
  struct stat facts;
  const int file = open(path, O_RDONLY | O_CLOEXEC);
  if (file < 0) return image;
  if (fstat(file, &facts) == 0 && facts.st_size > 0) {
    void *bytes = mmap(NULL, (size_t)facts.st_size, PROT_READ, MAP_PRIVATE, file, 0);
    if (bytes != MAP_FAILED) image = (Image){bytes, (size_t)facts.st_size};
  }
  close(file);
  return image;
}

/* `size` bytes at `offset`; NULL where the file does not have them. */
static const void *part(const Image *image, size_t offset, size_t size) {
  return offset <= image->size && size <= image->size - offset ? image->bytes + offset : NULL;
}

static const char *text_at(const Image *image, const ElfW(Shdr) * texts, size_t offset) {
  const char *text = offset < texts->sh_size ? part(image, texts->sh_offset, texts->sh_size) : NULL;
  return text && memchr(text + offset, 0, texts->sh_size - offset) ? text + offset : "";
}

static bool is_in_program(const Search *search, const char *name) {
  Dl_info owner;
  void *symbol = dlsym(search->symbols, name);
  return symbol && dladdr(symbol, &owner) && owner.dli_fbase == search->base;
}

/* Tables of virtual functions and types (_ZT) have the same content in every copy. */
static bool is_object_of_cxx(const char *name) { return strncmp(name, "_Z", 2) == 0 && strncmp(name, "_ZT", 3) != 0; }

static void look_at_symbol(Search *search, const ElfW(Sym) * symbol, const char *name, bool is_symbolic) {
  const int type = symbol->st_info & 0xf;
  const int bound = symbol->st_info >> 4;
  if (symbol->st_shndx == SHN_UNDEF) {
    if (type == STT_OBJECT && is_object_of_cxx(name) && is_in_program(search, name)) search->uses_copies = true;
    return;
  }
  if (is_symbolic || bound != STB_GLOBAL || (type != STT_FUNC && type != STT_OBJECT)) return;
  if (strcmp(name, "_init") == 0 || strcmp(name, "_fini") == 0 || !dlsym(search->symbols, name)) return;
  if (search->clashes++ == 0) snprintf(search->clash, sizeof search->clash, "%s", name);
}

/* Linked to look for symbols in itself first. */
static bool is_symbolic(const Image *image, const ElfW(Shdr) * sections, size_t count) {
  for (size_t s = 0; s < count; s++) {
    const size_t entries = sections[s].sh_size / sizeof(ElfW(Dyn));
    const ElfW(Dyn) *dynamic = part(image, sections[s].sh_offset, entries * sizeof *dynamic);
    if (sections[s].sh_type != SHT_DYNAMIC || !dynamic) continue;
    for (size_t d = 0; d < entries && dynamic[d].d_tag != DT_NULL; d++)
      if (dynamic[d].d_tag == DT_SYMBOLIC || (dynamic[d].d_tag == DT_FLAGS && (dynamic[d].d_un.d_val & DF_SYMBOLIC)))
        return true;
  }
  return false;
}

static void look_at(Search *search, const Image *image) {
  const ElfW(Ehdr) *header = part(image, 0, sizeof *header);
  if (!header || memcmp(header->e_ident, ELFMAG, SELFMAG) != 0) return;
  if (header->e_shentsize != sizeof(ElfW(Shdr))) return;
  const size_t count = header->e_shnum;
  const ElfW(Shdr) *sections = part(image, header->e_shoff, count * sizeof *sections);
  if (!sections) return;
  const bool symbolic = is_symbolic(image, sections, count);
  for (size_t s = 0; s < count; s++) {
    if (sections[s].sh_type != SHT_DYNSYM || sections[s].sh_link >= count) continue;
    const size_t entries = sections[s].sh_size / sizeof(ElfW(Sym));
    const ElfW(Sym) *symbols = part(image, sections[s].sh_offset, entries * sizeof *symbols);
    for (size_t k = 1; symbols && k < entries; k++)
      look_at_symbol(search, &symbols[k], text_at(image, &sections[sections[s].sh_link], symbols[k].st_name), symbolic);
  }
}

static void look_at_file(Search *search, const char *path) {
  const Image image = open_image(path);
  if (!image.bytes) return;
  look_at(search, &image);
  munmap((void *)(uintptr_t)image.bytes, image.size);
}

/* The library and those that lie beside it, which it may bring along. */
static void look_at_folder(Search *search, const char *path) {
  const char *end = strrchr(path, '/');
  char file[4096 + 256];
  snprintf(file, sizeof file, "%.*s", end ? (int)(end + 1 - path) : 0, path);
  DIR *entries = end && end - path < 4096 ? opendir(file) : NULL;
  if (!entries) {
    look_at_file(search, path);
    return;
  }
  for (struct dirent *entry = readdir(entries); entry; entry = readdir(entries)) {
    if (!strstr(entry->d_name, ".so")) continue;
    snprintf(file, sizeof file, "%.*s%s", (int)(end + 1 - path), path, entry->d_name);
    look_at_file(search, file);
  }
  closedir(entries);
}

int library_binding(const Unit *unit, const char *path) {
  Search search = {0};
  Dl_info program;
  const unsigned long headers = getauxval(AT_PHDR);
  search.symbols = dlopen(NULL, RTLD_LAZY);
  if (search.symbols && headers && dladdr((void *)headers, &program)) {
    search.base = program.dli_fbase;
    look_at_folder(&search, path);
  }
  if (search.symbols) dlclose(search.symbols);
  if (!search.uses_copies) return RTLD_DEEPBIND;
  if (search.clashes > 0)
    unit_log(unit, LOG_WARNING, "logStatusWarning",
             "the library of the FMU inside brings %s and gets that of the running program (symbols that both have: %zu), "
             "because it also uses streams of the C++ library",
             search.clash, search.clashes);
  return 0;
}
#endif
