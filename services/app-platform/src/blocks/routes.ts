import { defineRoutes } from '@waybill/kernel';
import { maxBlocks } from '@waybill/page';
import Type from 'typebox';
import { schemaPath } from '../contributions/json-schema.ts';
import { Block } from '../contributions/manifest.ts';
import { errors } from '../errors.ts';

/** `store-api.md 4.11, 7.2`, `decisions.md 7.4`. */
export const routes = defineRoutes({
  putBlocks: {
    method: 'PUT',
    path: '/api/orgs/{orgId}/apps/{appId}/versions/{versionId}/blocks',
    access: 'user',
    summary: 'Replace the blocks of a draft',
    description:
      `The complete set of blocks: at most ${maxBlocks} blocks in 1 MiB. \`/schemas/block-manifest.json\` is the ` +
      'JSON Schema of the body. `details` lists every problem with its own code and pointer; `code` is that of ' +
      'the first.',
    ids: { orgId: 'organisation', appId: 'app', versionId: 'appVersion' },
    body: Type.Object({
      blocks: Type.Array(Type.Unknown({ documentedAs: Block })),
    }),
    // Content is asked before the transaction begins.
    idempotency: 'handler',
    answer: [200, Type.Object({ blocks: Type.Array(Block) })],
    errors: [
      errors.not_draft,
      errors.body_too_large,
      errors.too_many_blocks,
      errors.block_vocabulary_unavailable,
      errors.invalid_block,
      errors.duplicate_block_key,
      errors.invalid_block_subtree,
      errors.unknown_element_type,
      errors.unknown_island,
      errors.unknown_trait_widget,
      errors.unknown_write_key,
    ],
  },
  getManifestSchema: {
    method: 'GET',
    path: schemaPath,
    access: 'public',
    summary: 'Read the JSON Schema (2020-12) of block manifests',
    description: 'Lets code editors complete and check names against the current vocabulary.',
    answer: [200, Type.Object({}, { additionalProperties: true })],
    contentType: 'application/schema+json',
    errors: [errors.block_vocabulary_unavailable],
  },
});
