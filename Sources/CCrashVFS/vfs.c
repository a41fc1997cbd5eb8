// SQLite's view of a disk: files, locks and shared memory.

#include "disk.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
  sqlite3_file base;
  crash_disk *disk;
  file_node *node;
  uint64_t life;
  int level;
  int is_temporary, maps_shm;
  unsigned shm_shared, shm_exclusive;
} handle;

/// Whether the disk answers this handle at all.
static int is_dead(handle *file) { return file->disk->is_off || file->life != file->disk->life; }

static int unlock_with(crash_disk *disk, int code) {
  pthread_mutex_unlock(&disk->lock);
  return code;
}

// MARK: Contents

static int read_file(sqlite3_file *base, void *into, int length, sqlite3_int64 offset) {
  handle *file = (handle *)base;
  pthread_mutex_lock(&file->disk->lock);
  if (is_dead(file) || crash_read_fails(file->disk))
    return unlock_with(file->disk, SQLITE_IOERR_READ);
  file_node *node = file->node;
  uint64_t there = node->size > (uint64_t)offset ? node->size - (uint64_t)offset : 0;
  if (there > (uint64_t)length) there = (uint64_t)length;
  if (there) memcpy(into, node->bytes + offset, there);
  if (there == (uint64_t)length) return unlock_with(file->disk, SQLITE_OK);
  memset((uint8_t *)into + there, 0, (uint64_t)length - there);
  return unlock_with(file->disk, SQLITE_IOERR_SHORT_READ);
}

static int write_file(
    sqlite3_file *base, const void *bytes, int length, sqlite3_int64 offset) {
  handle *file = (handle *)base;
  crash_disk *disk = file->disk;
  pthread_mutex_lock(&disk->lock);
  if (is_dead(file)) return unlock_with(disk, SQLITE_IOERR_WRITE);
  switch (crash_fate_of_change(disk, CRASH_WRITE)) {
  case POWER_GOES:
    // It was under way: the kind of damage decides what came of it.
    crash_write(file->node, bytes, (uint64_t)length, (uint64_t)offset);
    return unlock_with(disk, SQLITE_IOERR_WRITE);
  case FAILS:
    crash_write(
        file->node, bytes, crash_random(&disk->random) % ((uint64_t)length + 1),
        (uint64_t)offset);
    return unlock_with(disk, SQLITE_IOERR_WRITE);
  case GOES_WELL: break;
  }
  uint64_t end = (uint64_t)offset + (uint64_t)length;
  uint64_t used = crash_used(disk);
  if (end > file->node->size && used + (end - file->node->size) > disk->capacity) {
    uint64_t room = disk->capacity > used ? disk->capacity - used : 0;
    uint64_t fits = file->node->size + room;
    if (fits > (uint64_t)offset) crash_write(file->node, bytes, fits - (uint64_t)offset, offset);
    disk->counts.refused_writes++;
    return unlock_with(disk, SQLITE_FULL);
  }
  crash_write(file->node, bytes, (uint64_t)length, (uint64_t)offset);
  return unlock_with(disk, SQLITE_OK);
}

static int truncate_file(sqlite3_file *base, sqlite3_int64 size) {
  handle *file = (handle *)base;
  pthread_mutex_lock(&file->disk->lock);
  if (is_dead(file) || crash_fate_of_change(file->disk, CRASH_TRUNCATE) != GOES_WELL)
    return unlock_with(file->disk, SQLITE_IOERR_TRUNCATE);
  crash_truncate(file->node, (uint64_t)size);
  return unlock_with(file->disk, SQLITE_OK);
}

static int sync_file(sqlite3_file *base, int flags) {
  (void)flags;
  handle *file = (handle *)base;
  pthread_mutex_lock(&file->disk->lock);
  if (is_dead(file)) return unlock_with(file->disk, SQLITE_IOERR_FSYNC);
  switch (crash_fate_of_change(file->disk, CRASH_SYNC)) {
  case POWER_GOES: return unlock_with(file->disk, SQLITE_IOERR_FSYNC);
  case FAILS:
    crash_fail_sync(file->disk, file->node);
    return unlock_with(file->disk, SQLITE_IOERR_FSYNC);
  case GOES_WELL: break;
  }
  crash_sync(file->disk, file->node);
  return unlock_with(file->disk, SQLITE_OK);
}

