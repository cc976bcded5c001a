import { useInfiniteQuery } from '@tanstack/react-query';
import type { Model } from '@waybill/sdk';
import { useState } from 'react';
import { GridList, GridListItem } from 'react-aria-components/GridList';
import type { Selection } from 'react-aria-components/Table';
import { api } from '../api/client.ts';
import { useStoreId } from '../api/me.ts';
import { useCommon } from '../texts/common.ts';
import { defineTexts, useTexts } from '../texts/texts.ts';
import { Button } from '../ui/button.tsx';
import { Empty, Row, Skeleton } from '../ui/layout.tsx';
import { Actions, Dialog } from '../ui/overlays.tsx';
import { SearchField } from '../ui/search-field.tsx';
import style from './media-picker.module.css';
import { Failure } from './problems.tsx';

const texts = defineTexts({
  en: () => import('../texts/en/media-picker.ts'),
  de: () => import('../texts/de/media-picker.ts'),
});

export type Media = Model<'Media'>;

/** Picks files from the store's media library. `onPick` receives them in the order in which they were selected. */
export function MediaPicker({
  title,
  kind = 'image',
  isMultiple = false,
  onPick,
  onClose,
}: {
  title: string;
  kind?: Media['kind'];
  isMultiple?: boolean;
  onPick(files: Media[]): void;
  onClose(): void;
}) {
  const words = useTexts(texts);
  const common = useCommon();
  const storeId = useStoreId();
  const [q, setQ] = useState('');
  const [chosen, setChosen] = useState<readonly Media[]>([]);
  const { data, error, refetch, hasNextPage, fetchNextPage, isFetchingNextPage } = useInfiniteQuery({
    queryKey: ['stores', storeId, 'media', 'picker', kind, q],
    initialPageParam: undefined as string | undefined,
    queryFn: ({ pageParam: after, signal }) =>
      api.get('/api/stores/{storeId}/media', {
        params: {
          path: { storeId },
          query: { kind, limit: 48, sort: 'created', dir: 'desc', ...(q && { q }), ...(after && { after }) },
        },
        signal,
      }),
    getNextPageParam: ({ nextCursor }) => nextCursor ?? undefined,
  });
  const shown = data?.pages.flatMap(({ media }) => media) ?? [];
  // A selected file stays selected when a new search hides it.
  const select = (keys: Selection) => {
    const has = (id: string) => keys === 'all' || keys.has(id);
    const kept = chosen.filter(({ id }) => has(id));
    const added = shown.filter(({ id }) => has(id) && !chosen.some((file) => file.id === id));
    setChosen(isMultiple ? [...kept, ...added] : added.length > 0 ? added : kept);
  };
  const selectedKeys = chosen.map(({ id }) => id);
  return (
    <Dialog title={title} isOpen onClose={onClose} size="large">
      <Row>
        <SearchField label={common.search} placeholder={words.search} value={q} onChange={setQ} />
      </Row>
      <div className={style.results}>
        {error && !data && <Failure error={error} onRetry={() => void refetch()} />}
        {!data && !error && <Skeleton lines={6} />}
        {data && (
          <GridList
            aria-label={title}
            items={shown}
            layout="grid"
            selectionMode={isMultiple ? 'multiple' : 'single'}
            selectedKeys={selectedKeys}
            onSelectionChange={select}
            className={style.grid!}
            renderEmptyState={() =>
              q ? (
                <Empty title={common.nothingFound}>{common.nothingFoundHint}</Empty>
              ) : (
                <Empty title={words.empty}>{words.emptyHint}</Empty>
              )
            }
          >
            {(file) => (
              <GridListItem textValue={file.name} className={style.file!}>
                {kind === 'image' && (
                  <img src={`${file.url}?w=320`} alt={file.alt} loading="lazy" width="160" height="160" />
                )}
                <span>{file.name}</span>
              </GridListItem>
            )}
          </GridList>
        )}
        {hasNextPage && (
          <Row>
            <Button isPending={isFetchingNextPage} onPress={() => void fetchNextPage()}>
              {words.more}
            </Button>
          </Row>
        )}
      </div>
      <Actions>
        <Button onPress={onClose}>{common.cancel}</Button>
        <Button
          look="primary"
          isDisabled={chosen.length === 0}
          onPress={() => {
            onPick([...chosen]);
            onClose();
          }}
        >
          {isMultiple ? words.take({ count: chosen.length }) : words.takeOne}
        </Button>
      </Actions>
    </Dialog>
  );
}
