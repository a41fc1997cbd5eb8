// The files of a disk: what a program reads now, what is durable, and what may fail.

#include "disk.h"

#include <stdlib.h>
#include <string.h>

// MARK: Memory and chance

void *crash_grow(void *memory, uint64_t *capacity, uint64_t needed, size_t element) {
  if (needed <= *capacity) return memory;
  uint64_t wanted = *capacity * 2 > needed ? *capacity * 2 : needed;
  uint8_t *grown = realloc(memory, wanted * element);
  // A simulation that has no memory left cannot go on, and says where.
  if (!grown) abort();
  memset(grown + *capacity * element, 0, (wanted - *capacity) * element);
  *capacity = wanted;
  return grown;
}

static void *grow32(void *memory, uint32_t *capacity, uint64_t needed, size_t element) {
  uint64_t wide = *capacity;
  memory = crash_grow(memory, &wide, needed, element);
  *capacity = (uint32_t)wide;
  return memory;
}

uint64_t crash_random(uint64_t *state) {
  // Steele, Lea and Flood, "Fast Splittable Pseudorandom Number Generators" (2014).
  uint64_t mixed = (*state += 0x9E3779B97F4A7C15u);
  mixed = (mixed ^ (mixed >> 30)) * 0xBF58476D1CE4E5B9u;
  mixed = (mixed ^ (mixed >> 27)) * 0x94D049BB133111EBu;
  return mixed ^ (mixed >> 31);
}

// MARK: The folder

file_node *crash_find(crash_disk *disk, const char *name) {
  for (file_node *node = disk->files; node; node = node->next)
    if (node->is_listed && strcmp(node->name, name) == 0) return node;
  return NULL;
}

file_node *crash_make(crash_disk *disk, const char *name) {
  file_node *node = calloc(1, sizeof *node);
  if (!node) abort();
  strncpy(node->name, name, NAME_BYTES - 1);
  node->is_listed = 1;
  file_node **end = &disk->files;
  while (*end) end = &(*end)->next;
  *end = node;
  return node;
}

/// Frees a file that no program holds open and no name leads to.
void crash_release(crash_disk *disk, file_node *node) {
  if (node->handles || node->is_listed || node->is_listed_durably) return;
  file_node **link = &disk->files;
  while (*link != node) link = &(*link)->next;
  *link = node->next;
  for (int region = 0; region < node->region_count; region++) free(node->regions[region]);
  free(node->regions);
  free(node->bytes);
  free(node->saved);
  free(node->is_given_up);
  free(node->saved_bytes);
  free(node->dirty);
  free(node->changes);
  free(node->changed_bytes);
  free(node);
}

/// As SQLite does after the first sync of a journal that it made, and after some deletions.
static void sync_folder(crash_disk *disk) {
  file_node *node = disk->files;
  while (node) {
    file_node *next = node->next;
    node->is_listed_durably = node->is_listed;
    crash_release(disk, node);
    node = next;
  }
}

void crash_unlist(crash_disk *disk, file_node *node, int durably) {
  node->is_listed = 0;
  if (durably) sync_folder(disk);
  else crash_release(disk, node);
}

uint64_t crash_used(crash_disk *disk) {
  uint64_t used = 0;
  for (file_node *node = disk->files; node; node = node->next)
    if (node->is_listed) used += node->size;
  return used;
}

// MARK: What fails

fate crash_fate_of_change(crash_disk *disk, unsigned operation) {
  disk->counts.changes++;
  if (operation == CRASH_WRITE) disk->counts.writes++;
  if (operation == CRASH_SYNC) disk->counts.syncs++;
  if (disk->changes_until_cut && --disk->changes_until_cut == 0) {
    disk->is_off = 1;
    disk->counts.power_cuts++;
    return POWER_GOES;
  }
  if (!(disk->failing & operation) || disk->failures_left == 0) return GOES_WELL;
  if (disk->failures_after > 0) {
    disk->failures_after--;
    return GOES_WELL;
  }
  disk->failures_left--;
  if (operation == CRASH_WRITE) disk->counts.failed_writes++;
  else if (operation == CRASH_SYNC) disk->counts.failed_syncs++;
  else disk->counts.failed_others++;
  return FAILS;
}

int crash_read_fails(crash_disk *disk) {
  disk->counts.reads++;
  if (!(disk->failing & CRASH_READ) || disk->failures_left == 0) return 0;
  if (disk->failures_after > 0) {
    disk->failures_after--;
    return 0;
  }
  disk->failures_left--;
  disk->counts.failed_reads++;
  return 1;
}

// MARK: Contents

