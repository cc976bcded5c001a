import { defineRoutes } from '@waybill/kernel';
import Type from 'typebox';
import { errors } from '../errors.ts';
import { formats, widths } from '../variants/variants.ts';

const FileQuery = Type.Object({
  w: Type.Optional(
    Type.String({
      pattern: `^(${widths.join('|')})$`,
      description: `A smaller form of an image: ${widths.join(', ')} pixels wide, but never wider than it is.`,
    }),
  ),
  format: Type.Optional(
    Type.Enum([...formats], { description: "With `w`: of this format instead of the file's own." }),
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
      'Never changes, and is served from the trash, too. With `ETag`, `Range` and `If-Range`. Without one of those ' +
      '`w`, and for a file that is no still image of pixels, or is a very large or very tall one, it is the file as ' +
      'it was uploaded; so it is where the smaller form would have more bytes, and, to be kept for a minute, for an ' +
      'address that has had many made.',
    ids: { storeId: 'store', assetId: 'mediaAsset' },
    query: FileQuery,
    contentType: '*/*',
    answer: [200, Type.String({ format: 'binary' })],
    errors: [errors.not_found, errors.range_not_satisfiable, errors.resource_unavailable],
  },
});
