/** Of an image; more would be a bomb, or no image for a page. */
export const maxPixels = 64_000_000;
