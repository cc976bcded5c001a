/** Maximum number of pixels of an image. More would be a decompression bomb, or no image for a page. */
export const maxPixels = 64_000_000;
