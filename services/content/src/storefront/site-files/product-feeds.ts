import { Readable } from 'node:stream';
import { finished } from 'node:stream/promises';
import { type FeedItem, mediaPath } from '@waybill/contracts';
import { extractHtmlText } from '@waybill/html';
import { FairSemaphore } from '@waybill/kernel';
import { cleanText, decimalMoney, escapeText } from '@waybill/page';
import { LRUCache } from 'lru-cache';
import type { Context } from '../../config.ts';
import { errors } from '../../errors.ts';
import { comparesLowest } from '../../publication/rendering/price-comparison.ts';
import { productsSlug } from '../../publication/rendering/sources.ts';
import type { VisitedStore } from '../../publication/served-documents/queries.ts';
import { storeFacts } from '../../shared/stores/stores.ts';

/** The receiver of a product feed. */
export type FeedKind = 'google' | 'meta';

/** The facts that all items of a feed share. */
interface Shop {
  name: string;
  currency: string;
  /** Its absolute address, with a slash at the end. */
  site: string;
  storeId: string;
  /** Whether a former price means the lowest one of the 30 days before. */
  comparesLowest: boolean;
}

/** A variant, and the description of its product as plain text. */
type DescribedItem = FeedItem & { text: string };

/** How the file of a kind is written. */
interface Format {
  contentType: string;
  head(shop: Shop): string;
  item(item: DescribedItem, shop: Shop): string;
  tail: string;
}

/** Number of items in memory at the same time. */
const batchSize = 250;
/** Maximum number of characters of a cached file. Larger files are made for each request. */
const maxCachedFileLength = 4 * 1024 * 1024;
const cacheTtlMs = 15 * 60_000;
const maxCacheBytes = 32 * 1024 * 1024;
/**
 * A feed of many products takes many statements, so only a few are made at the same time, and a store leaves places to
 * others.
 */
const renderLimits = { concurrency: 4, maxWaiting: 20, maxPerKey: 2 };
/** Time limit for reading a larger file, which occupies its place until then. */
const maxReadMs = 5 * 60_000;

/** Makes the feeds of stores' products for Google and Meta, and keeps small ones in memory: `decisions.md 20.7`. */
export class ProductFeeds {
  readonly #context: Context;
  readonly #cache = new LRUCache<string, Buffer>({
    maxSize: maxCacheBytes,
    sizeCalculation: (file) => file.length + 1,
  });
  readonly #semaphore = new FairSemaphore(renderLimits);

  constructor(context: Context) {
    this.#context = context;
  }

  /**
   * Returns a store's product feed. `site` is the store's absolute address, with a slash at the end.
   * @throws not_found, resource_unavailable
   */
  async getFeed(
    kind: FeedKind,
    { id: storeId, productsRevision, factsRevision }: VisitedStore,
    site: string,
  ): Promise<{ body: Buffer | Readable; contentType: string }> {
    const format = formats[kind];
    const { contentType } = format;
    const facts = await storeFacts(this.#context, storeId);
    if (!facts) throw errors.not_found();
    const { name, currency } = facts;
    if (!this.#context.peers.has('catalog')) throw errors.resource_unavailable();
    const shop: Shop = {
      name,
      currency,
      site,
      storeId,
      comparesLowest: await comparesLowest(this.#context, storeId),
    };
    const key = JSON.stringify([kind, shop, productsRevision, factsRevision]);
    const known = this.#cache.get(key);
    if (known) return { body: known, contentType };
    const body = await this.#scheduleRender(storeId, async () => {
      // Another request may have made the file while this one waited.
      const file = this.#cache.get(key) ?? (await renderFile(readFeed(this.#context, shop, format)));
      if (Buffer.isBuffer(file)) this.#cache.set(key, file, { ttl: cacheTtlMs });
      return file;
    });
    return { body, contentType };
  }

  /** Makes a file in its store's turn. A streamed file occupies its place until its reader has finished or left. */
  #scheduleRender(storeId: string, render: () => Promise<Buffer | Readable>): Promise<Buffer | Readable> {
    const rendered = Promise.withResolvers<Buffer | Readable>();
    this.#semaphore
      .run(storeId, async () => {
        const file = await render();
        rendered.resolve(file);
        if (Buffer.isBuffer(file)) return;
        const deadline = setTimeout(() => file.destroy(), maxReadMs).unref();
        await finished(file, { readable: true }).catch(() => {});
        clearTimeout(deadline);
      })
      .catch(rendered.reject);
    return rendered.promise;
  }
}