static int size_of_file(sqlite3_file *base, sqlite3_int64 *size) {
  handle *file = (handle *)base;
  pthread_mutex_lock(&file->disk->lock);
  if (is_dead(file)) return unlock_with(file->disk, SQLITE_IOERR_FSTAT);
  *size = (sqlite3_int64)file->node->size;
  return unlock_with(file->disk, SQLITE_OK);
}

// MARK: Locks, which are memory and outlive the power

static int unlock_file(sqlite3_file *base, int level) {
  handle *file = (handle *)base;
  pthread_mutex_lock(&file->disk->lock);
  file_node *node = file->node;
  if (file->level > level) {
    if (node->exclusive == file) node->exclusive = NULL;
    if (node->pending == file) node->pending = NULL;
    if (node->reserved == file) node->reserved = NULL;
    if (level == SQLITE_LOCK_NONE) node->shared_locks--;
    file->level = level;
  }
  return unlock_with(file->disk, SQLITE_OK);
}

static int lock_file(sqlite3_file *base, int level) {
  handle *file = (handle *)base;
  pthread_mutex_lock(&file->disk->lock);
  file_node *node = file->node;
  int code = SQLITE_OK;
  if (file->level >= level) return unlock_with(file->disk, code);
  if (level == SQLITE_LOCK_SHARED) {
    if (node->pending || node->exclusive) code = SQLITE_BUSY;
    else node->shared_locks++;
  } else if (level == SQLITE_LOCK_RESERVED) {
    if (node->reserved) code = SQLITE_BUSY;
    else node->reserved = file;
  } else {
    if (node->pending && node->pending != file) return unlock_with(file->disk, SQLITE_BUSY);
    node->pending = file;
    file->level = SQLITE_LOCK_PENDING;
    if (node->shared_locks > 1) code = SQLITE_BUSY;
    else node->exclusive = file;
  }
  if (code == SQLITE_OK) file->level = level;
  return unlock_with(file->disk, code);
}

static int check_reserved_lock(sqlite3_file *base, int *is_reserved) {
  handle *file = (handle *)base;
  pthread_mutex_lock(&file->disk->lock);
  *is_reserved = file->node->reserved != NULL;
  return unlock_with(file->disk, SQLITE_OK);
}

// MARK: Shared memory, which a power cut takes with it

static int map_shm(
    sqlite3_file *base, int region, int bytes, int extends, void volatile **mapped) {
  handle *file = (handle *)base;
  pthread_mutex_lock(&file->disk->lock);
  file_node *node = file->node;
  if (!file->maps_shm) node->shm_users++;
  file->maps_shm = 1;
  *mapped = NULL;
  if (region >= node->region_count) {
    if (!extends) return unlock_with(file->disk, SQLITE_OK);
    uint8_t **regions = realloc(node->regions, (size_t)(region + 1) * sizeof *regions);
    if (!regions) return unlock_with(file->disk, SQLITE_NOMEM);
    node->regions = regions;
    while (node->region_count <= region) {
      uint8_t *fresh = calloc(1, (size_t)bytes);
      if (!fresh) return unlock_with(file->disk, SQLITE_NOMEM);
      node->regions[node->region_count++] = fresh;
    }
  }
  *mapped = node->regions[region];
  return unlock_with(file->disk, SQLITE_OK);
}

