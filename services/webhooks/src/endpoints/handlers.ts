import type { Principal } from '@waybill/contracts';
import type { Handlers } from '@waybill/kernel';
import type { Context } from '../context.ts';
import { errors } from '../errors.ts';
import type { Tables } from '../tables.ts';
import {
  checkInput,
  createEndpoint,
  createEndpointRenderer,
  deleteEndpoint,
  findInputProblems,
  findRightsAfter,
  type RenderEndpoint,
  replaceEndpoint,
} from './endpoints.ts';
import { findEndpoint, listEndpoints } from './queries.ts';
import { finishRotation, rotateSecret } from './rotation.ts';
import type { routes } from './routes.ts';

/**
 * Prepares the rendering of an endpoint before it is changed, so that no lock waits for another service. Throws
 * `not_found`.
 */
async function prepareRenderer(
  context: Context,
  storeId: string,
  principal: Principal,
  id: string,
): Promise<RenderEndpoint> {
  const endpoint = await findEndpoint(context.db, storeId, principal, id);
  if (!endpoint) throw errors.not_found();
  return createEndpointRenderer(context, storeId, [endpoint]);
}

export const handlers = (context: Context): Handlers<typeof routes, Tables> => ({
  async listWebhooks({ storeId, principal, query }) {
    const { rows, ...list } = await listEndpoints(context.db, storeId, principal, query);
    return { webhooks: rows.map(await createEndpointRenderer(context, storeId, rows)), ...list };
  },
  createWebhook: {
    findProblems: async ({ body, refused }) => findInputProblems(context.config, body, null, refused),
    async handle({ storeId, principal, body, idempotentWrite }) {
      await idempotentWrite.begin(body);
      const checked = await checkInput(context.config, body, null);
      return idempotentWrite.commit((write) => createEndpoint(write, context, storeId, principal, checked));
    },
  },
  async getWebhook({ storeId, principal, params, db, isForTag }) {
    const endpoint = await findEndpoint(db, storeId, principal, params.id);
    if (!endpoint) throw errors.not_found();
    // A comparison of ETags runs under a lock, and needs no rights.
    const render = await createEndpointRenderer(context, storeId, isForTag ? [] : [endpoint]);
    return { webhook: render(endpoint) };
  },
  replaceWebhook: {
    async findProblems({ storeId, principal, params, body, refused }) {
      const current = await findEndpoint(context.db, storeId, principal, params.id);
      return current ? findInputProblems(context.config, body, current, refused) : [];
    },
    async handle({ storeId, principal, params, body, idempotentWrite }) {
      await idempotentWrite.begin(body);
      const current = await findEndpoint(context.db, storeId, principal, params.id);
      if (!current) throw errors.not_found();
      const checked = await checkInput(context.config, body, current);
      const rights = await findRightsAfter(context, storeId, principal, current);
      const replacement = { checked, rights, status: body.status };
      return idempotentWrite.commit(async (write) => ({
        webhook: await replaceEndpoint(write, context, storeId, principal, params.id, replacement),
      }));
    },
  },
  deleteWebhook: {
    write: ({ storeId, principal, params }, write) =>
      deleteEndpoint(write, context, storeId, principal, params.id),
  },
  async rotateSecret({ storeId, principal, params: { id }, body, idempotentWrite }) {
    await idempotentWrite.begin(body);
    const render = await prepareRenderer(context, storeId, principal, id);
    const { overlapHours = 24 } = body;
    return idempotentWrite.commit((write) =>
      rotateSecret(write, context, render, storeId, principal, id, overlapHours),
    );
  },
  async finishRotation({ storeId, principal, params: { id }, body, idempotentWrite }) {
    await idempotentWrite.begin(body);
    const render = await prepareRenderer(context, storeId, principal, id);
    return idempotentWrite.commit(async (write) => ({
      webhook: await finishRotation(write, render, storeId, principal, id),
    }));
  },
});
