import { copyRoutes, sweepFieldsTask, sweepValues } from '@waybill/custom-fields';
import { aggregate, defineService, FairSemaphore, foldTask } from '@waybill/kernel';
import { handlers as articleHandlers } from './blog/articles/handlers.ts';
import { routes as articleRoutes } from './blog/articles/routes.ts';
import { tasks as categoryTasks } from './blog/categories/categories.ts';
import { handlers as categoryHandlers } from './blog/categories/handlers.ts';
import { routes as categoryRoutes } from './blog/categories/routes.ts';
import { type Config, config, type State } from './config.ts';
import { handlers as blockRenderingHandlers } from './editing/block-renderings/handlers.ts';
import { routes as blockRenderingRoutes } from './editing/block-renderings/routes.ts';
import { handlers as blockUseHandlers } from './editing/block-uses/handlers.ts';
import { routes as blockUseRoutes } from './editing/block-uses/routes.ts';
import { handlers as blockHandlers } from './editing/blocks/handlers.ts';
import { routes as blockRoutes } from './editing/blocks/routes.ts';
import { handlers as draftHandlers } from './editing/drafts/handlers.ts';
import { routes as draftRoutes } from './editing/drafts/routes.ts';
import { handlers as mediaUseHandlers } from './editing/media-uses/handlers.ts';
import { routes as mediaUseRoutes } from './editing/media-uses/routes.ts';
import { handlers as pageHandlers } from './editing/pages/handlers.ts';
import { routes as pageRoutes } from './editing/pages/routes.ts';
import { handlers as previewHandlers } from './editing/previews/handlers.ts';
import { routes as previewRoutes } from './editing/previews/routes.ts';
import { handlers as publishingHandlers } from './editing/publishing/handlers.ts';
import { routes as publishingRoutes } from './editing/publishing/routes.ts';
import { handlers as revisionHandlers } from './editing/revisions/handlers.ts';
import { routes as revisionRoutes } from './editing/revisions/routes.ts';
import { handlers as sectionHandlers } from './editing/sections/handlers.ts';
import { routes as sectionRoutes } from './editing/sections/routes.ts';
import { handlers as templateHandlers } from './editing/templates/handlers.ts';
import { routes as templateRoutes } from './editing/templates/routes.ts';
import { handlers as themeHandlers } from './editing/theme/handlers.ts';
import { routes as themeRoutes } from './editing/theme/routes.ts';
import { handlers as vocabularyHandlers } from './editing/vocabulary/handlers.ts';
import { routes as vocabularyRoutes } from './editing/vocabulary/routes.ts';
import { errors } from './errors.ts';
import { tasks as formTasks } from './forms/submissions/form-submissions.ts';
import { handlers as formHandlers } from './forms/submissions/handlers.ts';
import { routes as formRoutes } from './forms/submissions/routes.ts';
import { listLimits } from './limits.ts';
import { tasks as revisionTasks } from './publication/history/prune.ts';
import { createLayoutCache } from './publication/layouts/layout-cache.ts';
import { tasks as publishingTasks } from './publication/live-pages/render-stale.ts';
import { pageListLock } from './shared/stores/queries.ts';
import { handlers as siteFileHandlers } from './storefront/site-files/handlers.ts';
import { routes as siteFileRoutes } from './storefront/site-files/routes.ts';
import { createSiteFileCache } from './storefront/site-files/site-file-cache.ts';
import { handlers as liveHandlers } from './storefront/storefront-routes/handlers.ts';
import { redirectOtherAddresses } from './storefront/storefront-routes/other-addresses.ts';
import { routes as liveRoutes } from './storefront/storefront-routes/routes.ts';
import { subscriptions } from './subscriptions.ts';
import type { Tables } from './tables.ts';
import { handlers as languageHandlers } from './translations/languages/handlers.ts';
import { routes as languageRoutes } from './translations/languages/routes.ts';
import { handlers as translationHandlers } from './translations/values/handlers.ts';
import { routes as translationRoutes } from './translations/values/routes.ts';

/**
 * Limits of page rendering: two whole pages at once, with stores taking turns. A large page occupies the thread for
 * half a second, and many at once would delay every other request. A page that waits for another service gives its slot
 * back after two seconds.
 */
const renderLimits = { concurrency: 2, maxWaiting: 256, maxHoldMs: 2_000 };

/**
 * The content service: pages, sections, publishing, live pages, articles, blog categories and translations
 * (`decisions.md 4`).
 */
export const content = defineService<Config, Tables, State>({
  name: 'content',
  config,
  migrations: new URL('../migrations/', import.meta.url),
  errors,
  start: () => ({
    renderSlots: new FairSemaphore(renderLimits),
    layouts: createLayoutCache(),
    siteFiles: createSiteFileCache(),
  }),
  aggregates: [
    // Routes for visitors come first.
    aggregate(siteFileRoutes, (context) =>
      redirectOtherAddresses(context)(siteFileRoutes, siteFileHandlers(context)),
    ),
    aggregate(liveRoutes, (context) => redirectOtherAddresses(context)(liveRoutes, liveHandlers(context))),
    aggregate(pageRoutes, pageHandlers, pageListLock),
    aggregate(draftRoutes, draftHandlers, pageListLock),
    aggregate(publishingRoutes, publishingHandlers),
    aggregate(sectionRoutes, sectionHandlers, pageListLock),
    aggregate(templateRoutes, templateHandlers, pageListLock),
    aggregate(previewRoutes, previewHandlers),
    aggregate(themeRoutes, themeHandlers, pageListLock),
    aggregate(revisionRoutes, revisionHandlers),
    aggregate(vocabularyRoutes, vocabularyHandlers),
    aggregate(blockRoutes, blockHandlers),
    aggregate(blockUseRoutes, blockUseHandlers),
    aggregate(blockRenderingRoutes, blockRenderingHandlers),
    aggregate(articleRoutes, articleHandlers, pageListLock),
    aggregate(categoryRoutes, categoryHandlers, pageListLock),
    aggregate(translationRoutes, translationHandlers),
    aggregate(languageRoutes, languageHandlers),
    aggregate(formRoutes, formHandlers),
    aggregate(mediaUseRoutes, mediaUseHandlers),
    copyRoutes('content'),
  ],
  limits: listLimits,
  subscriptions,
  tasks: (context) => [
    ...publishingTasks(context),
    ...revisionTasks(context),
    ...categoryTasks(context),
    ...formTasks(context),
    {
      name: sweepFieldsTask,
      everyMs: 60_000,
      run: () => sweepValues(context.db, { page: 'page', article: 'article' }),
    },
    foldTask(context.db, { table: 'article', columns: { search: 'search' } }),
  ],
});
