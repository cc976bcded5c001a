import { aggregate, defineService, foldTask } from '@waybill/kernel';
import { handlers as articleHandlers } from './articles/handlers.ts';
import { routes as articleRoutes } from './articles/routes.ts';
import { handlers as blockRenderingHandlers } from './block-renderings/handlers.ts';
import { routes as blockRenderingRoutes } from './block-renderings/routes.ts';
import { handlers as blockUseHandlers } from './block-uses/handlers.ts';
import { routes as blockUseRoutes } from './block-uses/routes.ts';
import { handlers as blockHandlers } from './blocks/handlers.ts';
import { routes as blockRoutes } from './blocks/routes.ts';
import { tasks as categoryTasks } from './categories/categories.ts';
import { handlers as categoryHandlers } from './categories/handlers.ts';
import { routes as categoryRoutes } from './categories/routes.ts';
import { type Config, config, type State } from './config.ts';
import { handlers as draftHandlers } from './drafts/handlers.ts';
import { routes as draftRoutes } from './drafts/routes.ts';
import { errors } from './errors.ts';
import { tasks as formTasks } from './form-submissions/form-submissions.ts';
import { handlers as formHandlers } from './form-submissions/handlers.ts';
import { routes as formRoutes } from './form-submissions/routes.ts';
import { tasks as revisionTasks } from './history/prune.ts';
import { handlers as languageHandlers } from './languages/handlers.ts';
import { routes as languageRoutes } from './languages/routes.ts';
import { listLimits } from './limits/limits.ts';
import { tasks as publishingTasks } from './live-pages/make-stale.ts';
import { handlers as mediaUseHandlers } from './media-uses/handlers.ts';
import { routes as mediaUseRoutes } from './media-uses/routes.ts';
import { handlers as pageHandlers } from './pages/handlers.ts';
import { routes as pageRoutes } from './pages/routes.ts';
import { handlers as previewHandlers } from './previews/handlers.ts';
import { routes as previewRoutes } from './previews/routes.ts';
import { handlers as publishingHandlers } from './publishing/handlers.ts';
import { routes as publishingRoutes } from './publishing/routes.ts';
import { createTurns } from './rendering/turns.ts';
import { handlers as revisionHandlers } from './revisions/handlers.ts';
import { routes as revisionRoutes } from './revisions/routes.ts';
import { handlers as sectionHandlers } from './sections/handlers.ts';
import { routes as sectionRoutes } from './sections/routes.ts';
import { handlers as siteFileHandlers } from './site-files/handlers.ts';
import { routes as siteFileRoutes } from './site-files/routes.ts';
import { pageListLock } from './stores/queries.ts';
import { subscriptions } from './subscriptions.ts';
import type { Tables } from './tables.ts';
import { handlers as templateHandlers } from './templates/handlers.ts';
import { routes as templateRoutes } from './templates/routes.ts';
import { handlers as themeHandlers } from './theme/handlers.ts';
import { routes as themeRoutes } from './theme/routes.ts';
import { handlers as translationHandlers } from './translations/handlers.ts';
import { routes as translationRoutes } from './translations/routes.ts';
import { leadFromFormer } from './visits/former-addresses.ts';
import { handlers as liveHandlers } from './visits/handlers.ts';
import { routes as liveRoutes } from './visits/routes.ts';
import { handlers as vocabularyHandlers } from './vocabulary/handlers.ts';
import { routes as vocabularyRoutes } from './vocabulary/routes.ts';

/** Pages, sections, publishing, live pages; articles, blog categories; translations: `decisions.md 4`. */
export const content = defineService<Config, Tables, State>({
  name: 'content',
  config,
  migrations: new URL('../migrations/', import.meta.url),
  errors,
  start: () => ({ inTurn: createTurns() }),
  aggregates: [
    // What visitors ask for is looked for first.
    aggregate(siteFileRoutes, (context) =>
      leadFromFormer(context)(siteFileRoutes, siteFileHandlers(context)),
    ),
    aggregate(liveRoutes, (context) => leadFromFormer(context)(liveRoutes, liveHandlers(context))),
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
  ],
  limits: listLimits,
  subscriptions,
  tasks: (context) => [
    ...publishingTasks(context),
    ...revisionTasks(context),
    ...categoryTasks(context),
    ...formTasks(context),
    foldTask(context.db, { table: 'article', columns: { search: 'search' } }),
  ],
});
