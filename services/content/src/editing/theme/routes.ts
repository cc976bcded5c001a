import { Timestamp } from '@waybill/contracts';
import { defineRoutes, nullable } from '@waybill/kernel';
import { plainColor } from '@waybill/page';
import Type, { type Static } from 'typebox';
import { errors } from '../../errors.ts';
import { Warning } from '../../publication/documents/schema.ts';

const color = Type.String({
  pattern: plainColor.pattern!,
  maxLength: plainColor.maxLength!,
  examples: ['#1a56c4'],
});

const Font = Type.Union([
  Type.Object(
    {
      mediaId: Type.String({ pattern: '^mda_[0-9a-z]{1,40}$', examples: ['mda_01jd5w2k0q8v6m3n4p5r6s7t8v'] }),
    },
    { additionalProperties: false },
  ),
  Type.Object({ stack: Type.Enum(['system', 'serif', 'mono']) }, { additionalProperties: false }),
]);
export type Font = Static<typeof Font>;

const Colors = Type.Object({
  primary: color,
  onPrimary: color,
  background: color,
  surface: color,
  text: color,
  muted: color,
  border: color,
  accent: color,
});
const Fonts = Type.Object({ heading: Font, body: Font });
const numbers = {
  scale: Type.Number({ minimum: 0.8, maximum: 1.5, description: 'The scale of all type.' }),
  radius: Type.Number({
    minimum: 0,
    maximum: 48,
    description: 'The radius of corners, in pixels at the usual size.',
  }),
  spacing: Type.Number({
    minimum: 4,
    maximum: 96,
    description: 'The space between elements, in pixels at the usual size.',
  }),
};

/** The look of a store: `decisions.md 17.3`. */
export const Theme = Type.Object({ colors: Colors, fonts: Fonts, ...numbers }, { $id: 'Theme' });
export type Theme = Static<typeof Theme>;

/** The theme as a client sends it. Omitted values are those of the standard theme. */
export const ThemeInput = Type.Partial(
  Type.Object({ colors: Type.Partial(Colors), fonts: Type.Partial(Fonts), ...numbers }),
  { $id: 'ThemeInput' },
);
export type ThemeInput = Static<typeof ThemeInput>;

const state = {
  hasDraft: Type.Boolean({ description: 'Whether a saved theme is not yet published.' }),
  publishedAt: nullable(Timestamp),
};
const Item = Type.Object({ theme: Theme, ...state });

const path = '/api/stores/{storeId}/theme';
const ids = { storeId: 'store' } as const;

/** `decisions.md 17.3`. */
export const routes = defineRoutes({
  getTheme: {
    method: 'GET',
    path,
    access: { member: 'theme.read' },
    summary: "Read a store's theme",
    description: 'The last saved theme; with `state=live`, the theme that visitors see.',
    ids,
    query: Type.Object({ state: Type.Enum(['draft', 'live'], { default: 'draft' }) }),
    answer: [200, Item],
    storedBy: ['hasDraft', 'publishedAt'],
  },
  saveTheme: {
    method: 'PUT',
    path,
    access: { member: 'theme.write' },
    summary: "Save a store's theme",
    description:
      'Omitted values return to those of a store without a theme. Visitors see the theme once it is published.',
    ids,
    body: Type.Object({ theme: ThemeInput }),
    // Media is asked before the transaction begins.
    idempotency: 'handler',
    answer: [
      200,
      Type.Object({
        theme: Theme,
        ...state,
        warnings: Type.Array(Warning, {
          description: '`low_contrast` for text that is hard to read (WCAG 2.2, 1.4.3).',
        }),
      }),
    ],
    errors: [errors.resource_unavailable],
  },
  getThemeColors: {
    method: 'POST',
    path: '/internal/theme-colors',
    access: 'service',
    summary: 'Read the theme colours of a store, for mails; null without a theme',
    body: Type.Object({ storeId: Type.String() }),
    answer: [200, Type.Object({ colors: nullable(Type.Unknown()) })],
  },
  publishTheme: {
    method: 'POST',
    path: `${path}/publish`,
    access: { member: 'theme.write' },
    summary: 'Publish the saved theme',
    description: 'On the whole site, at the next visit; no page is rebuilt.',
    ids,
    answer: [200, Item],
    errors: [errors.nothing_to_publish],
  },
});
