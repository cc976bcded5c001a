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
      'Takes the password, and the code where the second factor is on; wrong ones count as failed logins. ' +
      '`last_owner`, with `storeIds` and `orgIds`, while you are the only owner of stores or organisations that others are ' +
      'in. Stores that only you are in are closed: their addresses lead nowhere, they take no orders, and their apps are ' +
      'uninstalled. Apps of organisations that only you are in leave the directory; stores that have them keep them. What ' +
      'others keep of you is an id.',
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
