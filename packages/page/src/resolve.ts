import { canonicalJson } from './canonical-json.ts';
import { isOfType } from './check/values.ts';
import type { ArticleFacts, ListFacts, MediaFacts, PageFacts, ProductFacts } from './facts.ts';
import { formNameOf } from './forms.ts';
import { resolveLink, resolveUrl } from './links.ts';
import { listKey, listQueryOf } from './lists.ts';
import type { TreeNode } from './materialise.ts';
import { breakpoints, type Json, limits, type PerBreakpoint } from './model.ts';
import { formatMoney } from './money.ts';
import { ownAsset } from './own-media.ts';
import type { Item, Option, Picture, ResolvedNode, ResolvedRichText, ResolvedSpecials } from './resolved.ts';
import type { RichText } from './rich-text.ts';
import { cleanText } from './text.ts';
import { safeMediaUrl } from './url.ts';
import { elementTypes } from './vocabulary/elements.ts';
import { formatDate, wordsIn } from './words.ts';

type Values = Readonly<Record<string, Json | undefined>>;

/**
 * A materialised page with everything that it refers to put in: texts in the page's locale, links and media as
 * URLs, products as text, app values in the fields bound to them. A value that is missing leaves the authored one;
 * a product element whose product is missing is marked as gone.
 */
export function resolve(tree: TreeNode, facts: PageFacts): ResolvedNode {
  const { productId = '', articleId = '' } = facts.place ?? {};
  const around = { product: facts.products.get(productId), article: facts.articles?.get(articleId) };
  return resolveNode(tree, facts, around, { nodes: limits.materialisedNodes });
}

/** What a node stands in. */
interface Around {
  readonly product: ProductFacts | undefined;
  readonly article: ArticleFacts | undefined;
  /** In a list's copy: what paths begin with in place of that many characters. */
  readonly copy?: { readonly cut: number; readonly under: string };
}

/** How many nodes the page may still get: lists make copies of what they hold. */
interface Left {
  nodes: number;
}

function resolveNode(node: TreeNode, facts: PageFacts, around: Around, left: Left): ResolvedNode {
  left.nodes--;
  const { productId } = node.specials;
  const product = typeof productId === 'string' ? facts.products.get(productId) : around.product;
  const authored = withDefaults(node);
  const bound = withBindings(node, authored, facts, typeof productId === 'string' ? productId : product?.id);
  const own = resolveSpecials(node, bound, facts);
  const { copy, article } = around;
  const path = copy ? `${copy.under}/${node.path.slice(copy.cut)}` : node.path;
  const list = listOf(node, facts, copy !== undefined);
  const parts =
    (product && productParts(node.type, own, product, facts)) ??
    (article && articleParts(node.type, own, article, facts)) ??
    (list && pagerParts(list, facts)) ??
    formParts(node, own, facts) ??
    placeParts(node.type, own, facts);
  const isGone = node.type === 'product' && typeof productId === 'string' && !product;
  const resolved: ResolvedNode = {
    path,
    ...(copy && { original: node.path }),
    type: node.type,
    style: resolveStyle(node.style, facts),
    config: node.config,
    specials: parts ? { ...own, ...parts } : own,
    children: list
      ? copiesOf(node, path, list, facts, { ...around, product }, left)
      : node.children.map((child) => resolveNode(child, facts, { ...around, product }, left)),
    ...(isGone && { isGone }),
  };
  if (node.island === undefined) return resolved;
  const props = canonicalJson({ ...definedOnly(bound), ...(product && { productId: product.id }) });
  return { ...resolved, island: { name: node.island, props } };
}

const emptyList: ListFacts = { ids: [], page: 1, pages: 1 };

/** What a list shows; of one in another, which only a reference can bring about, nothing. Undefined: it is no list. */
function listOf(node: TreeNode, facts: PageFacts, isCopy: boolean): ListFacts | undefined {
  const query = listQueryOf(node);
  if (!query) return undefined;
  return (isCopy ? undefined : facts.lists?.get(listKey(query))) ?? emptyList;
}

/** The one child of a list, once for each thing, bound to it, under paths of its own. */
function copiesOf(
  { type, path: original, children }: TreeNode,
  path: string,
  { ids }: ListFacts,
  facts: PageFacts,
  around: Around,
  left: Left,
): ResolvedNode[] {
  const [child] = children;
  if (!child) return [];
  const copies: ResolvedNode[] = [];
  const cut = original.lastIndexOf('/') + 1;
  for (const id of new Set(ids)) {
    const product = type === 'productList' ? facts.products.get(id) : around.product;
    const article = type === 'articleList' ? facts.articles?.get(id) : around.article;
    if (left.nodes <= 0 || (type === 'productList' ? !product : !article)) continue;
    copies.push(resolveNode(child, facts, { product, article, copy: { cut, under: `${path}/${id}` } }, left));
  }
  return copies;
}

