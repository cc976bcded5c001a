import { MediaUser } from '@waybill/contracts';
import { defineRoutes } from '@waybill/kernel';
import Type from 'typebox';
import { errors } from '../errors.ts';
import { maxUsers } from './uses.ts';

const ids = { storeId: 'store' } as const;

/** `decisions.md 16.2`. */
export const routes = defineRoutes({
  getMediaUsage: {
    method: 'GET',
    path: '/api/stores/{storeId}/media/{id}/usage',
    access: { member: 'media.read' },
    summary: 'List the uses of an asset',
    description:
      'Includes drafts; live content comes first. Lists pages that show the asset themselves, or through a ' +
      'section, a block or a product, and everything with custom fields that name it; orders and customers are ' +
      `never live. At most ${maxUsers} of each kind.`,
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
      'Deletes all or none: an unknown ID is `not_found`, an asset outside the trash `invalid_state`, an asset ' +
      'shown by live content `media_in_use`, with `usage`, unless `force` is true. The quota is freed at once ' +
      'and the files are deleted; content that showed them shows nothing in their place, and custom fields that ' +
      'named them lose the value. ' +
      '`resource_unavailable` while uses cannot be checked.',
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
    description: 'In bytes. `used` includes the trash, which `trashed` reports separately.',
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