static int lock_shm(sqlite3_file *base, int first, int count, int flags) {
  handle *file = (handle *)base;
  pthread_mutex_lock(&file->disk->lock);
  file_node *node = file->node;
  int is_shared = flags & SQLITE_SHM_SHARED;
  // All or none, so each is looked at before any is taken.
  for (int slot = first; slot < first + count && flags & SQLITE_SHM_LOCK; slot++) {
    void *owner = node->shm_exclusive[slot];
    int others = node->shm_shared[slot] - (file->shm_shared >> slot & 1);
    if ((owner && owner != file) || (!is_shared && others > 0))
      return unlock_with(file->disk, SQLITE_BUSY);
  }
  for (int slot = first; slot < first + count; slot++) {
    unsigned bit = 1u << slot;
    if (flags & SQLITE_SHM_UNLOCK) {
      if (is_shared && file->shm_shared & bit) node->shm_shared[slot]--;
      if (is_shared) file->shm_shared &= ~bit;
      if (!is_shared && node->shm_exclusive[slot] == file) node->shm_exclusive[slot] = NULL;
    } else if (is_shared) {
      if (!(file->shm_shared & bit)) node->shm_shared[slot]++;
      file->shm_shared |= bit;
    } else {
      node->shm_exclusive[slot] = file;
    }
  }
  return unlock_with(file->disk, SQLITE_OK);
}

static void order_shm(sqlite3_file *base) {
  (void)base;
  __sync_synchronize();
}

static int unmap_shm(sqlite3_file *base, int deletes) {
  (void)deletes;
  handle *file = (handle *)base;
  pthread_mutex_lock(&file->disk->lock);
  file_node *node = file->node;
  for (int slot = 0; slot < SHM_LOCKS; slot++) {
    if (file->shm_shared >> slot & 1) node->shm_shared[slot]--;
    if (node->shm_exclusive[slot] == file) node->shm_exclusive[slot] = NULL;
  }
  file->shm_shared = 0;
  if (file->maps_shm) node->shm_users--;
  file->maps_shm = 0;
  // Whoever comes first after everybody has gone finds it empty, and reads the log anew.
  if (node->shm_users == 0) {
    for (int region = 0; region < node->region_count; region++) free(node->regions[region]);
    free(node->regions);
    node->regions = NULL;
    node->region_count = 0;
  }
  return unlock_with(file->disk, SQLITE_OK);
}

// MARK: Opening and closing

static int close_file(sqlite3_file *base) {
  handle *file = (handle *)base;
  unlock_file(base, SQLITE_LOCK_NONE);
  unmap_shm(base, 0);
  pthread_mutex_lock(&file->disk->lock);
  file->node->handles--;
  file->disk->open_files--;
  if (file->is_temporary) file->node->is_listed = 0;
  crash_release(file->disk, file->node);
  return unlock_with(file->disk, SQLITE_OK);
}

static int control_file(sqlite3_file *base, int operation, void *argument) {
  (void)base, (void)operation, (void)argument;
  return SQLITE_NOTFOUND;
}

static int sector_size(sqlite3_file *base) {
  (void)base;
  return 4096;
}

static int characteristics(sqlite3_file *base) {
  (void)base;
  return SQLITE_IOCAP_POWERSAFE_OVERWRITE;
}

static const sqlite3_io_methods methods = {
    .iVersion = 2,
    .xClose = close_file,
    .xRead = read_file,
    .xWrite = write_file,
    .xTruncate = truncate_file,
    .xSync = sync_file,
    .xFileSize = size_of_file,
    .xLock = lock_file,
    .xUnlock = unlock_file,
    .xCheckReservedLock = check_reserved_lock,
    .xFileControl = control_file,
    .xSectorSize = sector_size,
    .xDeviceCharacteristics = characteristics,
    .xShmMap = map_shm,
    .xShmLock = lock_shm,
    .xShmBarrier = order_shm,
    .xShmUnmap = unmap_shm,
};

