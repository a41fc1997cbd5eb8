#pragma once

#include "CrashVFS.h"

#include <pthread.h>
#include <sqlite3.h>

enum { SECTOR_BYTES = 512, SHM_LOCKS = 8, NAME_BYTES = 512 };

/// A write or truncation since the last sync, for damage that keeps their order.
typedef struct {
  uint64_t offset;
  /// Bytes written; for a truncation, 0.
  uint64_t length;
  /// Where in the journal's bytes they are kept.
  uint64_t place;
} change;

typedef struct file_node {
  char name[NAME_BYTES];
  struct file_node *next;
  /// Whether a program finds it by its name, and whether it would after a power cut.
  int is_listed, is_listed_durably;
  uint64_t handles;

  uint8_t *bytes;
  uint64_t size, capacity;
  uint64_t durable_size;
  /// For each sector: 0 where it is durable as it is; else 1 + the place of its durable contents.
  uint32_t *saved;
  /// Sectors that a failed sync gave up: no later sync writes them.
  uint8_t *is_given_up;
  uint64_t sectors;
  uint8_t *saved_bytes;
  uint32_t saved_count, saved_capacity;
  uint32_t *dirty;
  uint32_t dirty_count, dirty_capacity;

  change *changes;
  uint64_t change_count, change_capacity;
  uint8_t *changed_bytes;
  uint64_t changed_count, changed_capacity;

  /// SQLite's file locks.
  uint64_t shared_locks;
  void *reserved, *pending, *exclusive;
  /// The memory that connections share for the write-ahead log's index.
  uint8_t **regions;
  int region_count;
  uint64_t shm_users;
  int shm_shared[SHM_LOCKS];
  void *shm_exclusive[SHM_LOCKS];
} file_node;

struct crash_disk {
  sqlite3_vfs vfs;
  char vfs_name[64];
  pthread_mutex_t lock;
  uint64_t random;
  file_node *files;
  /// Raised by each reboot: handles of an earlier life fail.
  uint64_t life;
  uint64_t open_files;
  int is_off;
  uint64_t changes_until_cut;
  unsigned failing;
  uint64_t failures_after, failures_left;
  uint64_t capacity;
  crash_counts counts;
};

/// What a change is to do; decided before it is done.
typedef enum { GOES_WELL, FAILS, POWER_GOES } fate;

void *crash_grow(void *memory, uint64_t *capacity, uint64_t needed, size_t element);
uint64_t crash_random(uint64_t *state);

file_node *crash_find(crash_disk *disk, const char *name);
file_node *crash_make(crash_disk *disk, const char *name);
void crash_release(crash_disk *disk, file_node *node);
void crash_unlist(crash_disk *disk, file_node *node, int durably);

fate crash_fate_of_change(crash_disk *disk, unsigned operation);
int crash_read_fails(crash_disk *disk);

void crash_write(file_node *node, const uint8_t *bytes, uint64_t length, uint64_t offset);
void crash_truncate(file_node *node, uint64_t size);
void crash_sync(crash_disk *disk, file_node *node);
void crash_fail_sync(crash_disk *disk, file_node *node);
void crash_forget_unsynced(file_node *node);
uint64_t crash_used(crash_disk *disk);

/// Contents after a power cut, in place of the current ones.
void crash_damage_file(crash_disk *disk, file_node *node, crash_damage damage, uint64_t *random);
