import { useQuery } from '@tanstack/react-query';
import { foldText } from '@waybill/contracts/fold';
import { useEffect, useState } from 'react';
import { Autocomplete } from 'react-aria-components/Autocomplete';
import { Dialog } from 'react-aria-components/Dialog';
import { Input } from 'react-aria-components/Input';
import { ListBox, ListBoxItem } from 'react-aria-components/ListBox';
import { Modal, ModalOverlay } from 'react-aria-components/Modal';
import { SearchField } from 'react-aria-components/SearchField';
import { api } from '../api/client.ts';
import { paths } from '../paths.ts';
import { useCommon } from '../texts/common.ts';
import { SearchIcon } from '../ui/icons.tsx';
import type { Target } from './command-target.ts';
import style from './commands.module.css';

/** The feature that shows each kind of search result. */
const features = {
  product: 'products',
  order: 'orders',
  customer: 'customers',
  page: 'pages',
  article: 'blog',
  media: 'media',
} as const;

/** Typing pause before a search starts, so that a word causes one request. */
const restMs = 200;

/** The command dialog: goes to a screen, or finds an item of the store. */
export default function CommandsDialog({
  storeId,
  places,
  close,
}: {
  storeId: string | null;
  places: readonly Target[];
  close(): void;
}) {
  const words = useCommon();
  const [typed, setTyped] = useState('');
  /** The text at the last typing pause. */
  const [sought, setSought] = useState('');
  useEffect(() => {
    const timer = setTimeout(() => setSought(typed.trim()), restMs);
    return () => clearTimeout(timer);
  }, [typed]);
  const { data: found = [] } = useQuery({
    queryKey: ['stores', storeId, 'search', sought],
    enabled: storeId !== null && sought.length > 1,
    queryFn: async ({ signal }) =>
      (
        await api.get('/api/stores/{storeId}/search', {
          params: { path: { storeId: storeId! }, query: { q: sought } },
          signal,
        })
      ).hits,
    placeholderData: (previous) => previous,
  });
  const needle = foldText(typed.trim());
  const targets: Target[] = [
    ...places.filter(({ title }) => foldText(title).includes(needle)),
    ...(needle.length > 1 && storeId
      ? found.map(({ type: kind, id, title, subtitle }) => ({
          href: paths.inStore(storeId, features[kind], id),
          title,
          detail: subtitle,
        }))
      : []),
  ];
  return (
    <ModalOverlay isOpen onOpenChange={(open) => !open && close()} isDismissable className={style.overlay!}>
      <Modal className={style.modal!}>
        <Dialog aria-label={words.commands} className={style.dialog!}>
          <Autocomplete inputValue={typed} onInputChange={setTyped}>
            <SearchField aria-label={words.commands} autoFocus className={style.field!}>
              <SearchIcon />
              <Input placeholder={words.commands} className={style.input!} />
            </SearchField>
            <ListBox
              aria-label={words.search}
              className={style.list!}
              items={targets.map((target) => ({ ...target, id: target.href }))}
              onAction={close}
              renderEmptyState={() => <p className={style.empty}>{words.nothingFound}</p>}
            >
              {({ href, title, detail, icon }) => (
                <ListBoxItem href={href} textValue={title} className={style.target!}>
                  {icon}
                  <span>
                    {title}
                    {detail && <small>{detail}</small>}
                  </span>
                </ListBoxItem>
              )}
            </ListBox>
          </Autocomplete>
        </Dialog>
      </Modal>
    </ModalOverlay>
  );
}
