import type { Model } from '@waybill/sdk';
import type { TemplateNames } from '../texts/en/template-names.ts';
import { defineTexts, useTexts } from '../texts/texts.ts';

export type TemplateKind = Model<'Template'>['kind'];

/** What templates are called, wherever they are named. */
export const templateNames = defineTexts<TemplateNames>({
  en: () => import('../texts/en/template-names.ts'),
  de: () => import('../texts/de/template-names.ts'),
});

export const useTemplateNames = (): TemplateNames => useTexts(templateNames);

/** A template's name, of the kind that the API names it by; what is none as it is. */
export const templateName = ({ kinds }: TemplateNames, kind: string): string =>
  Object.hasOwn(kinds, kind) ? kinds[kind as TemplateKind] : kind;

/** The id that a template's document has: `tpl_` and its kind in lower case. */
export const templateId = (kind: TemplateKind): string => `tpl_${kind.toLowerCase()}`;

/** The kind of the template that has this id; what is no template's as it is. */
export const kindOfId = ({ kinds }: TemplateNames, id: string): string =>
  Object.keys(kinds).find((kind) => templateId(kind as TemplateKind) === id) ?? id;

/** The name of the template that has this id. */
export const templateOfId = (names: TemplateNames, id: string): string =>
  templateName(names, kindOfId(names, id));
