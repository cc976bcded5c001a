import type { Handlers } from '@waybill/kernel';
import { renderBlock } from './block-renderings.ts';
import type { routes } from './routes.ts';

export const handlers = (): Handlers<typeof routes> => ({
  renderBlock: async ({ body }) => renderBlock(body.appId, body.block),
});
