import type { Context } from '../config.ts';
import { onHold } from '../metrics.ts';
import { deleteHold, hasHold } from './queries.ts';

/** Whether providers may be called. A system that was restored from a backup calls none until an operator allows it. */
export async function canCallProviders({ db, config }: Pick<Context, 'db' | 'config'>): Promise<boolean> {
  const isHeld = !config.resumes && (await hasHold(db));
  onHold.set(isHeld ? 1 : 0);
  return !isHeld;
}

/** The task that ends the hold once an operator has allowed calls, so that the setting can be removed again. */
export const resumeTask =
  ({ db, config }: Context) =>
  async (): Promise<void> => {
    if (config.resumes) await deleteHold(db);
  };
