import type { Handlers } from '@waybill/kernel';
import { requireApp } from '../apps/apps.ts';
import { toApp } from '../apps/handlers.ts';
import type { Context } from '../config.ts';
import { errors } from '../errors.ts';
import { createImmutableAnswer } from '../immutable.ts';
import type { Tables } from '../tables.ts';
import { deleteIcon, openIcon, putIcon } from './icons.ts';
import type { routes } from './routes.ts';

export const handlers = (context: Context): Handlers<typeof routes, Tables> => ({
  putIcon: {
    guard: ({ principal, params }) => requireApp(context, params, principal.userId),
    handle: ({ params, stream, idempotentWrite }) =>
      putIcon(context, params.appId, { body: stream, idempotentWrite }, (row) => ({
        app: toApp(context.config, row),
      })),
  },
  deleteIcon: {
    async write({ principal, params }, write) {
      await requireApp({ db: write.trx }, params, principal.userId);
      await deleteIcon(write, context, params.appId);
    },
  },
  async getIcon({ params, headers }) {
    const [, sha256, type] = /^([0-9a-f]{64})\.(png|webp)$/.exec(params.file) ?? [];
    if (!sha256) throw errors.not_found();
    return createImmutableAnswer(
      await openIcon(context, params.file),
      `image/${type}`,
      sha256,
      headers,
      policy,
    );
  },
});

/** Icons are uploaded by users: opened as a document, an icon loads nothing from elsewhere and runs nothing. */
const policy = { 'content-security-policy': "default-src 'none'; sandbox" };
