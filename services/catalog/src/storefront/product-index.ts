import type { CustomFieldValues } from '@waybill/contracts';
import type { PriceRange, ProductFilters } from './filters.ts';
import { isWithinMistakes, maxMistakes, splitWords } from './words.ts';

/** The indexed properties of an active product. */
export interface IndexedProduct {
  id: string;
  updatedAt: number;
  number: number;
  nameKey: string;
  name: string;
  description: string;
  vendor: string;
  tags: readonly string[];
  priceCents: number | null;
  createdAt: number;
  variants: readonly {
    sku: string | null;
    barcode: string | null;
    priceCents: number;
    isAvailable: boolean;
    options: Readonly<Record<string, string>>;
  }[];
  /**
   * The custom-field values of the product and of its variants that shoppers filter by, by the ids of their
   * definitions.
   */
  values: CustomFieldValues;
  variantValues: readonly CustomFieldValues[];
}

/** A custom field of products or variants that shoppers filter by. */
export interface ShopField {
  /** The name that filters use. */
  key: string;
  name: string;
  ids: readonly string[];
}

export type Facet =
  | { key: string; name: string; values: { value: string; count: number }[]; truncated?: true }
  | { key: 'price'; name: string; min: number; max: number };

export interface ProductSearch {
  /** The words of the search, as `splitWords` returns them. */
  words: readonly string[];
  filters: ProductFilters;
  /** Restricts the search to these products; the numbers are their positions. */
  members?: ReadonlyMap<string, number>;
  withFacets: boolean;
}

/** A found product with the values that lists sort by. */
export interface FoundProduct
  extends Pick<IndexedProduct, 'id' | 'number' | 'nameKey' | 'priceCents' | 'createdAt'> {
  /** Lower is better; 0 if the search has no words. */
  rank: number;
  position: number;
}

/** Number of fields that are searched, from best to worst. Misspelt words match in all of them except descriptions. */
const fieldCount = 5;
const [nameField, codeField, vendorField, tagField, descriptionField] = [0, 1, 2, 3, 4];
/** A barcode ranks like an SKU, but must match without mistakes. */
const barcodeBit = 1 << fieldCount;
/** A posting holds a product's ordinal and, in this many low bits, the fields that contain the word. */
const postingBits = fieldCount + 1;
const postingStep = 1 << postingBits;
const mistakenFields = (1 << nameField!) | (1 << codeField!) | (1 << vendorField!) | (1 << tagField!);
/** Maximum number of values of a facet. It keeps those with the most products. */
export const maxFacetValues = 500;

/** An indexed product. Numbers stand for values that many products share. */
interface Entry {
  found: FoundProduct;
  updatedAt: number;
  vendorTerm: number;
  tagTerms: readonly number[];
  fieldTerms: readonly number[];
  /** The next three arrays have one element per variant. */
  prices: readonly number[];
  available: readonly boolean[];
  optionTerms: readonly (readonly number[])[];
  /** Number of words whose postings include the product. */
  words: number;
  /** Approximate size in bytes. */
  bytes: number;
}

/** Approximate bytes of each part, derived from Node's memory use with a catalogue of 100,000 products. */
const bytes = { entry: 560, character: 2, variant: 64, option: 8, posting: 11, word: 130, term: 180 };

/**
 * An in-memory index of a store's active products. It finds products by words and filters, and counts them for other
 * choices of filters. A changed product gets a new entry; words that no product has any more stay until the index is
 * rebuilt.
 */
export class ProductIndex {
  readonly #entries: (Entry | null)[] = [];
  readonly #ordinals = new Map<string, number>();
  readonly #words = new Map<string, number[]>();
  /** All words in order, except those added since the last sorting. */
  #sorted: string[] = [];
  /** The letters of each sorted word, as bits. */
  #letters = new Int32Array(0);
  #recent: string[] = [];
  /** The fields with their current names. */
  fields: readonly ShopField[];
  readonly #fieldKeys: ReadonlyMap<string, string>;
  readonly #terms = new Map<string, number>();
  readonly #termValues: { key: string; value: string }[] = [];
  /** Number of postings of present products, and of removed ones. */
  #live = 0;
  #dead = 0;
  /** Approximate bytes of entries, words and terms. */
  #bytes = 0;

  constructor(fields: readonly ShopField[] = []) {
    this.fields = fields;
    this.#fieldKeys = new Map(fields.flatMap(({ key, ids }) => ids.map((id) => [id, key])));
  }

