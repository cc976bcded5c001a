import type { ArticleFacts, FieldsFacts, ListFacts, PageFacts, ProductFacts, VariantFacts } from './facts.ts';
import { createFormName } from './forms.ts';
import { resolveUrl } from './links.ts';
import type { TreeNode } from './materialise.ts';
import { formatMoney, formatNumber } from './money.ts';
import {
  chosenVariant,
  createPagerQuery,
  optionGroups,
  resolveFilters,
  variantTitle,
} from './resolve-choices.ts';
import { noItem, picture } from './resolve-values.ts';
import type { Item, Option, ResolvedSpecials } from './resolved.ts';
import { shopWordsIn } from './shop-words.ts';
import { cleanText } from './text.ts';
import { elementTypes } from './vocabulary/elements.ts';
import { formatDate, getWords } from './words.ts';

/** Returns the parts of an element that only a product provides: its name, picture, price and variants. */
export function resolveProductParts(
  type: string,
  own: ResolvedSpecials,
  product: ProductFacts,
  facts: PageFacts,
): Partial<ResolvedSpecials> | undefined {
  const { place, language } = facts;
  const words = getWords(language);
  const name = cleanText(product.name);
  // On the product's own page there is no link to it.
  const href = own.href ?? (place?.productId === product.id ? undefined : resolveUrl(product.url));
  const chosen = chosenVariant(product, facts);
  switch (type) {
    case 'productTitle':
      return { text: name, href };
    case 'productImage': {
      const image = chosen?.image ?? product.image;
      const src = image ? picture(image) : own.src;
      return { src, alt: own.alt || src?.alt || name, href };
    }
    case 'price':
      return product.priceCents === null ? undefined : resolvePriceParts(product, chosen, own, facts);
    case 'productField':
      return resolveFieldParts(product.fields, own, facts);
    case 'productDescription':
      return { html: product.description ?? '' };
    case 'productGallery': {
      const first = chosen?.image;
      const others = (product.images ?? []).filter(({ url }) => url !== first?.url);
      const pictures = [...(first ? [first] : []), ...others].map(picture);
      return {
        items: pictures.map((src) => ({ ...noItem, src, alt: src.alt, text: name })),
        label: words.enlarge,
      };
    }
    case 'variantPicker': {
      const label = defaultText(type, 'label', own.label, words.choose);
      const soldOut = defaultText(type, 'soldOutText', own.soldOutText, words.soldOut);
      if (chosen && product.variants.length > 1)
        return { label, groups: optionGroups(product, chosen, soldOut, facts), productId: product.id };
      return { label, options: listVariantOptions(product, soldOut, facts), productId: product.id };
    }
    case 'quantityField':
      // A product that is sold out needs no quantity.
      return product.variants.some(({ stock }) => stock > 0)
        ? { label: defaultText(type, 'label', own.label, words.quantity), productId: product.id }
        : undefined;
    case 'addToCart': {
      const variant = chosen
        ? [chosen].find(({ stock }) => stock > 0)
        : product.variants.find(({ stock }) => stock > 0);
      const text = defaultText(type, 'text', own.text, words.addToCart);
      const soldOutText = defaultText(type, 'soldOutText', own.soldOutText, words.soldOut);
      const sale = { productId: product.id, value: variant?.id ?? '', href: resolveUrl(place?.cart), text };
      return variant ? sale : { ...sale, text: soldOutText || text, label: '' };
    }
    default:
      return undefined;
  }
}

/**
 * Returns an element's text. If it is the vocabulary's default, which is English, returns the word in the page's
 * language.
 */
const defaultText = (type: string, field: string, text: string, word: string): string =>
  text === elementTypes[type]!.specials[field]!.default ? word : text;

/**
 * Returns the price of the chosen variant, else the lowest price, with its reference price and its price per unit of
 * measure.
 */
function resolvePriceParts(
  { variants, priceCents }: ProductFacts,
  chosen: VariantFacts | undefined,
  { fromText, soldOutText }: ResolvedSpecials,
  { currency, language, comparesLowest = false }: PageFacts,
): Partial<ResolvedSpecials> {
  const money = (cents: number) => formatMoney(cents, currency, language);
  const from = defaultText('price', 'fromText', fromText, getWords(language).from);
  const isLowest = !chosen && variants.some((variant) => variant.priceCents !== priceCents);
  const isSoldOut = soldOutText !== '' && !(chosen ? [chosen] : variants).some(({ stock }) => stock > 0);
  const priced = chosen ?? variants.find((variant) => variant.priceCents === priceCents);
  const cents = priced?.priceCents ?? priceCents!;
  const former = comparesLowest ? priced?.lowestPriceCents30Days : priced?.compareAtCents;
  const words = shopWordsIn(language);
  const isCompared = former != null && former > cents;
  const { unit, unitPriceCents } = priced ?? {};
  const measure = unit && (unit.measure === 'piece' ? words.piece : unit.measure.replace('m2', 'm²'));
  const amount = unit && (unit.perAmount === 1 ? measure : `${unit.perAmount} ${measure}`);
  return {
    text: `${isLowest && from ? `${from} ` : ''}${money(cents)}${isSoldOut ? ` · ${soldOutText}` : ''}`,
    ...(isCompared && {
      formerText: money(former),
      formerLabel: comparesLowest ? words.lowestBefore : words.before,
    }),
    ...(amount && unitPriceCents != null && { unitText: `${money(unitPriceCents)} / ${amount}` }),
  };
}

