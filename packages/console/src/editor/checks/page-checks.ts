import {
  type DocumentSources,
  type Json,
  limits,
  materialiseDocument,
  type PageDocument,
  type ResolvedNode,
  resolve,
  type Theme,
  type TreeNode,
  toFacts,
  tolerateDocument,
} from '@waybill/page';
import { Contrasts } from './contrast.ts';

/** A problem for visitors of a page, with the details for its message. */
export interface CheckedProblem {
  readonly code:
    | 'missingAlt'
    | 'emptyLink'
    | 'deadButton'
    | 'deadLink'
    | 'deadAnchor'
    | 'sameAnchor'
    | 'noMainHeading'
    | 'manyMainHeadings'
    | 'skippedHeading'
    | 'contrast'
    | 'missingLabel'
    | 'noSubmit'
    | 'missingTitle'
    | 'goneProduct'
    | 'longTitle'
    | 'longDescription';
  /**
   * The node to select: one of the document's, such as the reference to the block or section with the problem. Null
   * means the page.
   */
  readonly id: string | null;
  /** Pointer below the node; missing for a problem inside a reference. */
  readonly pointer?: string;
  /** `bad` means that some visitors cannot use it. */
  readonly tone: 'bad' | 'warn';
  /** Details for the message: a text, levels, a ratio. */
  readonly detail: Readonly<Record<string, string | number>>;
}

/** Facts about the page besides its document. */
export interface CheckedPage {
  /**
   * Whether it is only a part of pages: main headings and anchors are then not checked, because only a whole page has
   * them.
   */
  readonly isPart?: boolean;
  readonly title?: string | null;
  readonly description?: string | null;
  /** Colours of the store's theme; by default those of the base style sheet. */
  readonly colors?: Theme['colors'];
}

/** Search engines cut longer texts. */
const titleLength = 60;
const descriptionLength = 160;

/**
 * Returns the problems that would keep visitors from reading or using a page, in the order of the page, at most a
 * hundred: violations of WCAG 2.2 that can be seen in the document, and dead links.
 */
export function checkPage(
  document: PageDocument,
  sources: DocumentSources,
  { isPart = false, title, description, colors }: CheckedPage = {},
): CheckedProblem[] {
  const own = tolerateDocument(document);
  const tree = materialiseDocument(own, sources);
  const checker = new Checker(isPart, colors);
  if (tree) checker.check(tree, resolve(tree, toFacts(sources)));
  const { problems } = checker;
  if ((title ?? '').length > titleLength)
    problems.push({ ...ofPage, code: 'longTitle', detail: { most: titleLength } });
  if ((description ?? '').length > descriptionLength)
    problems.push({ ...ofPage, code: 'longDescription', detail: { most: descriptionLength } });
  return problems.slice(0, limits.problems);
}

const ofPage = { id: null, tone: 'warn' } as const;

interface CheckedNode {
  readonly node: TreeNode;
  readonly shown: ResolvedNode;
}

class Checker {
  readonly problems: CheckedProblem[] = [];
  readonly #isPart: boolean;
  readonly #contrasts: Contrasts;
  readonly #headings: { checked: CheckedNode; level: number; text: string }[] = [];
  readonly #anchors = new Map<string, CheckedNode>();
  readonly #anchorLinks: { checked: CheckedNode; anchorId: string; path: string }[] = [];

  constructor(isPart: boolean, colors: Theme['colors'] | undefined) {
    this.#contrasts = new Contrasts(colors);
    this.#isPart = isPart;
  }

  check(node: TreeNode, shown: ResolvedNode): void {
    this.#visit({ node, shown }, []);
    this.#checkHeadings();
    for (const { checked, anchorId, path } of this.#anchorLinks) {
      if (!this.#isPart && !this.#anchors.has(anchorId))
        this.#report('deadAnchor', checked, path, { anchorId });
    }
  }

  #report(
    code: CheckedProblem['code'],
    { node }: CheckedNode,
    path: string | undefined,
    detail: CheckedProblem['detail'] = {},
    tone: CheckedProblem['tone'] = 'bad',
  ): void {
    const [first, ...inner] = node.path.split('/');
    const id = first!.replaceAll('~1', '/').replaceAll('~0', '~');
    const pointer = inner.length === 0 && path !== undefined ? { pointer: path } : {};
    this.problems.push({ id, ...pointer, code, tone, detail });
  }