/** Reads a store's items in batches, and yields the parts of the file. */
async function* readFeed({ peers }: Context, shop: Shop, format: Format): AsyncGenerator<string> {
  yield format.head(shop);
  let after = { productId: '', position: 0 };
  // The description comes with the first variant of a product only.
  let text = '';
  for (;;) {
    const request = { storeId: shop.storeId, ...after, limit: batchSize, textsOnce: true };
    const found = await peers.call<{ items: FeedItem[] }>('catalog', 'POST', '/internal/shop/feed', request);
    const items = found?.items ?? [];
    const described = items.map((item) => {
      if (item.description !== null) text = extractText(item.description);
      return { ...item, text };
    });
    if (items.length > 0) yield described.map((item) => format.item(item, shop)).join('');
    if (items.length < batchSize) break;
    const { productId, position } = items.at(-1)!;
    after = { productId, position };
  }
  yield format.tail;
}

/** Returns a small file as a whole, and a larger one as a stream that is made while it is read. */
async function renderFile(parts: AsyncGenerator<string>): Promise<Buffer | Readable> {
  const bufferedParts: string[] = [];
  let length = 0;
  for (;;) {
    const { done, value } = await parts.next();
    if (done) return Buffer.from(bufferedParts.join(''));
    bufferedParts.push(value);
    length += value.length;
    if (length > maxCachedFileLength) break;
  }
  async function* streamFile() {
    yield* bufferedParts.splice(0);
    yield* parts;
  }
  return Readable.from(streamFile(), { objectMode: false });
}

const truncate = (text: string, maxLength: number): string =>
  [...cleanText(text)].slice(0, maxLength).join('');

const extractText = (html: string): string =>
  truncate(extractHtmlText(html).replaceAll(/\s+/g, ' ').trim(), 5_000);

/**
 * Returns the data of a variant for both feeds. Its former price is the one that pages strike through
 * (`decisions.md 20.2`).
 */
function buildFeedFields(
  item: DescribedItem,
  { name: storeName, currency, site, storeId, comparesLowest }: Shop,
) {
  const { name, slug, text, vendor, mediaIds, mediaId, options, variants, variantId } = item;
  const { priceCents, compareAtCents, lowestPriceCents30Days } = item;
  const formerCents = (comparesLowest ? lowestPriceCents30Days : compareAtCents) ?? 0;
  const isLower = formerCents > priceCents;
  const hasAddress = variants > 1 && Object.keys(options).length > 0;
  const pictures = [...new Set([...(mediaId ? [mediaId] : []), ...mediaIds])];
  const urls = pictures.map((id) => new URL(mediaPath(storeId, id), site).href);
  const money = (cents: number) => `${decimalMoney(cents, currency)} ${currency}`;
  const title = variants > 1 && item.variantName !== '' ? `${name} – ${item.variantName}` : name;
  return {
    id: variantId,
    title: truncate(title, 150),
    description: text || truncate(title, 5_000),
    link: `${site}${productsSlug}/${slug}${hasAddress ? `?variant=${variantId}` : ''}`,
    pictures: urls,
    price: money(isLower ? formerCents : priceCents),
    salePrice: isLower ? money(priceCents) : '',
    brand: truncate(vendor, 70),
    store: truncate(storeName, 70),
    gtin: item.barcode ?? '',
    mpn: truncate(item.sku ?? '', 70),
    group: variants > 1 ? item.productId : '',
    category: truncate(item.category, 750),
    color: findOption(options, /^(colou?r|farbe|couleur|color|colore|kleur|cor)$/i),
    size: findOption(options, /^(size|größe|groesse|taille|talla|taglia|maat|tamanho)$/i),
  };
}

const findOption = (options: FeedItem['options'], name: RegExp): string =>
  truncate(Object.entries(options).find(([option]) => name.test(option))?.[1] ?? '', 100);

/** Removes characters that XML cannot represent. */
const printable = (value: string) =>
  cleanText(value).replaceAll(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/g, '');
