import { events, type Model, webhooks } from '@waybill/sdk';
import type { Connection } from './connection.ts';
import { changeCredentials } from './credentials.ts';
import { exitCodes, Failure } from './failure.ts';
import { type Output, plain, styled } from './output.ts';
import { describeConnectionProblem } from './system-errors.ts';

export interface Listening {
  /** The store, if a person is signed in. */
  storeId?: string | undefined;
  /** The URL that each event is sent to; without it events are only shown. */
  forwardTo?: string | undefined;
  types?: readonly string[] | undefined;
  /** The id of an event; those after it are sent too. */
  after?: string | undefined;
  signal: AbortSignal;
}

/** Time that a receiver has to answer, as on Waybill (`decisions.md 6.3`). */
const answerWithinMs = 10_000;

/**
 * Forwards a store's events as they happen, signed as Waybill signs them, with a secret of this machine, and shows each
 * call. It reads the log, so this machine need not be reachable from outside.
 */
export async function listen(
  connection: Connection,
  { storeId, forwardTo, types, after, signal }: Listening,
  output: Output,
): Promise<void> {
  if (forwardTo !== undefined) checkReceiver(forwardTo);
  const eventTypes = types && (await readEventTypes(connection));
  for (const type of types ?? []) findType(eventTypes!, type);
  const secret = await listenSecret(connection.url);
  const since = await serverTime(connection, storeId);
  if (forwardTo) output.note(`Signing with ${secret}\nForwarding to ${forwardTo}; Ctrl-C ends it.`);
  else output.note('Listening; Ctrl-C ends it.');
  const following = events.follow(connection.client, {
    signal,
    since,
    ...(storeId && { storeId }),
    ...(types && { types }),
    ...(after && { after }),
    onInterrupted: (error) => output.note(`${(error as Error).message} Trying again.`),
  });
  for await (const event of following) {
    const summary = { id: event.id, type: event.type };
    if (!forwardTo) {
      output.item(event, `${event.createdAt}  ${event.type}  ${event.id}`);
      continue;
    }
    const { status, error, ms } = await forward(event, forwardTo, secret);
    const isAccepted = status !== null && status >= 200 && status < 300;
    const outcome = status === null ? plain(error ?? '') : String(status);
    output.item(
      { ...summary, status, error, ms },
      `${styled(isAccepted ? 'green' : 'red', outcome)}  ${ms} ms  ${event.type}  ${event.id}`,
    );
  }
}

/**
 * Refuses an address that cannot be called. `localhost:3000/webhooks` is a valid URL too, but not an HTTP one.
 * @throws Failure
 */
export function checkReceiver(url: string): void {
  if (/^https?:\/\//i.test(url) && URL.canParse(url)) return;
  throw new Failure(`${plain(url)} is no address that can be called.`, {
    code: 'usage',
    exitCode: exitCodes.usage,
    remedy: 'For example --forward-to http://127.0.0.1:3000/webhooks.',
  });
}

/** Returns all event types with a sample of each. */
export async function readEventTypes({ call, storePath }: Pick<Connection, 'call' | 'storePath'>) {
  type EventType = { type: Model<'Event'>['type']; sample: object };
  return (await call<{ eventTypes: EventType[] }>('GET', `${await storePath()}/event-types`)).eventTypes;
}

/**
 * Finds an event type. An unknown one would make the caller wait for ever, or receive all events.
 * @throws Failure for an unknown type
 */
export function findType<EventType extends { type: string }>(
  eventTypes: readonly EventType[],
  type: string,
  others: readonly string[] = [],
): EventType {
  const found = eventTypes.find((each) => each.type === type);
  if (found) return found;
  throw new Failure(`There is no event ${plain(type)}.`, {
    code: 'invalid_event',
    exitCode: exitCodes.usage,
    remedy: `One of ${[...eventTypes.map((each) => each.type), ...others].join(', ')}.`,
  });
}

/** Makes one call as Waybill does; a refusal is an outcome like any other. */
export async function forward(
  event: Model<'Event'>,
  url: string,
  secret: string,
): Promise<{ status: number | null; error: string | null; ms: number }> {
  const { body, headers } = await webhooks.sign(event, secret);
  const startedAt = performance.now();
  const ms = () => Math.round(performance.now() - startedAt);
  try {
    const init = { method: 'POST', body, headers, redirect: 'manual' as const };
    const answer = await fetch(url, { ...init, signal: AbortSignal.timeout(answerWithinMs) });
    await answer.body?.cancel();
    return { status: answer.status, error: null, ms: ms() };
  } catch (error) {
    const isTimeout = (error as Error).name === 'TimeoutError';
    const reason = isTimeout ? 'no answer within 10 s' : describeConnectionProblem(error);
    return { status: null, error: reason, ms: ms() };
  }
}

/** Returns this machine's signing secret for a server, creating it on first use. */
export async function listenSecret(url: string): Promise<string> {
  const { profiles } = await changeCredentials(({ profiles }) => {
    profiles[url] = { ...profiles[url], listenSecret: profiles[url]?.listenSecret ?? webhooks.newSecret() };
  });
  return profiles[url]!.listenSecret!;
}

/** Returns the current time by the server's clock. */
async function serverTime({ client }: Connection, storeId: string | undefined): Promise<string> {
  const storePath = storeId ? `/api/stores/${storeId}` : '/api/v1';
  const answer = await client.fetch(`${storePath}/events?limit=1`);
  await answer.body?.cancel();
  const date = Date.parse(answer.headers.get('date') ?? '');
  return new Date(Number.isNaN(date) ? Date.now() : date).toISOString();
}
