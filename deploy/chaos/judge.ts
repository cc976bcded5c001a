import { jobQueues, subscriptions } from '@waybill/contracts';
import { connect } from 'amqplib';
import pg from 'pg';
import { services } from '../services.ts';
import type { Call, Endpoint } from './receivers.ts';

/** A delivery as webhooks stores it. */
interface DeliveryRecord {
  endpointId: string;
  eventId: string;
  status: string;
  attempts: number;
  log: { attempt: number; statusCode: number | null; error: string }[];
}

async function query<Row extends pg.QueryResultRow>(url: string, text: string): Promise<Row[]> {
  const client = new pg.Client(url);
  await client.connect();
  try {
    return (await client.query<Row>(text)).rows;
  } finally {
    await client.end();
  }
}

export interface SystemServers {
  databaseUrl(service: string): string;
  amqpUrl(): string;
  namespace: string;
}

const withOutbox = services.filter(({ migrations }) => migrations).map(({ name }) => name);

/** Returns the number of events that are committed and not published, in all services, and older than some seconds. */
export async function countWaitingEvents(
  { databaseUrl }: SystemServers,
  olderThanSeconds = 0,
): Promise<number> {
  const counts = await Promise.all(
    withOutbox.map((service) =>
      query<{ n: number }>(
        databaseUrl(service),
        `select count(*)::int as n from outbox
         where published_at is null and created_at <= now() - make_interval(secs => ${olderThanSeconds})`,
      ),
    ),
  );
  return counts.reduce((sum, [row]) => sum + row!.n, 0);
}

/** Returns the age in seconds of the event that has waited longest in an outbox. */
export async function measureLongestWait({ databaseUrl }: SystemServers): Promise<number> {
  const ages = await Promise.all(
    withOutbox.map((service) =>
      query<{ seconds: number }>(
        databaseUrl(service),
        `select coalesce(extract(epoch from clock_timestamp() - min(created_at)), 0)::float8 as seconds
         from outbox where published_at is null`,
      ),
    ),
  );
  return Math.max(...ages.map(([row]) => row!.seconds));
}

/** Returns the work that is still in progress, in words; empty if all is settled. */
export async function listUnsettled({ databaseUrl, amqpUrl, namespace }: SystemServers): Promise<string[]> {
  const found: string[] = [];
  const note = (count: unknown, what: string) => Number(count) > 0 && found.push(`${count} ${what}`);
  for (const service of withOutbox) {
    const rows = await query(
      databaseUrl(service),
      'select count(*) as n from outbox where published_at is null',
    );
    note(rows[0]!.n, `events wait in the outbox of ${service}`);
  }
  const due = await query(databaseUrl('webhooks'), 'select count(*) as n from webhook_due');
  note(due[0]!.n, 'deliveries wait');
  note(await countHeldStock(databaseUrl), 'reservations wait that no order will have');
  const connection = await connect(amqpUrl());
  const channel = await connection.createChannel();
  const queues = [
    ...Object.values(subscriptions).flatMap(({ queue }) => [queue, `${queue}.dead`]),
    ...jobQueues,
  ];
  for (const queue of queues) {
    const { messageCount } = await channel.checkQueue(`${namespace}.${queue}`);
    note(messageCount, `messages in ${queue}`);
  }
  await connection.close();
  return found;
}

/** Counts reservations of orders that do not exist: their stock still has to go back. */
async function countHeldStock(databaseUrl: SystemServers['databaseUrl']): Promise<number> {
  const held = await query<{ id: string }>(databaseUrl('catalog'), 'select order_id as id from reservation');
  const placed = await query<{ id: string }>(databaseUrl('orders'), 'select id from "order"');
  const ids = new Set(placed.map(({ id }) => id));
  return held.filter(({ id }) => !ids.has(id)).length;
}

