import Type, { type Static } from 'typebox';
import { CustomFieldValues } from './custom-fields.ts';
import { idPattern } from './ids.ts';
import { Timestamp } from './resources.ts';

/** A page's metadata as the public API and events show it: `store-api.md 2.4a`, `decisions.md 4.1`. */
export const Page = Type.Object(
  {
    id: Type.String({ pattern: idPattern('page') }),
    name: Type.String({ examples: ['About us'] }),
    slug: Type.String({ examples: ['about-us'] }),
    position: Type.Integer({ minimum: 0 }),
    isHomepage: Type.Boolean(),
    settings: Type.Object({}, { additionalProperties: true }),
    customFields: CustomFieldValues,
    live: Type.Boolean({ description: 'Whether the page is published.', examples: [true] }),
    hasDraft: Type.Boolean({ description: 'Whether a saved draft is not yet published.' }),
    hasChanges: Type.Boolean({
      description: 'Whether a saved draft differs from what is published. False without a draft.',
    }),
    publishedAt: Type.Union([Timestamp, Type.Null()]),
    url: Type.Union([Type.String(), Type.Null()], {
      description: 'The URL of the live page.',
      examples: ['https://shop.example.com/about-us'],
    }),
    createdAt: Timestamp,
    updatedAt: Timestamp,
  },
  { $id: 'Page' },
);
export type Page = Static<typeof Page>;
