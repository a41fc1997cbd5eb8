#pragma once

// Swift calls no variadic functions: these wrappers fix the options of the few that are needed.

#include <string.h>
#include <vips/vips.h>

/// Starts libvips with one worker thread and no cache of results, and permits the loaders of JPEG,
/// PNG, WebP and HEIF only: others, such as SVG and PDF, have interpreters behind them. The vector
/// compiler is off: it needs memory that is writable and executable. Returns 0 on success.
static inline int muster_vips_start(void) {
  if (VIPS_INIT("muster-image") != 0) return -1;
  vips_concurrency_set(1);
  vips_cache_set_max(0);
  vips_vector_set_enabled(FALSE);
#if VIPS_MAJOR_VERSION > 8 || VIPS_MINOR_VERSION >= 13
  vips_operation_block_set("VipsForeignLoad", TRUE);
  vips_operation_block_set("VipsForeignLoadJpeg", FALSE);
  vips_operation_block_set("VipsForeignLoadPng", FALSE);
  vips_operation_block_set("VipsForeignLoadWebp", FALSE);
  vips_operation_block_set("VipsForeignLoadHeif", FALSE);
#endif
  return 0;
}

/// Reads the header only. Returns NULL if no permitted loader accepts the bytes, which MUST outlive
/// the image. libvips before 8.13 cannot block loaders, so their names are compared too.
static inline VipsImage *muster_vips_open(const void *bytes, size_t count) {
  const char *loader = vips_foreign_find_load_buffer(bytes, count);
  if (loader == NULL ||
      (strcmp(loader, "VipsForeignLoadJpegBuffer") != 0 &&
       strcmp(loader, "VipsForeignLoadPngBuffer") != 0 &&
       strcmp(loader, "VipsForeignLoadWebpBuffer") != 0 &&
       strcmp(loader, "VipsForeignLoadHeifBuffer") != 0))
    return NULL;
  return vips_image_new_from_buffer(
      bytes, count, "", "access", VIPS_ACCESS_SEQUENTIAL, NULL);
}

/// Prepares an upright image in sRGB of at most `side` pixels each way, never larger than the
/// source. The pixels are decoded when they are read; a truncated file is then an error. The option
/// is in the string because `vips_thumbnail_buffer` ignores `fail_on` for shrink-on-load.
static inline int muster_vips_shrink(void *bytes, size_t count, int side, VipsImage **out) {
  return vips_thumbnail_buffer(
      bytes, count, out, side, "height", side, "size", VIPS_SIZE_DOWN, "option_string",
      "[fail_on=truncated]", "export_profile", "srgb", NULL);
}

/// Prepares the same from a JPEG that is decoded at its size, a half, a quarter or an eighth of it,
/// which takes a fraction of the time. The shorter side MUST be at least `factor`: libvips
/// crashes on a picture without width. `vips_thumbnail_buffer` shrinks from a factor of four only,
/// and whatever the shorter side is. A strict reading fails on every warning of the decoder.
static inline int muster_vips_shrink_jpeg(
    const void *bytes, size_t count, int factor, int is_strict, int side, VipsImage **out) {
  VipsImage *image = vips_image_new_from_buffer(
      bytes, count, is_strict ? "[fail_on=warning]" : "[fail_on=truncated]", "access",
      VIPS_ACCESS_SEQUENTIAL, "shrink", factor, NULL);
  if (image == NULL) return -1;
  int status = vips_thumbnail_image(
      image, out, side, "height", side, "size", VIPS_SIZE_DOWN, "export_profile", "srgb", NULL);
  g_object_unref(image);
  return status;
}

/// The same for an image in memory.
static inline int muster_vips_shrink_image(VipsImage *image, int side, VipsImage **out) {
  return vips_thumbnail_image(image, out, side, "height", side, "size", VIPS_SIZE_DOWN, NULL);
}

/// Draws the image on white, which replaces transparency.
static inline int muster_vips_flatten(VipsImage *image, VipsImage **out) {
  VipsArrayDouble *white = vips_array_double_newv(1, 255.0);
  int status = vips_flatten(image, out, "background", white, NULL);
  vips_area_unref(VIPS_AREA(white));
  return status;
}

/// Adds a reference to the image.
static inline int muster_vips_same(VipsImage *image, VipsImage **out) {
  g_object_ref(image);
  *out = image;
  return 0;
}

/// Encodes a JPEG without any metadata. The caller frees the buffer with `g_free`.
static inline int muster_vips_jpeg(VipsImage *image, int quality, void **bytes, size_t *count) {
  return vips_jpegsave_buffer(
      image, bytes, count, "Q", quality, "strip", TRUE, "optimize_coding", TRUE, NULL);
}

/// Creates a black image, to warm up.
static inline int muster_vips_black(int side, VipsImage **out) {
  return vips_black(out, side, side, "bands", 3, NULL);
}

static inline void muster_vips_release(VipsImage *image) { g_object_unref(image); }
