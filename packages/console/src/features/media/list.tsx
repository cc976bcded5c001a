import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { api } from '../../api/client.ts';
import { useList } from '../../api/list.ts';
import { useStore } from '../../api/me.ts';
import { paths } from '../../paths.ts';
import { useSearch } from '../../router/router.tsx';
import { useBulk } from '../../shell/bulk.ts';
import { NoPermission } from '../../shell/problems.tsx';
import { createChoices, type ListView, ResourceList } from '../../shell/resource-list.tsx';
import { useCommon } from '../../texts/common.ts';
import { useFormats } from '../../texts/format.ts';
import { Button, LinkButton, TextLink } from '../../ui/button.tsx';
import { DropsAnywhere, FilePicker } from '../../ui/files.tsx';
import { ImageIcon } from '../../ui/icons.tsx';
import { Empty, Progress, Row, Screen } from '../../ui/layout.tsx';
import { ConfirmDialog } from '../../ui/overlays.tsx';
import { Select } from '../../ui/select.tsx';
import type { ColumnOf } from '../../ui/table.tsx';
import { Tiles } from '../../ui/tiles.tsx';
import { FolderDialog, Folders } from './folders.tsx';
import style from './media.module.css';
import { PurgeDialog } from './purge.tsx';
import { foldersQuery, type Media, type MediaSearch, mediaKey, quotaQuery, readMedia } from './queries.ts';
import { useMediaTexts } from './texts.ts';
import { Uploads } from './upload-list.tsx';
import { uploading } from './uploads.ts';

const kinds = ['image', 'video', 'font'] as const;
const sorts = ['created-desc', 'created-asc', 'name-asc', 'size-desc'] as const;
type View = 'grid' | 'list';
const viewKey = 'waybill.media.view';

/** The store's files: a folder, search results or the trash. */
export function MediaList() {
  const words = useMediaTexts();
  const store = useStore();
  if (store.can('media.read')) return <Library />;
  return <NoPermission title={words.title} role={store.role} needed={store.roleFor('media.read')} />;
}

function Library() {
  const words = useMediaTexts();
  const formats = useFormats();
  const store = useStore();
  const search = useSearch<MediaSearch>();
  const list = useList(mediaKey(store.id), search, (given, signal) => readMedia(store.id, given, signal));
  const { data: folders = [] } = useQuery(foldersQuery(store.id));
  const [view, setView] = useState(readView);
  const [selected, setSelected] = useState<ReadonlySet<string>>(new Set());
  const isTrash = search.trashed !== undefined;
  const canWrite = store.can('media.write');
  const canUpload = canWrite && !isTrash;
  const folderId = search.folderId ?? null;
  const home = paths.inStore(store.id, 'media');
  const items = list.data?.media ?? [];
  const chosen = items.filter(({ id }) => selected.has(id));
  const createHref = ({ id }: Media) => `${home}/${id}`;

  // The selection does not carry over to another list.
  const shown = JSON.stringify(search);
  useEffect(() => setSelected(new Set<string>()), [shown]);
  usePastedFiles(canUpload, folderId);

  const columns = useMediaColumns();
  return (
    <Screen
      title={isTrash ? words.trash : words.title}
      back={isTrash && <TextLink href={home}>{words.toLibrary}</TextLink>}
      subtitle={<Quota />}
      actions={!isTrash && <LinkButton href={`${home}?trashed=true`}>{words.trash}</LinkButton>}
    >
      {canUpload && <DropsAnywhere onFiles={(files) => uploading.add(store.id, folderId, files)} />}
      {canUpload && (
        <FilePicker
          label={words.upload}
          hint={words.uploadHint}
          onFiles={(files) => uploading.add(store.id, folderId, files)}
        />
      )}
      <Uploads />
      <ResourceList
        label={isTrash ? words.trash : words.title}
        list={list}
        items={items}
        columns={columns}
        getHref={createHref}
        before={!isTrash && <Folders folders={folders} folderId={search.folderId} canWrite={canWrite} />}
        searchPlaceholder={words.searchPlaceholder}
        filters={[
          { name: 'kind', label: words.kind, any: words.anyKind, choices: createChoices(kinds, words.kinds) },
        ]}
        moreFilters={<SortAndView search={search} onSort={list.change} view={view} onView={setView} />}
        selection={canWrite && { selected, onSelect: setSelected }}
        bulk={
          chosen.length > 0 && (
            <BulkBar files={chosen} isTrash={isTrash} onDone={(failed) => setSelected(new Set(failed))} />
          )
        }
        empty={
          <Empty title={isTrash ? words.emptyTrash : words.empty}>
            {isTrash ? words.emptyTrashHint : words.emptyHint}
          </Empty>
        }
        summary={words.count}
        {...(view === 'grid' && {
          view: (shown: ListView<Media>) => (
            <Tiles
              {...shown}
              getName={getName}
              picture={(file) => <Picture file={file} />}
              detail={({ sizeBytes }) => formats.size(sizeBytes)}
            />
          ),
        })}
      />
    </Screen>
  );
}

const getName = ({ name }: Media) => name;

const readView = (): View => (localStorage.getItem(viewKey) === 'list' ? 'list' : 'grid');

/** Uploads files that are pasted anywhere on the screen. */
function usePastedFiles(canUpload: boolean, folderId: string | null): void {
  const store = useStore();
  useEffect(() => {
    if (!canUpload) return;
    function paste({ clipboardData }: ClipboardEvent) {
      const files = [...(clipboardData?.files ?? [])];
      if (files.length > 0) uploading.add(store.id, folderId, files);
    }
    document.addEventListener('paste', paste);
    return () => document.removeEventListener('paste', paste);
  }, [canUpload, store.id, folderId]);
}

