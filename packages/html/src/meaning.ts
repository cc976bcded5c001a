import { createRequire } from 'node:module';
import { safeMediaUrl, safeUrl } from '@waybill/page/url';
import { allowedTags } from './elements.ts';
import { parseEmbed } from './embeds.ts';
import { createIds } from './ids.ts';
import { type Formatting, type Mark, parseFormatting } from './style.ts';
import { shallowTokenizer } from './tokenizer.ts';

// Loads the module as sanitize-html does: jest takes a module that is both imported and required for a cycle.
const { Parser } = createRequire(import.meta.url)('htmlparser2') as typeof import('htmlparser2');

/** A kind of removed content or active markup. */
export type Removal = 'script_removed' | 'embed_removed' | 'form_removed' | 'link_removed' | 'title_removed';
export type Removals = ReadonlyMap<Removal, number>;

type Attributes = Record<string, string>;

/**
 * Elements that are removed with their content, and the kind of removal that is reported. Style sheets are no content,
 * so they are not reported.
 */
const removedElements: Readonly<Record<string, Removal | null>> = {
  script: 'script_removed',
  style: null,
  // Reported by its text.
  title: null,
  iframe: 'embed_removed',
  noembed: 'embed_removed',
  noframes: 'embed_removed',
  textarea: 'form_removed',
  xmp: 'embed_removed',
  plaintext: 'embed_removed',
};

/** Elements that are removed while their text stays, and the kind of removal that is reported. */
const removedMarkup: Readonly<Record<string, Removal>> = {
  object: 'embed_removed',
  embed: 'embed_removed',
  applet: 'embed_removed',
  svg: 'embed_removed',
  math: 'embed_removed',
  video: 'embed_removed',
  audio: 'embed_removed',
  canvas: 'embed_removed',
  form: 'form_removed',
  input: 'form_removed',
  button: 'form_removed',
  select: 'form_removed',
  meta: 'script_removed',
  base: 'script_removed',
};

/** Blocks that stored texts never contain; their content is turned into paragraphs. */
export const unknownBlocks: readonly string[] = [
  'section',
  'header',
  'main',
  'article',
  'aside',
  'footer',
  'nav',
  'address',
  'hgroup',
  'center',
  'fieldset',
  'legend',
  'form',
  'dialog',
  'search',
];
const unknownBlockTags = new Set(unknownBlocks);

/** Elements that are replaced by another element of the same meaning. */
export const synonyms: Readonly<Record<string, string>> = {
  strike: 's',
  tt: 'code',
  acronym: 'abbr',
  menu: 'ul',
  dir: 'ul',
  image: 'img',
};

const marks: Readonly<Record<string, Mark>> = {
  b: 'bold',
  strong: 'bold',
  i: 'italic',
  em: 'italic',
  u: 'underline',
  s: 'strike',
  del: 'strike',
  sup: 'superscript',
  sub: 'subscript',
};
const tagOfMark: Readonly<Record<Mark, string>> = {
  bold: 'strong',
  italic: 'em',
  underline: 'u',
  strike: 's',
  superscript: 'sup',
  subscript: 'sub',
};

const blocks = new Set([
  ...unknownBlocks,
  ...'h1 h2 h3 h4 h5 h6 p div blockquote pre hr details summary ul ol li dl dt dd figure figcaption'.split(
    ' ',
  ),
  ...'table caption colgroup col thead tbody tfoot tr th td'.split(' '),
]);
/** Blocks that hold no text of their own, but other blocks. */
const listTags = new Set('ul ol dl table colgroup thead tbody tfoot tr'.split(' '));
/** Blocks that cannot contain paragraphs. */
const singleLineTags = new Set('p h1 h2 h3 h4 h5 h6 pre summary'.split(' '));
const headings = new Set('h1 h2 h3 h4 h5 h6'.split(' '));
const voidElements = new Set(['img', 'br', 'hr', 'col']);

/** Elements that are read but not written, because their styles may carry meaning. */
const omittedTags = new Set([...Object.keys(removedMarkup), 'font', 'big', 'label']);
const tokenizer = shallowTokenizer(
  new Set([...allowedTags, ...unknownBlocks, ...Object.keys(synonyms), ...omittedTags]),
);

/** A mark around text: from an element, or from a style that it replaces. */
interface MarkElement {
  mark: Mark;
  tag: string;
  attributes: Attributes;
}

interface Frame {
  /** The tag that is written; empty if none is. */
  tag: string;
  isBlock: boolean;
  /** Whether text in it needs a paragraph that is not open yet. */
  wantsParagraph: boolean;
  hasParagraph: boolean;
  isInLine: boolean;
  isLink: boolean;
  desired: readonly MarkElement[];
  /** The marks that are currently open in it. */
  open: MarkElement[];
  isEmbedBox: boolean;
}

