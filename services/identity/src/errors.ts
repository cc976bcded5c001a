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
      'A session that a cookie holds is for pages of this origin alone; send `refreshToken` in the body.',
    ],
    totp_required: [401, 'Send the code of your second factor, too.'],
    email_unverified: [409, verifyFirst],
    invalid_code: [401, 'This code is wrong, was used already, or is too old.'],
    invalid_token: [400, 'This link is wrong, was used already, or is too old.'],
    already_member: [409, 'This user is a member of the store already.'],
    too_many_invitations: [409, 'At most 10,000 invitations may be open; withdraw some.'],
    too_many_stores: [409, 'An organisation has at most 1,000 development stores; close one of them.'],
    too_many_own_stores: [409, 'One person owns at most 10,000 stores; leave some of them to others.'],
    too_many_slugs: [409, 'A store has had at most 10,000 addresses.'],
    too_many_members: [409, 'A store has at most 10,000 members; remove some.'],
    too_many_api_keys: [409, 'A store has at most 10,000 API keys in use; revoke some.'],
    duplicate_name: [409, 'This hostname is taken.'],
    invalid_template: [400, 'This template has a mistake; `details` say where.'],
    too_many_domains: [409, 'A store has, and has had, at most 10,000 domains.'],
    last_owner: [
      409,
      'A store or organisation keeps at least one owner; make another member an owner first.',
    ],
  }),
  /** `email_unverified` for a user who accepts an invitation: `decisions.md 19.12`. */
  accept_unverified: (extras?: ErrorExtras) => new ApiError('email_unverified', 403, verifyFirst, extras),
  /** `invalid_code` for a user who is already signed in: `decisions.md 15.4`. */
  wrong_code: (extras?: ErrorExtras) =>
    new ApiError('invalid_code', 400, 'This code is wrong, was used already, or is too old.', extras),
};
