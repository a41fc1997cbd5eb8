// The disk as the simulation holds it: faults, reboots, images.

#include "disk.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

uint64_t crash_disk_open_files(crash_disk *disk) { return disk->open_files; }
crash_counts crash_disk_counts(crash_disk *disk) { return disk->counts; }
int crash_disk_is_off(crash_disk *disk) { return disk->is_off; }
uint64_t crash_disk_used_bytes(crash_disk *disk) { return crash_used(disk); }
void crash_disk_cut_at(crash_disk *disk, uint64_t change) { disk->changes_until_cut = change; }
void crash_disk_set_capacity(crash_disk *disk, uint64_t bytes) { disk->capacity = bytes; }

void crash_disk_cut(crash_disk *disk) {
  if (disk->is_off) return;
  disk->is_off = 1;
  disk->counts.power_cuts++;
}

void crash_disk_fail(crash_disk *disk, unsigned operations, uint64_t first, uint64_t count) {
  disk->failing = operations;
  disk->failures_after = first ? first - 1 : 0;
  disk->failures_left = count;
}

// MARK: Reboot

/// A file of the next life, with the contents that this one has now.
static void put(crash_disk *disk, const char *name, const uint8_t *bytes, uint64_t size) {
  file_node *fresh = crash_make(disk, name);
  fresh->bytes = crash_grow(NULL, &fresh->capacity, size ? size : 1, 1);
  if (size) memcpy(fresh->bytes, bytes, size);
  fresh->size = fresh->durable_size = size;
  fresh->is_listed_durably = 1;
}

/// Whether a file is found after the cut, where its making or its deletion was not synced.
static int survives(crash_disk *disk, file_node *node, crash_damage damage, uint64_t *random) {
  if (node->is_listed == node->is_listed_durably) return node->is_listed;
  int keeps_change = damage != CRASH_LOSES_UNSYNCED && crash_random(random) % 2;
  int is_found = keeps_change ? node->is_listed : node->is_listed_durably;
  if (!is_found) disk->counts.files_lost++;
  return is_found;
}

/// Takes the names from all files of this life; those that are still open stay for their handles.
static void forget_life(crash_disk *disk) {
  disk->life++;
  disk->is_off = 0;
  disk->changes_until_cut = 0;
  disk->failures_left = 0;
  file_node *node = disk->files;
  while (node) {
    file_node *next = node->next;
    node->is_listed = node->is_listed_durably = 0;
    crash_release(disk, node);
    node = next;
  }
}

static int is_named(file_node **files, size_t count, const char *name) {
  for (size_t index = 0; index < count; index++)
    if (strcmp(files[index]->name, name) == 0) return 1;
  return 0;
}

void crash_disk_reboot(crash_disk *disk, crash_damage damage, uint64_t seed) {
  pthread_mutex_lock(&disk->lock);
  size_t count = 0, kept = 0;
  for (file_node *node = disk->files; node; node = node->next) count++;
  file_node **survivors = calloc(count + 1, sizeof *survivors);
  if (!survivors) abort();
  for (file_node *node = disk->files; node; node = node->next) {
    if (!survives(disk, node, damage, &seed)) continue;
    // Of two files that had one name, the earlier: the name was not passed on durably.
    if (is_named(survivors, kept, node->name)) continue;
    crash_damage_file(disk, node, damage, &seed);
    survivors[kept++] = node;
  }
  // Copied before the files of this life are freed, and listed after.
  file_node *earlier = disk->files;
  disk->files = NULL;
  for (size_t index = 0; index < kept; index++)
    put(disk, survivors[index]->name, survivors[index]->bytes, survivors[index]->size);
  file_node *fresh = disk->files;
  disk->files = earlier;
  forget_life(disk);
  file_node **end = &disk->files;
  while (*end) end = &(*end)->next;
  *end = fresh;
  free(survivors);
  pthread_mutex_unlock(&disk->lock);
}

// MARK: Images

static file_node *listed(crash_disk *disk, size_t index) {
  for (file_node *node = disk->files; node; node = node->next)
    if (node->is_listed && index-- == 0) return node;
  abort();
}

size_t crash_disk_file_count(crash_disk *disk) {
  size_t count = 0;
  for (file_node *node = disk->files; node; node = node->next) count += node->is_listed != 0;
  return count;
}

const char *crash_disk_file_name(crash_disk *disk, size_t index) {
  return listed(disk, index)->name;
}

size_t crash_disk_file_size(crash_disk *disk, size_t index) { return listed(disk, index)->size; }

void crash_disk_copy_file(crash_disk *disk, size_t index, uint8_t *into) {
  file_node *node = listed(disk, index);
  if (node->size) memcpy(into, node->bytes, node->size);
}

void crash_disk_erase(crash_disk *disk) {
  pthread_mutex_lock(&disk->lock);
  forget_life(disk);
  pthread_mutex_unlock(&disk->lock);
}

void crash_disk_put_file(crash_disk *disk, const char *name, const uint8_t *bytes, size_t size) {
  pthread_mutex_lock(&disk->lock);
  put(disk, name, bytes, size);
  pthread_mutex_unlock(&disk->lock);
}

int crash_disk_check_integrity(crash_disk *disk, const char *name, char *answer, size_t size) {
  sqlite3 *database = NULL;
  sqlite3_stmt *statement = NULL;
  int flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX;
  int code = sqlite3_open_v2(name, &database, flags, disk->vfs_name);
  if (code == SQLITE_OK)
    code = sqlite3_prepare_v2(database, "PRAGMA integrity_check", -1, &statement, NULL);
  if (code == SQLITE_OK) {
    code = sqlite3_step(statement);
    const char *text = code == SQLITE_ROW ? (const char *)sqlite3_column_text(statement, 0) : NULL;
    snprintf(answer, size, "%s", text ? text : sqlite3_errmsg(database));
    code = text ? 0 : code;
  }
  sqlite3_finalize(statement);
  sqlite3_close(database);
  return code;
}
