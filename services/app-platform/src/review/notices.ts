import { MailRequested, type RequestedMail } from '@waybill/contracts';
import type { AppRow } from '../apps/queries.ts';
import type { Write } from '../config.ts';
import { findOrgName, listMembersToNotify } from '../orgs/queries.ts';

/** The contents of a mail besides the app and its organisation. */
type DecisionMail = WithoutNames<Extract<RequestedMail, { data: { appName: string } }>>;
type WithoutNames<Mail> = Mail extends { template: infer Template; data: infer Data }
  ? { template: Template } & Omit<Data, 'orgName' | 'appName'>
  : never;

/**
 * Mails the decision of reviewers to an organisation's owners and to the submitter of the version while still a member,
 * if the transaction commits (`decisions.md 14.7`).
 */
export async function notifyDevelopers(
  { trx, emit }: Write,
  { org_id, name }: AppRow,
  submittedBy: string | null,
  { template, ...facts }: DecisionMail,
): Promise<void> {
  const users = await listMembersToNotify(trx, org_id, submittedBy);
  if (users.length === 0) return;
  const data = { orgName: await findOrgName(trx, org_id), appName: name, ...facts };
  // The empty store id: the mail concerns no store.
  await emit(MailRequested, '', { mail: { template, data } as RequestedMail, audience: { users } });
}
