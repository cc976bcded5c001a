import { Page } from '@waybill/contracts';
import { defineRoutes } from '@waybill/kernel';
import Type from 'typebox';
import { errors } from '../errors.ts';

const BlockUses = Type.Object({
  uses: Type.Array(
    Type.Object({
      blockKey: Type.String(),
      pages: Type.Array(Type.Object({ id: Type.String(), name: Type.String() })),
    }),
  ),
});

/** `store-api.md 4.5`, `decisions.md 4.2, 4.3`. */
export const routes = defineRoutes({
  publishPage: {
    method: 'POST',
    path: '/api/v1/pages/{id}/publish',
    access: { scope: 'pages.write' },
    summary: "Publish a page's saved draft",
    description:
      'Consumes the draft. The global sections that the page holds go live as they are saved, and other live pages ' +
      'that hold them are made again within seconds. Emits `page.published` for this page alone.',
    ids: { id: 'page' },
    answer: [200, Type.Object({ page: Page })],
    errors: [errors.nothing_to_publish, errors.resource_unavailable],
  },
  previewPage: {
    method: 'POST',
    path: '/api/stores/{storeId}/pages/{pageId}/preview',
    access: { member: 'pages.read' },
    summary: 'The HTML that publishing the draft would give',
    description: 'Nothing is stored. Without a draft, the live page as it would be made now.',
    ids: { storeId: 'store', pageId: 'page' },
    answer: [200, Type.String()],
    contentType: 'text/html',
    idempotency: 'none',
    errors: [errors.nothing_to_publish, errors.resource_unavailable],
  },
  listBlockUses: {
    method: 'POST',
    path: '/internal/block-uses',
    access: 'service',
    summary: "Where an app's blocks stand on live pages and articles, for the app platform",
    body: Type.Object({ storeId: Type.String(), appId: Type.String() }),
    answer: [200, BlockUses],
  },
});
