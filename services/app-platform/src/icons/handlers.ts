import { Answer, type Handlers, isKnown } from '@waybill/kernel';
import { requireApp } from '../apps/apps.ts';
import { toApp } from '../apps/handlers.ts';
import type { Context } from '../config.ts';
import { errors } from '../errors.ts';
import { deleteIcon, openIcon, putIcon } from './icons.ts';
import type { routes } from './routes.ts';

export const handlers = (context: Context): Handlers<typeof routes> => ({
  putIcon: {
    guard: ({ principal, params }) => requireApp(context, params, principal.userId),
    handle: ({ params, stream, once }) =>
      putIcon(context, params.appId, { body: stream, once }, (row) => ({ app: toApp(context.config, row) })),
  },
  async deleteIcon({ principal, params }) {
    await requireApp(context, params, principal.userId);
    await deleteIcon(context, params.appId);
  },
  async getIcon({ params, headers }) {
    const [, sha256, type] = /^([0-9a-f]{64})\.(png|webp)$/.exec(params.file) ?? [];
    if (!sha256) throw errors.not_found();
    const { stream, sizeBytes } = await openIcon(context, params.file);
    const contentType = `image/${type}`;
    const etag = `"${sha256}"`;
    const own = { ...iconHeaders, etag };
    if (isKnown(headers, etag)) {
      stream.destroy();
      return new Answer('', contentType, own, 304);
    }
    return new Answer(stream, contentType, { ...own, 'content-length': String(sizeBytes) });
  },
});

const iconHeaders = {
  'cache-control': 'public, max-age=31536000, immutable',
  'x-content-type-options': 'nosniff',
  // It is what somebody has uploaded: opened by itself, it gets nothing from anywhere and runs nothing.
  'content-security-policy': "default-src 'none'; sandbox",
  // Consoles on other origins show it.
  'access-control-allow-origin': '*',
  'cross-origin-resource-policy': 'cross-origin',
};