function withDefaults({ type, specials }: TreeNode): Values {
  const values: Record<string, Json | undefined> = {};
  const own = elementTypes[type]?.specials ?? {};
  for (const name in own) {
    const special = own[name]!;
    const set = Object.hasOwn(specials, name) ? specials[name] : null;
    values[name] = set !== null && isOfType(special.type, set) ? set : special.default;
  }
  return values;
}

/** A product's own value comes before the site's; one that the field cannot take counts as missing. */
function withBindings(
  node: TreeNode,
  authored: Values,
  facts: PageFacts,
  productId: string | undefined,
): Values {
  if (node.bindings.length === 0) return authored;
  const result: Record<string, Json | undefined> = { ...authored };
  const element = elementTypes[node.type];
  for (const { appId, key, field } of node.bindings) {
    if (!element?.bindable.includes(field)) continue;
    const name = field.slice('specials.'.length);
    const value =
      (productId === undefined ? undefined : facts.appValue?.(appId, key, 'product', productId)) ??
      facts.appValue?.(appId, key, 'site', undefined);
    if (value === undefined) continue;
    const text = cleanText(value);
    if (isOfType(element.specials[name]!.type, text)) result[name] = text;
  }
  return result;
}

/** What only a product can say: its name, its picture, its price, its variants. */
function productParts(
  type: string,
  own: ResolvedSpecials,
  product: ProductFacts,
  facts: PageFacts,
): Partial<ResolvedSpecials> | undefined {
  const { place } = facts;
  const name = cleanText(product.name);
  // On its own page it leads nowhere.
  const href = own.href ?? (place?.productId === product.id ? undefined : resolveUrl(product.url));
  switch (type) {
    case 'productTitle':
      return { text: name, href };
    case 'productImage': {
      const src = product.image ? picture(product.image) : own.src;
      return { src, alt: own.alt || src?.alt || name, href };
    }
    case 'price':
      return product.priceCents === null ? undefined : { text: priceText(product, own, facts) };
    case 'productDescription':
      return { html: product.description ?? '' };
    case 'productGallery': {
      const pictures = (product.images ?? []).map(picture);
      return { items: pictures.map((src) => ({ ...noItem, src, alt: src.alt, text: name })) };
    }
    case 'variantPicker':
      return { options: variantOptions(product, own.soldOutText, facts), productId: product.id };
    case 'addToCart': {
      const variant = product.variants.find(({ stock }) => stock > 0);
      const sale = { productId: product.id, value: variant?.id ?? '', href: resolveUrl(place?.cart) };
      return variant ? sale : { ...sale, text: own.soldOutText || own.text, label: '' };
    }
    default:
      return undefined;
  }
}

function priceText(
  { variants, priceCents }: ProductFacts,
  { fromText, soldOutText }: ResolvedSpecials,
  { currency, language }: PageFacts,
): string {
  const text = formatMoney(priceCents!, currency, language);
  const isLowest = variants.some((variant) => variant.priceCents !== priceCents);
  const isSoldOut = soldOutText !== '' && !variants.some(({ stock }) => stock > 0);
  return `${isLowest && fromText ? `${fromText} ` : ''}${text}${isSoldOut ? ` · ${soldOutText}` : ''}`;
}

/** What only an article can say. */
function articleParts(
  type: string,
  own: ResolvedSpecials,
  article: ArticleFacts,
  { language, place }: PageFacts,
): Partial<ResolvedSpecials> | undefined {
  // On its own page it leads nowhere.
  const isHere = place?.articleId === article.id;
  const href = own.href ?? (isHere ? undefined : resolveUrl(article.url));
  switch (type) {
    case 'articleTitle':
      return { text: cleanText(article.title), href };
    case 'articleImage': {
      const src = article.image ? picture(article.image) : own.src;
      return { src, alt: own.alt || src?.alt || cleanText(article.title), href };
    }
    case 'articleExcerpt':
      return { text: cleanText(article.excerpt) };
    case 'articleDate':
      return { text: formatDate(article.publishedAt, language), timestamp: article.publishedAt };
    case 'articleBody':
      return { html: article.body ?? '' };
    default:
      return undefined;
  }
}

