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
  followApp,
  toCustomField,
} from './custom-fields.ts';
import { findDefinition, listDefinitions, type OfApp } from './queries.ts';
import type { routes } from './routes.ts';
import { sweepTask } from './tasks.ts';

/** The service besides this one that stores the values of each entity. */
const keepers: Readonly<Partial<Record<CustomFieldEntity, string>>> = {
  customer: 'orders',
  order: 'orders',
  page: 'content',
  article: 'content',
};

/** Limits apps to their own definitions. All others manage those of the store and of its apps. */
const ofApp = (principal: Principal): OfApp => (principal.kind === 'app' ? principal.appId : null);

export function handlers(context: ServiceContext<object, Tables>): Handlers<typeof routes, Tables> {
  const { cache, db: pool, peers, wake, log } = context;

  /**
   * Tells the service that stores the values about a change before the answer is sent. If that service is out of reach,
   * it learns of the change from the event shortly after.
   */
  async function passOn(storeId: string, state: CustomFieldState): Promise<void> {
    // Cached copies of public fields are outdated now.
    await cache.bumpEpoch(storeId);
    if (state.entity === 'product') wake(matchRulesTask);
    if (state.deletedAt !== null) wake(sweepTask);
    const keeper = keepers[state.entity];
    if (keeper && peers.has(keeper))
      await peers
        .call(keeper, 'POST', `/internal/custom-fields/${keeper}`, { storeId, customFields: [state] })
        .catch((err) => log.warn({ err, keeper }, 'a service hears later of a custom field'));
  }
  const passOnAfter = ({ afterCommit }: Write, storeId: string, state: CustomFieldState) =>
    afterCommit(() => passOn(storeId, state));

  return {
    async listCustomFields({ principal, storeId, query }) {
      const { rows, ...list } = await listDefinitions(pool, storeId, ofApp(principal), query);
      return { customFields: rows.map((row) => toCustomField(toState(row))), ...list };
    },
    async createCustomField({ principal, storeId, body, once }) {
      await once.begin(body);
      return once.commit(async (write) => {
        const created = await createDefinition(write, storeId, ofApp(principal), body);
        passOnAfter(write, storeId, created);
        return { customField: toCustomField(created) };
      });
    },
    async getCustomField({ principal, storeId, params, db }) {
      const row = await findDefinition(db, storeId, ofApp(principal), params.id);
      if (!row) throw errors.not_found();
      return { customField: toCustomField(toState(row)) };
    },
    async changeCustomField({ principal, storeId, params, body, once }) {
      await once.begin(body);
      return once.commit(async (write) => {
        const changed = await changeDefinition(write, storeId, ofApp(principal), params.id, body);
        passOnAfter(write, storeId, changed);
        return { customField: toCustomField(changed) };
      });
    },
    async deleteCustomField({ principal, storeId, params, once }) {
      await once.begin({});
      await once.commit(async (write) => {
        const deleted = await deleteDefinition(write, storeId, ofApp(principal), params.id);
        passOnAfter(write, storeId, deleted);
      });
    },
    lookUpCustomFields: async ({ body }) => ({
      customFields: await readDefinitions(pool, body.storeId, body.entities),
    }),
    hideAppFields: {
      async write({ body: { storeId, appId, uninstalledAt } }, write) {
        const what = { hiddenAt: uninstalledAt, unlessChangedAfter: uninstalledAt };
        for (const state of await followApp(write, storeId, appId, what)) passOnAfter(write, storeId, state);
      },
    },
  };
}
