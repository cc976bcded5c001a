import { escapeAttribute, type PageDocument, references } from '@waybill/page';
import { toPlainHtml, toPlainText } from './clipboard-html.ts';
import { extractFragment } from './commands.ts';
import { outermostIds, type Tree } from './tree.ts';

/** The clipboard type of a complete copy; other programs take the HTML or the text. */
export const clipboardType = 'application/x-waybill+json';

export interface Clip {
  readonly html: string;
  readonly text: string;
  readonly json: string;
}

/** The content of Waybill's own clipboard type. */
export interface ClipContent {
  readonly waybill: 1;
  readonly storeId: string;
  readonly fragments: readonly PageDocument[];
  /** The global sections in the fragments, by id, so that another store can paste their content. */
  readonly sections: Readonly<Record<string, PageDocument>>;
}

/** Copies nodes: complete for Waybill, and by their visible content for other programs. */
export function createClip(
  tree: Tree,
  ids: readonly string[],
  { storeId, sections = {} }: Partial<Pick<ClipContent, 'sections'>> & Pick<ClipContent, 'storeId'>,
): Clip {
  const fragments = outermostIds(tree, ids).map((id) => extractFragment(tree, id));
  const json = JSON.stringify({
    waybill: 1,
    storeId,
    fragments,
    sections: collectSections(fragments, sections),
  });
  const html = `<div data-waybill="${escapeAttribute(json)}">${fragments.map(toPlainHtml).join('')}</div>`;
  return { html, text: fragments.map(toPlainText).filter(Boolean).join('\n\n'), json };
}

function collectSections(
  fragments: readonly PageDocument[],
  sections: Readonly<Record<string, PageDocument>>,
): Record<string, PageDocument> {
  const collected = new Map<string, PageDocument>();
  const pending = [...fragments];
  for (let next = pending.pop(); next; next = pending.pop()) {
    for (const id of references(next).sectionIds) {
      const section = Object.hasOwn(sections, id) ? sections[id] : undefined;
      if (!section || collected.has(id)) continue;
      collected.set(id, section);
      pending.push(section);
    }
  }
  return Object.fromEntries(collected);
}
