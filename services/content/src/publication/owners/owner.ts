import { idPrefixes } from '@waybill/contracts';
import { type TemplateKind, templateId, templateKinds } from './template-kinds.ts';

/** The owner of a document. Its live page, its history and the translations of its texts are stored under `id`. */
export type DocumentOwner =
  | { kind: 'page' | 'article' | 'section'; id: string }
  | { kind: 'template'; id: string; template: TemplateKind }
  /** The page at a store's address until its merchant has made one. */
  | { kind: 'front'; id: typeof frontId };

export const frontId = 'front';

const kinds = { page: idPrefixes.page, article: idPrefixes.article, section: idPrefixes.section } as const;

/**
 * Returns the owner that an id names. Only this function derives a kind from an id, because live pages, histories and
 * translations are stored by it.
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
