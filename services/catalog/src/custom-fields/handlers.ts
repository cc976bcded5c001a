import type { CustomFieldEntity, CustomFieldState, Principal } from '@waybill/contracts';
import { readDefinitions, toState } from '@waybill/custom-fields';
import type { Handlers, ServiceContext } from '@waybill/kernel';
import { matchRulesTask } from '../categories/matching.ts';
import type { Write } from '../config.ts';
import { errors } from '../errors.ts';
import type { Tables } from '../tables.ts';
import {
  changeDefinition,
  createDefinition,
  deleteDefinition,
  setAppDefinitions,
  toCustomField,
} from './custom-fields.ts';
import { type AppScope, findDefinition, listDefinitions } from './queries.ts';
import type { routes } from './routes.ts';
import { sweepTask } from './tasks.ts';

/** The service besides this one that stores the values of each entity. */
const valueOwners: Readonly<Partial<Record<CustomFieldEntity, string>>> = {
  customer: 'orders',
  order: 'orders',
  page: 'content',
  article: 'content',
};

/** Limits apps to their own definitions. All others manage those of the store and of its apps. */
const appScope = (principal: Principal): AppScope => (principal.kind === 'app' ? principal.appId : null);

export function handlers(context: ServiceContext<object, Tables>): Handlers<typeof routes, Tables> {
  const { cache, db: pool, peers, wakeTask, log } = context;

  /**
   * Tells the service that stores the values about a change before the answer is sent. If that service is out of reach,
   * it learns of the change from the event shortly after.
   */
  async function notifyOwner(storeId: string, state: CustomFieldState): Promise<void> {
    // Cached copies of public fields are outdated now.
    await cache.bumpEpoch(storeId);
    if (state.entity === 'product') wakeTask(matchRulesTask);
    if (state.deletedAt !== null) wakeTask(sweepTask);
    const owner = valueOwners[state.entity];
    if (owner && peers.has(owner))
      await peers
        .call(owner, 'POST', `/internal/custom-fields/${owner}`, { storeId, customFields: [state] })
        .catch((err) =>
          log.warn(
            { err, keeper: owner },
            'a service could not be told of a custom field at once; the event will tell it',
          ),
        );
  }
  const notifyAfterCommit = ({ afterCommit }: Write, storeId: string, state: CustomFieldState) =>
    afterCommit(() => notifyOwner(storeId, state));

  return {
    async listCustomFields({ principal, storeId, query }) {
      const { rows, ...list } = await listDefinitions(pool, storeId, appScope(principal), query);
      return { customFields: rows.map((row) => toCustomField(toState(row))), ...list };
    },
    async createCustomField({ principal, storeId, body, idempotentWrite }) {
      await idempotentWrite.begin(body);
      return idempotentWrite.commit(async (write) => {
        const created = await createDefinition(write, storeId, appScope(principal), body);
        notifyAfterCommit(write, storeId, created);
        return { customField: toCustomField(created) };
      });
    },
    async getCustomField({ principal, storeId, params, db }) {
      const row = await findDefinition(db, storeId, appScope(principal), params.id);
      if (!row) throw errors.not_found();
      return { customField: toCustomField(toState(row)) };
    },
    async changeCustomField({ principal, storeId, params, body, idempotentWrite }) {
      await idempotentWrite.begin(body);
      return idempotentWrite.commit(async (write) => {
        const changed = await changeDefinition(write, storeId, appScope(principal), params.id, body);
        notifyAfterCommit(write, storeId, changed);
        return { customField: toCustomField(changed) };
      });
    },
    async deleteCustomField({ principal, storeId, params, idempotentWrite }) {
      await idempotentWrite.begin({});
      await idempotentWrite.commit(async (write) => {
        const deleted = await deleteDefinition(write, storeId, appScope(principal), params.id);
        notifyAfterCommit(write, storeId, deleted);
      });
    },
    lookUpCustomFields: async ({ body }) => ({
      customFields: await readDefinitions(pool, body.storeId, body.entities),
    }),
    hideAppFields: {
      async write({ body: { storeId, appId, uninstalledAt } }, write) {
        const change = { hiddenAt: uninstalledAt, unlessChangedAfter: uninstalledAt };
        for (const state of await setAppDefinitions(write, storeId, appId, change))
          notifyAfterCommit(write, storeId, state);
      },
    },
  };
}
