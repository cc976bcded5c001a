import Type, { type Static } from 'typebox';

/** A warning about content that a write removed from rich text: `decisions.md 19.7`. */
export const ContentWarning = Type.Object(
  {
    code: Type.Enum(['script_removed', 'embed_removed', 'form_removed', 'link_removed', 'title_removed']),
    message: Type.String(),
    count: Type.Integer({ minimum: 1, description: 'The number of removals.' }),
  },
  { $id: 'ContentWarning' },
);
export type ContentWarning = Static<typeof ContentWarning>;

/** The warnings next to the item in the answer to a write of rich text. */
export const contentWarnings = Type.Optional(
  Type.Array(ContentWarning, {
    description: 'The content and active markup that was removed. Absent if nothing was removed.',
  }),
);