/**
 * Rewrites HTML so that elements which the sanitiser keeps carry the meaning of its markup: paragraphs for unknown
 * blocks, elements for styles, ids for anchors and their links, embeds. Takes linear time. The result is not safe yet.
 */
// biome-ignore lint/complexity/noExcessiveLinesPerFunction: one pass, whose functions share its state
export function rewriteMeaning(html: string): { html: string; removals: Removals } {
  const removals = new Map<Removal, number>();
  const count = (removal: Removal) => removals.set(removal, (removals.get(removal) ?? 0) + 1);
  const { ids, restyles: hasStyles } = scanHtml(html);
  const result: string[] = [];
  const root: Frame = {
    tag: '',
    isBlock: true,
    wantsParagraph: false,
    hasParagraph: false,
    isInLine: false,
    isLink: false,
    desired: [],
    open: [],
    isEmbedBox: false,
  };
  const stack: Frame[] = [root];
  /** Depth inside an element that is removed with its content. */
  let skipDepth = 0;
  /** Whether the next text is that of a title, which is reported if it says anything. */
  let isTitle = false;

  const top = () => stack.at(-1)!;
  const startTag = (tag: string, attributes: Attributes) =>
    `<${tag}${Object.entries(attributes)
      .map(([name, value]) => ` ${name}="${escapeValue(value)}"`)
      .join('')}>`;

  function endLine(frame: Frame): void {
    closeMarks(frame);
    if (frame.hasParagraph) result.push('</p>');
    frame.hasParagraph = false;
  }
  function closeMarks(frame: Frame, keptCount = 0): void {
    while (frame.open.length > keptCount) result.push(`</${frame.open.pop()!.tag}>`);
  }
  /** Opens what text, or an element within a line, needs around it. */
  function startLine(withMarks: boolean): void {
    const frame = top();
    if (frame.wantsParagraph && !frame.hasParagraph) {
      result.push('<p>');
      frame.hasParagraph = true;
    }
    if (!withMarks) {
      closeMarks(frame);
      return;
    }
    const { desired, open } = frame;
    let commonCount = 0;
    while (commonCount < open.length && open[commonCount] === desired[commonCount]) commonCount++;
    closeMarks(frame, commonCount);
    for (const mark of desired.slice(commonCount)) {
      result.push(startTag(mark.tag, mark.attributes));
      open.push(mark);
    }
  }

  const parser = new Parser(
    {
      onopentag(written, originalAttributes, isImplied) {
        const name = synonyms[written] ?? written;
        for (const attribute of Object.keys(originalAttributes))
          if (/^on/i.test(attribute)) count('script_removed');
        if (skipDepth > 0) {
          skipDepth++;
          return;
        }
        const embed = name === 'iframe' ? parseEmbed(originalAttributes) : undefined;
        if (name in removedElements && !embed) {
          const removal = removedElements[name];
          if (removal) count(removal);
          isTitle = name === 'title';
          skipDepth = 1;
          return;
        }
        if (name in removedMarkup) count(removedMarkup[name]!);
        const parent = top();
        const attributes = ids.rewrite(name, filterAttributes(name, originalAttributes, count));
        const formatting =
          hasStyles && originalAttributes.style !== undefined
            ? parseFormatting(originalAttributes.style)
            : {};
        const isBlock = blocks.has(name);
        if (isBlock) endLine(parent);
        const desired = computeMarks(parent, { name, attributes, formatting, hasStyles });
        const isMark = hasStyles && name in marks;
        const isUnknownBlock = unknownBlockTags.has(name);
        const isPlainSpan = name === 'span' && hasStyles && Object.keys(attributes).length === 0;
        const frame: Frame = {
          // The end tag of a paragraph that was never opened creates no paragraph.
          tag: isImplied || isMark || isUnknownBlock || isPlainSpan || omittedTags.has(name) ? '' : name,
          isBlock,
          wantsParagraph: isUnknownBlock && !parent.isInLine && !listTags.has(parent.tag),
          hasParagraph: false,
          isInLine: parent.isInLine || singleLineTags.has(name) || (!isBlock && parent.wantsParagraph),
          isLink: parent.isLink || name === 'a',
          desired,
          open: [],
          isEmbedBox: (originalAttributes.class ?? '').split(/\s+/).includes('wb-embed'),
        };
        if (embed) {
          startLine(false);
          const box = parent.isInLine || parent.hasParagraph ? 'span' : 'div';
          const inner = `${startTag('iframe', embed)}</iframe>`;
          result.push(parent.isEmbedBox ? inner : `<${box} class="wb-embed">${inner}</${box}>`);
          skipDepth = 1;
          return;
        }
        if (frame.tag !== '') {
          if (!isBlock) startLine(!hasStyles || voidElements.has(name));
          result.push(startTag(name, attributes));
        } else if (isUnknownBlock && parent.isInLine) {
          result.push(' ');
        } else if (!isBlock) {
          // The element's text continues in the line of its parent.
          frame.wantsParagraph = parent.wantsParagraph;
          frame.hasParagraph = parent.hasParagraph;
          frame.isInLine = parent.isInLine;
          frame.open = parent.open;
        }
        if (voidElements.has(name)) return;
        stack.push(frame);
      },
      ontext(text) {
        if (isTitle && text.trim() !== '') {
          count('title_removed');
          isTitle = false;
        }
        if (skipDepth > 0 || text === '') return;
        const frame = top();
        const isBlank = /^\s+$/.test(text);
        if (isBlank && (listTags.has(frame.tag) || (frame.wantsParagraph && !frame.hasParagraph))) {
          result.push(text);
          return;
        }
        startLine(true);
        result.push(escapeText(text));
      },
      onclosetag(written) {
        if (skipDepth > 0) {
          skipDepth--;
          isTitle = false;
          return;
        }
        const name = synonyms[written] ?? written;
        if (voidElements.has(name) || stack.length === 1) return;
        const frame = stack.pop()!;
        const parent = top();
        if (frame.tag === '' && !frame.isBlock) {
          parent.hasParagraph = frame.hasParagraph;
          return;
        }
        endLine(frame);
        if (frame.tag !== '') result.push(`</${frame.tag}>`);
        else if (parent.isInLine) result.push(' ');
      },
    },
    { decodeEntities: true, Tokenizer: tokenizer },
  );
  parser.end(html);
  for (let frame = top(); frame; stack.pop(), frame = top()) endLine(frame);
  return { html: result.join(''), removals };
}

