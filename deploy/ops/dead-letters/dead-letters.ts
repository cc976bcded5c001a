import { subscriptions } from '@waybill/contracts';
import { type DeadQueues, StartError } from '@waybill/kernel';
import { say } from '../../announce.ts';
import { databaseServices } from '../../servers/databases.ts';
import { databaseUrl } from '../backup/backup.ts';
import { connect } from '../backup/databases.ts';
import type { Installation } from '../backup/installation.ts';

const usage = `Usage: npm run dead-letters -- list | retry <event id or queue> | drop <event id or queue> [--cluster]
                            retry all; drop takes them one event or queue at a time`;

const mostListed = 100;
const queues: readonly string[] = Object.values(subscriptions).map(({ queue }) => queue);

/** A dead event, with the times of its creation and of its last failure. */
export interface DeadEvent {
  service: string;
  id: string;
  name: string;
  storeId: string;
  createdAt: string;
  deadAt: string;
}

/** Returns the events that outboxes have put aside, up to a hundred of each service, the oldest first. */
export async function listDead(installation: Installation): Promise<DeadEvent[]> {
  const found: DeadEvent[] = [];
  await forEachDatabase(installation, async (service, query) => {
    const rows = await query<Omit<DeadEvent, 'service'>>(
      `select event_id as id, name, store_id as "storeId", created_at::text as "createdAt", dead_at::text as "deadAt"
       from outbox where dead_at is not null order by id limit ${mostListed}`,
      [],
    );
    found.push(...rows.map((row) => ({ service, ...row })));
  });
  return found;
}

/**
 * Lists, retries or drops events that keep failing (`decisions.md 18.5`): those of the outboxes, and in a cluster those
 * of the dead queues, which `broker` opens. Throws a StartError.
 */
export async function runDead(
  args: readonly string[],
  installation: Installation,
  broker: DeadQueues | null,
): Promise<void> {
  const [action, what] = args;
  if (action === 'list' && args.length === 1) return list(installation, broker);
  if (
    args.length !== 2 ||
    !what ||
    (action !== 'retry' && action !== 'drop') ||
    (action === 'drop' && what === 'all')
  )
    throw new StartError(usage);
  let count = 0;
  const chosen = what === 'all' ? queues : queues.filter((queue) => queue === what);
  for (const queue of broker ? chosen : []) {
    if ((await broker!.count(queue)) === null) continue;
    count += action === 'retry' ? await broker!.retry(queue) : await broker!.drop(queue);
  }
  if (what === 'all' || chosen.length === 0) {
    const change =
      action === 'drop'
        ? 'delete from outbox'
        : 'update outbox set dead_at = null, failures = 0, due_at = now()';
    await forEachDatabase(installation, async (_, query) => {
      const rows = await query(
        `${change} where dead_at is not null and ($1 = 'all' or event_id = $1) returning 1`,
        [what],
      );
      count += rows.length;
    });
  }
  if (count === 0 && what === 'all') return say('Nothing is dead.');
  if (count === 0)
    throw new StartError(`Nothing dead is ${what}; npm run dead-letters -- list shows the dead letters.`);
  say(
    `${count} ${count === 1 ? 'event' : 'events'} ${action === 'retry' ? 'to be tried again' : 'dropped'}.`,
  );
}

async function list(installation: Installation, broker: DeadQueues | null): Promise<void> {
  const events = await listDead(installation);
  for (const { service, id, name, storeId, createdAt, deadAt } of events)
    say(`${service}  ${id}  ${name}  ${storeId}  of ${createdAt}, dead since ${deadAt}`);
  let waiting = 0;
  for (const queue of broker ? queues : []) {
    const count = (await broker!.count(queue)) ?? 0;
    if (count > 0) say(`${queue}  ${count} messages that it gave up; the log of its service has their ids`);
    waiting += count;
  }
  if (events.length + waiting === 0) say('Nothing is dead.');
}

type Query = <Row>(text: string, values: unknown[]) => Promise<Row[]>;

async function forEachDatabase(
  installation: Installation,
  work: (service: string, query: Query) => Promise<void>,
): Promise<void> {
  for (const service of databaseServices) {
    const client = await connect(databaseUrl(installation, service));
    try {
      await work(service, async (text, values) => (await client.query(text, values)).rows);
    } finally {
      await client.end();
    }
  }
}
