import { defineRoutes } from '@waybill/kernel';
import Type from 'typebox';
import { errors } from '../errors.ts';

export const Code = Type.String({
  maxLength: 100,
  description: 'The six digits that the authenticator shows, or a recovery code. Each is good once.',
});

/** Routes of the second factor: `decisions.md 15.4`. */
export const routes = defineRoutes({
  startTotp: {
    method: 'POST',
    path: '/api/me/totp',
    access: 'user',
    summary: 'Get a secret for an authenticator app',
    description:
      'For users with a verified address. The secret is on once a code of it is confirmed. Until then this gives another ' +
      'one in its place.',
    answer: [
      200,
      Type.Object({
        secret: Type.String({ description: 'Base32; 160 bits.' }),
        uri: Type.String({
          description: 'The same as a URI, for a QR code.',
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
      'Signing in needs a code from then on. The recovery codes stand in for one, each once; they are shown here only. ' +
      'A mail tells the user.',
    body: Type.Object({ code: Type.String({ maxLength: 100 }) }),
    answer: [200, Type.Object({ recoveryCodes: Type.Array(Type.String()) })],
    errors: [errors.email_unverified, errors.invalid_state, errors.wrong_code],
  },
  removeTotp: {
    method: 'DELETE',
    path: '/api/me/totp',
    access: 'user',
    summary: 'Turn the second factor off',
    description: 'Wrong codes count as failed logins. A mail tells the user.',
    body: Type.Object({ code: Code }),
    answer: [204, null],
    errors: [errors.invalid_state, errors.wrong_code, errors.rate_limited],
  },
});
