import type { Handlers } from '@waybill/kernel';
import { renderSample } from '@waybill/page';
import type { routes } from './routes.ts';

export const handlers = (): Handlers<typeof routes> => ({
  renderBlock: async ({ body }) => renderSample(body.appId, body.block),
});
