import type { CustomFieldEntity, Principal } from '@waybill/contracts';
import type { ServiceContext } from '@waybill/kernel';
import type { Kysely } from 'kysely';
import type { ValuesChange } from './changes.ts';
import { type CopyContext, createRefresh } from './copies.ts';
import { readDefinitionsOfEach } from './definition-store.ts';
import { createValuesReader, findKnownProducts } from './values.ts';
import { createView, type View } from './view.ts';

// biome-ignore lint/suspicious/noExplicitAny: each service has tables of its own besides `custom_field`
type AnyDatabase = Kysely<any>;

/** Reads and shows custom field values in a service that keeps copies of the definitions. */
export interface OwnValues<Entity extends CustomFieldEntity> {
  /**
   * Reads the changes that a body makes to an item's values. `canBeNew` says that the write may create the item, so
   * required values matter.
   * @throws invalid_custom_field
   */
  readValues(
    storeId: string,
    principal: Principal,
    entity: Entity,
    input: Record<string, unknown> | undefined,
    canBeNew?: boolean,
  ): Promise<ValuesChange>;
  /**
   * Returns the part of an entity's values that a principal may see. `db` is the transaction of a write that reads its
   * own result.
   */
  createView(principal: Principal, storeId: string, entity: Entity, db?: AnyDatabase): Promise<View>;
}

/** Creates the reader and the view of the values of a service's entities. */
export function createOwnValues<Entity extends CustomFieldEntity>(
  // biome-ignore lint/suspicious/noExplicitAny: each service has tables of its own besides `custom_field`
  context: CopyContext & Pick<ServiceContext<any, any>, 'batchQuery'>,
): OwnValues<Entity> {
  const { batchQuery, peers } = context;
  const readDefinitions = batchQuery(readDefinitionsOfEach);
  const readValues = createValuesReader({
    readDefinitions,
    refresh: createRefresh(context),
    peers,
    knownProducts: (storeId, ids) => findKnownProducts(peers, storeId, ids),
  });
  return {
    async readValues(storeId, principal, entity, input, canBeNew = false) {
      const [change] = await readValues(storeId, principal, [
        { entity, input, at: '/customFields', canBeNew },
      ]);
      return change!;
    },
    createView: (principal, storeId, entity, db) =>
      createView(principal, entity, (entities) => readDefinitions(storeId, entities, db)),
  };
}
