import {
  type AnnouncedMethod,
  type AnnouncedMethods,
  type ChoosableMethod,
  type EventMessage,
  type PaymentOccasion,
  takesOrder,
} from '@waybill/contracts';
import { prepare } from '@waybill/kernel';
import type { Kysely } from 'kysely';
import type { Tables } from '../tables.ts';

type Db = Kysely<Tables>;

const list = prepare<{ methods: AnnouncedMethod[] }>(
  'payment-choices',
  'select methods from payment_choice where store_id = $1',
);

/** The enabled payment methods of a store by position, as they were last announced. */
export async function listEnabledMethods(db: Db, storeId: string): Promise<readonly AnnouncedMethod[]> {
  const { rows } = await db.executeQuery(list([storeId]));
  return rows[0]?.methods ?? [];
}

/** Those by which an order of this country and total can be paid. */
export const listChoices = (
  methods: readonly AnnouncedMethod[],
  occasion: PaymentOccasion,
): AnnouncedMethod[] => methods.filter((method) => takesOrder(method, occasion));

/** A method as a shopper chooses it. */
export const toChoosable = ({
  id,
  name,
  provider,
  instructions,
  isTest,
}: AnnouncedMethod): ChoosableMethod => ({ id, name, provider, instructions, isTest });

/** What a shopper who chose the method has to do; empty of one that is not offered any more. */
export async function instructionsOf({ db }: { db: Db }, storeId: string, methodId: string): Promise<string> {
  const methods = await listEnabledMethods(db, storeId);
  return methods.find(({ id }) => id === methodId)?.instructions ?? '';
}

/** Stores the announced methods of a store, unless a later announcement has come before. */
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
export async function followMethods(db: Db, events: readonly EventMessage[]): Promise<void> {
  for (const { storeId, data } of events) await replaceMethods(db, storeId, JSON.parse(data));
}
