import type { Model } from '@waybill/sdk';
import type { TemplateNames } from '../texts/en/template-names.ts';
import { defineTexts, useTexts } from '../texts/texts.ts';

export type TemplateKind = Model<'Template'>['kind'];

/** The names of templates. */
export const templateNames = defineTexts({
  en: () => import('../texts/en/template-names.ts'),
  de: () => import('../texts/de/template-names.ts'),
});

export const useTemplateNames = (): TemplateNames => useTexts(templateNames);

/** Returns the name of a kind of template. An unknown kind is returned as it is. */
export const templateName = ({ kinds }: TemplateNames, kind: string): string =>
  Object.hasOwn(kinds, kind) ? kinds[kind as TemplateKind] : kind;

/** Returns the id of a template's document: `tpl_` and the kind in lower case. */
export const templateId = (kind: TemplateKind): string => `tpl_${kind.toLowerCase()}`;

/** Returns the kind for a template's id. Another id is returned as it is. */
export const kindOfId = ({ kinds }: TemplateNames, id: string): string =>
  Object.keys(kinds).find((kind) => templateId(kind as TemplateKind) === id) ?? id;

/** Returns the name of the template with this id. */
export const templateOfId = (names: TemplateNames, id: string): string =>
  templateName(names, kindOfId(names, id));
