import { defineRoutes } from '@waybill/kernel';
import Type from 'typebox';
import { errors } from '../errors.ts';

export const Code = Type.String({
  maxLength: 100,
  description: 'The six digits shown by the authenticator, or a recovery code. Each works once.',
});

/** Routes of the second factor: `decisions.md 15.4`. */
export const routes = defineRoutes({
  startTotp: {
    method: 'POST',
    path: '/api/me/totp',
    access: 'user',
    summary: 'Get a secret for an authenticator app',
    description:
      'For users with a verified address. The secret takes effect once a code made with it is confirmed. Until ' +
      'then, another call replaces it.',
    answer: [
      200,
      Type.Object({
        secret: Type.String({ description: 'Base32; 160 bits.' }),
        uri: Type.String({
          description: 'The secret as a URI, for a QR code.',
          examples: ['otpauth://totp/…'],
        }),
      }),
    ],
    errors: [errors.email_unverified, errors.invalid_state],
  },
  confirmTotp: {
    method: 'POST',
    path: '/api/me/totp/confirm',
    access: 'user',
    summary: 'Turn on two-factor authentication with a code of its secret',
    description:
      'Signing in requires a code from then on. Each recovery code replaces one code, once; only this answer ' +
      'shows them. A mail notifies the user.',
    body: Type.Object({ code: Type.String({ maxLength: 100 }) }),
    answer: [200, Type.Object({ recoveryCodes: Type.Array(Type.String()) })],
    errors: [errors.email_unverified, errors.invalid_state, errors.wrong_code],
  },
  removeTotp: {
    method: 'DELETE',
    path: '/api/me/totp',
    access: 'user',
    summary: 'Turn off two-factor authentication',
    description: 'Wrong codes count as failed logins. A mail notifies the user.',
    body: Type.Object({ code: Code }),
    answer: [204, null],
    errors: [errors.invalid_state, errors.wrong_code, errors.rate_limited],
  },
});
