import { paths } from '../../paths.ts';
import type { PagePart } from '../canvas/frame.ts';
import type { Workbench } from './workbench.ts';

/** Where the store's header or footer is edited, with the way back to what is open now. */
export const partAddress = (storeId: string, part: PagePart): string =>
  `${paths.inStore(storeId, 'design', part, 'edit')}?${new URLSearchParams({ from: location.pathname })}`;

/** Where "Back" leads: to the editor that this one was opened from, else to the screen of what is open. */
export function backAddress({ storeId, home }: { storeId: string; home: string }): string {
  const from = new URLSearchParams(location.search).get('from') ?? '';
  const isEditor = from.startsWith(`${paths.store(storeId)}/`) && /^[\w/-]+\/edit$/.test(from);
  return isEditor ? from : home;
}

/** Opens what is edited as visitors would see it, in a tab of its own, once it is stored. */
export async function openPreview({ subject, view, queue, around }: Workbench): Promise<void> {
  await Promise.all([queue.flush(), around?.workbench.queue.flush()]);
  const { locale } = view.state;
  const search = locale === null ? '' : `?${new URLSearchParams({ locale })}`;
  window.open(
    `${location.pathname}/preview${search}`,
    `preview ${(around?.workbench.subject ?? subject).id}`,
  );
}