  /** Checks a node; `ancestorTypes` lists the surrounding types that matter to its content. */
  #visit(checked: CheckedNode, ancestorTypes: readonly string[], isBesideName = false): void {
    const { node, shown } = checked;
    if (shown.isGone) {
      this.#report('goneProduct', checked, '/props/specials/productId', {}, 'warn');
      return;
    }
    if (isHidden(shown)) return;
    const contrast = this.#contrasts.enter(shown);
    this.#checkAnchor(checked);
    this.#checkElement(checked, ancestorTypes, isBesideName);
    if (contrast) this.#report('contrast', checked, '/props/style/base/color', contrast);
    const inner = [...ancestorTypes, shown.type];
    const { text, ariaLabel } = shown.specials;
    // A picture beside the words of its link, such as a logo, says nothing that they do not.
    const isNamed = isBesideName || (shown.type === 'link' && (text !== '' || ariaLabel !== ''));
    for (const [i, child] of node.children.entries()) {
      // The first copy of a list stands for all; there may be none.
      const one = shown.children[i];
      if (one) this.#visit({ node: child, shown: one }, inner, isNamed);
    }
    this.#contrasts.leave();
  }

  #checkAnchor(checked: CheckedNode): void {
    const { anchorId } = checked.shown.specials;
    if (anchorId === '') return;
    if (this.#anchors.has(anchorId))
      this.#report('sameAnchor', checked, '/props/specials/anchorId', { anchorId });
    else this.#anchors.set(anchorId, checked);
  }

  #checkElement(checked: CheckedNode, ancestorTypes: readonly string[], isBesideName: boolean): void {
    const { node, shown } = checked;
    const { specials } = shown;
    switch (shown.type) {
      case 'heading':
      case 'productTitle':
        if (specials.text !== '')
          this.#headings.push({ checked, level: specials.level || 2, text: specials.text });
        break;
      case 'richText':
        this.#checkRichText(checked, node.specials.doc, '/props/specials/doc');
        break;
      case 'image':
      case 'productImage':
        if (specials.src && specials.alt === '' && specials.src.alt === '' && !isBesideName)
          this.#report('missingAlt', checked, '/props/specials/alt');
        break;
      case 'gallery':
        for (const [i, { src, alt, text }] of specials.items.entries())
          if (src && !alt && !text && !src.alt)
            this.#report('missingAlt', checked, `/props/specials/items/${i}/alt`);
        break;
      case 'video':
        if (specials.src && specials.title === '' && specials.ariaLabel === '')
          this.#report('missingTitle', checked, '/props/specials/title');
        break;
      case 'button':
        if (specials.text === '' && specials.label === '' && specials.ariaLabel === '') {
          if (specials.icon !== '') this.#report('emptyLink', checked, '/props/specials/text');
        } else if (!node.specials.href && !ancestorTypes.includes('form') && !shown.island)
          this.#report(
            'deadButton',
            checked,
            '/props/specials/href',
            { text: accessibleName(shown) },
            'warn',
          );
        break;
      case 'link':
        if (
          shown.children.length + specials.text.length + specials.label.length > 0 &&
          accessibleName(shown) === ''
        )
          this.#report('emptyLink', checked, '/props/specials/text');
        break;
      case 'field':
      case 'select':
      case 'checkbox':
      case 'variantPicker':
        // The label was set to nothing; an element without a setting has a default label.
        if (specials.label.trim() === '' && specials.ariaLabel === '')
          this.#report('missingLabel', checked, '/props/specials/label');
        break;
      case 'form':
        if (!listDescendants(shown).some(isSubmit)) this.#report('noSubmit', checked, undefined, {}, 'warn');
        break;
      default:
        break;
    }
    this.#checkLinks(checked);
  }

  /** Checks the link of an element and those of its items. */
  #checkLinks(checked: CheckedNode): void {
    const { node, shown } = checked;
    const { href, items } = shown.specials;
    this.#checkLink(checked, node.specials.href, href !== undefined, '/props/specials/href');
    for (const [i, item] of toList(node.specials.items).entries())
      this.#checkLink(checked, toObject(item).href, !!items[i]?.href, `/props/specials/items/${i}/href`);
  }

  /** Reports a link that is set but leads nowhere: its page is not live or is gone. */
  #checkLink(checked: CheckedNode, value: Json | undefined, hasTarget: boolean, path: string): void {
    const link = toObject(value);
    const anchorId =
      typeof value === 'string' && value.startsWith('#')
        ? value.slice(1)
        : link.type === 'anchor' && link.anchorId;
    if (typeof anchorId === 'string' && anchorId !== '') this.#anchorLinks.push({ checked, anchorId, path });
    const isSet = typeof value === 'string' ? value !== '' : link.type !== undefined;
    if (isSet && !hasTarget) this.#report('deadLink', checked, path, { text: accessibleName(checked.shown) });
  }

  /** Checks headings and links of rich text; the authored tree is walked beside the resolved one. */
  #checkRichText(checked: CheckedNode, doc: Json | undefined, path: string): void {
    const visit = (authored: Json | undefined, shown: ResolvedNode['specials']['doc']): void => {
      if (!shown) return;
      if (shown.type === 'heading') {
        const text = shown.content.map((each) => each.text).join('');
        if (text.trim() !== '') this.#headings.push({ checked, level: shown.level, text });
      }
      const { marks, content } = toObject(authored);
      for (const mark of toList(marks)) {
        const { type, attrs } = toObject(mark);
        if (type !== 'link') continue;
        const hasTarget = shown.marks.some((each) => each.href !== undefined);
        this.#checkLink(
          {
            ...checked,
            shown: { ...checked.shown, specials: { ...checked.shown.specials, text: shown.text } },
          },
          toObject(attrs).href,
          hasTarget,
          path,
        );
      }
      for (const [i, child] of toList(content).entries()) visit(child, shown.content[i]);
    };
    visit(doc, checked.shown.specials.doc);
  }

  /** Checks for one main heading and no skipped levels, because screen reader users navigate by headings. */
  #checkHeadings(): void {
    const [first] = this.#headings;
    const mainHeadings = this.#headings.filter(({ level }) => level === 1);
    const path = '/props/specials/level';
    if (!this.#isPart && first && mainHeadings.length === 0)
      this.#report('noMainHeading', first.checked, path, { text: first.text });
    for (const { checked, text } of mainHeadings.slice(1))
      this.#report('manyMainHeadings', checked, path, { text });
    let before = first?.level ?? 0;
    for (const { checked, level, text } of this.#headings) {
      if (level > before + 1) this.#report('skippedHeading', checked, path, { text, level, before }, 'warn');
      before = level;
    }
  }
}

