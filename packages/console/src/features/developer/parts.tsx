import type { QueryKey } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { type ListSearch, useList } from '../../api/list.ts';
import { navigate } from '../../router/history.ts';
import { useLocation, useParams, useSearch } from '../../router/router.tsx';
import { ResourceList } from '../../shell/resource-list.tsx';
import { Button } from '../../ui/button.tsx';
import { Badge, CopyText, Notice, type Tone } from '../../ui/layout.tsx';
import { Actions, Dialog } from '../../ui/overlays.tsx';
import type { ColumnOf } from '../../ui/table.tsx';
import { Tabs } from '../../ui/tabs.tsx';
import type { AppVersion } from './queries.ts';
import { useDeveloperTexts } from './texts.ts';

/** The id in the address. */
export const useOrgId = () => useParams<'orgId'>().orgId;
export const useAppId = () => useParams<'appId'>().appId;

/** Tabs that keep the selected tab in the address. */
export function AddressTabs<Id extends string>({
  label,
  tabs,
}: {
  label: string;
  tabs: readonly [
    { id: Id; title: ReactNode; panel: ReactNode },
    ...{ id: Id; title: ReactNode; panel: ReactNode }[],
  ];
}) {
  const { pathname } = useLocation();
  const { tab } = useSearch<{ tab?: string }>();
  const selected = tabs.find(({ id }) => id === tab) ?? tabs[0];
  return (
    <Tabs
      label={label}
      tabs={tabs}
      selected={selected.id}
      onSelect={(id) => {
        // React Aria also reports the tab that is already selected.
        if (id !== selected.id)
          navigate(`${pathname}?${new URLSearchParams({ tab: id })}`, { keepsScroll: true });
      }}
    />
  );
}

/** A table whose page is in the address, with its loading and error states and a pager. */
export function PagedTable<Item extends { id: string }>({
  title,
  actions,
  queryKey,
  read,
  columns,
  getHref,
  onOpen,
  filters,
  empty,
}: {
  title: string;
  actions?: ReactNode;
  queryKey: QueryKey;
  read(
    search: ListSearch,
    signal: AbortSignal,
  ): Promise<{ items: readonly Item[]; total: number; nextCursor: string | null }>;
  columns: readonly ColumnOf<Item>[];
  getHref?(item: Item): string;
  onOpen?(item: Item): void;
  filters?: ReactNode;
  empty: ReactNode;
}) {
  const words = useDeveloperTexts();
  const search = useSearch<ListSearch>();
  const list = useList(queryKey, search, read);
  return (
    <ResourceList
      label={title}
      title={title}
      actions={actions}
      list={list}
      items={list.data?.items}
      columns={columns}
      {...(getHref && { getHref })}
      {...(onOpen && { onOpen })}
      moreFilters={filters}
      empty={empty}
      summary={words.total}
    />
  );
}

/** Shows a secret that cannot be read again. */
export function SecretDialog({
  title,
  secret,
  onClose,
}: {
  title: string;
  secret: string | null;
  onClose(): void;
}) {
  const words = useDeveloperTexts();
  return (
    <Dialog title={title} isOpen={secret !== null} onClose={onClose} isAlert>
      <Notice tone="warn">{words.secretOnce}</Notice>
      <CopyText text={secret ?? ''} />
      <Actions>
        <Button look="primary" onPress={onClose}>
          {words.secretKept}
        </Button>
      </Actions>
    </Dialog>
  );
}

const tones: Readonly<Record<AppVersion['state'], Tone>> = {
  draft: 'neutral',
  submitted: 'accent',
  approved: 'good',
  rejected: 'bad',
  withdrawn: 'warn',
};

export function VersionState({ state }: { state: AppVersion['state'] }) {
  const words = useDeveloperTexts();
  return <Badge tone={tones[state]}>{words.versionState[state]}</Badge>;
}

/** Splits a text into its lines. */
export const splitLines = (text: string): string[] =>
  text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');
