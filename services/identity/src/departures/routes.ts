import { defineRoutes } from '@waybill/kernel';
import Type from 'typebox';
import { errors } from '../errors.ts';
import { Code } from '../second-factor/routes.ts';

/** Routes of departures: `decisions.md 15.7`. */
export const routes = defineRoutes({
  deleteMe: {
    method: 'DELETE',
    path: '/api/me',
    access: 'user',
    summary: 'Delete your account',
    description:
      'Requires the password, and the code if the second factor is on; wrong ones count as failed logins. ' +
      '`last_owner`, with `storeIds` and `orgIds`, while you are the only owner of stores or organisations ' +
      'with other members. Stores without other members are closed: their addresses stop working, they accept ' +
      'no orders, and their apps are uninstalled. Apps of organisations without other members leave the ' +
      'directory; stores that have them keep them. Records about you keep only an ID.',
    body: Type.Object({ password: Type.String(), code: Type.Optional(Code) }),
    idempotency: 'handler',
    answer: [204, null],
    errors: [
      errors.invalid_login,
      errors.totp_required,
      errors.invalid_code,
      errors.last_owner,
      errors.rate_limited,
      errors.resource_unavailable,
    ],
  },
});
