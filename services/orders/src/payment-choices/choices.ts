import {
  type AnnouncedMethod,
  type AnnouncedMethods,
  type ChoosableMethod,
  type EventMessage,
  isMethodOffered,
  type PaymentContext,
} from '@waybill/contracts';
import { prepare } from '@waybill/kernel';
import type { Kysely } from 'kysely';
import type { Tables } from '../tables.ts';

type Db = Kysely<Tables>;

/** The SQL of a store's enabled payment methods by position, as they were last announced: one row at most. */
export const enabledMethods = (storeId: string): string =>
  `select methods from payment_choice where store_id = ${storeId}`;

const list = prepare<{ methods: AnnouncedMethod[] }>('payment-choices', enabledMethods('$1'));

/** Lists the enabled payment methods of a store by position, as they were last announced. */
export async function listEnabledMethods(db: Db, storeId: string): Promise<readonly AnnouncedMethod[]> {
  const { rows } = await db.executeQuery(list([storeId]));
  return rows[0]?.methods ?? [];
}

/** Returns the methods that an order of this country and total can use. */
export const listChoices = (
  methods: readonly AnnouncedMethod[],
  occasion: PaymentContext,
): AnnouncedMethod[] => methods.filter((method) => isMethodOffered(method, occasion));

/** Converts a method to the shape that shoppers see. */
export const toChoosable = ({
  id,
  name,
  provider,
  instructions,
  isTest,
}: AnnouncedMethod): ChoosableMethod => ({ id, name, provider, instructions, isTest });

/** Returns the instructions for a shopper who chose the method; empty if it is no longer offered. */
export async function readInstructions(
  { db }: { db: Db },
  storeId: string,
  methodId: string,
): Promise<string> {
  const methods = await listEnabledMethods(db, storeId);
  return methods.find(({ id }) => id === methodId)?.instructions ?? '';
}

/** Stores the announced methods of a store, unless a later announcement came first. */
export async function replaceMethods(
  db: Db,
  storeId: string,
  { revision, methods }: AnnouncedMethods,
): Promise<void> {
  const announced = { revision, methods: JSON.stringify(methods) };
  await db
    .insertInto('payment_choice')
    .values({ store_id: storeId, ...announced })
    .onConflict((conflict) =>
      conflict.column('store_id').doUpdateSet(announced).where('payment_choice.revision', '<', revision),
    )
    .execute();
}

/** Follows the announcements of the payments service. */
export async function onMethodsAnnounced(db: Db, events: readonly EventMessage[]): Promise<void> {
  for (const { storeId, data } of events) await replaceMethods(db, storeId, JSON.parse(data));
}