function useMediaColumns(): ColumnOf<Media>[] {
  const words = useMediaTexts();
  const common = useCommon();
  const formats = useFormats();
  return [
    {
      id: 'picture',
      title: words.kinds.image,
      isTitleHidden: true,
      cell: (file) => (
        <span className={style.thumb}>
          <Picture file={file} />
        </span>
      ),
    },
    { id: 'name', title: common.name, isHeader: true, cell: getName },
    { id: 'kind', title: words.kind, isWide: true, cell: ({ kind }) => words.kinds[kind] },
    { id: 'size', title: words.size, isEnd: true, cell: ({ sizeBytes }) => formats.size(sizeBytes) },
    { id: 'created', title: common.created, isWide: true, cell: ({ createdAt }) => formats.date(createdAt) },
  ];
}

/** Sorts the files, and switches between tiles and a table. */
function SortAndView({
  search,
  onSort,
  view,
  onView,
}: {
  search: MediaSearch;
  onSort(sort: { sort: string | undefined; dir: string | undefined }): void;
  view: View;
  onView(view: View): void;
}) {
  const words = useMediaTexts();
  const sort = `${search.sort ?? 'created'}-${search.dir ?? 'desc'}`;
  return (
    <>
      <Select
        label={words.sort}
        isLabelHidden
        choices={sorts.map((id) => ({ id, text: words.sorts[id] }))}
        value={sort as (typeof sorts)[number]}
        onChange={(next) => {
          const [by, dir] = next.split('-');
          onSort({ sort: by, dir });
        }}
      />
      <Select
        label={words.view}
        isLabelHidden
        choices={[
          { id: 'grid', text: words.grid },
          { id: 'list', text: words.list },
        ]}
        value={view}
        onChange={(next) => {
          localStorage.setItem(viewKey, next);
          onView(next);
        }}
      />
    </>
  );
}

function Picture({ file: { kind, url } }: { file: Media }) {
  const words = useMediaTexts();
  if (kind === 'image') return <img src={`${url}?w=320`} alt="" loading="lazy" />;
  return (
    <span className={style.sign}>
      <ImageIcon />
      {words.kinds[kind]}
    </span>
  );
}

/** How much of the storage quota is used. */
function Quota() {
  const words = useMediaTexts();
  const formats = useFormats();
  const store = useStore();
  const { data: quota } = useQuery(quotaQuery(store.id));
  if (!quota) return null;
  const { used, limit, trashed } = quota;
  return (
    <Progress
      label={words.quota({
        used: formats.size(used),
        limit: formats.size(limit),
        trashed: formats.size(trashed),
      })}
      value={used / limit}
    />
  );
}

/** Bulk actions for the selected files. */
function BulkBar({
  files,
  isTrash,
  onDone,
}: {
  files: readonly Media[];
  isTrash: boolean;
  /** Receives the ids of the files that could not be changed. */
  onDone(failed: readonly string[]): void;
}) {
  const words = useMediaTexts();
  const common = useCommon();
  const { id: storeId } = useStore();
  const queries = useQueryClient();
  const [question, setQuestion] = useState<'move' | 'trash' | 'purge' | null>(null);
  const close = () => setQuestion(null);
  const act = useBulk(files, { invalidates: [mediaKey(storeId)], words, onDone });
  const of = (id: string) => ({ params: { path: { storeId, id } } });
  return (
    <div className={style.bulk}>
      <span role="status">{common.selected({ count: files.length })}</span>
      <Row>
        {isTrash ? (
          <>
            <Button
              size="small"
              isPending={act.isPending}
              onPress={() =>
                act.run(({ id }) => api.post('/api/stores/{storeId}/media/{id}/restore', of(id)))
              }
            >
              {words.restore}
            </Button>
            <Button size="small" look="danger" onPress={() => setQuestion('purge')}>
              {words.purge}
            </Button>
          </>
        ) : (
          <>
            <Button size="small" isPending={act.isPending} onPress={() => setQuestion('move')}>
              {words.move}
            </Button>
            <Button size="small" look="danger" onPress={() => setQuestion('trash')}>
              {words.toTrash}
            </Button>
          </>
        )}
      </Row>
      <FolderDialog
        title={words.moveTitle({ count: files.length })}
        confirm={words.moveHere}
        isOpen={question === 'move'}
        onClose={close}
        from={files[0]?.folderId ?? null}
        onChoose={(folderId) =>
          act.attempt(({ id }) =>
            api.patch('/api/stores/{storeId}/media/{id}', { ...of(id), body: { folderId } }),
          )
        }
      />
      <ConfirmDialog
        title={words.trashTitle({ count: files.length })}
        confirm={words.toTrash}
        isOpen={question === 'trash'}
        onClose={close}
        onConfirm={() => act.attempt(({ id }) => api.delete('/api/stores/{storeId}/media/{id}', of(id)))}
      >
        {words.trashHint}
      </ConfirmDialog>
      <PurgeDialog
        ids={files.map(({ id }) => id)}
        isOpen={question === 'purge'}
        onClose={close}
        onDone={() => {
          void queries.invalidateQueries({ queryKey: mediaKey(storeId) });
          onDone([]);
        }}
      />
    </div>
  );
}
