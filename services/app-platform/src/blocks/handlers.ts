import { Answer, type Handlers } from '@waybill/kernel';
import type { Context } from '../config.ts';
import { manifestSchemaText } from '../contributions/json-schema.ts';
import { requireDraft } from '../versions/versions.ts';
import { putBlocks } from './blocks.ts';
import type { routes } from './routes.ts';

export const handlers = (context: Context): Handlers<typeof routes> => ({
  putBlocks: {
    guard: ({ principal, params }) => requireDraft(context, params, principal.userId),
    handle: async ({ params, body }) => ({ blocks: await putBlocks(context, params.versionId, body.blocks) }),
  },
  async getManifestSchema() {
    const schema = manifestSchemaText(await context.state.vocabulary.read(), context.config.publicBaseUrl);
    return new Answer(schema, 'application/schema+json; charset=utf-8', {
      'cache-control': 'public, max-age=300',
      'access-control-allow-origin': '*',
    });
  },
});
