import {
  type CustomFieldChanged,
  type CustomFieldEntity,
  CustomFieldState,
  type EventData,
  type EventMessage,
} from '@waybill/contracts';
import { aggregate, type Handlers, type Peers, type RouteDefinition } from '@waybill/kernel';
import type { Kysely } from 'kysely';
import Type from 'typebox';
import { readDefinitions, storeDefinitions } from './definition-store.ts';

/** The context of a service that keeps copies of definitions. */
export interface CopyContext {
  // biome-ignore lint/suspicious/noExplicitAny: each service has tables of its own besides `custom_field`
  db: Kysely<any>;
  peers: Peers;
  wakeTask(task: string): void;
}

/** The service that owns the definitions. */
const owner = 'catalog';

/** The task that removes the values of deleted definitions. */
export const sweepFieldsTask = 'sweep-custom-fields';

/** Stores changed definitions of these entities and ignores those of other entities. */
export async function onDefinitionsChanged(
  { db, wakeTask }: CopyContext,
  entities: readonly CustomFieldEntity[],
  events: readonly EventMessage[],
): Promise<CustomFieldState[]> {
  const changedDefinitions: CustomFieldState[] = [];
  for (const { storeId, data } of events) {
    const { customField }: EventData<typeof CustomFieldChanged> = JSON.parse(data);
    if (entities.includes(customField.entity))
      changedDefinitions.push(...(await storeDefinitions(db, storeId, [customField])));
  }
  if (changedDefinitions.some(({ deletedAt }) => deletedAt !== null)) wakeTask(sweepFieldsTask);
  return changedDefinitions;
}

/** Returns the function that fetches the definitions of some entities from their owner and stores them. */
export const createRefresh =
  ({ db, peers }: CopyContext) =>
  async (storeId: string, entities: readonly CustomFieldEntity[]): Promise<CustomFieldState[] | null> => {
    if (!peers.has(owner)) return null;
    const reply = await peers.call<{ customFields: CustomFieldState[] }>(
      owner,
      'POST',
      '/internal/custom-fields/lookup',
      { storeId, entities },
    );
    if (reply === null) return null;
    await storeDefinitions(db, storeId, reply.customFields);
    return readDefinitions(db, storeId, entities);
  };

/**
 * The internal route on which the owner tells a service of a changed definition before it answers the request for the
 * change.
 */
export function copyRoutes(service: string) {
  const receiveCustomFields: RouteDefinition = {
    method: 'POST',
    path: `/internal/custom-fields/${service}`,
    access: 'service',
    summary: 'Takes definitions of custom fields that have changed',
    body: Type.Object({
      storeId: Type.String(),
      customFields: Type.Array(CustomFieldState, { maxItems: 250 }),
    }),
    answer: [204, null],
  };
  return aggregate(
    { receiveCustomFields },
    ({ db, wakeTask }: CopyContext): Handlers<{ receiveCustomFields: RouteDefinition }> => ({
      async receiveCustomFields({ body }) {
        const { storeId, customFields } = body as unknown as {
          storeId: string;
          customFields: CustomFieldState[];
        };
        const changedDefinitions = await storeDefinitions(db, storeId, customFields);
        if (changedDefinitions.some(({ deletedAt }) => deletedAt !== null)) wakeTask(sweepFieldsTask);
      },
    }),
  );
}
