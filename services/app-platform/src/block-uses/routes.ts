import { maxBlockPlacements } from '@waybill/contracts';
import { defineRoutes } from '@waybill/kernel';
import Type, { type Static } from 'typebox';
import { errors } from '../errors.ts';

const Placement = Type.Object({
  type: Type.Enum(['page', 'article', 'section', 'template']),
  id: Type.String({ description: 'For a template: `tpl_` followed by its kind, which is also its name.' }),
  name: Type.String(),
  live: Type.Boolean({
    description:
      'Whether visitors see it there; for a section, on a live page, in an article or in a template.',
  }),
  draft: Type.Boolean({ description: 'Whether the saved, unpublished draft shows it.' }),
});

/** A block and the places that show it now, in documents themselves or through sections. */
export const ShownBlock = Type.Object(
  {
    key: Type.String(),
    name: Type.String(),
    pages: Type.Array(Type.Object({ id: Type.String(), name: Type.String() }), {
      description: 'The live pages that show it, followed by the live articles.',
    }),
    places: Type.Array(Placement, {
      description: `Pages, articles, sections and templates, in this order: at most ${maxBlockPlacements} of each.`,
    }),
    hasMore: Type.Boolean({ description: 'Whether any kind has more places than listed.' }),
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
    description:
      'The blocks that disappear from pages, articles, templates and drafts when the app is disabled or ' +
      'uninstalled.',
    answer: [200, Type.Object({ uses: Type.Array(ShownBlock) })],
  },
  previewConsent: {
    ...reading,
    path: `${app}/consent`,
    summary: "List what the pending version would remove from the store's pages",
    description:
      'The blocks missing from the pending version, with the places that show them now. `invalid_state` if no ' +
      'version is waiting.',
    answer: missing,
  },
  previewRollback: {
    ...reading,
    path: `${app}/rollback`,
    summary: "List what a rollback would remove from the store's pages",
    description: 'The blocks missing from the earlier version, with the places that show them now.',
    query: Type.Object({
      versionId: Type.Optional(
        Type.String({ isRequired: true, description: 'The ID of an earlier approved version.' }),
      ),
    }),
    answer: missing,
  },
});
