// What a power cut leaves of a file.

#include "disk.h"

#include <string.h>

static uint64_t smaller(uint64_t one, uint64_t other) { return one < other ? one : other; }

static void restore(file_node *node, uint32_t sector) {
  uint64_t start = (uint64_t)sector * SECTOR_BYTES;
  uint8_t *old = node->saved_bytes + (uint64_t)(node->saved[sector] - 1) * SECTOR_BYTES;
  node->bytes = crash_grow(node->bytes, &node->capacity, start + SECTOR_BYTES, 1);
  memcpy(node->bytes + start, old, SECTOR_BYTES);
}

static void resize(file_node *node, uint64_t size) {
  node->bytes = crash_grow(node->bytes, &node->capacity, size, 1);
  if (size < node->size) memset(node->bytes + size, 0, node->size - size);
  node->size = size;
}

static void lose_all(file_node *node) {
  for (uint32_t index = 0; index < node->dirty_count; index++) restore(node, node->dirty[index]);
  // Sectors past the new end may hold what was restored: only what is within counts.
  uint64_t size = node->durable_size;
  node->bytes = crash_grow(node->bytes, &node->capacity, size, 1);
  if (node->size > size) memset(node->bytes + size, 0, node->size - size);
  node->size = size;
}

static void keep_some(crash_disk *disk, file_node *node, uint64_t *random) {
  uint64_t end = node->durable_size;
  int is_shorter = node->size < node->durable_size;
  int stays_shorter = is_shorter && crash_random(random) % 2;
  for (uint32_t index = 0; index < node->dirty_count; index++) {
    uint32_t sector = node->dirty[index];
    uint64_t start = (uint64_t)sector * SECTOR_BYTES;
    int was_cut_off = is_shorter && start + SECTOR_BYTES > node->size;
    int is_kept = was_cut_off ? stays_shorter : (int)(crash_random(random) % 2);
    if (is_kept) {
      disk->counts.sectors_kept++;
      if (!is_shorter && smaller(start + SECTOR_BYTES, node->size) > end)
        end = smaller(start + SECTOR_BYTES, node->size);
    } else {
      restore(node, sector);
      disk->counts.sectors_lost++;
    }
  }
  if (stays_shorter) end = node->size;
  resize(node, end);
}

/// The end of the last write: some whole sectors, then a part of one, or noise in its place.
static void tear(crash_disk *disk, file_node *node, change last, uint64_t *random) {
  uint8_t *bytes = node->changed_bytes + last.place;
  uint64_t whole = crash_random(random) % (last.length / SECTOR_BYTES + 1) * SECTOR_BYTES;
  uint64_t room = smaller(last.length - whole, SECTOR_BYTES);
  uint64_t part = room ? crash_random(random) % (room + 1) : 0;
  if (crash_random(random) % 2)
    for (uint64_t index = 0; index < part; index++)
      bytes[whole + index] = (uint8_t)crash_random(random);
  uint64_t end = last.offset + whole + part;
  node->bytes = crash_grow(node->bytes, &node->capacity, end, 1);
  memcpy(node->bytes + last.offset, bytes, whole + part);
  if (end > node->size && whole + part > 0) node->size = end;
  disk->counts.writes_torn++;
}

static void keep_the_first(crash_disk *disk, file_node *node, uint64_t *random) {
  lose_all(node);
  if (node->change_count == 0) return;
  uint64_t kept = crash_random(random) % (node->change_count + 1);
  // Often the newest write is under way when the power goes: let that come up often.
  if (crash_random(random) % 2) kept = node->change_count;
  for (uint64_t index = 0; index < kept; index++) {
    change next = node->changes[index];
    if (next.length == 0) {
      if (next.offset < node->size) resize(node, next.offset);
    } else if (index + 1 == kept) {
      tear(disk, node, next, random);
    } else {
      uint64_t end = next.offset + next.length;
      node->bytes = crash_grow(node->bytes, &node->capacity, end, 1);
      memcpy(node->bytes + next.offset, node->changed_bytes + next.place, next.length);
      if (end > node->size) node->size = end;
    }
  }
}

void crash_damage_file(crash_disk *disk, file_node *node, crash_damage damage, uint64_t *random) {
  switch (damage) {
  case CRASH_LOSES_UNSYNCED:
    disk->counts.sectors_lost += node->dirty_count;
    lose_all(node);
    break;
  case CRASH_KEEPS_SOME_SECTORS: keep_some(disk, node, random); break;
  case CRASH_TEARS_THE_LAST_WRITE: keep_the_first(disk, node, random); break;
  }
}