/** Returns every delivery that webhooks has, by endpoint and event. */
export async function readDeliveries({ databaseUrl }: SystemServers): Promise<Map<string, DeliveryRecord>> {
  const rows = await query<DeliveryRecord>(
    databaseUrl('webhooks'),
    `select endpoint_id as "endpointId", event_id as "eventId", status, attempts, attempt_log as log
     from webhook_delivery`,
  );
  return new Map(rows.map((row) => [`${row.endpointId} ${row.eventId}`, row]));
}

export interface Duplicates {
  /** The same attempt again: its outcome was lost with a process, a connection or a broker. */
  repeated: number;
  /** A further attempt after a call that was taken: the answer did not reach the caller. */
  afterTaken: number;
  /** Attempts that never arrived; webhooks knows that they had no reply. */
  neverArrived: number;
}

/** Checks the calls of one endpoint against its deliveries: signed, numbered, and with one body for each event. */
export function judgeCalls(
  endpointId: string,
  name: string,
  { calls }: Endpoint,
  deliveries: ReadonlyMap<string, DeliveryRecord>,
  duplicates: Duplicates,
): string[] {
  const problems: string[] = [];
  for (const call of calls) {
    if (!call.isSigned)
      problems.push(`${name}: ${call.eventId} attempt ${call.attempt} has a wrong signature`);
    const { id, type } = JSON.parse(call.body);
    if (id !== call.eventId || type !== call.type)
      problems.push(`${name}: ${call.eventId} ${call.type} has the body of ${id} ${type}`);
  }
  for (const [eventId, own] of Map.groupBy(calls, (call: Call) => call.eventId)) {
    const what = `${name}: ${eventId}`;
    const delivery = deliveries.get(`${endpointId} ${eventId}`);
    if (new Set(own.map(({ bodyHash }) => bodyHash)).size > 1) problems.push(`${what} has several bodies`);
    if (!delivery) {
      problems.push(`${what} was called without a delivery`);
      continue;
    }
    problems.push(...judgeNumbers(what, own, delivery, duplicates));
  }
  return problems;
}

function judgeNumbers(
  what: string,
  calls: readonly Call[],
  { attempts, log }: DeliveryRecord,
  duplicates: Duplicates,
): string[] {
  const problems: string[] = [];
  const numbers = new Set(calls.map(({ attempt }) => attempt));
  duplicates.repeated += calls.length - numbers.size;
  const taken = Math.min(...calls.filter(({ answer }) => answer === 'taken').map(({ attempt }) => attempt));
  duplicates.afterTaken += [...numbers].filter((attempt) => attempt > taken).length;
  for (let attempt = 1; attempt <= Math.max(attempts, ...numbers); attempt++) {
    const entry = log.find((one) => one.attempt === attempt);
    if (attempt > attempts) problems.push(`${what}: attempt ${attempt} came, ${attempts} are known`);
    else if (!entry) problems.push(`${what}: attempt ${attempt} is not in the log`);
    else if (numbers.has(attempt)) continue;
    else if (entry.statusCode === null) duplicates.neverArrived++;
    else problems.push(`${what}: attempt ${attempt} was answered ${entry.statusCode}, and never came`);
  }
  return problems;
}

/** Returns the deliveries that did not succeed. */
export function judgeDeliveries(deliveries: ReadonlyMap<string, DeliveryRecord>): string[] {
  return [...deliveries.values()]
    .filter(({ status }) => status !== 'delivered')
    .map(
      ({ eventId, endpointId, status, attempts }) =>
        `${eventId} to ${endpointId}: ${status}, ${attempts} attempts`,
    );
}

/** Returns the lines that contain one of the secrets, without quoting the secret. */
export function judgeLines(name: string, lines: readonly string[], secrets: readonly string[]): string[] {
  return lines.flatMap((line, i) => {
    const secret = secrets.find((one) => line.includes(one));
    return secret
      ? [`${name}, line ${i + 1}: holds a secret (${secret.slice(0, 4)}…): ${line.slice(0, 40)}`]
      : [];
  });
}
