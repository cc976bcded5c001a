import type { TaskDefinition } from '@waybill/kernel';
import { deleteOldDeletedProducts } from './app-data/queries.ts';
import type { Context } from './config.ts';
import { deletedAppTask, sweepDeletedApps } from './deletions/deletions.ts';
import { countInstalls } from './directory/queries.ts';
import { iconSweepTask, sweepIcons } from './icons/icons.ts';
import { sweepTokens } from './oauth/tokens.ts';
import { sweepOrgInvitations } from './org-invitations/org-invitations.ts';
import { announceDraftChanges } from './sweeps/drafts.ts';
import { sweepInstalls, sweepTask } from './sweeps/sweeps.ts';

/** Lists the background tasks. */
export const tasks = (context: Context): TaskDefinition[] => [
  { name: sweepTask, everyMs: 5_000, run: () => sweepInstalls(context) },
  // Nothing wakes this task, so that many changes are announced once a turn.
  { name: 'tell-of-drafts', everyMs: 300, run: () => announceDraftChanges(context) },
  { name: deletedAppTask, everyMs: 60_000, run: () => sweepDeletedApps(context) },
  { name: 'sweep-tokens', everyMs: 600_000, run: () => sweepTokens(context.db) },
  { name: 'sweep-org-invitations', everyMs: 3_600_000, run: () => sweepOrgInvitations(context) },
  { name: iconSweepTask, everyMs: 600_000, run: () => sweepIcons(context) },
  { name: 'count-installs', everyMs: 60_000, run: () => countInstalls(context.db) },
  { name: 'forget-deleted-products', everyMs: 600_000, run: () => deleteOldDeletedProducts(context.db) },
];
