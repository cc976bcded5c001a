import { Timestamp } from '@waybill/contracts';
import { defineRoutes, nullable } from '@waybill/kernel';
import Type from 'typebox';
import { errors } from '../../errors.ts';
import { AnyDocument, DocumentItem, SavedDocumentItem } from '../../publication/documents/schema.ts';
import { templateKinds } from '../../publication/owners/template-kinds.ts';

const Template = Type.Object(
  {
    kind: Type.Enum([...templateKinds]),
    live: Type.Boolean({
      description: 'Whether the store’s own template is live; otherwise the default is.',
    }),
    hasDraft: Type.Boolean({ description: 'Whether a saved draft is not yet published.' }),
    hasChanges: Type.Boolean({
      description: 'Whether a saved draft differs from what is published. False without a draft.',
    }),
    publishedAt: nullable(Timestamp),
  },
  { $id: 'Template' },
);

const Item = Type.Object({ template: Template });
const path = '/api/stores/{storeId}/templates/{kind}';
const ids = { storeId: 'store' } as const;

/** `decisions.md 17.2`. An unknown kind is `not_found`. */
export const routes = defineRoutes({
  listTemplates: {
    method: 'GET',
    path: '/api/stores/{storeId}/templates',
    access: { member: 'pages.read' },
    summary: 'List the templates of a store',
    description: 'All kinds, in a fixed order.',
    ids,
    answer: [200, Type.Object({ templates: Type.Array(Template), total: Type.Integer() })],
  },
  getTemplate: {
    method: 'GET',
    path,
    access: { member: 'pages.read' },
    summary: 'Read a template',
    description: 'The `ETag` is for a conditional reset to the default.',
    ids,
    answer: [200, Item],
    errors: [errors.not_found],
  },
  getTemplateDraft: {
    method: 'GET',
    path: `${path}/draft`,
    access: { member: 'pages.read' },
    summary: 'Read a template to edit it',
    description: 'The saved draft, or else the last published document, or else the default.',
    ids,
    answer: [200, DocumentItem],
    storedBy: ['draft.revision'],
    errors: [errors.not_found],
  },
  saveTemplateDraft: {
    method: 'PUT',
    path: `${path}/draft`,
    access: { member: 'pages.write' },
    summary: "Save a template's draft",
    description:
      'Texts are stored in Unicode NFC with LF line endings; the answer contains them in this form.',
    ids,
    body: Type.Object({ document: AnyDocument }),
    // Other services are asked before the transaction begins, also for a publish.
    idempotency: 'handler',
    answer: [200, SavedDocumentItem],
    errors: [errors.invalid_document, errors.not_found],
  },
  publishTemplate: {
    method: 'POST',
    path: `${path}/publish`,
    access: { member: 'pages.write' },
    summary: "Publish a template's saved draft",
    description:
      'Consumes the draft. Header and footer appear on every page whose `settings.layout` is not `none`; the ' +
      'other templates display products, articles, the blog, the search and addresses without a page. All of ' +
      'them show the change at the next visit.',
    ids,
    idempotency: 'handler',
    answer: [200, Item],
    errors: [errors.nothing_to_publish, errors.not_found, errors.resource_unavailable],
  },
  deleteTemplate: {
    method: 'DELETE',
    path,
    access: { member: 'pages.write' },
    summary: 'Reset a template to its default',
    description: 'Also deletes its draft. Succeeds if the default is already live.',
    ids,
    answer: [204, null],
    errors: [errors.not_found],
  },
});
