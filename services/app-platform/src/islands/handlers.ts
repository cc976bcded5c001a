import { Answer, type Handlers } from '@waybill/kernel';
import type { StoredObject } from '@waybill/object-store';
import type { Context } from '../config.ts';
import { toIsland } from '../contributions/islands.ts';
import { errors } from '../errors.ts';
import { createImmutableAnswer } from '../immutable.ts';
import { requireReviewer } from '../review/review.ts';
import type { Tables } from '../tables.ts';
import { requireDraft, requireVersion } from '../versions/versions.ts';
import { putIslands } from './islands.ts';
import { openApprovedModule, openDevelopmentModule, openIslandModule, putModule } from './modules.ts';
import type { routes } from './routes.ts';

export const handlers = (context: Context): Handlers<typeof routes, Tables> => ({
  putIslands: {
    guard: ({ principal, params }) => requireDraft(context, params, principal.userId),
    async write({ params, body }, write) {
      const rows = await putIslands(write, params.versionId, body.islands);
      return { islands: rows.map((row) => toIsland(context.config, row)) };
    },
  },
  async postModule({ principal, params, query, headers, stream, idempotentWrite }) {
    const version = await requireVersion(context, params, principal.userId);
    const contentType = String(headers['content-type'] ?? '');
    const module = { name: query.name ?? '', contentType, body: stream, idempotentWrite };
    return putModule(context, version, module, (row) => ({ island: toIsland(context.config, row) }));
  },
  async readModule({ principal, params, query }) {
    const { id } = await requireVersion(context, params, principal.userId);
    return toReadOnlyAnswer(await openIslandModule(context, id, query.name ?? ''));
  },
  async reviewModule({ principal, params, query }) {
    requireReviewer(principal, params);
    return toReadOnlyAnswer(await openIslandModule(context, params.versionId, query.name ?? ''));
  },
  async getModule({ params, headers }) {
    const sha256 = parseHash(params.file);
    return createImmutableAnswer(await openApprovedModule(context, sha256), javascript, sha256, headers);
  },
  async getDevelopmentModule({ params: { storeId, file }, headers }) {
    const sha256 = parseHash(file);
    const module = await openDevelopmentModule(context, storeId, sha256);
    // The bytes never change, but whether they may be served can.
    return createImmutableAnswer(module, javascript, sha256, headers, { 'cache-control': 'no-cache' });
  },
});

/** Returns the hash in a module's address. Throws `not_found`. */
function parseHash(file: string): string {
  const sha256 = /^([0-9a-f]{64})\.js$/.exec(file)?.[1];
  if (!sha256) throw errors.not_found();
  return sha256;
}

const javascript = 'text/javascript; charset=utf-8';
/** Serves a module for reading only: no page can load it, because it requires a credential. */
const toReadOnlyAnswer = ({ stream, sizeBytes }: StoredObject) =>
  new Answer(stream, javascript, {
    'content-length': String(sizeBytes),
    'x-content-type-options': 'nosniff',
  });
