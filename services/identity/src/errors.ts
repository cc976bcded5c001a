import { ApiError, defineErrors, type ErrorExtras, errors as shared } from '@waybill/contracts';

const verifyFirst = 'Verify your e-mail address first; POST /api/auth/verification sends a link.';

/** Identity's own errors, in addition to the shared ones: `decisions.md 8`. */
export const errors = {
  ...shared,
  ...defineErrors({
    invalid_login: [401, 'The e-mail address or the password is wrong.'],
    invalid_refresh_token: [401, 'This refresh token is not valid; sign in again.'],
    cross_origin: [
      403,
      'Sessions in cookies are only for pages of this origin; send `refreshToken` in the body.',
    ],
    totp_required: [401, 'The code of your second factor is also required.'],
    email_unverified: [409, verifyFirst],
    invalid_code: [401, 'This code is wrong, already used, or expired.'],
    invalid_token: [400, 'This link is wrong, already used, or expired.'],
    already_member: [409, 'This user is already a member of the store.'],
    too_many_invitations: [409, 'At most 10,000 invitations may be open; withdraw some.'],
    too_many_stores: [409, 'An organisation has at most 10,000 development stores; close one of them.'],
    too_many_own_stores: [409, 'A user owns at most 10,000 stores; transfer some of them to others.'],
    too_many_slugs: [409, 'A store has at most 10,000 addresses, former ones included.'],
    too_many_members: [409, 'A store has at most 10,000 members; remove some.'],
    too_many_api_keys: [409, 'A store has at most 10,000 API keys in use; revoke some.'],
    duplicate_name: [409, 'This hostname is taken.'],
    invalid_template: [400, 'This template has an error; `details` gives its position.'],
    too_many_domains: [409, 'A store has at most 10,000 domains, former ones included.'],
    last_owner: [
      409,
      'A store or organisation keeps at least one owner; make another member an owner first.',
    ],
  }),
  /** `email_unverified` for a user who accepts an invitation: `decisions.md 19.12`. */
  accept_unverified: (extras?: ErrorExtras) => new ApiError('email_unverified', 403, verifyFirst, extras),
  /** `invalid_code` for a user who is already signed in: `decisions.md 15.4`. */
  wrong_code: (extras?: ErrorExtras) =>
    new ApiError('invalid_code', 400, 'This code is wrong, already used, or expired.', extras),
};