static int open_file(
    sqlite3_vfs *vfs, sqlite3_filename name, sqlite3_file *base, int flags, int *granted) {
  crash_disk *disk = vfs->pAppData;
  handle *file = (handle *)base;
  memset(file, 0, sizeof *file);
  pthread_mutex_lock(&disk->lock);
  file_node *node = name ? crash_find(disk, name) : NULL;
  if (disk->is_off || (!node && !(flags & SQLITE_OPEN_CREATE)))
    return unlock_with(disk, SQLITE_CANTOPEN);
  if (!node) node = crash_make(disk, name ? name : "");
  node->handles++;
  disk->open_files++;
  file->disk = disk;
  file->node = node;
  file->life = disk->life;
  file->is_temporary = !name || flags & SQLITE_OPEN_DELETEONCLOSE;
  base->pMethods = &methods;
  if (granted) *granted = flags;
  return unlock_with(disk, SQLITE_OK);
}

static int delete_file(sqlite3_vfs *vfs, const char *name, int durably) {
  crash_disk *disk = vfs->pAppData;
  pthread_mutex_lock(&disk->lock);
  if (disk->is_off || crash_fate_of_change(disk, CRASH_DELETE) != GOES_WELL)
    return unlock_with(disk, SQLITE_IOERR_DELETE);
  file_node *node = crash_find(disk, name);
  if (!node) return unlock_with(disk, SQLITE_IOERR_DELETE_NOENT);
  crash_unlist(disk, node, durably);
  return unlock_with(disk, SQLITE_OK);
}

static int access_file(sqlite3_vfs *vfs, const char *name, int flags, int *is_there) {
  (void)flags;
  crash_disk *disk = vfs->pAppData;
  pthread_mutex_lock(&disk->lock);
  if (disk->is_off) return unlock_with(disk, SQLITE_IOERR_ACCESS);
  file_node *node = crash_find(disk, name);
  *is_there = node && node->size > 0;
  return unlock_with(disk, SQLITE_OK);
}

static int full_name(sqlite3_vfs *vfs, const char *name, int size, char *into) {
  (void)vfs;
  if (snprintf(into, (size_t)size, "%s", name) >= size) return SQLITE_CANTOPEN;
  return SQLITE_OK;
}

static int fill_randomly(sqlite3_vfs *vfs, int count, char *into) {
  crash_disk *disk = vfs->pAppData;
  for (int index = 0; index < count; index++) into[index] = (char)crash_random(&disk->random);
  return count;
}

static int sleep_not(sqlite3_vfs *vfs, int microseconds) {
  (void)vfs;
  return microseconds;
}

static int read_no_clock(sqlite3_vfs *vfs, double *julian_day) {
  (void)vfs;
  *julian_day = 2460000.5;
  return SQLITE_OK;
}

static int last_error(sqlite3_vfs *vfs, int size, char *into) {
  (void)vfs, (void)size, (void)into;
  return 0;
}

// MARK: Making a disk

static uint64_t disks_made;

const char *crash_disk_vfs_name(crash_disk *disk) { return disk->vfs_name; }

crash_disk *crash_disk_create(uint64_t seed) {
  crash_disk *disk = calloc(1, sizeof *disk);
  if (!disk) return NULL;
  uint64_t number = __sync_add_and_fetch(&disks_made, 1);
  snprintf(disk->vfs_name, sizeof disk->vfs_name, "muster-disk-%llu", (unsigned long long)number);
  pthread_mutex_init(&disk->lock, NULL);
  disk->random = seed;
  disk->capacity = UINT64_MAX;
  disk->vfs = (sqlite3_vfs){
      .iVersion = 1,
      .szOsFile = sizeof(handle),
      .mxPathname = NAME_BYTES - 1,
      .zName = disk->vfs_name,
      .pAppData = disk,
      .xOpen = open_file,
      .xDelete = delete_file,
      .xAccess = access_file,
      .xFullPathname = full_name,
      .xRandomness = fill_randomly,
      .xSleep = sleep_not,
      .xCurrentTime = read_no_clock,
      .xGetLastError = last_error,
  };
  if (sqlite3_vfs_register(&disk->vfs, 0) != SQLITE_OK) {
    free(disk);
    return NULL;
  }
  return disk;
}

void crash_disk_destroy(crash_disk *disk) {
  sqlite3_vfs_unregister(&disk->vfs);
  crash_disk_erase(disk);
  pthread_mutex_destroy(&disk->lock);
  free(disk);
}
