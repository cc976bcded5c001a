import { escapeAttribute, type PageDocument, references } from '@waybill/page';
import { htmlOf, textOf } from './clipboard-html.ts';
import { fragmentOf } from './commands.ts';
import { outermost, type Tree } from './tree.ts';

/** The clipboard type of a complete copy; other programs take the HTML or the text. */
export const clipboardType = 'application/x-waybill+json';

export interface Clip {
  readonly html: string;
  readonly text: string;
  readonly json: string;
}

/** The content of Waybill's own clipboard type. */
export interface Content {
  readonly waybill: 1;
  readonly storeId: string;
  readonly fragments: readonly PageDocument[];
  /** The global sections in the fragments, by id, so that another store can paste their content. */
  readonly sections: Readonly<Record<string, PageDocument>>;
}

/** Copies nodes: complete for Waybill, and by their visible content for other programs. */
export function copied(
  tree: Tree,
  ids: readonly string[],
  { storeId, sections = {} }: Partial<Pick<Content, 'sections'>> & Pick<Content, 'storeId'>,
): Clip {
  const fragments = outermost(tree, ids).map((id) => fragmentOf(tree, id));
  const json = JSON.stringify({ waybill: 1, storeId, fragments, sections: heldBy(fragments, sections) });
  const html = `<div data-waybill="${escapeAttribute(json)}">${fragments.map(htmlOf).join('')}</div>`;
  return { html, text: fragments.map(textOf).filter(Boolean).join('\n\n'), json };
}

function heldBy(
  fragments: readonly PageDocument[],
  sections: Readonly<Record<string, PageDocument>>,
): Record<string, PageDocument> {
  const held = new Map<string, PageDocument>();
  const open = [...fragments];
  for (let next = open.pop(); next; next = open.pop()) {
    for (const id of references(next).sectionIds) {
      const section = Object.hasOwn(sections, id) ? sections[id] : undefined;
      if (!section || held.has(id)) continue;
      held.set(id, section);
      open.push(section);
    }
  }
  return Object.fromEntries(held);
}
