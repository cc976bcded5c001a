import { setTimeout as sleep } from 'node:timers/promises';
import { getBatchQueue, subscriptions } from '@waybill/contracts';
import { connect } from 'amqplib';
import pg from 'pg';
import { signal, waitUntil } from './processes.ts';

/** The access of a planted bug: the servers, never the code. */
export interface Plot {
  databaseUrl(service: string): string;
  amqpUrl(): string;
  namespace: string;
  pids(service: string): number[];
  say(line: string): void;
}

async function onCatalogOutbox(plot: Plot, when: string, body: string): Promise<void> {
  const client = new pg.Client(plot.databaseUrl('catalog'));
  await client.connect();
  await client.query(`
    create function planted() returns trigger language plpgsql as $$ begin ${body} end $$;
    create trigger planted ${when} insert on outbox for each row execute function planted();`);
  await client.end();
}

/** Bugs that the judge has to notice; each is in the run's servers, so that no product code has a hook for it. */
export const plants: Record<string, (plot: Plot) => Promise<void>> = {
  /** Some rows of the outbox count as published although no broker has confirmed them. */
  'lost-confirm': (plot) =>
    onCatalogOutbox(plot, 'before', 'if new.id % 10 = 0 then new.published_at := now(); end if; return new;'),

  /** Some changes are reported twice, under two ids. */
  'two-ids': (plot) =>
    onCatalogOutbox(
      plot,
      'after',
      `if new.id % 10 = 0 and pg_trigger_depth() = 1 then
        insert into outbox (event_id, name, store_id, data)
        values (new.event_id || 'X', new.name, new.store_id, new.data);
      end if; return null;`,
    ),

  /** Events are acknowledged before their deliveries are committed, and the process dies in between. */
  async 'early-ack'(plot) {
    const connection = await connect(plot.amqpUrl());
    const channel = await connection.createChannel();
    const { queue } = subscriptions.webhookFanOut;
    const names = [queue, getBatchQueue(queue)].map((each) => `${plot.namespace}.${each}`);
    await waitUntil('something to acknowledge early', 20_000, async () => {
      signal(plot.pids('webhooks'), 'SIGKILL');
      await sleep(400);
      let messages = 0;
      for (const name of names) messages += (await channel.purgeQueue(name)).messageCount;
      if (messages > 0) plot.say(`planted: ${messages} messages acknowledged and forgotten`);
      return messages > 0;
    });
    await connection.close();
  },
};
