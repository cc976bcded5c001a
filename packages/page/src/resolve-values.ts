import { isOfType } from './check/values.ts';
import type { MediaFacts, PageFacts } from './facts.ts';
import { resolveLink } from './links.ts';
import type { TreeNode } from './materialise.ts';
import { breakpoints, type Json, type PerBreakpoint } from './model.ts';
import { findOwnAsset } from './own-media.ts';
import type { Item, Option, Picture, ResolvedRichText, ResolvedSpecials } from './resolved.ts';
import type { RichText } from './rich-text.ts';
import { cleanText } from './text.ts';
import { safeMediaUrl } from './url.ts';
import { elementTypes } from './vocabulary/elements.ts';

/** Values of a node's specials, by name. */
type Values = Readonly<Record<string, Json | undefined>>;

/** Returns the authored values, and the vocabulary's defaults for missing values and those of a wrong type. */
export function withDefaults({ type, specials }: TreeNode): Values {
  const values: Record<string, Json | undefined> = {};
  const own = elementTypes[type]?.specials ?? {};
  for (const name in own) {
    const special = own[name]!;
    const set = Object.hasOwn(specials, name) ? specials[name] : null;
    values[name] = set !== null && isOfType(special.type, set) ? set : special.default;
  }
  return values;
}

/**
 * Applies bindings. A product's own value takes precedence over the site's; a value that the field cannot take counts
 * as missing.
 */
export function withBindings(
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

/** Resolves a node's specials to plain values. */
export function resolveSpecials(node: TreeNode, values: Values, facts: PageFacts): ResolvedSpecials {
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
    closeText: '',
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
    groups: [],
    sorting: undefined,
    inputs: [],
    formerText: '',
    formerLabel: '',
    unitText: '',
    level: typeof values.level === 'number' ? values.level : 0,
    required: values.required === true,
    checked: values.checked === true,
    autoplay: values.autoplay === true,
    loop: values.loop === true,
    tag: word('tag'),
    name: word('name'),
    key: word('key'),
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

/** An empty item. */
export const noItem: Item = { text: '', href: undefined, src: undefined, alt: '', caption: '', items: [] };

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
  // Values that this kind of node does not use, such as the marks of a line break, are not checked and may be anything.
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

/** Resolves a picture that is shown at the size of its place: a URL of the store's own file becomes its asset. */
function resolvePicture(value: Json | undefined, facts: PageFacts): Picture | undefined {
  const asset = typeof value === 'string' ? findOwnAsset(value, facts) : undefined;
  return asset ? picture(asset) : resolveFile(value, facts);
}

/** Resolves a file as it is, because a URL itself names the wanted width. */
function resolveFile(value: Json | undefined, facts: PageFacts): Picture | undefined {
  if (typeof value !== 'string' || value === '') return undefined;
  const known = facts.media.get(value);
  if (known) return picture(known);
  if (/^mda_[0-9a-z]+$/.test(value)) return undefined;
  const url = safeMediaUrl(cleanText(value));
  return url === undefined ? undefined : picture({ url });
}

/** Converts a file of the store with all its known facts. */
export function picture({ url, width, height, alt = '', focalPoint, sources = [] }: MediaFacts): Picture {
  return { url, width, height, alt: cleanText(alt), focalPoint, sources };
}

/** Resolves the references of a style; only a background image can have one. */
export function resolveStyle(style: PerBreakpoint, facts: PageFacts): PerBreakpoint {
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

/** Removes null and missing values. */
export function definedOnly(values: Values): Record<string, Json> {
  return Object.fromEntries(
    Object.entries(values).filter(
      (entry): entry is [string, Json] => entry[1] !== null && entry[1] !== undefined,
    ),
  );
}
