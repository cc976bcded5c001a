import type { CallCheck, CallCheckState, DeliveryJob } from '@waybill/contracts';
import type { ServiceContext } from '@waybill/kernel';
import { vetHost } from '@waybill/outbound';
import type { Config } from '../config.ts';
import type { Outcome } from '../destination.ts';
import { createDestinations } from '../destinations/destinations.ts';
import { createComposer } from '../requests/composer.ts';

/** Shorter than the deadline of a real call, because a person waits for the answer. */
const timeoutMs = 2_500;
const slowMs = 2_000;
/** Receivers usually refuse a signature that is older than this. */
const maxClockSkewMs = 5 * 60_000;

/**
 * Makes one call to an endpoint and reports, step by step, what would make its calls fail. Steps after a failed one are
 * left out. For a queue it only connects and signs in (`decisions.md 24.3`).
 */
export async function checkCall(
  { config }: Pick<ServiceContext<Config>, 'config'>,
  job: DeliveryJob,
): Promise<CallCheck[]> {
  const { trustedTargets } = config;
  const address = job.settings?.destination;
  const target = new URL(job.url.replace(/^amqp/, 'http'));
  const vetted = await vetHost(target, trustedTargets, { timeoutMs: 2_000 });
  if ('unresolved' in vetted) return [check('name', 'failed', 'The host name does not resolve.')];
  if ('forbidden' in vetted)
    return [check('name', 'failed', 'The host leads to an address that is not allowed.')];
  const checks = [check('name', 'ok', 'The host name resolves to an address that calls may go to.')];
  const destinations = createDestinations({ trustedTargets, timeoutMs });
  try {
    const envelope = job.batch ? `{"events":[${String(job.body)}]}` : String(job.body);
    const { call } = createComposer(config)(job, envelope, new Date());
    if (address) {
      const problem = await destinations.check(call);
      checks.push(...connectionChecks(problem, target.protocol === 'https:'));
      if (problem === '') checks.push(check('answer', 'ok', 'The queue let us sign in.'));
    } else checks.push(...answerChecks(await destinations.send(call), target.protocol === 'https:'));
    return checks;
  } finally {
    await destinations.close();
  }
}

const check = (id: CallCheck['id'], state: CallCheckState, message: string): CallCheck => ({
  id,
  state,
  message,
});

const sentence = (words: string) => `${words[0]!.toUpperCase()}${words.slice(1)}.`;

/** Matches messages of failures that occur before a connection is open. */
const ofConnection =
  /refused$|cannot be reached|connection failed$|did not confirm in time$|did not answer in time$|took too long|name does not resolve|not allowed/;
const ofTls = /TLS/;

/** Returns the connection steps that a failed call got through; all of them succeeded if nothing failed. */
function connectionChecks(error: string, isTls: boolean): CallCheck[] {
  if (ofConnection.test(error)) return [check('connection', 'failed', sentence(error))];
  const connection = check('connection', 'ok', 'The host takes connections.');
  if (!isTls) {
    const plain = check(
      'tls',
      'warning',
      'The connection is not encrypted: whoever is between can read the calls.',
    );
    return [connection, plain, ...answerFailure(error)];
  }
  if (ofTls.test(error)) return [connection, check('tls', 'failed', sentence(error))];
  return [connection, check('tls', 'ok', 'The certificate is trusted.'), ...answerFailure(error)];
}

const answerFailure = (error: string) => (error === '' ? [] : [check('answer', 'failed', sentence(error))]);

function answerChecks({ error, durationMs, reply }: Outcome, isTls: boolean): CallCheck[] {
  const checks = connectionChecks(error, isTls);
  if (error === '') {
    checks.push(
      durationMs > slowMs
        ? check(
            'answer',
            'warning',
            `The answer took ${(durationMs / 1000).toFixed(1)} seconds; slow receivers get few calls at a time.`,
          )
        : check('answer', 'ok', 'The receiver accepted the call.'),
    );
  }
  return reply ? [...checks, clockCheck(reply.headers.date)] : checks;
}

function clockCheck(date: string | undefined): CallCheck {
  const skewMs = Date.parse(date ?? '') - Date.now();
  if (Number.isNaN(skewMs)) return check('clock', 'ok', 'The receiver does not say what time it has.');
  if (Math.abs(skewMs) <= maxClockSkewMs)
    return check('clock', 'ok', 'The clock of the receiver agrees with ours.');
  const minutes = Math.round(Math.abs(skewMs) / 60_000);
  const direction = skewMs > 0 ? 'ahead of' : 'behind';
  return check(
    'clock',
    'warning',
    `The clock of the receiver is ${minutes} minutes ${direction} ours: it may refuse our signatures.`,
  );
}
