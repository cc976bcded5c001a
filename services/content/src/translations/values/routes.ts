import { Timestamp } from '@waybill/contracts';
import { defineRoutes, listSchema, offsetPaging } from '@waybill/kernel';
import Type, { type Static } from 'typebox';
import { errors } from '../../errors.ts';

export const entityTypes = ['product', 'category', 'article', 'blogCategory', 'node'] as const;

/** The code is the same for every problem of an entry: `decisions.md 4.7`. */
const errorCode = Object.fromEntries(
  ['required', 'type', 'enum', 'minLength', 'maxLength', 'maxItems'].map((rule) => [
    rule,
    'invalid_translation',
  ]),
);
const text = (options: object) => Type.String({ minLength: 1, ...options, errorCode });

/** Maximum number of bytes of UTF-8 in a value. */
export const maxValueBytes = 64 * 1024;

const Translation = Type.Object(
  {
    locale: Type.String({ description: 'A BCP 47 tag in canonical form.', examples: ['de', 'pt-BR'] }),
    entityType: Type.Enum([...entityTypes]),
    entityId: Type.String(),
    field: Type.String(),
    value: Type.String(),
    source: Type.Enum(['human', 'machine']),
    updatedAt: Timestamp,
  },
  { $id: 'Translation' },
);
export type Translation = Static<typeof Translation>;

const EntryInput = Type.Object(
  {
    locale: text({ maxLength: 100, description: 'A BCP 47 tag.', examples: ['de', 'pt-BR'] }),
    entityType: Type.Enum([...entityTypes], { errorCode }),
    entityId: text({
      maxLength: 200,
      description:
        'For a node: `<ID of its page, section or article>:<node ID>`, or the node’s ID alone. A page’s ID, used ' +
        'as a node, refers to its fields `name`, `title` and `description`.',
    }),
    field: text({
      maxLength: 100,
      description:
        'For products also `seo.title`, `seo.description`, and `options.<i>.name` and `options.<i>.values.<j>` by ' +
        'position; for products, categories and articles `customFields.<key>`, and `customFields.<key>.<i>` for one ' +
        'text of several.',
    }),
    value: Type.String({
      maxLength: maxValueBytes,
      errorCode,
      description: 'At most 64 KiB of UTF-8. Without a visible character, pages show the original.',
    }),
    source: Type.Optional(
      Type.Unknown({ description: 'Stored as `human` if it is `human`, otherwise as `machine`.' }),
    ),
    updatedAt: Type.Optional(Type.Unknown({ description: 'Ignored; accepted because a GET returns it.' })),
  },
  { errorCode },
);
export type EntryInput = Static<typeof EntryInput>;

const EntriesInput = Type.Object(
  { entries: Type.Array(EntryInput, { maxItems: 500, errorCode }) },
  { $id: 'TranslationsInput' },
);

const locale = Type.Optional(Type.String({ isRequired: true, description: 'A BCP 47 tag.' }));
const EntityQuery = Type.Object({
  ...offsetPaging,
  locale,
  entityType: Type.Optional(Type.Enum([...entityTypes])),
  entityId: Type.Optional(Type.String({ description: 'Either this or `entityIds` is required.' })),
  entityIds: Type.Optional(Type.String({ description: 'At most 200 IDs, separated by commas.' })),
});
export type EntityQuery = Static<typeof EntityQuery>;

const FieldQuery = Type.Object({
  locale,
  entityType: Type.Optional(Type.Enum([...entityTypes], { isRequired: true })),
  entityId: Type.Optional(Type.String({ isRequired: true })),
  field: Type.Optional(Type.String({ isRequired: true })),
});
export type FieldQuery = Static<typeof FieldQuery>;

const Count = Type.Object({ translated: Type.Integer({ minimum: 0 }), total: Type.Integer({ minimum: 0 }) });
const Progress = Type.Object({
  locale: Type.String(),
  ...Count.properties,
  byEntityType: Type.Object({
    product: Count,
    category: Count,
    article: Count,
    blogCategory: Count,
    node: Count,
  }),
});
export type Progress = Static<typeof Progress>;

/** `store-api.md 4.8`, `decisions.md 4.7`. */
export const routes = defineRoutes({
  listTranslations: {
    method: 'GET',
    path: '/api/v1/translations',
    access: { scope: 'translations.read' },
    summary: 'Read the translations of an entity, or of several',
    description:
      'With `entityId`, a paginated list of its fields. With `entityIds`, an object: the list of each entity’s ' +
      'fields under its ID, empty if nothing is translated.',
    query: EntityQuery,
    answer: [
      200,
      Type.Union([
        listSchema('translations', Translation),
        Type.Object({ byEntity: Type.Record(Type.String(), Type.Array(Translation)) }),
      ]),
    ],
    errors: [errors.invalid_translation],
  },
  writeTranslations: {
    method: 'PUT',
    path: '/api/v1/translations',
    access: { scope: 'translations.write' },
    summary: 'Write translations',
    description:
      'Replaces existing texts. Nothing is written unless every entry is valid. Of two entries for the same ' +
      'field, the later one applies.',
    body: EntriesInput,
    answer: [
      200,
      Type.Object({ written: Type.Integer({ minimum: 0, description: 'The number of entries sent.' }) }),
    ],
    errors: [errors.invalid_translation, errors.too_many_translations],
  },
  deleteTranslation: {
    method: 'DELETE',
    path: '/api/v1/translations',
    access: { scope: 'translations.write' },
    summary: 'Clear the translation of a field',
    description: 'Succeeds if there is none.',
    query: FieldQuery,
    answer: [204, null],
    errors: [errors.invalid_translation],
  },
  getProgress: {
    method: 'GET',
    path: '/api/v1/translations/progress',
    access: { scope: 'translations.read' },
    summary: 'Read the translation progress of a locale',
    description:
      '`total` counts the fields that contain text: name and description of products; name, description, ' +
      '`seo.title` and `seo.description` of categories; title, excerpt and content of articles; the name of ' +
      'blog categories; the texts of saved page documents, as nodes. The name, title and description of pages ' +
      'are not counted.',
    query: Type.Object({ locale }),
    answer: [200, Type.Object({ progress: Progress })],
    isItem: false,
    errors: [errors.invalid_translation],
  },
});
