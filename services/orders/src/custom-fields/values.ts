import type { CustomFieldEntity, Principal } from '@waybill/contracts';
import {
  createRefresh,
  createValuesReader,
  findKnownProducts,
  readDefinitionsOfEach,
  type ValuesChange,
  type View,
  viewOf,
} from '@waybill/custom-fields';
import type { Context } from '../config.ts';

/** The entities whose values this service keeps. */
export const ownEntities: readonly CustomFieldEntity[] = ['customer', 'order'];

type OwnEntity = 'customer' | 'order';

/** What writes and reads of customers and orders have to do with values of custom fields. */
export function createOrderValues(context: Context) {
  const { batched, peers } = context;
  const definitionsOf = batched(readDefinitionsOfEach);
  const read = createValuesReader({
    definitionsOf,
    refresh: createRefresh(context),
    peers,
    knownProducts: (storeId, ids) => findKnownProducts(peers, storeId, ids),
  });
  return {
    /** What a body makes of an item's values. */
    async read(
      storeId: string,
      principal: Principal,
      entity: OwnEntity,
      given: Record<string, unknown> | undefined,
      mayBeNew = false,
    ): Promise<ValuesChange> {
      const [change] = await read(storeId, principal, [{ entity, given, at: '/customFields', mayBeNew }]);
      return change!;
    },
    viewOf: (principal: Principal, storeId: string, entity: OwnEntity): Promise<View> =>
      viewOf(principal, entity, (entities) => definitionsOf(storeId, entities)),
  };
}
