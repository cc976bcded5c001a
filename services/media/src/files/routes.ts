import { defineRoutes } from '@waybill/kernel';
import Type from 'typebox';
import { errors } from '../errors.ts';
import { formats, widths } from '../variants/variants.ts';

const FileQuery = Type.Object({
  w: Type.Optional(
    Type.String({
      pattern: `^(${widths.join('|')})$`,
      description:
        `The width of a smaller version of an image: ${widths.join(', ')} pixels, but never wider than the ` +
        'original.',
    }),
  ),
  format: Type.Optional(
    Type.Enum([...formats], {
      description: "With `w`: the format of the smaller version, instead of the file's own.",
    }),
  ),
});

/** `decisions.md 5`. */
export const routes = defineRoutes({
  getFile: {
    method: 'GET',
    path: '/media/{storeId}/{assetId}',
    access: 'public',
    summary: 'Download the file of an asset',
    description:
      'Never changes, and is also served from the trash. Supports `ETag`, `Range` and `If-Range`. Without one ' +
      'of these `w`, and for files other than still pixel images, or very large or very tall ones, returns the ' +
      'uploaded file; also if the smaller version would have more bytes, and, cacheable for a minute, for an ' +
      'address that has generated many versions.',
    ids: { storeId: 'store', assetId: 'mediaAsset' },
    query: FileQuery,
    contentType: '*/*',
    answer: [200, Type.String({ format: 'binary' })],
    errors: [errors.not_found, errors.range_not_satisfiable, errors.resource_unavailable],
  },
});
