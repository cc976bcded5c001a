import Type from 'typebox';
import { idPattern } from './ids.ts';
import { Timestamp } from './resources.ts';

/** Of an e-mail address; with the flag `u`. Without the brackets around one in mails: one more would be sent to another. */
export const emailPattern = '^[^\\s@<>\\p{C}]+@[^\\s@<>.\\p{C}]+(\\.[^\\s@<>.\\p{C}]+)+$';

/** An e-mail address as people write them; whether mail arrives there is not known. */
export const Email = Type.String({
  maxLength: 254,
  pattern: emailPattern,
  examples: ['ann@example.com'],
});

/** What holds for invitations, to stores and to organisations alike: `decisions.md 15.5`. */
export const invitationRules = {
  lifeMs: 7 * 24 * 3_600_000,
  maxOpen: 100,
  /** How many mails an address gets, whoever invites it, so that nobody's mailbox is filled. */
  perAddress: { times: 5, seconds: 3600 },
  /** How many one user may have sent: an account costs nothing. */
  perSender: { times: 200, seconds: 86_400 },
} as const;

/** An invitation as those see it who may make one, but for its role. `decisions.md 15.5`. */
export const invitationFields = {
  id: Type.String({ pattern: idPattern('invitation') }),
  email: Type.String({ description: 'Lower-case.' }),
  invitedBy: Type.String({ description: "A user's id.", pattern: idPattern('user') }),
  createdAt: Timestamp,
  expiresAt: Timestamp,
};
