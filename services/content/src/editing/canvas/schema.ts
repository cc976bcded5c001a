import type { DocumentSources } from '@waybill/page';
import Type from 'typebox';
import { Warning } from '../../publication/documents/schema.ts';

/** What an editor draws a document with: `decisions.md 13.6`. */
export const Canvas = Type.Object(
  {
    sources: Type.Unsafe<DocumentSources>(
      Type.Object(
        {},
        {
          additionalProperties: true,
          description:
            'Sections, blocks, products, media, addresses of pages, values of apps, texts in the locale.',
        },
      ),
    ),
    problems: Type.Array(Warning),
  },
  { $id: 'Canvas' },
);

/** What a preview or a canvas is asked for in. */
export const locale = Type.Optional(Type.String({ description: 'A BCP 47 tag.', examples: ['de'] }));
