import { type AppSecret, appCallTypes, errors as shared } from '@waybill/contracts';
import { defineRoutes, nullable, pageSchema } from '@waybill/kernel';
import Type from 'typebox';
import { deliveryFields, deliveryQuery, withAttempts } from '../deliveries/routes.ts';
import { errors } from '../errors.ts';

/** The record of a call of an app about one of its installs. */
const AppDelivery = Type.Object(deliveryFields(appCallTypes), { $id: 'AppDelivery' });

const app = { orgId: 'organisation', appId: 'app' } as const;
const delivery = { ...app, deliveryId: 'webhookDelivery' } as const;

/** `decisions.md 14.5`. */
export const routes = defineRoutes({
  listAppDeliveries: {
    method: 'GET',
    path: '/api/orgs/{orgId}/apps/{appId}/deliveries',
    access: 'user',
    summary: 'List the calls of an app about its installs, newest first',
    description: 'For members of its organisation. Records are kept for 30 days.',
    ids: app,
    query: deliveryQuery(appCallTypes),
    answer: [200, pageSchema('deliveries', AppDelivery)],
    errors: [errors.invalid_cursor],
  },
  getAppDelivery: {
    method: 'GET',
    path: '/api/orgs/{orgId}/apps/{appId}/deliveries/{deliveryId}',
    access: 'user',
    summary: 'Read a call of an app with the log of its attempts',
    description: 'The sent calls with their times, and the first KiB of each reply, without cookies.',
    ids: delivery,
    answer: [200, withAttempts(appCallTypes)],
  },
  redeliverToApp: {
    method: 'POST',
    path: '/api/orgs/{orgId}/apps/{appId}/deliveries/{deliveryId}/redeliver',
    access: 'user',
    summary: 'Retry a call of an app now',
    description:
      'With the same event ID and the next attempt number. If it fails there is no further retry. `409 ' +
      'invalid_state` while the app has no `webhookUrl`, and if the event is no longer stored.',
    ids: delivery,
    idempotency: 'handler',
    answer: [202, Type.Object({ delivery: AppDelivery })],
    errors: [errors.invalid_state],
  },
  setAppSecret: {
    method: 'POST',
    path: '/internal/app-secrets',
    access: 'service',
    summary: "Set the signing secret of an app's calls, for the app platform",
    body: Type.Unsafe<AppSecret>(
      Type.Object({
        appId: Type.String(),
        url: nullable(Type.String()),
        revision: Type.Integer(),
        secret: Type.String({ pattern: '^whsec_' }),
        previousExpiresAt: nullable(Type.String({ format: 'date-time' })),
      }),
    ),
    answer: [200, Type.Object({})],
    errors: [shared.invalid_body],
  },
});