/**
 * Collects what the rewriting must know of the whole text in advance: its anchors, and whether any style formats text.
 */
function scanHtml(html: string) {
  const ids = createIds((name) => headings.has(name) || name === 'a');
  let hasStyles = false;
  const parser = new Parser(
    {
      onopentag(name, attributes) {
        // The content of these elements is not rewritten.
        if (name in removedElements) return;
        ids.record(synonyms[name] ?? name, attributes);
        if (attributes.style !== undefined && !hasStyles)
          hasStyles = Object.keys(parseFormatting(attributes.style)).length > 0;
      },
    },
    { decodeEntities: true, Tokenizer: tokenizer },
  );
  parser.end(html);
  return { ids: ids.createRewriter(), restyles: hasStyles };
}

/** Returns the attributes without `style`, event handlers and forbidden addresses. */
function filterAttributes(
  name: string,
  originalAttributes: Attributes,
  count: (removal: Removal) => void,
): Attributes {
  const attributes: Attributes = {};
  for (const [attribute, value] of Object.entries(originalAttributes)) {
    if (attribute === 'style' || /^on/i.test(attribute) || !/^[a-z][a-z0-9-]*$/i.test(attribute)) continue;
    if (attribute === 'href' && name === 'a' && safeUrl(value) === undefined) count('link_removed');
    else if (attribute === 'src' && name === 'img' && safeMediaUrl(value) === undefined)
      count('link_removed');
    else attributes[attribute] = value;
  }
  return attributes;
}

function computeMarks(
  { desired: inherited, isLink: isInLink }: Frame,
  element: { name: string; attributes: Attributes; formatting: Formatting; hasStyles: boolean },
): readonly MarkElement[] {
  const { name, attributes, formatting, hasStyles } = element;
  const isLink = isInLink || name === 'a';
  if (!hasStyles) return inherited;
  const ownMark = marks[name];
  let desired = inherited;
  if (ownMark && formatting[ownMark] !== false)
    desired = [...desired, { mark: ownMark, tag: name, attributes }];
  for (const [mark, isOn] of Object.entries(formatting) as [Mark, boolean][]) {
    const has = desired.some((each) => each.mark === mark);
    // An underline or strike-through of the parent cannot be switched off by a child, and links are underlined anyway.
    const isInherited = mark === 'underline' || mark === 'strike';
    if (isOn && !has && !(mark === 'underline' && isLink))
      desired = [...desired, { mark, tag: tagOfMark[mark], attributes: {} }];
    else if (!isOn && has && !isInherited) desired = desired.filter((each) => each.mark !== mark);
  }
  return desired.length > maxMarks ? inherited : desired;
}

/** Limit of nested marks; more of them carry no meaning. */
const maxMarks = 12;

const escapeText = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
const escapeValue = (value: string): string => escapeText(value).replaceAll('"', '&quot;');
