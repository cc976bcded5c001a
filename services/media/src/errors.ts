import { defineErrors, errors as shared } from '@waybill/contracts';

/** The errors of media in addition to the shared ones: `store-api.md 7.1`, `decisions.md 5`. */
export const errors = {
  ...shared,
  ...defineErrors({
    missing_file: [400, 'The form has no part named "file".'],
    empty_file: [400, 'The file is empty.'],
    unsupported_type: [
      400,
      'The file is not a whole PNG, JPEG, GIF, WebP, AVIF, SVG, MP4, WebM, MOV, WOFF2, WOFF, TTF or OTF.',
    ],
    request_timeout: [408, 'The file came too slowly: less than 16 KiB a second, for ten seconds.'],
    file_too_large: [413, 'The file is larger than 25 MiB.'],
    quota_exceeded: [413, "The file does not fit into the store's quota."],
    duplicate_name: [409, 'There is a folder of this name in the same place.'],
    cycle_detected: [409, 'A folder cannot be moved into itself, or into one that is in it.'],
    folder_not_empty: [409, 'The folder holds a folder or an asset, which may be in the trash.'],
    media_in_use: [409, 'Something live shows this.'],
    range_not_satisfiable: [416, 'The file is shorter than that.'],
    too_many_folders: [409, 'A store has at most 10,000 folders, at most 20 levels deep.'],
  }),
};
