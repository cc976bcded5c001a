import { parseEmail } from '@waybill/contracts';
import { StartError } from '@waybill/kernel';
import got from 'got';
import { say } from '../../announce.ts';

/** The addresses at which an operator's commands reach a running system. */
export interface Operated {
  /** The address for clients. */
  baseUrl: string;
  /** The internal address of identity. */
  identityUrl: string;
  serviceToken: string;
}

const usage = 'Usage: npm run admin -- reviewer add <email> | reviewer remove <email>';

/**
 * Runs an operator's command on a running system, `decisions.md 7.5`. Throws a StartError, one line for the operator.
 */
export async function runCommand(args: readonly string[], system: Operated): Promise<void> {
  const [subject, action, email, ...rest] = args;
  if (subject !== 'reviewer' || !email || rest.length > 0) throw new StartError(usage);
  if (parseEmail(email) === null) throw new StartError(`${email} is not an e-mail address.`);
  if (action === 'add') await addReviewer(email, system);
  else if (action === 'remove') {
    await ask(system, '/internal/reviewers/remove', { email });
    say(`${email} is a reviewer no more.`);
  } else throw new StartError(usage);
}

async function addReviewer(email: string, system: Operated): Promise<void> {
  const { token } = await ask<{ token: string }>(system, '/internal/reviewers', { email });
  const { baseUrl } = system;
  const body = JSON.stringify({ token, password: 'ten characters or more' });
  say(
    [
      `${email} is a reviewer of apps as soon as this link has set a password; it does so once, within an hour:`,
      '',
      `  ${baseUrl}/console/reset?token=${token}`,
      '',
      'Or without a browser, with a password of your own:',
      '',
      `  curl ${baseUrl}/api/auth/reset -H 'Content-Type: application/json' -d '${body}'`,
    ].join('\n'),
  );
}

/** Sends a request to identity as a service does; a refusal becomes a StartError with identity's message. */
export async function ask<Reply>(
  { identityUrl, serviceToken }: Pick<Operated, 'identityUrl' | 'serviceToken'>,
  path: string,
  json: object,
): Promise<Reply> {
  const { ok, body } = await got
    .post<Reply & { error?: string }>(identityUrl + path, {
      json,
      headers: { authorization: `Bearer ${serviceToken}` },
      responseType: 'json',
      throwHttpErrors: false,
      retry: { limit: 0 },
    })
    .catch((error: Error) => {
      throw new StartError(`Waybill does not answer: ${error.message}`);
    });
  if (!ok) throw new StartError(body.error ?? 'Waybill refuses.');
  return body;
}
