import type { CustomFieldEntity, Principal } from '@waybill/contracts';
import type { ServiceContext } from '@waybill/kernel';
import type { Kysely } from 'kysely';
import type { ValuesChange } from './changes.ts';
import { type CopyContext, createRefresh } from './copies.ts';
import { readDefinitionsOfEach } from './definition-store.ts';
import { createValuesReader, findKnownProducts } from './values.ts';
import { type View, viewOf } from './view.ts';

// biome-ignore lint/suspicious/noExplicitAny: each service has its own tables, of which `custom_field` is one
type AnyDatabase = Kysely<any>;

/** What writes and reads of a service's entities need, where it keeps copies of their definitions. */
export interface OwnValues<Entity extends CustomFieldEntity> {
  /**
   * Reads what a body makes of an item's values. `mayBeNew`: the write may create the item, so required values matter.
   * @throws invalid_custom_field
   */
  read(
    storeId: string,
    principal: Principal,
    entity: Entity,
    given: Record<string, unknown> | undefined,
    mayBeNew?: boolean,
  ): Promise<ValuesChange>;
  /** What a principal sees of an entity's values. `db`: the transaction of a write that reads what it has written. */
  viewOf(principal: Principal, storeId: string, entity: Entity, db?: AnyDatabase): Promise<View>;
}

/** Makes what reads and shows the values of a service's entities. */
export function createOwnValues<Entity extends CustomFieldEntity>(
  // biome-ignore lint/suspicious/noExplicitAny: each service has its own tables, of which `custom_field` is one
  context: CopyContext & Pick<ServiceContext<any, any>, 'batched'>,
): OwnValues<Entity> {
  const { batched, peers } = context;
  const definitionsOf = batched(readDefinitionsOfEach);
  const read = createValuesReader({
    definitionsOf,
    refresh: createRefresh(context),
    peers,
    knownProducts: (storeId, ids) => findKnownProducts(peers, storeId, ids),
  });
  return {
    async read(storeId, principal, entity, given, mayBeNew = false) {
      const [change] = await read(storeId, principal, [{ entity, given, at: '/customFields', mayBeNew }]);
      return change!;
    },
    viewOf: (principal, storeId, entity, db) =>
      viewOf(principal, entity, (entities) => definitionsOf(storeId, entities, db)),
  };
}