/** The links to the pages of a list that are beside the one shown. */
function pagerParts({ page, pages }: ListFacts, { language, place }: PageFacts): Partial<ResolvedSpecials> {
  const words = wordsIn(language);
  const query = place?.query === undefined ? '' : `q=${encodeURIComponent(cleanText(place.query))}&`;
  const item = (text: string, number: number): Item | undefined =>
    number >= 1 && number <= pages
      ? { ...noItem, text, href: { url: `?${query}page=${number}`, newTab: false } }
      : undefined;
  return { label: words.pages, previous: item(words.previous, page - 1), next: item(words.next, page + 1) };
}

/** Where a form posts to, and what stands in a field that is shown again. */
function formParts(
  { type, path }: TreeNode,
  { name, value, options }: ResolvedSpecials,
  { place, sent, language }: PageFacts,
): Partial<ResolvedSpecials> | undefined {
  if (type === 'form') {
    if (!place?.forms) return undefined;
    const words = wordsIn(language);
    const { before, after } = place.forms;
    const formName = formNameOf(path);
    const action = resolveUrl(`${before}${formName}${after}`)?.url ?? '';
    return { action, formName, text: words.formSent, label: words.leaveEmpty };
  }
  if (!sent || !['field', 'select', 'checkbox'].includes(type)) return undefined;
  const values = sent.values.get(name) ?? [];
  const problem = sent.problems.get(name) ?? '';
  switch (type) {
    case 'field':
      return { value: values[0] ?? '', problem };
    case 'select':
      return {
        options: options.map((option) => ({ ...option, selected: values.includes(option.value) })),
        problem,
      };
    default:
      return { checked: values.includes(value), problem };
  }
}

/** What only the page's place in the store says. */
function placeParts(
  type: string,
  own: ResolvedSpecials,
  { place, language }: PageFacts,
): Partial<ResolvedSpecials> | undefined {
  const words = wordsIn(language);
  switch (type) {
    case 'menu':
      return { label: own.label || words.menu };
    case 'breadcrumbs': {
      const trail = (place?.trail ?? []).map(({ text, url }) => ({
        ...noItem,
        text: cleanText(text),
        href: resolveUrl(url),
      }));
      return { items: trail, label: own.label || words.breadcrumbs };
    }
    case 'cartButton':
      return { text: own.text || words.cart, href: resolveUrl(place?.cart) };
    case 'searchField': {
      const label = own.label || words.search;
      return {
        label,
        text: own.text || words.search,
        value: cleanText(place?.query ?? ''),
        href: resolveUrl(place?.search),
      };
    }
    default:
      return undefined;
  }
}

/** A product with a single variant leaves nothing to choose. */
function variantOptions(
  { name, variants }: ProductFacts,
  soldOut: string,
  { currency, language }: PageFacts,
): Option[] {
  if (variants.length < 2) return [];
  return variants.map((variant) => {
    const parts = [cleanText(variant.name || name), formatMoney(variant.priceCents, currency, language)];
    if (variant.stock <= 0 && soldOut) parts.push(soldOut);
    return { value: variant.id, label: parts.join(' · '), disabled: variant.stock <= 0 };
  });
}

function resolveSpecials(node: TreeNode, values: Values, facts: PageFacts): ResolvedSpecials {
  const text = (name: string): string => localText(values[name], node, name, facts);
  const word = (name: string): string => (typeof values[name] === 'string' ? values[name] : '');
  return {
    text: text('text'),
    alt: text('alt'),
    title: text('title'),
    caption: text('caption'),
    label: text('label'),
    placeholder: text('placeholder'),
    ariaLabel: text('ariaLabel'),
    fromText: text('fromText'),
    soldOutText: text('soldOutText'),
    emptyText: text('emptyText'),
    html: '',
    timestamp: '',
    previous: undefined,
    next: undefined,
    value: cleanText(word('value')),
    action: '',
    formName: '',
    problem: '',
    doc: resolveDoc(values.doc as RichText | null | undefined, node, 'doc', facts),
    href: resolveLink(values.href, facts),
    src: resolvePicture(values.src, facts),
    poster: resolveFile(values.poster, facts),
    items: list(values.items).map((item, i) => resolveItem(item, node, i, facts)),
    options: list(values.options).map((option, i) => resolveOption(option, node, i, facts)),
    level: typeof values.level === 'number' ? values.level : 0,
    required: values.required === true,
    checked: values.checked === true,
    autoplay: values.autoplay === true,
    loop: values.loop === true,
    tag: word('tag'),
    name: word('name'),
    inputType: word('inputType'),
    provider: word('provider'),
    videoId: word('videoId'),
    anchorId: word('anchorId'),
    icon: word('icon'),
    variant: word('variant'),
    productId: word('productId'),
  };
}

