import {
  checkDocument,
  limits,
  type PageDocument,
  references,
  tolerateDocument,
  type Vocabulary,
  withOwnKeys,
} from '@waybill/page';
import { applyToTree } from './changes.ts';
import type { Clip, ClipContent } from './clipboard.ts';
import { remove, replace, withFreshIds } from './commands.ts';
import { convertHtml, convertText, type HtmlNode } from './foreign-html.ts';
import { createNodeId, createTree, toDocument } from './tree.ts';

export { convertTextToBlocks, convertToBlocks } from './foreign-html.ts';

/** A note for the person who pastes: something is unavailable here, was left out or was converted. */
export interface PasteNote {
  /**
   * `media`, `products`, `pages`: belong to another store and show nothing here. `blocks`: belong to apps that are not
   * installed; kept. `sections`: belong to another store; left out. `detached`: sections replaced by their content.
   * `images`: left out because their address cannot be shown. `cut`: the content exceeded the size of a page.
   */
  readonly kind: 'media' | 'products' | 'pages' | 'blocks' | 'sections' | 'detached' | 'images' | 'cut';
  readonly ids: readonly string[];
}

export interface Pasted {
  /** Each has its own ids and is valid on its own; empty if there is nothing to paste. */
  readonly fragments: readonly PageDocument[];
  readonly notes: readonly PasteNote[];
}

export interface PasteContext {
  readonly vocabulary: Vocabulary;
  readonly storeId: string;
  /** Returns the body of HTML, parsed without running any of it. */
  parse(html: string): HtmlNode;
  /** Whether a block exists and can be shown. */
  hasBlock?(appId: string, blockKey: string): boolean;
  /** Whether an external picture may be shown by its URL; by default those with https may. */
  allowsMedia?(url: string): boolean;
  /** The section that is being edited, which cannot contain itself. */
  readonly withinSection?: string;
}

/** Clipboard texts longer than this are not read. */
const maxLength = 4 * limits.bytes;

/** Converts a clipboard to elements: from Waybill's own copy if there is one, else from HTML, else from plain text. */
export function convertClip(clip: Partial<Clip>, context: PasteContext): Pasted {
  const html = clip.html && clip.html.length <= maxLength ? context.parse(clip.html) : undefined;
  for (const json of [clip.json, html && findEmbeddedJson(html)]) {
    const content = json && json.length <= maxLength ? parseContent(json, context.vocabulary) : undefined;
    if (content) return convertOwnContent(content, context);
  }
  const foreign = html && convertHtml(html, context);
  return foreign && foreign.fragments.length > 0 ? foreign : convertText(clip.text ?? '', context);
}

/** Returns an image element for a picture of the store's library. */
export function createPictureFragment(mediaId: string): PageDocument {
  const id = createNodeId();
  return { rootId: id, nodes: [{ id, type: 'image', props: { specials: { src: mediaId } } }] };
}

/**
 * Returns the copy embedded in the HTML, for browsers that drop our own type, for example when copying between two of
 * them.
 */
function findEmbeddedJson(body: HtmlNode): string | undefined {
  for (const child of body.childNodes) {
    const json = child.getAttribute?.('data-waybill');
    if (json) return json;
  }
  return undefined;
}

/** Parses a copy as far as it is valid here, because anybody can fill a clipboard. */
function parseContent(json: string, vocabulary: Vocabulary): ClipContent | undefined {
  let value: unknown;
  try {
    value = JSON.parse(json);
  } catch {
    return undefined;
  }
  const { waybill, storeId, fragments, sections } = (value ?? {}) as Record<string, unknown>;
  if (waybill !== 1 || !Array.isArray(fragments)) return undefined;
  const validate = (value: unknown): PageDocument[] => {
    const document = withOwnKeys(vocabulary, tolerateDocument(value));
    return checkDocument(vocabulary, document).length === 0 ? [document] : [];
  };
  const validFragments = fragments.slice(0, limits.nodes).flatMap(validate);
  if (validFragments.length === 0) return undefined;
  const sectionEntries = typeof sections === 'object' && sections !== null ? Object.entries(sections) : [];
  return {
    waybill: 1,
    storeId: String(storeId),
    fragments: validFragments,
    sections: Object.fromEntries(
      sectionEntries.flatMap(([id, each]) => validate(each).map((section) => [id, section])),
    ),
  };
}

function convertOwnContent({ storeId, fragments, sections }: ClipContent, context: PasteContext): Pasted {
  const isForeign = storeId !== context.storeId;
  const notes = new Map<PasteNote['kind'], Set<string>>();
  const note = (kind: PasteNote['kind'], id: string) => {
    notes.set(kind, (notes.get(kind) ?? new Set()).add(id));
  };

  /**
   * Removes references without a target here, because a missing section would make the server refuse the whole
   * document.
   */
  function fitFragment(document: PageDocument, holders: readonly string[]): PageDocument | undefined {
    let tree = createTree(withFreshIds(document));
    for (const { id, type, props } of [...tree.nodes.values()]) {
      if (type !== 'sectionRef') continue;
      const sectionId = String(props?.specials?.sectionId);
      if (!isForeign && sectionId !== context.withinSection) continue;
      const content =
        isForeign && !holders.includes(sectionId) && Object.hasOwn(sections, sectionId)
          ? fitFragment(sections[sectionId]!, [...holders, sectionId])
          : undefined;
      note(content ? 'detached' : 'sections', sectionId);
      if (id === tree.rootId) return content;
      tree = applyToTree(tree, content ? replace(tree, id, content) : remove(tree, [id]));
      if (tree.nodes.size > limits.nodes) break;
    }
    return toDocument(tree);
  }

  const kept = fragments
    .flatMap((fragment) => fitFragment(fragment, []) ?? [])
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
