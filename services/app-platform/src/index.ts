import { toStoreLimits } from '@waybill/contracts';
import { aggregate, defineService } from '@waybill/kernel';
import { handlers as appDataHandlers } from './app-data/handlers.ts';
import { routes as appDataRoutes } from './app-data/routes.ts';
import { handlers as appHandlers } from './apps/handlers.ts';
import { routes as appRoutes } from './apps/routes.ts';
import { handlers as blockUseHandlers } from './block-uses/handlers.ts';
import { routes as blockUseRoutes } from './block-uses/routes.ts';
import { handlers as blockHandlers } from './blocks/handlers.ts';
import { routes as blockRoutes } from './blocks/routes.ts';
import { type Config, config, type State } from './config.ts';
import { ServedVocabulary } from './contributions/vocabulary.ts';
import { handlers as deletionHandlers } from './deletions/handlers.ts';
import { routes as deletionRoutes } from './deletions/routes.ts';
import { ShownBlocks } from './directory/blocks.ts';
import { handlers as directoryHandlers } from './directory/handlers.ts';
import { routes as directoryRoutes } from './directory/routes.ts';
import { errors } from './errors.ts';
import { handlers as iconHandlers } from './icons/handlers.ts';
import { routes as iconRoutes } from './icons/routes.ts';
import { handlers as installHandlers } from './installs/handlers.ts';
import { countStoreInstalls } from './installs/queries.ts';
import { routes as installRoutes } from './installs/routes.ts';
import { handlers as islandHandlers } from './islands/handlers.ts';
import { routes as islandRoutes } from './islands/routes.ts';
import { handlers as oauthHandlers } from './oauth/handlers.ts';
import { routes as oauthRoutes } from './oauth/routes.ts';
import { handlers as orgInvitationHandlers } from './org-invitations/handlers.ts';
import { routes as orgInvitationRoutes } from './org-invitations/routes.ts';
import { handlers as orgHandlers } from './orgs/handlers.ts';
import { authorizeMember } from './orgs/orgs.ts';
import { routes as orgRoutes } from './orgs/routes.ts';
import { handlers as reviewHandlers } from './review/handlers.ts';
import { routes as reviewRoutes } from './review/routes.ts';
import { handlers as storeVersionHandlers } from './store-versions/handlers.ts';
import { routes as storeVersionRoutes } from './store-versions/routes.ts';
import { subscriptions } from './subscriptions.ts';
import type { Tables } from './tables.ts';
import { tasks } from './tasks.ts';
import { handlers as versionHandlers } from './versions/handlers.ts';
import { routes as versionRoutes } from './versions/routes.ts';

/**
 * The app platform service: organisations, apps, versions, review, blocks, islands, installs, OAuth, app data and the
 * directory (`decisions.md 7, 14`).
 */
export const appPlatform = defineService<Config, Tables, State>({
  name: 'app-platform',
  config,
  usesCache: true,
  migrations: new URL('../migrations/', import.meta.url),
  errors,
  start: (context) => ({
    vocabulary: new ServedVocabulary(context),
    shownBlocks: new ShownBlocks(context.db),
  }),
  aggregates: [
    aggregate(installRoutes, installHandlers),
    aggregate(storeVersionRoutes, storeVersionHandlers),
    aggregate(blockUseRoutes, blockUseHandlers),
    aggregate(oauthRoutes, oauthHandlers),
    aggregate(appDataRoutes, appDataHandlers),
    aggregate(orgRoutes, orgHandlers),
    aggregate(orgInvitationRoutes, orgInvitationHandlers),
    aggregate(appRoutes, appHandlers),
    aggregate(iconRoutes, iconHandlers),
    aggregate(directoryRoutes, directoryHandlers),
    aggregate(versionRoutes, versionHandlers),
    aggregate(blockRoutes, blockHandlers),
    aggregate(islandRoutes, islandHandlers),
    aggregate(reviewRoutes, reviewHandlers),
    aggregate(deletionRoutes, deletionHandlers),
  ],
  limits: async ({ db }, storeId) => toStoreLimits({ apps: await countStoreInstalls(db, storeId) }),
  authorizeKeyed: authorizeMember,
  subscriptions,
  tasks,
  close: async ({ config }) => config.objectStore?.close(),
});
