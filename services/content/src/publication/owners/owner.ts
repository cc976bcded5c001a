import { idPrefixes } from '@waybill/contracts';
import { type TemplateKind, templateId, templateKinds } from './template-kinds.ts';

/** What a document belongs to. Its live page, its history and the translations of its texts stand under `id`. */
export type DocumentOwner =
  | { kind: 'page' | 'article' | 'section'; id: string }
  | { kind: 'template'; id: string; template: TemplateKind }
  /** The page that stands at a store's address until its merchant has made one. */
  | { kind: 'front'; id: typeof frontId };

export const frontId = 'front';

const kinds = { page: idPrefixes.page, article: idPrefixes.article, section: idPrefixes.section } as const;

/**
 * The owner that an id names: the one place that reads a kind from an id, since live pages, histories and translations are
 * stored by it.
 */
export function documentOwner(id: string): DocumentOwner {
  const template = templateKinds.find((each) => templateId(each) === id);
  if (template) return { kind: 'template', id, template };
  for (const kind of ['page', 'article', 'section'] as const) {
    if (id.startsWith(`${kinds[kind]}_`)) return { kind, id };
  }
  if (id === frontId) return { kind: 'front', id };
  throw new Error(`no document has an owner with the id ${id}`);
}
