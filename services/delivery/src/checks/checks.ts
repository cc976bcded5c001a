import type { CallCheck, CallCheckState, DeliveryJob } from '@waybill/contracts';
import type { ServiceContext } from '@waybill/kernel';
import { vetHost } from '@waybill/outbound';
import type { Config } from '../config.ts';
import type { Outcome } from '../destination.ts';
import { createDestinations } from '../destinations/destinations.ts';
import { createComposer } from '../requests/composer.ts';

const slowMs = 2_000;
/** Receivers usually refuse a signature that is older than this. */
const maxClockSkewMs = 5 * 60_000;

/**
 * Makes one call to an endpoint, with the deadline of a real one, and reports, step by step, what would make its calls
 * fail. Steps after a failed one are left out. For a queue it only connects and signs in (`decisions.md 24.3`).
 */
export async function checkCall(
  { config }: Pick<ServiceContext<Config>, 'config'>,
  job: DeliveryJob,
): Promise<CallCheck[]> {
  const { trustedTargets } = config;
  const address = job.settings?.destination;
  const target = new URL(job.url.replace(/^amqp/, 'http'));
  const vetted = await vetHost(target, trustedTargets, { timeoutMs: 2_000 });
  if ('unresolved' in vetted) return [toCheck('name', 'failed', 'The host name does not resolve.')];
  if ('forbidden' in vetted)
    return [toCheck('name', 'failed', 'The host leads to an address that is not allowed.')];
  const checks = [toCheck('name', 'ok', 'The host name resolves to an address that calls may go to.')];
  const destinations = createDestinations({ trustedTargets });
  try {
    const envelope = job.batch ? `{"events":[${String(job.body)}]}` : String(job.body);
    const { call } = createComposer(config)(job, envelope, new Date());
    if (address) {
      const problem = await destinations.check(call);
      checks.push(...checkConnection(problem, target.protocol === 'https:'));
      if (problem === '') checks.push(toCheck('answer', 'ok', 'The queue let us sign in.'));
    } else checks.push(...checkAnswer(await destinations.send(call), target.protocol === 'https:'));
    return checks;
  } finally {
    await destinations.close();
  }
}

const toCheck = (id: CallCheck['id'], state: CallCheckState, message: string): CallCheck => ({
  id,
  state,
  message,
});

const toSentence = (text: string) => `${text[0]!.toUpperCase()}${text.slice(1)}.`;

/** Matches messages of failures that occur before a connection is open. */
const connectionFailure =
  /refused$|cannot be reached|connection failed$|did not confirm in time$|did not answer in time$|took too long|name does not resolve|not allowed/;
const tlsFailure = /TLS/;

/** Returns the connection steps that a failed call got through; all of them succeeded if nothing failed. */
function checkConnection(error: string, isTls: boolean): CallCheck[] {
  if (connectionFailure.test(error)) return [toCheck('connection', 'failed', toSentence(error))];
  const connection = toCheck('connection', 'ok', 'The host takes connections.');
  if (!isTls) {
    const unencrypted = toCheck(
      'tls',
      'warning',
      'The connection is not encrypted: whoever is between can read the calls.',
    );
    return [connection, unencrypted, ...answerFailure(error)];
  }
  if (tlsFailure.test(error)) return [connection, toCheck('tls', 'failed', toSentence(error))];
  return [connection, toCheck('tls', 'ok', 'The certificate is trusted.'), ...answerFailure(error)];
}

const answerFailure = (error: string) =>
  error === '' ? [] : [toCheck('answer', 'failed', toSentence(error))];

function checkAnswer({ error, durationMs, reply }: Outcome, isTls: boolean): CallCheck[] {
  const checks = checkConnection(error, isTls);
  if (error === '') {
    checks.push(
      durationMs > slowMs
        ? toCheck(
            'answer',
            'warning',
            `The answer took ${(durationMs / 1000).toFixed(1)} seconds; slow receivers get few calls at a time.`,
          )
        : toCheck('answer', 'ok', 'The receiver accepted the call.'),
    );
  }
  return reply ? [...checks, checkClock(reply.headers.date)] : checks;
}

function checkClock(date: string | undefined): CallCheck {
  const skewMs = Date.parse(date ?? '') - Date.now();
  if (Number.isNaN(skewMs)) return toCheck('clock', 'ok', 'The receiver does not say what time it has.');
  if (Math.abs(skewMs) <= maxClockSkewMs)
    return toCheck('clock', 'ok', 'The clock of the receiver agrees with ours.');
  const minutes = Math.round(Math.abs(skewMs) / 60_000);
  const direction = skewMs > 0 ? 'ahead of' : 'behind';
  return toCheck(
    'clock',
    'warning',
    `The clock of the receiver is ${minutes} minutes ${direction} ours: it may refuse our signatures.`,
  );
}
