import type { DocumentSources } from '@waybill/page';
import Type from 'typebox';
import { Warning } from '../../publication/documents/schema.ts';

/** The data with which an editor draws a document: `decisions.md 13.6`. */
export const Canvas = Type.Object(
  {
    sources: Type.Unsafe<DocumentSources>(
      Type.Object(
        {},
        {
          additionalProperties: true,
          description:
            'The sections, blocks, products, media, page addresses, app values, and texts in the locale.',
        },
      ),
    ),
    problems: Type.Array(Warning),
  },
  { $id: 'Canvas' },
);

/** The locale of a preview or a canvas. */
export const locale = Type.Optional(Type.String({ description: 'A BCP 47 tag.', examples: ['de'] }));
