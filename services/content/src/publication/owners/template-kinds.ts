import { errors } from '../../errors.ts';

/** The kinds of templates: `decisions.md 17.2`. */
export const templateKinds = [
  'header',
  'footer',
  'product',
  'category',
  'article',
  'blog',
  'search',
  'notFound',
] as const;
export type TemplateKind = (typeof templateKinds)[number];

/**
 * Returns the id under which a template's document is live, has a history and is translated, as pages are under theirs.
 */
export const templateId = (kind: TemplateKind): string => `tpl_${kind.toLowerCase()}`;

/**
 * Returns the kind that an address names.
 * @throws not_found
 */
export function parseTemplateKind({ kind }: { kind: string }): TemplateKind {
  const found = templateKinds.find((each) => each === kind);
  if (!found) throw errors.not_found({ message: 'This kind of template does not exist.' });
  return found;
}