/** Whether a node is hidden at every width. */
function isHidden({ config, style }: ResolvedNode): boolean {
  const isAlways = (values: ResolvedNode['style'], key: string, expected: Json) =>
    values.base?.[key] === expected &&
    [values.tablet?.[key], values.mobile?.[key]].every((each) => each === undefined || each === expected);
  return isAlways(config, 'hidden', true) || isAlways(style, 'display', 'none');
}

/** Returns the accessible name of a link or a button. */
function accessibleName(node: ResolvedNode): string {
  const { ariaLabel, label, text, alt, src, title, doc, items } = node.specials;
  const parts = [
    ariaLabel || label || text || alt || src?.alt || title,
    doc ? 'text' : '',
    ...items.map((item) => item.text || item.alt),
  ];
  return [...parts, ...node.children.map(accessibleName)].filter((each) => each.trim() !== '').join(' ');
}

function listDescendants(node: ResolvedNode): ResolvedNode[] {
  return node.children.flatMap((child) => [child, ...listDescendants(child)]);
}

const isSubmit = ({ type, specials, island }: ResolvedNode) =>
  (type === 'button' && !specials.href) || island !== undefined;

const toList = (value: Json | undefined): readonly Json[] => (Array.isArray(value) ? value : []);

function toObject(value: Json | undefined): Readonly<Record<string, Json | undefined>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
    ? (value as Readonly<Record<string, Json>>)
    : {};
}
