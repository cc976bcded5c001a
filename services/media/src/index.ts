import { toStoreLimits } from '@waybill/contracts';
import { aggregate, defineService, foldTask } from '@waybill/kernel';
import { handlers as assetHandlers } from './assets/handlers.ts';
import { routes as assetRoutes } from './assets/routes.ts';
import { type Config, config } from './config.ts';
import { errors } from './errors.ts';
import { handlers as fileHandlers } from './files/handlers.ts';
import { routes as fileRoutes } from './files/routes.ts';
import { handlers as folderHandlers, lock as folderLock } from './folders/handlers.ts';
import { countFolders } from './folders/queries.ts';
import { routes as folderRoutes } from './folders/routes.ts';
import { handlers as logoHandlers } from './logos/handlers.ts';
import { routes as logoRoutes } from './logos/routes.ts';
import type { State } from './state.ts';
import { requireStore } from './store.ts';
import type { Tables } from './tables.ts';
import { handlers as trashHandlers } from './trash/handlers.ts';
import { routes as trashRoutes } from './trash/routes.ts';
import { tasks as trashTasks } from './trash/sweep.ts';
import { createExaminer } from './uploads/examiner.ts';
import { handlers as uploadHandlers } from './uploads/handlers.ts';
import { routes as uploadRoutes } from './uploads/routes.ts';
import { tasks as uploadTasks } from './uploads/sweep.ts';
import { tasks as usageTasks } from './usage/measure.ts';
import { readUsedBytes } from './usage/queries.ts';
import { tasks as variantTasks } from './variants/sweep.ts';

/** The media service: assets, folders, trash, quota, files (`store-api.md 2.5, 4.6`, `decisions.md 5, 16`). */
export const media = defineService<Config, Tables, State>({
  name: 'media',
  config,
  migrations: new URL('../migrations/', import.meta.url),
  errors,
  requireConfigured: requireStore,
  aggregates: [
    // Must precede the assets, whose routes would take the paths of the trash for asset ids.
    aggregate(trashRoutes, trashHandlers),
    aggregate(assetRoutes, assetHandlers),
    aggregate(uploadRoutes, uploadHandlers),
    aggregate(folderRoutes, folderHandlers, folderLock),
    aggregate(fileRoutes, fileHandlers),
    aggregate(logoRoutes, logoHandlers),
  ],
  async limits({ db, config }, storeId) {
    const [used, mediaFolders] = await Promise.all([readUsedBytes(db, storeId), countFolders(db, storeId)]);
    return [{ name: 'media', used, limit: config.quotaBytes }, ...toStoreLimits({ mediaFolders })];
  },
  tasks: (context) => [
    ...uploadTasks(context),
    ...variantTasks(context),
    ...trashTasks(context),
    ...usageTasks(context),
    foldTask(context.db, { table: 'media_asset', columns: { search: 'search', name_key: 'name' } }),
  ],
  start: () => ({ examiner: createExaminer() }),
  close: async ({ config, state }) => {
    await state.examiner.close();
    await config.store?.close();
  },
});