static void save_sector(file_node *node, uint64_t sector) {
  if (sector >= node->sectors) {
    uint64_t capacity = node->sectors;
    node->is_given_up = crash_grow(node->is_given_up, &capacity, sector + 1, 1);
    node->saved = crash_grow(node->saved, &node->sectors, sector + 1, sizeof *node->saved);
  }
  node->is_given_up[sector] = 0;
  if (node->saved[sector]) return;
  node->saved_bytes = grow32(
      node->saved_bytes, &node->saved_capacity, node->saved_count + 1, SECTOR_BYTES);
  uint8_t *kept = node->saved_bytes + (uint64_t)node->saved_count * SECTOR_BYTES;
  uint64_t start = sector * SECTOR_BYTES;
  uint64_t there = node->size > start ? node->size - start : 0;
  if (there > SECTOR_BYTES) there = SECTOR_BYTES;
  if (there) memcpy(kept, node->bytes + start, there);
  memset(kept + there, 0, SECTOR_BYTES - there);
  node->saved[sector] = ++node->saved_count;
  node->dirty = grow32(
      node->dirty, &node->dirty_capacity, node->dirty_count + 1, sizeof *node->dirty);
  node->dirty[node->dirty_count++] = (uint32_t)sector;
}

static void record(file_node *node, const uint8_t *bytes, uint64_t length, uint64_t offset) {
  node->changes = crash_grow(
      node->changes, &node->change_capacity, node->change_count + 1, sizeof *node->changes);
  node->changes[node->change_count++] =
      (change){.offset = offset, .length = length, .place = node->changed_count};
  if (!length) return;
  node->changed_bytes = crash_grow(
      node->changed_bytes, &node->changed_capacity, node->changed_count + length, 1);
  memcpy(node->changed_bytes + node->changed_count, bytes, length);
  node->changed_count += length;
}

void crash_write(file_node *node, const uint8_t *bytes, uint64_t length, uint64_t offset) {
  if (!length) return;
  uint64_t end = offset + length;
  for (uint64_t sector = offset / SECTOR_BYTES; sector * SECTOR_BYTES < end; sector++)
    save_sector(node, sector);
  record(node, bytes, length, offset);
  node->bytes = crash_grow(node->bytes, &node->capacity, end, 1);
  memcpy(node->bytes + offset, bytes, length);
  if (end > node->size) node->size = end;
}

void crash_truncate(file_node *node, uint64_t size) {
  if (size >= node->size) return;
  for (uint64_t sector = size / SECTOR_BYTES; sector * SECTOR_BYTES < node->size; sector++)
    save_sector(node, sector);
  record(node, NULL, 0, size);
  memset(node->bytes + size, 0, node->size - size);
  node->size = size;
}

/// What is there now is durable.
void crash_forget_unsynced(file_node *node) {
  for (uint32_t index = 0; index < node->dirty_count; index++) {
    node->saved[node->dirty[index]] = 0;
    node->is_given_up[node->dirty[index]] = 0;
  }
  node->dirty_count = 0;
  node->saved_count = 0;
  node->change_count = 0;
  node->changed_count = 0;
  node->durable_size = node->size;
}

void crash_sync(crash_disk *disk, file_node *node) {
  if (node->is_listed && !node->is_listed_durably) sync_folder(disk);
  uint32_t kept = 0, *dirty = node->dirty;
  for (uint32_t index = 0; index < node->dirty_count; index++) {
    if (node->is_given_up[dirty[index]]) dirty[kept++] = dirty[index];
    else node->saved[dirty[index]] = 0;
  }
  node->dirty_count = kept;
  if (kept == 0) {
    crash_forget_unsynced(node);
    return;
  }
  node->change_count = 0;
  node->changed_count = 0;
  node->durable_size = node->size;
}

/// Nobody knows what a failed sync wrote. Of the rest, the system may believe that it is clean: it
/// reads well, a later sync goes well too, and writes it not.
void crash_fail_sync(crash_disk *disk, file_node *node) {
  uint32_t kept = 0, *dirty = node->dirty;
  for (uint32_t index = 0; index < node->dirty_count; index++) {
    uint32_t sector = dirty[index];
    uint64_t start = (uint64_t)sector * SECTOR_BYTES;
    switch (crash_random(&disk->random) % 4) {
    case 0:
      if (start + SECTOR_BYTES <= node->durable_size) {
        node->saved[sector] = 0;
        continue;
      }
      break;
    case 1:
    case 2: node->is_given_up[sector] = 1; break;
    default: break;
    }
    dirty[kept++] = sector;
  }
  node->dirty_count = kept;
}
