// JPEG by libjpeg-turbo: slow exact DCT, smooth upsampling of colours, blue first.
#include <algorithm>
#include <csetjmp>
#include <cstring>
#include <memory>

#include <cstdio>

#include <jpeglib.h>
#include <jerror.h>

#include "io/image/codec/formats.h"

namespace cantik::codec {
namespace {

constexpr int kMostScans = 500;  // of a progressive file; a hostile one has thousands, and takes hours

// What libjpeg calls on errors: back to where the call began.
struct Problem {
  jpeg_error_mgr manager;
  jmp_buf back;
  char* message;
};

void give_up(j_common_ptr c) {
  auto* p = reinterpret_cast<Problem*>(c->err);
  char text[JMSG_LENGTH_MAX];
  p->manager.format_message(c, text);
  fail(p->message, text);
  std::longjmp(p->back, 1);
}
// Level -1 is a warning: data that end too early are an error here, other oddities are passed over.
void warned(j_common_ptr c, int level) {
  if (level < 0 && (c->err->msg_code == JWRN_JPEG_EOF || c->err->msg_code == JWRN_HIT_MARKER)) give_up(c);
}
void nothing(j_common_ptr) {}
void count_scans(j_common_ptr c) {
  if (!c->is_decompressor || reinterpret_cast<j_decompress_ptr>(c)->input_scan_number <= kMostScans) return;
  auto* p = reinterpret_cast<Problem*>(c->err);
  fail(p->message, "it has more than 500 scans");
  std::longjmp(p->back, 1);
}

// Of the EXIF block, which says it in either byte order; 1 where it does not.
int orientation_in(const uint8_t* p, size_t n) {
  if (n < 14 || std::memcmp(p, "Exif\0\0", 6) != 0) return 1;
  p += 6, n -= 6;
  const bool little = p[0] == 'I';
  auto u16 = [&](size_t at) {
    return at + 2 > n ? 0u : little ? p[at] | p[at + 1] << 8 : p[at] << 8 | p[at + 1];
  };
  auto u32 = [&](size_t at) -> size_t {
    return little ? u16(at) | static_cast<size_t>(u16(at + 2)) << 16
                  : static_cast<size_t>(u16(at)) << 16 | u16(at + 2);
  };
  const size_t directory = u32(4), entries = u16(directory);
  constexpr size_t kEntry = 12, kOrientation = 0x112;
  for (size_t i = 0; i < entries; ++i) {
    const size_t at = directory + 2 + i * kEntry;
    if (at + kEntry > n) break;
    if (u16(at) == kOrientation)
      return u16(at + 8) >= 1 && u16(at + 8) <= 8 ? static_cast<int>(u16(at + 8)) : 1;
  }
  return 1;
}

int orientation_of(j_decompress_ptr d) {
  for (jpeg_saved_marker_ptr m = d->marker_list; m; m = m->next)
    if (m->marker == JPEG_APP0 + 1)
      if (int found = orientation_in(m->data, m->data_length); found != 1) return found;
  return 1;
}

// A row of inverted CMYK, as Adobe writes it, into its beginning.
void from_cmyk(const uint8_t* from, int width, int channels, uint8_t* into) {
  for (int x = 0; x < width; ++x, from += 4, into += channels) {
    const int k = from[3];
    auto mixed = [&](int ink) { return k - ((255 - ink) * k >> 8); };
    const int red = mixed(from[0]), green = mixed(from[1]), blue = mixed(from[2]);
    if (channels == 1) {
      *into = grey(blue, green, red);
      continue;
    }
    into[0] = static_cast<uint8_t>(blue);
    into[1] = static_cast<uint8_t>(green);
    into[2] = static_cast<uint8_t>(red);
  }
}

// Samples along each side of a block.
int samples_of_block(const jpeg_component_info& c) {
#if JPEG_LIB_VERSION >= 70
  return c.DCT_h_scaled_size;
#else
  return c.DCT_scaled_size;
#endif
}
int reduced_by(const jpeg_decompress_struct& d) { return static_cast<int>(d.scale_denom / d.scale_num); }

// Planes are there where they are brightness and colour, and libjpeg would make pixels of them by its smooth
// upsampling, or by none.
void describe_planes(const jpeg_decompress_struct& d, cantik_picture_size& size) {
  if (d.jpeg_color_space != JCS_YCbCr || d.num_components != 3) return;
  const jpeg_component_info *y = d.comp_info, *b = y + 1, *r = y + 2;
  auto across = [](const jpeg_component_info* c) { return c->h_samp_factor * samples_of_block(*c); };
  auto down = [](const jpeg_component_info* c) { return c->v_samp_factor * samples_of_block(*c); };
  const bool is_alike = across(b) == across(r) && down(b) == down(r),
             is_whole = across(y) % across(b) == 0 && down(y) % down(b) == 0 &&
                        y->h_samp_factor == d.max_h_samp_factor && y->v_samp_factor == d.max_v_samp_factor &&
                        samples_of_block(*y) * reduced_by(d) == DCTSIZE;
  if (!is_alike || !is_whole) return;
  const int wide = across(y) / across(b), high = down(y) / down(b);
  const bool is_smooth = wide == 2 && high <= 2 && b->downsampled_width > 2 && samples_of_block(*y) > 1;
  if (!is_smooth && (wide != 1 || high != 1)) return;
  size.across = wide;
  size.down = high;
  size.colour_width = static_cast<int32_t>(b->downsampled_width);
  size.colour_height = static_cast<int32_t>(b->downsampled_height);
  size.stride = static_cast<int32_t>(y->width_in_blocks) * samples_of_block(*y);
  size.colour_stride =
      static_cast<int32_t>(std::max(b->width_in_blocks * static_cast<JDIMENSION>(samples_of_block(*b)),
                                    r->width_in_blocks * static_cast<JDIMENSION>(samples_of_block(*r))));
}

// Nothing in here has a destructor: libjpeg leaves by longjmp.
template <class Work>
int with_header(const uint8_t* data, size_t bytes, int reduced, char* message, uint8_t* row,
                const Work& work) {
  jpeg_decompress_struct d;
  jpeg_progress_mgr progress{};
  Problem problem;
  std::memset(static_cast<void*>(&d), 0, sizeof d);
  d.err = jpeg_std_error(&problem.manager);
  problem.manager.error_exit = give_up;
  problem.manager.emit_message = warned;
  problem.manager.output_message = nothing;
  problem.message = message;
  if (setjmp(problem.back)) {
    jpeg_destroy_decompress(&d);
    return 1;
  }
  jpeg_create_decompress(&d);
  progress.progress_monitor = count_scans;
  d.progress = &progress;
  jpeg_mem_src(&d, data, bytes);
  jpeg_save_markers(&d, JPEG_APP0 + 1, 0xffff);
  jpeg_read_header(&d, TRUE);
  d.scale_num = 1;
  d.scale_denom = static_cast<unsigned>(reduced);
  jpeg_calc_output_dimensions(&d);
  work(d, row);
  jpeg_destroy_decompress(&d);
  return 0;
}

}  // namespace

bool is_jpeg(const uint8_t* p, size_t n) { return n > 3 && p[0] == 0xff && p[1] == 0xd8 && p[2] == 0xff; }

int jpeg_size(const uint8_t* data, size_t bytes, int reduced, cantik_picture_size* size, char* message) {
  int64_t pixels = 0;
  const auto look = [size, &pixels](jpeg_decompress_struct& d, uint8_t*) {
    pixels = static_cast<int64_t>(d.image_width) * d.image_height;
    size->width = static_cast<int32_t>(d.output_width);
    size->height = static_cast<int32_t>(d.output_height);
    size->orientation = orientation_of(&d);
    describe_planes(d, *size);
  };
  if (with_header(data, bytes, reduced, message, nullptr, look)) return 1;
  return refuse_large(pixels, message);
}

int decode_jpeg(const uint8_t* data, size_t bytes, int reduced, int channels, uint8_t* pixels,
                char* message) {
  constexpr size_t kWidest = 65536;
  const auto inks = std::make_unique_for_overwrite<uint8_t[]>(4 * kWidest);
  return with_header(data, bytes, reduced, message, inks.get(), [=](jpeg_decompress_struct& d, uint8_t* row) {
    const bool cmyk = d.jpeg_color_space == JCS_CMYK || d.jpeg_color_space == JCS_YCCK;
    d.out_color_space = cmyk ? JCS_CMYK : channels == 1 ? JCS_GRAYSCALE : JCS_EXT_BGR;
    jpeg_start_decompress(&d);
    const size_t width = d.output_width, stride = width * static_cast<size_t>(channels);
    while (d.output_scanline < d.output_height) {
      uint8_t* into = pixels + d.output_scanline * stride;
      JSAMPROW line = cmyk ? row : into;
      jpeg_read_scanlines(&d, &line, 1);
      if (cmyk) from_cmyk(row, static_cast<int>(width), channels, into);
    }
    jpeg_finish_decompress(&d);
  });
}

// A row of blocks at a time. What its last rows have below the picture goes into a row that nobody reads.
int jpeg_planes(const uint8_t* data, size_t bytes, int reduced, const cantik_planes& into, char* message) {
  const auto below = std::make_unique_for_overwrite<uint8_t[]>(
      static_cast<size_t>(std::max(into.stride, into.colour_stride)));
  return with_header(
      data, bytes, reduced, message, below.get(), [&into](jpeg_decompress_struct& d, uint8_t* unread) {
        d.raw_data_out = TRUE;
        jpeg_start_decompress(&d);
        const JDIMENSION rows_of_block =
            static_cast<JDIMENSION>(d.max_v_samp_factor * DCTSIZE / reduced_by(d));
        JSAMPROW rows[3][4 * DCTSIZE];
        JSAMPARRAY planes[3] = {rows[0], rows[1], rows[2]};
        const JDIMENSION wanted = std::min(static_cast<JDIMENSION>(into.rows), d.output_height);
        while (d.output_scanline < wanted) {
          for (int c = 0; c < 3; ++c) {
            const jpeg_component_info& info = d.comp_info[c];
            const JDIMENSION count = static_cast<JDIMENSION>(info.v_samp_factor * samples_of_block(info)),
                             first = d.output_scanline / rows_of_block * count;
            const size_t stride = static_cast<size_t>(c ? into.colour_stride : into.stride);
            for (JDIMENSION r = 0; r < count; ++r)
              rows[c][r] =
                  first + r < info.downsampled_height ? into.plane[c] + (first + r) * stride : unread;
          }
          jpeg_read_raw_data(&d, planes, rows_of_block);
        }
        if (d.output_scanline == d.output_height) jpeg_finish_decompress(&d);
      });
}

}  // namespace cantik::codec
