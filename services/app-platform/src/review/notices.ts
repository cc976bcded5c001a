import { MailRequested, type RequestedMail } from '@waybill/contracts';
import { emit } from '@waybill/kernel';
import type { Transaction } from 'kysely';
import type { AppRow } from '../apps/queries.ts';
import { findOrgName, listConcernedMembers } from '../orgs/queries.ts';
import type { Tables } from '../tables.ts';

/** The contents of a mail besides the app and its organisation. */
type News = Of<Extract<RequestedMail, { data: { appName: string } }>>;
type Of<Mail> = Mail extends { template: infer Template; data: infer Data }
  ? { template: Template } & Omit<Data, 'orgName' | 'appName'>
  : never;

/**
 * Mails the decision of reviewers to an organisation's owners and to the submitter of the version while still a member,
 * if the transaction commits (`decisions.md 14.7`).
 */
export async function tellDevelopers(
  trx: Transaction<Tables>,
  { org_id, name }: AppRow,
  submittedBy: string | null,
  { template, ...more }: News,
): Promise<void> {
  const users = await listConcernedMembers(trx, org_id, submittedBy);
  if (users.length === 0) return;
  const data = { orgName: await findOrgName(trx, org_id), appName: name, ...more };
  // The empty store id: the mail concerns no store.
  await emit(trx, MailRequested, '', { mail: { template, data } as RequestedMail, audience: { users } });
}
