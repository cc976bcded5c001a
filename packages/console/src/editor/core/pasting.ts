import {
  checkDocument,
  limits,
  type PageDocument,
  references,
  tolerateDocument,
  type Vocabulary,
  withOwnKeys,
} from '@waybill/page';
import { applied } from './changes.ts';
import type { Clip, Content } from './clipboard.ts';
import { remove, renewed, replace } from './commands.ts';
import { elementsOf, elementsOfText, type HtmlNode } from './foreign-html.ts';
import { documentOf, freshId, treeOf } from './tree.ts';

export { blocksOf } from './foreign-html.ts';

/** What whoever pastes should know: what is not here, was left out or became something else. */
export interface PasteNote {
  /**
   * `media`, `products`, `pages`: of another store, and show nothing here. `blocks`: of apps that are not installed, kept
   * all the same. `sections`: of another store, left out; `detached`: put in as their content. `images`: left out, as
   * their address cannot be shown. `cut`: there was more than a page can take.
   */
  readonly kind: 'media' | 'products' | 'pages' | 'blocks' | 'sections' | 'detached' | 'images' | 'cut';
  readonly ids: readonly string[];
}

export interface Pasted {
  /** Each with ids of its own, valid by itself; none where there is nothing to paste. */
  readonly fragments: readonly PageDocument[];
  readonly notes: readonly PasteNote[];
}

export interface PasteContext {
  readonly vocabulary: Vocabulary;
  readonly storeId: string;
  /** The body of an HTML text, parsed without running anything of it. */
  parse(html: string): HtmlNode;
  /** Whether the block is there to be shown. */
  hasBlock?(appId: string, blockKey: string): boolean;
  /** Whether a picture from elsewhere may be shown by its URL; those with https, by default. */
  allowsMedia?(url: string): boolean;
  /** The section that is being edited: it cannot hold itself. */
  readonly withinSection?: string;
}

/** No text from a clipboard is read beyond this. */
const longest = 4 * limits.bytes;

/** What a clipboard holds, as elements: a copy of ours first, else HTML of any program, else plain text. */
export function pasted(clip: Partial<Clip>, context: PasteContext): Pasted {
  const html = clip.html && clip.html.length <= longest ? context.parse(clip.html) : undefined;
  for (const json of [clip.json, html && attributeIn(html)]) {
    const content = json && json.length <= longest ? contentOf(json, context.vocabulary) : undefined;
    if (content) return ofOurs(content, context);
  }
  const foreign = html && elementsOf(html, context);
  return foreign && foreign.fragments.length > 0 ? foreign : elementsOfText(clip.text ?? '', context);
}

/** A picture of the store's library. */
export function picture(mediaId: string): PageDocument {
  const id = freshId();
  return { rootId: id, nodes: [{ id, type: 'image', props: { specials: { src: mediaId } } }] };
}

/** Where a browser leaves our own type out, as between two of them, the HTML carries it. */
function attributeIn(body: HtmlNode): string | undefined {
  for (const child of body.childNodes) {
    const json = child.getAttribute?.('data-waybill');
    if (json) return json;
  }
  return undefined;
}

/** What the text says, as far as it is valid here: a clipboard can be filled by anybody. */
function contentOf(json: string, vocabulary: Vocabulary): Content | undefined {
  let value: unknown;
  try {
    value = JSON.parse(json);
  } catch {
    return undefined;
  }
  const { waybill, storeId, fragments, sections } = (value ?? {}) as Record<string, unknown>;
  if (waybill !== 1 || !Array.isArray(fragments)) return undefined;
  const valid = (some: unknown): PageDocument[] => {
    const document = withOwnKeys(vocabulary, tolerateDocument(some));
    return checkDocument(vocabulary, document).length === 0 ? [document] : [];
  };
  const kept = fragments.slice(0, limits.nodes).flatMap(valid);
  if (kept.length === 0) return undefined;
  const known = typeof sections === 'object' && sections !== null ? Object.entries(sections) : [];
  return {
    waybill: 1,
    storeId: String(storeId),
    fragments: kept,
    sections: Object.fromEntries(known.flatMap(([id, each]) => valid(each).map((section) => [id, section]))),
  };
}

function ofOurs({ storeId, fragments, sections }: Content, context: PasteContext): Pasted {
  const isForeign = storeId !== context.storeId;
  const notes = new Map<PasteNote['kind'], Set<string>>();
  const note = (kind: PasteNote['kind'], id: string) => {
    notes.set(kind, (notes.get(kind) ?? new Set()).add(id));
  };

  /** Without references that lead nowhere here: a section that is not there is refused with the whole document. */
  function fitted(document: PageDocument, holders: readonly string[]): PageDocument | undefined {
    let tree = treeOf(renewed(document));
    for (const { id, type, props } of [...tree.nodes.values()]) {
      if (type !== 'sectionRef') continue;
      const sectionId = String(props?.specials?.sectionId);
      if (!isForeign && sectionId !== context.withinSection) continue;
      const content =
        isForeign && !holders.includes(sectionId) && Object.hasOwn(sections, sectionId)
          ? fitted(sections[sectionId]!, [...holders, sectionId])
          : undefined;
      note(content ? 'detached' : 'sections', sectionId);
      if (id === tree.rootId) return content;
      tree = applied(tree, content ? replace(tree, id, content) : remove(tree, [id]));
      if (tree.nodes.size > limits.nodes) break;
    }
    return documentOf(tree);
  }

  const kept = fragments
    .flatMap((fragment) => fitted(fragment, []) ?? [])
    .filter((fragment) => {
      const isValid = checkDocument(context.vocabulary, fragment).length === 0;
      if (!isValid) note('cut', fragment.rootId);
      return isValid;
    });
  for (const fragment of kept) {
    const { blocks, mediaIds, productIds, pageIds } = references(fragment);
    for (const [name, { appId, blockKey }] of blocks)
      if (context.hasBlock?.(appId, blockKey) === false) note('blocks', name);
    if (!isForeign) continue;
    for (const id of mediaIds) note('media', id);
    for (const id of productIds) note('products', id);
    for (const id of pageIds) note('pages', id);
  }
  return { fragments: kept, notes: [...notes].map(([kind, ids]) => ({ kind, ids: [...ids] })) };
}
