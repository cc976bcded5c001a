import type { Context } from '../config.ts';
import { type Grant, issueToken } from '../one-time-tokens/one-time-tokens.ts';
import { findReader, hasInvitation, type MailRow, type Reader } from './queries.ts';
import { isTemplate, type Locale, renderMail, type Template } from './templates.ts';
import { MailRefused, type OutgoingMail } from './transport.ts';

/** Whom a mail is to and from, as far as they are users. */
interface People {
  reader: Reader | undefined;
  sender: Reader | undefined;
}

/**
 * The mail as things stand now, in its reader's language (a stranger's: its sender's), its token made this moment. Null:
 * nobody is to have it any more. `decisions.md 15.1, 15.2`.
 */
export async function composeMail(context: Context, mail: MailRow): Promise<OutgoingMail | null> {
  const { db } = context;
  const { user_id, address, sender_id, template } = mail;
  // One of a version that is to come perhaps: a copy of that one sends it at the next attempt.
  if (!isTemplate(template)) throw new MailRefused('unknown template', false);
  const reader = await findReader(db, user_id ? { id: user_id } : { email: address! });
  const sender = sender_id ? await findReader(db, { id: sender_id }) : undefined;
  const data = await dataOf(context, { ...mail, template }, { reader, sender });
  const to = reader?.email ?? address;
  if (!data || !to) return null;
  const locale = ((reader ?? sender)?.locale ?? data.locale ?? 'en') as Locale;
  return { to, ...renderMail(template, locale, data) };
}

async function dataOf(
  context: Context,
  { template, data }: MailRow & { template: Template },
  { reader, sender }: People,
): Promise<Record<string, string> | null> {
  switch (template) {
    case 'verify':
      if (!reader || reader.isVerified) return null;
      return { link: await linkTo(context, 'verify', { purpose: 'verify', subject: reader.id }) };
    case 'reset':
      if (!reader) return null;
      return { link: await linkTo(context, 'reset', { purpose: 'reset', subject: reader.id }) };
    case 'invitation':
    case 'orgInvitation': {
      const { storeId, orgId, invitationId } = data;
      if (!sender || (storeId && !(await hasInvitation(context.db, storeId, invitationId!)))) return null;
      const grant = {
        purpose: 'invitation',
        subject: invitationId!,
        invited_to: (storeId ?? orgId)!,
      } as const;
      return { ...data, sender: sender.name, link: await linkTo(context, 'invitation', grant) };
    }
    case 'accountDeleted':
      return data;
    default:
      return reader?.isVerified ? data : null;
  }
}

async function linkTo({ db, config }: Context, page: string, grant: Grant): Promise<string> {
  const { token } = await issueToken(db, grant);
  return `${config.consoleUrl}/${page}?token=${token}`;
}
