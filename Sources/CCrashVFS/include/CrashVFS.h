#pragma once

// A disk in memory for SQLite, whose power can be cut and which can fail, full or broken, at a
// chosen moment. For simulations and tests: nothing that is shipped links it.
//
//     SQLite ──▶ VFS methods (vfs.c) ──▶ disk (disk.c): what a program reads now
//                                         └──▶ what was synced, and what was written since
//     power cut ──▶ every call fails ──▶ restart with one kind of damage (damage.c)
//
// - A disk is deterministic: the same calls and seeds give the same bytes and the same faults.
// - What was synced survives a cut; of what was written since, anything may have.
// - A write never touches bytes beside it, as SQLite assumes of today's disks
//   (SQLITE_IOCAP_POWERSAFE_OVERWRITE).
// - Calls are serialised by a lock of the disk's own.

#include <stddef.h>
#include <stdint.h>

typedef struct crash_disk crash_disk;

/// What becomes of that which was written and not synced when the power went.
typedef enum {
  /// All of it is lost.
  CRASH_LOSES_UNSYNCED = 0,
  /// Each 512-byte sector is kept or lost by itself: writes are torn and reordered.
  CRASH_KEEPS_SOME_SECTORS = 1,
  /// The first writes are kept, in order; of the last one only a part, its last sector garbled.
  CRASH_TEARS_THE_LAST_WRITE = 2,
} crash_damage;

/// What can be made to fail, as a mask.
enum {
  CRASH_READ = 1,
  CRASH_WRITE = 2,
  CRASH_SYNC = 4,
  CRASH_TRUNCATE = 8,
  CRASH_DELETE = 16,
};

/// How often each thing happened since the disk was made.
typedef struct {
  uint64_t reads;
  /// Writes, syncs, truncations and deletions: the moments at which power can be cut.
  uint64_t changes;
  uint64_t writes;
  uint64_t syncs;
  uint64_t power_cuts;
  uint64_t sectors_lost;
  uint64_t sectors_kept;
  uint64_t writes_torn;
  uint64_t files_lost;
  uint64_t failed_reads;
  uint64_t failed_writes;
  uint64_t failed_syncs;
  uint64_t failed_others;
  /// Writes for which there was no room.
  uint64_t refused_writes;
} crash_counts;

/// Makes an empty disk and registers it with SQLite; NULL where there is no memory.
crash_disk *crash_disk_create(uint64_t seed);
/// The name that SQLite knows it by, which no other disk of this process ever had.
const char *crash_disk_vfs_name(crash_disk *disk);
/// Takes it out of SQLite again. No file of it may be open.
void crash_disk_destroy(crash_disk *disk);
/// How many files programs hold open.
uint64_t crash_disk_open_files(crash_disk *disk);
crash_counts crash_disk_counts(crash_disk *disk);

/// Cuts the power in the n-th change from now, 1 being the next; 0 takes the order back.
void crash_disk_cut_at(crash_disk *disk, uint64_t change);
/// Cuts the power now.
void crash_disk_cut(crash_disk *disk);
/// Whether the power is off: every call fails until `crash_disk_reboot`.
int crash_disk_is_off(crash_disk *disk);
/// Does the damage and puts the power on again. Files that are still open fail for ever.
void crash_disk_reboot(crash_disk *disk, crash_damage damage, uint64_t seed);

/// Makes operations of a mask fail: the first-th from now (1 being the next) and the ones after
/// it, `count` in all; a count of 0 takes the order back.
void crash_disk_fail(crash_disk *disk, unsigned operations, uint64_t first, uint64_t count);
/// Room for so many bytes in all files together.
void crash_disk_set_capacity(crash_disk *disk, uint64_t bytes);
uint64_t crash_disk_used_bytes(crash_disk *disk);

/// The files that a program would find now, in the order in which they were made.
size_t crash_disk_file_count(crash_disk *disk);
/// The name is valid until the next change.
const char *crash_disk_file_name(crash_disk *disk, size_t index);
size_t crash_disk_file_size(crash_disk *disk, size_t index);
void crash_disk_copy_file(crash_disk *disk, size_t index, uint8_t *into);
/// Takes every file away; those that are open fail for ever.
void crash_disk_erase(crash_disk *disk);
/// Puts a file there, synced.
void crash_disk_put_file(crash_disk *disk, const char *name, const uint8_t *bytes, size_t size);
/// What SQLite's own integrity check says of a database on the disk: "ok" when all is well.
/// Returns 0 when it could be asked.
int crash_disk_check_integrity(crash_disk *disk, const char *name, char *answer, size_t size);
