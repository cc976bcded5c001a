import { domainToASCII, domainToUnicode } from 'node:url';
import Type from 'typebox';
import { idPattern } from './ids.ts';
import { Timestamp } from './resources.ts';

const label = '[a-zA-Z0-9](?:[a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?';
/** The pattern of an e-mail address, as the HTML standard defines it for `input type=email`. */
const emailPattern = `^[a-zA-Z0-9.!#$%&'*+/=?^_\`{|}~-]+@${label}(?:\\.${label})*$`;
const emailRegExp = new RegExp(emailPattern);
const emailMaxLength = 254;
/** Domains that `domainToASCII` may convert: of other texts it reads only the beginning. */
const unicodeDomain = /^(?!\p{ASCII}*$)[\p{L}\p{N}\p{M}.\u3002-]+$/u;

/** Returns an e-mail address with its domain in ASCII, whether it is valid or not; `decisions.md 19.9`. */
export function withAsciiDomain(text: string): string {
  const at = text.lastIndexOf('@') + 1;
  const domain = text.slice(at);
  if (at === 0 || text.length > emailMaxLength || !unicodeDomain.test(domain)) return text;
  return text.slice(0, at) + (domainToASCII(domain) || domain);
}

/** Returns the address with its domain as people write it. */
export function withUnicodeDomain(email: string): string {
  const at = email.lastIndexOf('@') + 1;
  return email.slice(0, at) + (domainToUnicode(email.slice(at)) || email.slice(at));
}

/**
 * Returns an e-mail address as it is stored, with its domain in ASCII; null if the text is invalid. `decisions.md
 * 19.9`.
 */
export function parseEmail(text: string): string | null {
  const email = withAsciiDomain(text);
  return email.length <= emailMaxLength && emailRegExp.test(email) ? email : null;
}

/**
 * The schema of an e-mail address; it does not check whether mail arrives there. `parseEmail` has the same rule for
 * texts outside of JSON.
 */
export const Email = Type.String({
  maxLength: emailMaxLength,
  pattern: emailPattern,
  readAs: 'email',
  description: 'In the format of HTML’s `input type=email`. A Unicode domain is stored as ASCII.',
  examples: ['ann@example.com'],
});

/** Rules of invitations, to stores and to organisations alike: `decisions.md 15.5`. */
export const invitationRules = {
  lifeMs: 7 * 24 * 3_600_000,
  maxOpen: 10_000,
  /** Limit of mails to one address, across all senders, so that nobody's mailbox is flooded. */
  perAddress: { times: 5, seconds: 3600 },
  /** Limit of mails that one user causes: accounts cost nothing. */
  perSender: { times: 200, seconds: 86_400 },
} as const;

/** An invitation without its role, for members who may invite. `decisions.md 15.5`. */
export const invitationFields = {
  id: Type.String({ pattern: idPattern('invitation') }),
  email: Type.String({ description: 'Lower-case.' }),
  invitedBy: Type.String({ description: 'The ID of a user.', pattern: idPattern('user') }),
  createdAt: Timestamp,
  expiresAt: Timestamp,
};
