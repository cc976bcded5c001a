import { PagePublished, PageUnpublished } from '@waybill/contracts';
import { emit } from '@waybill/kernel';
import type { PageDocument } from '@waybill/page';
import type { Context } from '../config.ts';
import { deleteDraft, findDraft, findLiveDocument, upsertDraft } from '../drafts/queries.ts';
import { errors } from '../errors.ts';
import { type DocumentHtml, documentHtml } from '../live/document-html.ts';
import { findLanguages } from '../live/queries.ts';
import { findPage, findPageEnvelope, lockPageList, type PageRow } from '../pages/queries.ts';
import { gatherSources } from './gather.ts';
import { goLive, type Waiting } from './go-live.ts';
import { createLookups } from './lookups.ts';
import { makePage } from './make.ts';
import { deleteLivePage, markPublished, markUnpublished } from './queries.ts';
import { noteChanges } from './stale.ts';

/**
 * Makes a page's saved draft its live page, consumes the draft, and emits `page.published`. Gives the `{ page }`
 * envelope as JSON. `store-api.md 3`, `decisions.md 4.2, 4.4`.
 * @throws not_found, nothing_to_publish, resource_unavailable when what the page shows cannot be asked for
 */
export function publishPage(
  context: Context,
  storeId: string,
  pageId: string,
  userId: string | null,
): Promise<string> {
  return goLive(context, storeId, userId, () => findWaiting(context, storeId, pageId));
}

async function findWaiting({ db, config }: Context, storeId: string, pageId: string): Promise<Waiting> {
  const page = await findPage(db, storeId, pageId);
  if (!page) throw errors.not_found();
  const draft = await findDraft(db, storeId, pageId);
  if (!draft) throw errors.nothing_to_publish();
  return {
    id: pageId,
    document: draft.document,
    goesLive: addressOf(page),
    take: (trx) => deleteDraft(trx, storeId, pageId, draft.revision),
    async finish(trx) {
      const isNew = await markPublished(trx, storeId, pageId, new Date());
      // Links to a page lead nowhere before it is live.
      if (isNew) await noteChanges(trx, storeId, [{ kind: 'page', ref: pageId }]);
      const json = (await findPageEnvelope(trx, storeId, pageId, config))!;
      await emit(trx, PagePublished, storeId, { json });
      return json;
    },
  };
}

/**
 * Takes a live page off, keeps what was live as its draft unless it has one, and emits `page.unpublished`. Gives the
 * `{ page }` envelope as JSON. `decisions.md 13.3`.
 * @throws not_found, invalid_state for a page that is not live
 */
export function unpublishPage(
  { config, transaction }: Pick<Context, 'config' | 'transaction'>,
  storeId: string,
  pageId: string,
): Promise<string> {
  return transaction(async (trx) => {
    await lockPageList(trx, storeId);
    if (!(await findPage(trx, storeId, pageId))) throw errors.not_found();
    const document = await findLiveDocument(trx, storeId, pageId);
    if (document === null) throw errors.invalid_state({ message: 'This page is not live.' });
    if (!(await findDraft(trx, storeId, pageId))) await upsertDraft(trx, storeId, pageId, document);
    await deleteLivePage(trx, storeId, pageId);
    await markUnpublished(trx, storeId, pageId, new Date());
    // Links to it lead nowhere now.
    await noteChanges(trx, storeId, [{ kind: 'page', ref: pageId }]);
    const json = (await findPageEnvelope(trx, storeId, pageId, config))!;
    await emit(trx, PageUnpublished, storeId, { json });
    return json;
  });
}

const addressOf = ({ id, slug, is_homepage }: PageRow) => ({ id, slug: is_homepage ? '' : slug });

/**
 * The HTML that publishing the page's draft would give now, byte for byte; nothing is stored. Without a draft: what
 * making the live page again would give.
 * @throws not_found, nothing_to_publish for a page with neither, resource_unavailable
 */
export async function previewPage(context: Context, storeId: string, pageId: string): Promise<DocumentHtml> {
  const { db } = context;
  const page = await findPage(db, storeId, pageId);
  if (!page) throw errors.not_found();
  const draft = await findDraft(db, storeId, pageId);
  const text = draft?.document ?? (await findLiveDocument(db, storeId, pageId));
  if (!text) throw errors.nothing_to_publish();
  const document: PageDocument = JSON.parse(text);
  const lookups = createLookups(context, storeId);
  const { store, sources } = await gatherSources(context, storeId, document, lookups, {
    sections: 'saved',
    goesLive: addressOf(page),
  });
  const { name, slug, is_homepage } = page;
  const head = {
    ...{ storeName: store.name, storeSlug: store.slug, name, slug, is_homepage },
    settings: page.settings as Record<string, unknown>,
    ...(await findLanguages(db, storeId)),
  };
  return documentHtml(context.config, head, makePage(pageId, document, sources));
}
