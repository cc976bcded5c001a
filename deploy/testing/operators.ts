import { waitForMailedToken } from '@waybill/testing';
import { ask } from '../ops/admin/command.ts';
import { readCallers } from '../secrets.ts';
import { findRunning } from '../standalone/data-directory.ts';

const dataDirs = new Map<string, string>();
const invitations = new Map<string, number>();

/** Registers the data directory of a system, so that tests find its mails and act as its operator. */
export const registerSystem = (baseUrl: string, dataDir: string): void => void dataDirs.set(baseUrl, dataDir);

function dataDirOf(baseUrl: string): string {
  const dataDir = dataDirs.get(baseUrl);
  if (!dataDir) throw new Error(`no test has started ${baseUrl}`);
  return dataDir;
}

/** Verifies the address of an account without a mail, as the demo does. */
export async function vouchFor(
  baseUrl: string,
  { email, password }: { email: string; password: string },
): Promise<void> {
  const { path, ...addresses } = await findRunning(dataDirOf(baseUrl));
  const { operatorToken: serviceToken } = await readCallers(path, process.env, []);
  await ask({ ...addresses, serviceToken }, '/internal/users', { email, password, name: 'Ann' });
}

/** Waits for the next invitation to an address that no test has read, and returns its token. */
export function nextInvitation(baseUrl: string, email: string): Promise<string> {
  const count = (invitations.get(email) ?? 0) + 1;
  invitations.set(email, count);
  return waitForMailedToken(dataDirOf(baseUrl), email, 'invitation', count);
}
