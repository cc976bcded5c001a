import { FormSubmission } from '@waybill/contracts';
import { defineRoutes, pagesOf, paging } from '@waybill/kernel';
import Type, { type Static } from 'typebox';
import { errors } from '../../errors.ts';

const Item = Type.Object({ formSubmission: FormSubmission });
const ids = { id: 'formSubmission' } as const;

/** In lower case. */
const emails = Type.Array(Type.String(), { maxItems: 1_000 });

const ListQuery = Type.Object({
  ...paging,
  formId: Type.Optional(Type.String({ maxLength: 200, description: 'Of this form only.' })),
  dir: Type.Enum(['asc', 'desc'], { default: 'desc' }),
});
export type ListQuery = Static<typeof ListQuery>;

const Values = Type.Object(
  {},
  {
    additionalProperties: true,
    description:
      'By the names of the form’s fields: a text, or a list of texts where several checkboxes share a name.',
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
      'As the `action` of the form says. The values are checked against the fields of the form as it is published: ' +
      'those that it does not have are dropped, and what is missing or cannot be is `422 invalid_form`, which names ' +
      'the fields, as a page with the form for whoever sent it form-encoded. A form that was sent so leads on (`303`) to ' +
      'its `href`, or back to its page, which then says thank you. What is in the field that people do not see ' +
      '(`_wb_url`) marks what no person has sent: it is answered like all else and not kept. At most 64 KiB; limited ' +
      'by address and by store. Emits `form.submitted`.',
    ids: { storeId: 'store' },
    query: Type.Object({
      locale: Type.Optional(
        Type.String({ maxLength: 40, description: 'Of the page, where it is not the store’s first.' }),
      ),
    }),
    takes: { 'application/json': Values, 'application/x-www-form-urlencoded': Values },
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
    description: 'The newest first. The `action` of a form on a live page ends with its `formId`.',
    query: ListQuery,
    answer: [200, pagesOf('formSubmissions', FormSubmission)],
  },
  getFormSubmission: {
    method: 'GET',
    path: '/api/v1/form-submissions/{id}',
    access: { scope: 'forms.read' },
    summary: 'Read a form submission',
    description: 'What was sent, by the names that the fields had then.',
    ids,
    answer: [200, Item],
  },
  deleteFormSubmission: {
    method: 'DELETE',
    path: '/api/v1/form-submissions/{id}',
    access: { scope: 'forms.write' },
    summary: 'Delete a form submission',
    description: 'There is no way back. Events that told of it stay.',
    ids,
    answer: [204, null],
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