  /** Returns the ids of the definitions whose values are indexed. */
  get fieldIds(): readonly string[] {
    return [...this.#fieldKeys.keys()];
  }

  /** Whether the index contains the values of exactly these fields. */
  hasFields(fields: readonly ShopField[]): boolean {
    const ids = fields.flatMap((field) => field.ids);
    return ids.length === this.#fieldKeys.size && ids.every((id) => this.#fieldKeys.has(id));
  }

  get size(): number {
    return this.#ordinals.size;
  }
  /** Approximate size in bytes, including the remains of replaced products. */
  get weight(): number {
    return this.#bytes + this.#entries.length * 8 + (this.#live + this.#dead) * bytes.posting;
  }
  /** Whether the remains of replaced products are so large that the index should be rebuilt. */
  get isWorn(): boolean {
    const removed = this.#entries.length - this.size;
    return (removed > 10_000 && removed > this.size) || (this.#dead > 100_000 && this.#dead > this.#live);
  }

  /** Returns when an indexed product was changed, or undefined if the product is not in the index. */
  updatedAt(id: string): number | undefined {
    const ordinal = this.#ordinals.get(id);
    return ordinal === undefined ? undefined : this.#entries[ordinal]!.updatedAt;
  }

  ids(): Iterable<string> {
    return this.#ordinals.keys();
  }

  remove(id: string): void {
    const ordinal = this.#ordinals.get(id);
    if (ordinal === undefined) return;
    const { words, bytes } = this.#entries[ordinal]!;
    this.#bytes -= bytes;
    this.#live -= words;
    this.#dead += words;
    this.#entries[ordinal] = null;
    this.#ordinals.delete(id);
  }

  put(product: IndexedProduct): void {
    this.remove(product.id);
    const ordinal = this.#entries.length;
    const fields = new Map<string, number>();
    const add = (text: string, bits: number) => {
      for (const word of splitWords(text)) fields.set(word, (fields.get(word) ?? 0) | bits);
    };
    add(product.name, 1 << nameField!);
    for (const { sku, barcode } of product.variants) {
      if (sku) add(sku, 1 << codeField!);
      if (barcode) add(barcode, barcodeBit);
    }
    add(product.vendor, 1 << vendorField!);
    for (const tag of product.tags) add(tag, 1 << tagField!);
    add(extractText(product.description), 1 << descriptionField!);
    for (const [word, bits] of fields) this.#getPostings(word).push(ordinal * postingStep + bits);
    const { id, number, nameKey, priceCents, createdAt, vendor, tags, variants } = product;
    const entry: Entry = {
      found: { id, number, nameKey, priceCents, createdAt, rank: 0, position: 0 },
      updatedAt: product.updatedAt,
      vendorTerm: vendor === '' ? -1 : this.#addTerm('vendor', vendor),
      tagTerms: [...new Set(tags)].map((tag) => this.#addTerm('tag', tag)),
      fieldTerms: this.#fieldTerms(product),
      prices: variants.map((variant) => variant.priceCents),
      available: variants.map((variant) => variant.isAvailable),
      optionTerms: variants.map(({ options }) =>
        Object.entries(options).map(([name, value]) => this.#addTerm(`option.${name}`, value)),
      ),
      words: fields.size,
      bytes: 0,
    };
    entry.bytes = measureEntry(entry);
    this.#entries.push(entry);
    this.#ordinals.set(product.id, ordinal);
    this.#live += entry.words;
    this.#bytes += entry.bytes;
  }

  #getPostings(word: string): number[] {
    const known = this.#words.get(word);
    if (known) return known;
    const postings: number[] = [];
    this.#words.set(word, postings);
    this.#recent.push(word);
    this.#bytes += bytes.word + word.length * bytes.character;
    return postings;
  }

  /** Returns the values of custom fields of a product and its variants, each once. */
  #fieldTerms({ values, variantValues }: IndexedProduct): number[] {
    const terms = new Set<number>();
    for (const all of [values, ...variantValues])
      for (const [id, value] of Object.entries(all)) {
        const key = this.#fieldKeys.get(id);
        if (key === undefined) continue;
        for (const each of Array.isArray(value) ? value : [value])
          if (each !== '') terms.add(this.#addTerm(`field.${key}`, String(each)));
      }
    return [...terms];
  }

  #addTerm(key: string, value: string): number {
    const name = `${key}\0${value}`;
    const known = this.#terms.get(name);
    if (known !== undefined) return known;
    this.#termValues.push({ key, value });
    this.#bytes += bytes.term + 2 * name.length * bytes.character;
    this.#terms.set(name, this.#termValues.length - 1);
    return this.#termValues.length - 1;
  }

  /** Finds products, in no particular order, and counts the products that other choices of filters would find. */
  find({ words, filters, members, withFacets }: ProductSearch): { found: FoundProduct[]; facets: Facet[] } {
    const ranks = words.length > 0 ? this.#rankAll(words) : null;
    // Filters by fields that shoppers cannot filter by are ignored.
    const fields = filters.fields.filter(({ name }) => this.fields.some(({ key }) => key === name));
    const test = new FilterTest({ ...filters, fields }, (key, value) => this.#terms.get(`${key}\0${value}`));
    const counts = withFacets ? new FacetCounts(this.#termValues, test) : null;
    const found: FoundProduct[] = [];
    const visit = (ordinal: number, position: number) => {
      const entry = this.#entries[ordinal];
      const rank = ranks ? ranks[ordinal]! : 0;
      if (!entry || rank === notFound) return;
      const failures = test.findFailures(entry);
      counts?.add(entry, failures);
      if (!test.isMet(failures)) return;
      found.push(rank === 0 && position === 0 ? entry.found : { ...entry.found, rank, position });
    };
    if (members) {
      for (const [id, position] of members) {
        const ordinal = this.#ordinals.get(id);
        if (ordinal !== undefined) visit(ordinal, position);
      }
    } else for (let ordinal = 0; ordinal < this.#entries.length; ordinal++) visit(ordinal, 0);
    return { found, facets: counts?.facets(this.fields) ?? [] };
  }

  /** Ranks how well each product matches all words; `notFound` if a word is missing. */
  #rankAll(words: readonly string[]): Int32Array {
    const total = new Int32Array(this.#entries.length);
    const best = new Int32Array(this.#entries.length);
    for (const word of new Set(words)) {
      best.fill(notFound);
      const addMatch = (found: string, quality: number, allowed: number) => {
        const postings = this.#words.get(found)!;
        for (const posting of postings) {
          const bits = posting & (postingStep - 1) & allowed;
          if (bits === 0) continue;
          const ordinal = posting >> postingBits;
          const rank = quality * qualityStep + getHighestField(bits);
          if (rank < best[ordinal]!) best[ordinal] = rank;
        }
      };
      const anyPosition = -1;
      for (const found of this.#startingWith(word)) addMatch(found, found === word ? 0 : 1, anyPosition);
      for (const found of this.#nearTo(word)) addMatch(found, 2, mistakenFields);
      for (let i = 0; i < total.length; i++)
        total[i] = total[i] === notFound || best[i] === notFound ? notFound : total[i]! + best[i]!;
    }
    return total;
  }

  #startingWith(start: string): string[] {
    this.#sortWords();
    const found = this.#recent.filter((word) => word.startsWith(start));
    let [low, high] = [0, this.#sorted.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.#sorted[middle]! < start) low = middle + 1;
      else high = middle;
    }
    for (let at = low; at < this.#sorted.length && this.#sorted[at]!.startsWith(start); at++)
      found.push(this.#sorted[at]!);
    return found;
  }

  #nearTo(word: string): string[] {
    const limit = maxMistakes(word);
    if (limit === 0) return [];
    const letters = toLetterBits(word);
    const isCandidate = (other: string, otherLetters: number) =>
      // One mistake changes the set of letters by at most two.
      bitsIn(otherLetters ^ letters) <= 2 * limit &&
      Math.abs(other.length - word.length) <= 2 * limit &&
      other !== word &&
      isWithinMistakes(word, other, limit);
    return [
      ...this.#sorted.filter((other, i) => isCandidate(other, this.#letters[i]!)),
      ...this.#recent.filter((other) => isCandidate(other, toLetterBits(other))),
    ];
  }

  #sortWords(): void {
    if (this.#recent.length < 2_000) return;
    this.#sorted = [...this.#sorted, ...this.#recent].sort();
    this.#letters = Int32Array.from(this.#sorted, toLetterBits);
    this.#recent = [];
  }
}

function measureEntry({ found, tagTerms, fieldTerms, optionTerms }: Entry): number {
  let total =
    bytes.entry +
    found.nameKey.length * bytes.character +
    (tagTerms.length + fieldTerms.length) * bytes.option;
  for (const terms of optionTerms) total += bytes.variant + terms.length * bytes.option;
  return total;
}

/** Returns the text of HTML without tags. */
function extractText(html: string): string {
  const [before = '', ...parts] = html.split('<');
  return [before, ...parts.map((part) => part.slice(part.indexOf('>') + 1))].join(' ');
}

const notFound = 0x3fff_ffff;
/** The quality of a match outweighs the field, over all words together. */
const qualityStep = 10_000;

function getHighestField(bits: number): number {
  const all = bits & barcodeBit ? bits | (1 << codeField!) : bits;
  return 31 - Math.clz32(all & -all);
}

/** Returns the letters of a word as bits. */
function toLetterBits(word: string): number {
  let letters = 0;
  for (let i = 0; i < word.length; i++) letters |= 1 << (word.charCodeAt(i) & 31);
  return letters;
}

function bitsIn(bits: number): number {
  let count = 0;
  for (let rest = bits; rest !== 0; rest &= rest - 1) count++;
  return count;
}

const [vendorFails, tagFails, priceFails, availabilityFails] = [1, 2, 4, 8];
const firstOptionFails = 16;
/** For products, each custom field has one bit from here on. */
const firstFieldFails = 16;

/** The filters that a product and each of its variants fail, as bits. Valid until the next product is tested. */
interface Failures {
  product: number;
  variants: readonly number[];
}

/** Tests products against filters, whose values are translated to terms of the index. */
class FilterTest {
  /** Bit of each option, by the key of its facet. */
  readonly optionBits: ReadonlyMap<string, number>;
  readonly hasVariantFilters: boolean;
  readonly #vendors: ReadonlySet<number> | null;
  readonly #tags: ReadonlySet<number> | null;
  /** Bit of each custom field, by the key of its facet. */
  readonly fieldBits: ReadonlyMap<string, number>;
  readonly #fields: readonly { bit: number; terms: ReadonlySet<number> }[];
  readonly #options: readonly { bit: number; terms: ReadonlySet<number> }[];
  readonly #prices: readonly PriceRange[];
  readonly #isAvailable: boolean;
  /** Reused for all products, to avoid many allocations. */
  readonly #variants: number[] = [];

  constructor(
    { vendors, tags, options, prices, isAvailable, fields }: ProductFilters,
    findTerm: (key: string, value: string) => number | undefined,
  ) {
    const findTerms = (key: string, values: readonly string[]) =>
      new Set(values.flatMap((value) => findTerm(key, value) ?? []));
    this.#vendors = vendors.length > 0 ? findTerms('vendor', vendors) : null;
    this.#tags = tags.length > 0 ? findTerms('tag', tags) : null;
    const keys = options.map(({ name, values }, i) => ({
      key: `option.${name}`,
      values,
      bit: firstOptionFails << i,
    }));
    const fieldKeys = fields.map(({ name, values }, i) => ({
      key: `field.${name}`,
      values,
      bit: firstFieldFails << i,
    }));
    this.#fields = fieldKeys.map(({ key, values, bit }) => ({ bit, terms: findTerms(key, values) }));
    this.fieldBits = new Map(fieldKeys.map(({ key, bit }) => [key, bit]));
    this.#options = keys.map(({ key, values, bit }) => ({ bit, terms: findTerms(key, values) }));
    this.optionBits = new Map(keys.map(({ key, bit }) => [key, bit]));
    this.#prices = prices;
    this.#isAvailable = isAvailable;
    this.hasVariantFilters = options.length + prices.length > 0 || isAvailable;
  }

  findFailures(entry: Entry): Failures {
    let product = 0;
    if (this.#vendors && !this.#vendors.has(entry.vendorTerm)) product |= vendorFails!;
    if (this.#tags && !entry.tagTerms.some((term) => this.#tags!.has(term))) product |= tagFails!;
    for (const { bit, terms } of this.#fields)
      if (!entry.fieldTerms.some((term) => terms.has(term))) product |= bit;
    const { prices, available, optionTerms } = entry;
    this.#variants.length = prices.length;
    for (let i = 0; i < prices.length; i++) {
      let failed = 0;
      if (this.#isAvailable && !available[i]) failed |= availabilityFails!;
      if (this.#prices.length > 0 && !this.#prices.some((range) => isWithinRange(prices[i]!, range)))
        failed |= priceFails!;
      for (const { bit, terms } of this.#options)
        if (!optionTerms[i]!.some((term) => terms.has(term))) failed |= bit;
      this.#variants[i] = failed;
    }
    return { product, variants: this.#variants };
  }

  isMet({ product, variants }: Failures): boolean {
    return product === 0 && this.hasVariant(variants);
  }

  /** Whether a single variant meets all variant filters at once. */
  hasVariant(variants: readonly number[]): boolean {
    return !this.hasVariantFilters || variants.includes(0);
  }
}

const isWithinRange = (price: number, { min, max }: PriceRange): boolean =>
  (min === null || price >= min) && (max === null || price <= max);

/**
 * Counts, for each value, the products that a search would find with only this value chosen in its filter and all other
 * filters unchanged.
 */
class FacetCounts {
  readonly #termValues: readonly { key: string; value: string }[];
  readonly #test: FilterTest;
  /** Number of products, by term. */
  readonly #counts: Int32Array;
  /** Bit of the filter of an option or a custom field, by term; 0 if there is none. */
  readonly #bits: Int32Array;
  /** The last counted product, by term. */
  readonly #last: Int32Array;
  #product = 0;
  #available = 0;
  #min = Number.POSITIVE_INFINITY;
  #max = Number.NEGATIVE_INFINITY;

  constructor(termValues: readonly { key: string; value: string }[], test: FilterTest) {
    this.#termValues = termValues;
    this.#test = test;
    this.#counts = new Int32Array(termValues.length);
    this.#last = new Int32Array(termValues.length);
    this.#bits = Int32Array.from(
      termValues,
      ({ key }) => test.optionBits.get(key) ?? test.fieldBits.get(key) ?? 0,
    );
  }

  add(
    { vendorTerm, tagTerms, fieldTerms, prices, available, optionTerms }: Entry,
    { product, variants }: Failures,
  ): void {
    this.#product++;
    const hasVariant = this.#test.hasVariant(variants);
    if (hasVariant && (product & ~vendorFails!) === 0 && vendorTerm >= 0) this.#count(vendorTerm);
    if (hasVariant && (product & ~tagFails!) === 0) for (const term of tagTerms) this.#count(term);
    if (hasVariant)
      for (const term of fieldTerms) if (product === 0 || product === this.#bits[term]) this.#count(term);
    if (product !== 0) return;
    let isAvailable = false;
    for (let i = 0; i < prices.length; i++) {
      const failed = variants[i]!;
      if ((failed & ~priceFails!) === 0) {
        this.#min = Math.min(this.#min, prices[i]!);
        this.#max = Math.max(this.#max, prices[i]!);
      }
      isAvailable ||= available[i]! && (failed & ~availabilityFails!) === 0;
      // A variant that fails more than one filter counts in no facet.
      for (const term of optionTerms[i]!) if (failed === 0 || failed === this.#bits[term]) this.#count(term);
    }
    if (isAvailable) this.#available++;
  }

  /** Counts a value at most once per product. */
  #count(term: number): void {
    if (this.#last[term] === this.#product) return;
    this.#last[term] = this.#product;
    this.#counts[term]!++;
  }

  facets(fields: readonly ShopField[]): Facet[] {
    const byKey = new Map<string, { value: string; count: number }[]>();
    for (const [term, count] of this.#counts.entries()) {
      if (count === 0) continue;
      const { key, value } = this.#termValues[term]!;
      const values = byKey.get(key) ?? [];
      if (values.length === 0) byKey.set(key, values);
      values.push({ value, count });
    }
    const createFacet = (key: string, name: string): Facet[] => {
      const all = byKey.get(key);
      if (!all) return [];
      const values = all
        .sort((one, other) => other.count - one.count || (one.value < other.value ? -1 : 1))
        .slice(0, maxFacetValues);
      return [{ key, name, values, ...(values.length < all.length && { truncated: true as const }) }];
    };
    const options = [...byKey.keys()].filter((key) => key.startsWith('option.')).sort();
    return [
      ...options.flatMap((key) => createFacet(key, key.slice('option.'.length))),
      ...fields.flatMap(({ key, name }) => createFacet(`field.${key}`, name)),
      ...createFacet('vendor', 'Vendor'),
      ...createFacet('tag', 'Tag'),
      ...(this.#available > 0
        ? [{ key: 'available', name: 'Available', values: [{ value: 'true', count: this.#available }] }]
        : []),
      ...(this.#min <= this.#max
        ? [{ key: 'price' as const, name: 'Price', min: this.#min, max: this.#max }]
        : []),
    ];
  }
}
