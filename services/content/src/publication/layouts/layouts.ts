import { createHash } from 'node:crypto';
import { mediaPath } from '@waybill/contracts';
import { materialiseDocument, type PageDocument } from '@waybill/page';
import type { Context } from '../../config.ts';
import { RevalidatingCache } from '../../shared/revalidating-cache.ts';
import { listValues } from '../../translations/values/queries.ts';
import { templateId } from '../owners/template-kinds.ts';
import type { Frame } from '../rendering/frame.ts';
import { type GatherOptions, gatherSources } from '../rendering/gather.ts';
import { listTranslatables, localisation } from '../rendering/localise.ts';
import { Lookups } from '../rendering/lookups.ts';
import { type RenderedPage, renderPage } from '../rendering/render-page.ts';
import { showsProducts } from '../rendering/sources.ts';
import { findShownTemplate, type ShownTemplate } from '../templates/shown-template.ts';
import { findStoreFiles } from '../theme/queries.ts';

/** The pages of a store that a frame is for. */
export interface LayoutOptions {
  storeId: string;
  /** A locale other than the store's default. */
  locale?: string | undefined;
  /** Path from the page to the directory of pages. */
  toPages: string;
  /** A page that is not live yet, and that a header may link to in a preview. */
  goesLive?: GatherOptions['goesLive'];
}

/** Numbers that rise when something that a store's frames may show changes. */
export interface Revisions {
  factsRevision: number;
  productsRevision: number;
  translationRevision: number;
}

interface CachedFrame {
  /** The revisions that it was made from. */
  stamp: string;
  frame: Frame;
  showsProducts: boolean;
}

/** A part of the frame around a page. */
export type LayoutPart = 'header' | 'footer';

/**
 * Creates the frames around pages and keeps some in memory. A frame is rendered again when anything that it may show has
 * changed. While another service that it needs is unavailable, the last frame is used, or one without header and
 * footer.
 */
export class Layouts {
  readonly #context: Context;
  readonly #cache = new RevalidatingCache<CachedFrame>({
    maxBytes: 16 * 1024 * 1024,
    measureBytes: ({ frame }) => frame.header.length + frame.footer.length + frame.css.length + 500,
  });

  constructor(context: Context) {
    this.#context = context;
  }

  /** Returns the frame for a place, made from live content. It is the same object as long as nothing changes. */
  async getFrame(
    options: LayoutOptions,
    { factsRevision, productsRevision, translationRevision }: Revisions,
  ): Promise<Frame> {
    if (options.goesLive) return (await renderFrame(this.#context, options)).frame;
    const stamp = `${factsRevision}/${options.locale ? translationRevision : ''}`;
    const createStamp = ({ showsProducts }: Pick<CachedFrame, 'showsProducts'>) =>
      showsProducts ? `${stamp}/${productsRevision}` : stamp;
    const current = await this.#cache.get(`${options.storeId}/${options.locale ?? ''}/${options.toPages}`, {
      revisions: `${stamp}/${productsRevision}`,
      isCurrent: (cached) => cached.stamp === createStamp(cached),
      make: async () => {
        const rendered = await renderFrame(this.#context, options);
        return { ...rendered, stamp: createStamp(rendered) };
      },
      fallback: (cached) => cached ?? createBareFrame(this.#context, options),
      onError: (err) =>
        this.#context.log.warn(
          { err, storeId: options.storeId },
          'the header and footer cannot be rendered; pages keep the last ones',
        ),
    });
    return current!.frame;
  }

  /**
   * Returns the frame for a place with another document in one of its parts, and with the sections of that part as
   * saved.
   */
  async getFrameWithPart(options: LayoutOptions, kind: LayoutPart, document: PageDocument): Promise<Frame> {
    return (await renderFrame(this.#context, options, { [kind]: document })).frame;
  }
}

async function renderFrame(
  context: Context,
  options: LayoutOptions,
  overrides: Partial<Record<LayoutPart, PageDocument>> = {},
): Promise<Omit<CachedFrame, 'stamp'>> {
  const parts = [
    await renderPart(context, options, 'header', overrides.header),
    await renderPart(context, options, 'footer', overrides.footer),
  ] as const;
  const [header, footer] = parts.map(({ rendered }) => rendered) as [RenderedPage, RenderedPage];
  const frame = {
    header: header.html,
    footer: footer.html,
    css: header.css + footer.css,
    islands: [...header.islands, ...footer.islands],
    connectOrigins: [...(header.connectOrigins ?? []), ...(footer.connectOrigins ?? [])],
    ...(await getStoreFiles(context.db, options)),
  };
  return { frame: addHash(frame), showsProducts: parts.some((each) => each.showsProducts) };
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
 * Creates a frame without header and footer, for a process that has just started and cannot make the whole one: it
 * shows live pages bare rather than not at all.
 */
const createBareFrame = async (context: Context, options: LayoutOptions): Promise<CachedFrame> => ({
  stamp: '',
  frame: addHash({ ...emptyFrame, ...(await getStoreFiles(context.db, options)) }),
  showsProducts: false,
});

/** Converts the path to the pages of a locale into the path to the store, which contains its files. */
function toStore(toPages: string, locale: string | undefined): string {
  if (!locale) return toPages;
  return toPages.startsWith('/') ? toPages.slice(0, -`${locale}/`.length) : `../${toPages}`;
}

const emptyFrame = { header: '', footer: '', css: '', islands: [], connectOrigins: [] };

/** Adds the hash by which pages notice that their frame has changed. */
const addHash = (frame: Omit<Frame, 'hash'>): Frame => ({
  ...frame,
  hash: createHash('sha256').update(JSON.stringify(frame)).digest('base64url').slice(0, 32),
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