/** Returns the parts of an element that only an article provides. */
export function resolveArticleParts(
  type: string,
  own: ResolvedSpecials,
  article: ArticleFacts,
  facts: PageFacts,
): Partial<ResolvedSpecials> | undefined {
  const { language, place } = facts;
  // On the article's own page there is no link to it.
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
    case 'articleField':
      return resolveFieldParts(article.fields, own, facts);
    case 'articleBody':
      return { html: article.body ?? '' };
    default:
      return undefined;
  }
}

/** Returns the links to the pages before and after the shown page of a list. */
export function resolvePagerParts({ page, pages }: ListFacts, facts: PageFacts): Partial<ResolvedSpecials> {
  const words = getWords(facts.language);
  const query = createPagerQuery(facts);
  const item = (text: string, number: number): Item | undefined =>
    number >= 1 && number <= pages
      ? { ...noItem, text, href: { url: `?${query}page=${number}`, newTab: false } }
      : undefined;
  return { label: words.pages, previous: item(words.previous, page - 1), next: item(words.next, page + 1) };
}

/** Returns where a form posts to, and the values of a field that is shown again. */
export function resolveFormParts(
  { type, path }: TreeNode,
  { name, value, options }: ResolvedSpecials,
  { place, sent, language }: PageFacts,
): Partial<ResolvedSpecials> | undefined {
  if (type === 'form') {
    if (!place?.forms) return undefined;
    const words = getWords(language);
    const { before, after } = place.forms;
    const formName = createFormName(path);
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

/** Returns the parts of an element that depend on the page's place in the store. */
export function resolvePlaceParts(
  type: string,
  own: ResolvedSpecials,
  facts: PageFacts,
): Partial<ResolvedSpecials> | undefined {
  const { place, language } = facts;
  const { category } = place ?? {};
  const words = getWords(language);
  switch (type) {
    case 'productFilters':
      return resolveFilters(own, facts);
    case 'categoryTitle':
      return category && { text: cleanText(category.name) };
    case 'categoryDescription':
      return category && { html: category.description };
    case 'categoryImage': {
      const src = category?.image ? picture(category.image) : own.src;
      return { src, alt: own.alt || src?.alt || cleanText(category?.name ?? '') };
    }
    case 'categoryList':
      return {
        label: own.label || shopWordsIn(language).categories,
        items: (category?.children ?? []).map(({ text, url }) => ({
          ...noItem,
          text: cleanText(text),
          href: resolveUrl(url),
        })),
      };
    case 'categoryField':
      return resolveFieldParts(place?.categoryFields, own, facts);
    case 'menu':
      return { label: own.label || words.menu, closeText: words.close };
    case 'gallery':
      return { label: words.enlarge };
    case 'languageSwitch':
      return { label: own.label || words.language };
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

/** Returns a custom field's value in the page's language; nothing for a key without a value. */
function resolveFieldParts(
  fields: FieldsFacts = {},
  { key }: ResolvedSpecials,
  { language, media, products }: PageFacts,
): Partial<ResolvedSpecials> | undefined {
  const field = Object.hasOwn(fields, key) ? fields[key] : undefined;
  if (!field) return undefined;
  const { type, value } = field;
  const words = getWords(language);
  const text = (Array.isArray(value) ? value : [value]).map((each) => cleanText(String(each))).join(', ');
  switch (type) {
    case 'richText':
      return { html: String(value) };
    case 'boolean':
      return { text: value === true ? words.yes : words.no };
    case 'integer':
    case 'decimal':
      return { text: formatNumber(Number(value), language) };
    case 'date':
      return { text: formatDate(`${value}T`, language), timestamp: text };
    case 'instant':
      return { text: formatDate(text, language), timestamp: text };
    case 'url':
      return { text, href: resolveUrl(text) };
    case 'media': {
      const found = media.get(text);
      return found && { src: picture(found), alt: found.alt ?? '' };
    }
    case 'product': {
      const product = products.get(text);
      return product && { text: cleanText(product.name), href: resolveUrl(product.url) };
    }
    default:
      return { text };
  }
}

/** Returns the variants to choose from; none for a product with a single variant. */
function listVariantOptions(
  product: ProductFacts,
  soldOut: string,
  { currency, language }: PageFacts,
): Option[] {
  const { name, variants } = product;
  if (variants.length < 2) return [];
  return variants.map((variant) => {
    const title = variantTitle(product, variant) || cleanText(name);
    const parts = [title, formatMoney(variant.priceCents, currency, language)];
    if (variant.stock <= 0 && soldOut) parts.push(soldOut);
    return { value: variant.id, label: parts.join(' · '), disabled: variant.stock <= 0 };
  });
}
