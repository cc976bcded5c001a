import { mostBlockPlaces } from '@waybill/contracts';
import { defineRoutes } from '@waybill/kernel';
import Type, { type Static } from 'typebox';
import { errors } from '../errors.ts';

const Place = Type.Object({
  type: Type.Enum(['page', 'article', 'section', 'template']),
  id: Type.String({ description: 'Of a template `tpl_` and its kind, which its name is.' }),
  name: Type.String(),
  live: Type.Boolean({
    description: 'Visitors see it there; of a section: on a live page, in an article or a template.',
  }),
  draft: Type.Boolean({ description: 'What is saved and not published shows it.' }),
});

/** A block and the places that show it now, in documents themselves or through sections. */
export const ShownBlock = Type.Object(
  {
    key: Type.String(),
    name: Type.String(),
    pages: Type.Array(Type.Object({ id: Type.String(), name: Type.String() }), {
      description: 'The live pages that show it, and after them the live articles.',
    }),
    places: Type.Array(Place, {
      description: `Pages, articles, sections and templates, in this order: ${mostBlockPlaces} of each at most.`,
    }),
    hasMore: Type.Boolean({ description: 'Whether there are more of a kind than are listed.' }),
  },
  { $id: 'BlockUse' },
);
export type ShownBlock = Static<typeof ShownBlock>;

const reading = {
  method: 'GET',
  access: { member: 'integrations.read' },
  ids: { storeId: 'store', appId: 'app' },
  errors: [errors.invalid_state],
} as const;
const app = '/api/stores/{storeId}/apps/{appId}';
const missing = [200, Type.Object({ missingBlocks: Type.Array(ShownBlock) })] as const;

/** `decisions.md 7.6, 14.8`. */
export const routes = defineRoutes({
  listBlockUses: {
    ...reading,
    path: `${app}/uses`,
    summary: "List the uses of an app's blocks",
    description: 'What leaves pages, articles, templates and drafts when the app is disabled or uninstalled.',
    answer: [200, Type.Object({ uses: Type.Array(ShownBlock) })],
  },
  previewConsent: {
    ...reading,
    path: `${app}/consent`,
    summary: "List what the pending version would remove from the store's pages",
    description: 'The blocks that it lacks, with where they show now. None waiting: `invalid_state`.',
    answer: missing,
  },
  previewRollback: {
    ...reading,
    path: `${app}/rollback`,
    summary: "List what a rollback would remove from the store's pages",
    description: 'The blocks that the earlier version lacks, with where they show now.',
    query: Type.Object({
      versionId: Type.Optional(
        Type.String({ isRequired: true, description: 'An earlier approved version.' }),
      ),
    }),
    answer: missing,
  },
});