function localText(value: Json | undefined, node: TreeNode, field: string, facts: PageFacts): string {
  if (typeof value !== 'string' || value === '') return '';
  return cleanText(facts.translate?.(node.entityId, field, value) ?? value);
}

function list(value: Json | undefined): readonly Json[] {
  return Array.isArray(value) ? value : [];
}

const noItem: Item = { text: '', href: undefined, src: undefined, alt: '', caption: '', items: [] };

function resolveItem(item: Json, node: TreeNode, i: number | string, facts: PageFacts): Item {
  const own: Values = typeof item === 'string' ? { text: item } : (item as Values);
  const text = (name: string) => localText(own[name], node, `items.${i}.${name}`, facts);
  return {
    text: text('text'),
    href: resolveLink(own.href, facts),
    src: resolvePicture(own.src, facts),
    alt: text('alt'),
    caption: text('caption'),
    items:
      typeof i === 'number'
        ? list(own.items).map((inner, j) => resolveItem(inner, node, `${i}.items.${j}`, facts))
        : [],
  };
}

function resolveOption(option: Json, node: TreeNode, i: number, facts: PageFacts): Option {
  const own: Values = typeof option === 'string' ? { label: option } : (option as Values);
  const value = typeof own.value === 'string' ? own.value : own.label;
  return {
    value: typeof value === 'string' ? cleanText(value) : '',
    label: localText(own.label, node, `options.${i}.label`, facts),
    disabled: false,
  };
}

function resolveDoc(
  doc: RichText | null | undefined,
  node: TreeNode,
  field: string,
  facts: PageFacts,
): ResolvedRichText | undefined {
  if (!doc) return undefined;
  // What a node has no use for, such as the marks of a line break, is not checked: it may be anything.
  const isText = doc.type === 'text';
  return {
    type: doc.type,
    text: isText ? localText(doc.text, node, field, facts) : '',
    level: doc.attrs?.level ?? 2,
    marks: (isText ? (doc.marks ?? []) : []).map(({ type, attrs }) => ({
      type,
      href: type === 'link' ? resolveLink(attrs?.href as Json | undefined, facts) : undefined,
    })),
    content: (isText ? [] : (doc.content ?? [])).map(
      (child, i) => resolveDoc(child, node, `${field}.${i}`, facts)!,
    ),
  };
}

/** A picture that is shown in the size that its place has: a URL of the store's own is the asset that it is of. */
function resolvePicture(value: Json | undefined, facts: PageFacts): Picture | undefined {
  const asset = typeof value === 'string' ? ownAsset(value, facts) : undefined;
  return asset ? picture(asset) : resolveFile(value, facts);
}

/** A file as it is: a URL says itself in which width it is wanted. */
function resolveFile(value: Json | undefined, facts: PageFacts): Picture | undefined {
  if (typeof value !== 'string' || value === '') return undefined;
  const known = facts.media.get(value);
  if (known) return picture(known);
  if (/^mda_[0-9a-z]+$/.test(value)) return undefined;
  const url = safeMediaUrl(cleanText(value));
  return url === undefined ? undefined : picture({ url });
}

function picture({ url, width, height, alt = '', focalPoint, sources = [] }: MediaFacts): Picture {
  return { url, width, height, alt: cleanText(alt), focalPoint, sources };
}

/** Only a background image can refer to something. */
function resolveStyle(style: PerBreakpoint, facts: PageFacts): PerBreakpoint {
  if (!breakpoints.some((at) => typeof style[at]?.backgroundImage === 'object')) return style;
  return Object.fromEntries(
    Object.entries(style).map(([breakpoint, values]) => {
      const image = values?.backgroundImage;
      if (typeof image !== 'object' || image === null || Array.isArray(image)) return [breakpoint, values];
      const { src } = image as { src?: Json };
      const url = resolveFile(src, facts)?.url;
      return [breakpoint, { ...values, backgroundImage: url === undefined ? null : { src: url } }];
    }),
  );
}

function definedOnly(values: Values): Record<string, Json> {
  return Object.fromEntries(
    Object.entries(values).filter(
      (entry): entry is [string, Json] => entry[1] !== null && entry[1] !== undefined,
    ),
  );
}
