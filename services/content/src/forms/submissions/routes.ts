import { FormSubmission } from '@waybill/contracts';
import { defineRoutes, pageSchema, paging } from '@waybill/kernel';
import Type, { type Static } from 'typebox';
import { errors } from '../../errors.ts';

const Item = Type.Object({ formSubmission: FormSubmission });
const ids = { id: 'formSubmission' } as const;

/** In lower case. */
const emails = Type.Array(Type.String(), { maxItems: 1_000 });

const ListQuery = Type.Object({
  ...paging,
  formId: Type.Optional(Type.String({ maxLength: 200, description: 'Only submissions of this form.' })),
  dir: Type.Enum(['asc', 'desc'], { default: 'desc' }),
});
export type ListQuery = Static<typeof ListQuery>;

const Values = Type.Object(
  {},
  {
    additionalProperties: true,
    description:
      'By the names of the form’s fields: a text, or a list of texts if several checkboxes share a name.',
    examples: [{ email: 'ada@example.com', message: 'Do you sell oolong?' }],
  },
);

/** `decisions.md 17.5`. */
export const routes = defineRoutes({
  submitForm: {
    method: 'POST',
    path: '/storefront/{storeId}/forms/{formId}',
    access: 'public',
    summary: 'Send a form of a live page',
    description:
      'The form’s `action` contains this address. Values are checked against the fields of the published form: ' +
      'unknown fields are dropped, and missing or invalid ones are `422 invalid_form`, which names the fields; ' +
      'form-encoded requests get a page with the form instead. After a form-encoded submission, the visitor is ' +
      'redirected (`303`) to the form’s `href`, or back to its page with a thank-you message. A value in the ' +
      'hidden field `_wb_url` marks an automated submission: it gets the same answer and is not stored. At ' +
      'most 64 KiB; rate-limited by address and by store. Emits `form.submitted`.',
    ids: { storeId: 'store' },
    query: Type.Object({
      locale: Type.Optional(
        Type.String({ maxLength: 40, description: 'The locale of the page, if not the store’s first.' }),
      ),
    }),
    streamedBodies: { 'application/json': Values, 'application/x-www-form-urlencoded': Values },
    answer: [201, Item],
    errors: [
      errors.invalid_body,
      errors.body_too_large,
      errors.invalid_form,
      errors.rate_limited,
      errors.resource_unavailable,
    ],
  },
  listFormSubmissions: {
    method: 'GET',
    path: '/api/v1/form-submissions',
    access: { scope: 'forms.read' },
    summary: 'List form submissions',
    description: 'Newest first. The `action` of a form on a live page ends with its `formId`.',
    query: ListQuery,
    answer: [200, pageSchema('formSubmissions', FormSubmission)],
  },
  getFormSubmission: {
    method: 'GET',
    path: '/api/v1/form-submissions/{id}',
    access: { scope: 'forms.read' },
    summary: 'Read a form submission',
    description: 'The sent values, by the names that the fields had then.',
    ids,
    answer: [200, Item],
  },
  deleteFormSubmission: {
    method: 'DELETE',
    path: '/api/v1/form-submissions/{id}',
    access: { scope: 'forms.write' },
    summary: 'Delete a form submission',
    description: 'Cannot be undone. Events about the submission stay.',
    ids,
    answer: [204, null],
  },
  listMailedSubmissions: {
    method: 'POST',
    path: '/internal/mailed-form-submissions',
    access: 'service',
    summary:
      'Read the current values of form submissions for mails; null for unknown ones: `decisions.md 23.7`',
    body: Type.Object({
      submissions: Type.Array(Type.Object({ storeId: Type.String(), id: Type.String() }), { maxItems: 100 }),
    }),
    answer: [200, Type.Object({ values: Type.Array(Type.Unknown()) })],
  },
  listCustomerSubmissions: {
    method: 'POST',
    path: '/internal/customer-form-submissions',
    access: 'service',
    summary: "List a customer's form submissions, page by page: `decisions.md 15.7`",
    body: Type.Object({
      storeId: Type.String(),
      customerId: Type.String(),
      emails,
      after: Type.Union([Type.String(), Type.Null()]),
    }),
    answer: [
      200,
      Type.Object({ items: Type.Array(FormSubmission), next: Type.Union([Type.String(), Type.Null()]) }),
    ],
  },
  eraseCustomerSubmissions: {
    method: 'POST',
    path: '/internal/customer-form-submissions/erase',
    access: 'service',
    summary: "Erase a person's data from up to a thousand form submissions: `decisions.md 15.7`",
    body: Type.Object({ storeId: Type.String(), emails }),
    answer: [200, Type.Object({ isMore: Type.Boolean() })],
  },
});
