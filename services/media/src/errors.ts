import { defineErrors, errors as shared } from '@waybill/contracts';

/** The errors of media in addition to the shared ones: `store-api.md 7.1`, `decisions.md 5`. */
export const errors = {
  ...shared,
  ...defineErrors({
    missing_file: [400, 'The form has no part named "file".'],
    empty_file: [400, 'The file is empty.'],
    unsupported_type: [
      400,
      'The file is not a complete PNG, JPEG, GIF, WebP, AVIF, SVG, MP4, WebM, MOV, WOFF2, WOFF, TTF or OTF.',
    ],
    request_timeout: [408, 'The upload was too slow: less than 16 KiB a second for ten seconds.'],
    file_too_large: [413, 'The file is larger than 25 MiB.'],
    quota_exceeded: [413, "The file does not fit into the store's quota."],
    duplicate_name: [409, 'A folder with this name already exists in the same place.'],
    cycle_detected: [409, 'A folder cannot be moved into itself or its subfolders.'],
    folder_not_empty: [409, 'The folder contains a folder or an asset, possibly in the trash.'],
    media_in_use: [409, 'Live content shows this asset.'],
    range_not_satisfiable: [416, 'The requested range is beyond the end of the file.'],
    too_many_folders: [409, 'A store has at most 10,000 folders, at most 20 levels deep.'],
  }),
};
