import { type AnnouncedMethods, PaymentMethodsChanged } from '@waybill/contracts';
import type { Context, Write } from '../config.ts';
import type { MethodRow } from '../records/session-queries.ts';
import { claimRevision, listUnannounced } from './announcement-queries.ts';
import { listEnabledMethods } from './queries.ts';

/**
 * Announces the enabled methods of a store, after a change in the same transaction. An event tells orders; a call right
 * after the commit tells it at once, so that a newly enabled method appears in the next checkout.
 */
export async function announceMethods(
  { peers }: Pick<Context, 'peers'>,
  { trx, emit, afterCommit }: Write,
  storeId: string,
): Promise<void> {
  const announced: AnnouncedMethods = {
    revision: await claimRevision(trx, storeId),
    methods: (await listEnabledMethods(trx, storeId)).map(toAnnounced),
  };
  await emit(PaymentMethodsChanged, storeId, announced);
  afterCommit(async () => {
    if (!peers.has('orders')) return;
    const body = { storeId, ...announced };
    // A failed call does no harm, because the event arrives anyway.
    await peers
      .call('orders', 'POST', '/internal/payment-choices', body, { timeoutMs: 2_000 })
      .catch(() => {});
  });
}

const toAnnounced = (row: MethodRow): AnnouncedMethods['methods'][number] => ({
  id: row.id,
  provider: row.provider,
  name: row.name,
  instructions: row.instructions,
  isTest: row.is_test,
  countries: row.countries,
  minimumCents: row.minimum_cents,
  maximumCents: row.maximum_cents,
});

const atOnce = 100;

/** The task that announces methods from before announcements existed. It returns true if there may be more. */
export function announceTask(context: Context): () => Promise<boolean> {
  return async () => {
    const storeIds = await listUnannounced(context.db, atOnce);
    for (const storeId of storeIds)
      await context.write((write: Write) => announceMethods(context, write, storeId));
    return storeIds.length === atOnce;
  };
}
