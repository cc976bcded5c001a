import { Answer, type Handlers } from '@waybill/kernel';
import type { Context } from '../config.ts';
import { manifestSchemaText } from '../contributions/json-schema.ts';
import type { Tables } from '../tables.ts';
import { requireDraft } from '../versions/versions.ts';
import { acceptBlocks, putBlocks } from './blocks.ts';
import type { routes } from './routes.ts';

export const handlers = (context: Context): Handlers<typeof routes, Tables> => ({
  putBlocks: {
    guard: ({ principal, params }) => requireDraft(context, params, principal.userId),
    async handle({ params: { versionId }, body, idempotentWrite }) {
      await idempotentWrite.begin(body);
      const blocks = await acceptBlocks(context, versionId, body.blocks);
      return idempotentWrite.commit(async (write) => ({ blocks: await putBlocks(write, versionId, blocks) }));
    },
  },
  async getManifestSchema() {
    const schema = manifestSchemaText(await context.state.vocabulary.read(), context.config.publicBaseUrl);
    return new Answer(schema, 'application/schema+json; charset=utf-8', {
      'cache-control': 'public, max-age=300',
      'access-control-allow-origin': '*',
    });
  },
});
