import { createHash } from 'node:crypto';
import { mediaPath } from '@waybill/contracts';
import { materialiseDocument, type PageDocument } from '@waybill/page';
import type { Context } from '../../config.ts';
import { listValues } from '../../translations/values/queries.ts';
import { templateId } from '../owners/template-kinds.ts';
import { type GatherOptions, gatherSources } from '../rendering/gather.ts';
import type { Layout } from '../rendering/layout.ts';
import { listTranslatables, localisation } from '../rendering/localise.ts';
import { Lookups } from '../rendering/lookups.ts';
import { type RenderedPage, renderPage } from '../rendering/render-page.ts';
import { showsProducts } from '../rendering/sources.ts';
import { findShownTemplate, type ShownTemplate } from '../templates/shown-template.ts';
import { findStoreFiles } from '../theme/queries.ts';
import type { CachedLayout } from './layout-cache.ts';

/** The pages of a store that a layout is for. */
export interface LayoutOptions {
  storeId: string;
  /** A locale other than the store's default. */
  locale?: string | undefined;
  /** Path from the page to the directory of pages. */
  toPages: string;
  /** A page that is not live yet, and that a header may link to in a preview. */
  goesLive?: GatherOptions['goesLive'];
}

/** Numbers that rise when something that a store's layouts may show changes. */
export interface Revisions {
  factsRevision: number;
  productsRevision: number;
  translationRevision: number;
}

/** A part of the layout around a page. */
export type LayoutPart = 'header' | 'footer';

/**
 * Returns the layout for a place, made from live content. It is the same object as long as nothing that it may show
 * changes. While another service that it needs is unavailable, the last layout is used, or one without header and
 * footer.
 */
export async function getLayout(
  context: Context,
  options: LayoutOptions,
  { factsRevision, productsRevision, translationRevision }: Revisions,
): Promise<Layout> {
  if (options.goesLive) return (await renderLayout(context, options)).layout;
  const { storeId, locale = '', toPages } = options;
  const stamp = `${factsRevision}/${locale && translationRevision}`;
  const createStamp = ({ showsProducts }: Pick<CachedLayout, 'showsProducts'>) =>
    showsProducts ? `${stamp}/${productsRevision}` : stamp;
  const current = await context.state.layouts.get(`${storeId}/${locale}/${toPages}`, {
    revisions: `${stamp}/${productsRevision}`,
    isCurrent: (cached) => cached.stamp === createStamp(cached),
    load: async () => {
      const rendered = await renderLayout(context, options);
      return { ...rendered, stamp: createStamp(rendered) };
    },
    fallback: (cached) => cached ?? createBareLayout(context, options),
    onError: (err) =>
      context.log.warn(
        { err, storeId },
        'the header and footer cannot be rendered; pages keep the last ones',
      ),
  });
  return current!.layout;
}

/**
 * Returns the layout for a place with another document in one of its parts, and with the sections of that part as
 * saved.
 */
export async function getLayoutWithPart(
  context: Context,
  options: LayoutOptions,
  kind: LayoutPart,
  document: PageDocument,
): Promise<Layout> {
  return (await renderLayout(context, options, { [kind]: document })).layout;
}

async function renderLayout(
  context: Context,
  options: LayoutOptions,
  overrides: Partial<Record<LayoutPart, PageDocument>> = {},
): Promise<Omit<CachedLayout, 'stamp'>> {
  const parts = [
    await renderPart(context, options, 'header', overrides.header),
    await renderPart(context, options, 'footer', overrides.footer),
  ] as const;
  const [header, footer] = parts.map(({ rendered }) => rendered) as [RenderedPage, RenderedPage];
  const layout = {
    header: header.html,
    footer: footer.html,
    css: header.css + footer.css,
    islands: [...header.islands, ...footer.islands],
    connectOrigins: [...(header.connectOrigins ?? []), ...(footer.connectOrigins ?? [])],
    ...(await getStoreFiles(context.db, options)),
  };
  return { layout: addHash(layout), showsProducts: parts.some((each) => each.showsProducts) };
}

/** Returns the files of a store that the heads of its pages refer to. */
async function getStoreFiles(db: Context['db'], { storeId, locale, toPages }: LayoutOptions) {
  const { hash, faviconMediaId, hasArticles } = await findStoreFiles(db, storeId);
  const store = toStore(toPages, locale);
  const file = `theme-${hash}.css`;
  return {
    toStore: store,
    theme: hash === null ? null : { file, url: store + file },
    icon: faviconMediaId === null ? `${store}favicon.svg` : mediaPath(storeId, faviconMediaId),
    feed: hasArticles ? `${toPages}feed.xml` : null,
  };
}

/**
 * Creates a layout without header and footer, for a process that has just started and cannot make the whole one: it
 * shows live pages bare rather than not at all.
 */
const createBareLayout = async (context: Context, options: LayoutOptions): Promise<CachedLayout> => ({
  stamp: '',
  layout: addHash({ ...emptyLayout, ...(await getStoreFiles(context.db, options)) }),
  showsProducts: false,
});

/** Converts the path to the pages of a locale into the path to the store, which contains its files. */
function toStore(toPages: string, locale: string | undefined): string {
  if (!locale) return toPages;
  // An order's page may be in a locale that its address does not have.
  return toPages.endsWith(`${locale}/`) ? toPages.slice(0, -`${locale}/`.length) || './' : `../${toPages}`;
}

const emptyLayout = { header: '', footer: '', css: '', islands: [], connectOrigins: [] };

/** Adds the hash by which pages notice that their layout has changed. */
const addHash = (layout: Omit<Layout, 'hash'>): Layout => ({
  ...layout,
  hash: createHash('sha256').update(JSON.stringify(layout)).digest('base64url').slice(0, 32),
});

async function renderPart(
  context: Context,
  { storeId, locale, toPages, goesLive }: LayoutOptions,
  kind: LayoutPart,
  overrides?: PageDocument,
) {
  const { document, apps }: ShownTemplate = overrides
    ? { document: overrides }
    : await findShownTemplate(context, storeId, kind, {
        ...(locale && { language: locale }),
        goesLive: goesLive?.id,
      });
  const lookups = new Lookups(context, storeId);
  const options = {
    sections: overrides ? ('saved' as const) : ('live' as const),
    ...(apps && { keep: apps }),
    ...(goesLive && { goesLive }),
  };
  const { sources } = await gatherSources(context, storeId, document, lookups, options);
  // Ids of the page's own nodes never begin with this prefix.
  const tree = materialiseDocument(document, sources, `~${kind}`);
  const id = templateId(kind);
  const values = locale
    ? await listValues(context.db, storeId, locale, listTranslatables(id, tree, sources))
    : [];
  const local = locale ? localisation(id, locale, values) : undefined;
  const rendered = renderPage(id, tree, sources, { ...(local && { local }), toPages, landmark: kind });
  return { rendered, showsProducts: showsProducts(tree) };
}