const xml = (value: string) => escapeText(printable(value)).replaceAll('&nbsp;', '&#160;');

const units: Readonly<Record<string, string>> = {
  g: 'g',
  kg: 'kg',
  ml: 'ml',
  l: 'l',
  m: 'm',
  m2: 'sqm',
  piece: 'ct',
};
/** Google accepts only these amounts as a base for comparing prices. */
const baseAmounts = new Set([1, 2, 4, 8, 10, 100]);

const formats: Readonly<Record<FeedKind, Format>> = {
  // Google's product data specification, as RSS 2.0.
  google: {
    contentType: 'application/xml; charset=utf-8',
    head: ({ name, site }) =>
      `<?xml version="1.0" encoding="utf-8"?>\n<rss version="2.0" xmlns:g="http://base.google.com/ns/1.0"><channel>` +
      `<title>${xml(name)}</title><link>${xml(site)}</link><description>${xml(name)}</description>\n`,
    item(item, shop) {
      const { id, title, description, link, pictures, price, salePrice, brand, gtin, mpn, ...rest } =
        buildFeedFields(item, shop);
      const { unit, weightGrams, isAvailable } = item;
      const [first, ...others] = pictures;
      const fields: (readonly [string, string | undefined])[] = [
        ['id', id],
        ['title', title],
        ['description', description],
        ['link', link],
        ['image_link', first],
        ...others.slice(0, 10).map((url) => ['additional_image_link', url] as const),
        ['availability', isAvailable ? 'in_stock' : 'out_of_stock'],
        ['price', price],
        ['sale_price', salePrice],
        ['condition', 'new'],
        ['brand', brand],
        ['gtin', gtin],
        ['mpn', mpn],
        // Without any of these, the product cannot be identified worldwide.
        ['identifier_exists', gtin === '' && (brand === '' || mpn === '') ? 'no' : ''],
        ['item_group_id', rest.group],
        ['color', rest.color],
        ['size', rest.size],
        ['product_type', rest.category],
        ['shipping_weight', weightGrams ? `${weightGrams} g` : ''],
        ...(unit && baseAmounts.has(unit.perAmount)
          ? [
              ['unit_pricing_measure', `${unit.amount} ${units[unit.measure]}`] as const,
              ['unit_pricing_base_measure', `${unit.perAmount} ${units[unit.measure]}`] as const,
            ]
          : []),
      ];
      const elements = fields.flatMap(([name, value]) =>
        value ? [`<g:${name}>${xml(value)}</g:${name}>`] : [],
      );
      return `<item>${elements.join('')}</item>\n`;
    },
    tail: '</channel></rss>\n',
  },
  // Meta's catalogue fields, as CSV by RFC 4180.
  meta: {
    contentType: 'text/csv; charset=utf-8',
    head: () => `${metaColumns.join(',')}\r\n`,
    item(item, shop) {
      const feedFields = buildFeedFields(item, shop);
      const [first = '', ...others] = feedFields.pictures;
      const values: Readonly<Record<(typeof metaColumns)[number], string>> = {
        id: feedFields.id,
        title: feedFields.title,
        description: feedFields.description,
        availability: item.isAvailable ? 'in stock' : 'out of stock',
        condition: 'new',
        price: feedFields.price,
        link: feedFields.link,
        image_link: first,
        // Meta requires a brand; for a store's own products it is the store's name.
        brand: feedFields.brand || feedFields.store,
        sale_price: feedFields.salePrice,
        item_group_id: feedFields.group,
        gtin: feedFields.gtin,
        mpn: feedFields.mpn,
        color: feedFields.color,
        size: feedFields.size,
        additional_image_link: others.slice(0, 10).join(','),
        product_type: feedFields.category,
      };
      return `${metaColumns.map((column) => csv(values[column])).join(',')}\r\n`;
    },
    tail: '',
  },
};

const metaColumns = [
  'id',
  'title',
  'description',
  'availability',
  'condition',
  'price',
  'link',
  'image_link',
  'brand',
  'sale_price',
  'item_group_id',
  'gtin',
  'mpn',
  'color',
  'size',
  'additional_image_link',
  'product_type',
] as const;

const csv = (value: string): string => (/[",\r\n]/.test(value) ? `"${value.replaceAll('"', '""')}"` : value);
