import Type, { type Static } from 'typebox';
import { idPattern } from './ids.ts';
import { Timestamp } from './resources.ts';

/** The data that a visitor sent with a form of a live page: `decisions.md 17.5`. */
export const FormSubmission = Type.Object(
  {
    id: Type.String({ pattern: idPattern('formSubmission') }),
    formId: Type.String({
      description: 'Identifies the page and the form on it; opaque.',
      examples: ['contact'],
    }),
    pageId: Type.Union([Type.String({ pattern: idPattern('page') }), Type.Null()], {
      description: 'Null if the form is in an article or a template.',
      examples: ['pag_01jd5w2k0q8v6m3n4p5r6s7t8v'],
    }),
    values: Type.Object(
      {},
      {
        additionalProperties: true,
        description: 'Values by the names of the form’s fields.',
        examples: [{ email: 'ada@example.com', message: 'Do you sell oolong?' }],
      },
    ),
    createdAt: Timestamp,
  },
  { $id: 'FormSubmission' },
);
export type FormSubmission = Static<typeof FormSubmission>;
