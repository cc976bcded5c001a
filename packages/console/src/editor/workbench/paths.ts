import { paths } from '../../paths.ts';
import type { PagePart } from './page-parts.ts';
import type { Workbench } from './workbench.ts';

/** Returns the address of the editor for the store's header or footer, with the way back to the current document. */
export const pathToPart = (storeId: string, part: PagePart): string =>
  `${paths.inStore(storeId, 'design', part, 'edit')}?${new URLSearchParams({ from: location.pathname })}`;

/** Returns the target of "Back": the editor that opened this one, else the document's own screen. */
export function pathBack({ storeId, home }: { storeId: string; home: string }): string {
  const from = new URLSearchParams(location.search).get('from') ?? '';
  const isEditor = from.startsWith(`${paths.store(storeId)}/`) && /^[\w/-]+\/edit$/.test(from);
  return isEditor ? from : home;
}

/** Opens the document as visitors would see it in a separate tab, once it is stored. */
export async function openPreview({ subject, view, queue, surrounding: around }: Workbench): Promise<void> {
  await Promise.all([queue.flush(), around?.workbench.queue.flush()]);
  const { locale } = view.state;
  const search = locale === null ? '' : `?${new URLSearchParams({ locale })}`;
  window.open(
    `${location.pathname}/preview${search}`,
    `preview ${(around?.workbench.subject ?? subject).id}`,
  );
}
