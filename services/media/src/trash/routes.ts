import { MediaUser } from '@waybill/contracts';
import { defineRoutes } from '@waybill/kernel';
import Type from 'typebox';
import { errors } from '../errors.ts';
import { mostUsers } from './uses.ts';

const ids = { storeId: 'store' } as const;

/** `decisions.md 16.2`. */
export const routes = defineRoutes({
  getMediaUsage: {
    method: 'GET',
    path: '/api/stores/{storeId}/media/{id}/usage',
    access: { member: 'media.read' },
    summary: 'List the uses of an asset',
    description:
      'Drafts included; what is live comes first. A page is named when it shows the asset itself, by a section, a block ' +
      `or a product. At most ${mostUsers} of a kind.`,
    ids: { ...ids, id: 'mediaAsset' },
    answer: [200, Type.Object({ usage: Type.Array(MediaUser) })],
    errors: [errors.resource_unavailable],
  },
  purgeMedia: {
    method: 'POST',
    path: '/api/stores/{storeId}/media/purge',
    access: { member: 'media.write' },
    summary: 'Delete assets in the trash for good',
    description:
      'All of them, or none: an unknown id is `not_found`, one that is not in the trash `invalid_state`, one that ' +
      'something live shows `media_in_use`, with `usage`, unless `force` is true. The quota is free at once, and the ' +
      'files go; what showed them shows nothing in their place. While it cannot be asked what shows them: ' +
      '`resource_unavailable`.',
    ids,
    body: Type.Object({
      ids: Type.Array(Type.String({ maxLength: 60 }), { minItems: 1, maxItems: 1000 }),
      force: Type.Optional(Type.Boolean()),
    }),
    idempotency: 'handler',
    answer: [204, null],
    errors: [errors.not_found, errors.invalid_state, errors.media_in_use, errors.resource_unavailable],
  },
  getMediaQuota: {
    method: 'GET',
    path: '/api/stores/{storeId}/media/quota',
    access: { member: 'media.read' },
    summary: 'Read the storage usage of the media library',
    description: 'In bytes. `used` counts what is in the trash as well, which `trashed` tells apart.',
    ids,
    isItem: false,
    answer: [
      200,
      Type.Object({
        quota: Type.Object({
          used: Type.Integer({ minimum: 0 }),
          limit: Type.Integer({ minimum: 0 }),
          trashed: Type.Integer({ minimum: 0 }),
        }),
      }),
    ],
    errors: [errors.resource_unavailable],
  },
});
