import { useQuery, useQueryClient, useSuspenseQuery } from '@tanstack/react-query';
import { type KeyboardEvent, type MouseEvent, useState } from 'react';
import { api } from '../../api/client.ts';
import { useStore } from '../../api/me.ts';
import { useMutation } from '../../api/mutation.ts';
import { paths } from '../../paths.ts';
import { navigate } from '../../router/history.ts';
import { useParams } from '../../router/router.tsx';
import { Failure, NoPermission } from '../../shell/problems.tsx';
import { type Fields, ResourceForm, useResourceForm } from '../../shell/resource-form.tsx';
import { useCommon } from '../../texts/common.ts';
import { useFormats } from '../../texts/format.ts';
import { Button, TextLink } from '../../ui/button.tsx';
import { Card, CopyText, Facts, Notice, Row, Screen, Skeleton, TwoColumns } from '../../ui/layout.tsx';
import { ConfirmDialog } from '../../ui/overlays.tsx';
import { TextField } from '../../ui/text-field.tsx';
import { FolderSelect } from './folders.tsx';
import style from './media.module.css';
import { PurgeDialog } from './purge.tsx';
import { fileQuery, type Media, mediaKey, usageQuery } from './queries.ts';
import { useMediaTexts } from './texts.ts';
import { Uses } from './uses.tsx';

/** The screen of a file: preview, details and uses. */
export function MediaScreen() {
  const words = useMediaTexts();
  const store = useStore();
  const { mediaId } = useParams<'mediaId'>();
  if (store.can('media.read')) return <File key={mediaId} id={mediaId} />;
  return <NoPermission title={words.title} role={store.role} needed={store.roleFor('media.read')} />;
}

type Input = Pick<Media, 'name' | 'alt' | 'focalPoint' | 'folderId'>;

function File({ id }: { id: string }) {
  const words = useMediaTexts();
  const common = useCommon();
  const store = useStore();
  const queries = useQueryClient();
  const {
    data: { media: file, etag },
  } = useSuspenseQuery(fileQuery(store.id, id));
  const { name, alt, focalPoint, folderId } = file;
  const [question, setQuestion] = useState<'trash' | 'purge' | null>(null);
  const canWrite = store.can('media.write') && !file.trashed;
  const path = { storeId: store.id, id };
  const key = mediaKey(store.id);
  const close = () => setQuestion(null);
  const form = useResourceForm<Input, unknown>({
    stored: { name, alt, focalPoint, folderId },
    etag,
    canWrite,
    save: ({ value, headers }) =>
      api.patch('/api/stores/{storeId}/media/{id}', { params: { path }, headers, body: value }),
    done: common.saved,
    invalidates: [key],
  });
  const trash = useMutation(() => api.delete('/api/stores/{storeId}/media/{id}', { params: { path } }), {
    done: words.trashed,
    invalidates: [key],
    onDone: () => form.markSaved(),
  });

  const list = paths.inStore(store.id, 'media');
  return (
    <Screen
      title={file.name}
      back={
        <TextLink href={file.folderId ? `${list}?folderId=${file.folderId}` : list}>
          {common.backTo({ place: words.title })}
        </TextLink>
      }
      actions={
        canWrite && (
          <Button look="danger" onPress={() => setQuestion('trash')}>
            {words.toTrash}
          </Button>
        )
      }
    >
      {file.trashed && <TrashedNotice id={id} onPurge={() => setQuestion('purge')} />}
      <TwoColumns
        main={
          <ResourceForm form={form}>
            <FileFields file={file} form={form} canWrite={canWrite} />
          </ResourceForm>
        }
        side={
          <>
            <UsageCard id={id} />
            <Card title={words.address}>
              <CopyText text={new URL(file.url, location.href).href} />
              <TextLink href={file.url} target="_blank" rel="noreferrer">
                {words.open}
              </TextLink>
            </Card>
            <FactsCard file={file} />
          </>
        }
      />
      <ConfirmDialog
        title={words.trashTitle({ count: 1 })}
        confirm={words.toTrash}
        isOpen={question === 'trash'}
        onClose={close}
        onConfirm={() => trash.attempt(undefined)}
      >
        {words.trashHint}
      </ConfirmDialog>
      <PurgeDialog
        ids={[id]}
        isOpen={question === 'purge'}
        onClose={close}
        onDone={() => {
          navigate(`${list}?trashed=true`);
          // The deleted file's own query is left out: this screen still shows it and would read it again.
          void queries.invalidateQueries({ queryKey: key, predicate: ({ queryKey }) => queryKey[3] !== id });
        }}
      />
    </Screen>
  );
}

/** Says that the file is in the trash, and offers to restore or delete it. */
function TrashedNotice({ id, onPurge }: { id: string; onPurge(): void }) {
  const words = useMediaTexts();
  const store = useStore();
  const restore = useMutation(
    () =>
      api.post('/api/stores/{storeId}/media/{id}/restore', { params: { path: { storeId: store.id, id } } }),
    { done: words.restored, invalidates: [mediaKey(store.id)] },
  );
  return (
    <Notice
      tone="warn"
      actions={
        store.can('media.write') && (
          <>
            <Button isPending={restore.isPending} onPress={() => restore.run(undefined)}>
              {words.restore}
            </Button>
            <Button look="danger" onPress={onPurge}>
              {words.purge}
            </Button>
          </>
        )
      }
    >
      {words.trashed}
    </Notice>
  );
}

/** The fields of a file: its focal point on the preview, and its details. */
function FileFields({ file, form, canWrite }: { file: Media; form: Fields<Input>; canWrite: boolean }) {
  const words = useMediaTexts();
  const common = useCommon();
  return (
    <>
      <Card>
        <Preview
          file={file}
          focalPoint={form.value.focalPoint}
          onChange={canWrite ? (next) => form.change({ focalPoint: next }) : undefined}
        />
      </Card>
      <Card title={words.details}>
        <TextField label={common.name} {...form.field('name')} isRequired maxLength={200} />
        {file.kind !== 'font' && (
          <TextField label={words.alt} hint={words.altHint} {...form.field('alt')} rows={2} maxLength={500} />
        )}
        <FolderSelect {...form.field('folderId')} />
      </Card>
    </>
  );
}

function FactsCard({ file }: { file: Media }) {
  const words = useMediaTexts();
  const common = useCommon();
  const formats = useFormats();
  return (
    <Card title={words.facts}>
      <Facts
        facts={[
          [words.kind, words.kinds[file.kind]],
          [words.type, file.contentType],
          [words.dimensions, file.width && words.pixels({ width: file.width, height: file.height ?? 0 })],
          [words.size, formats.size(file.sizeBytes)],
          [common.created, formats.dateTime(file.createdAt)],
          [common.updated, formats.dateTime(file.updatedAt)],
          ['ID', <code key="id">{file.id}</code>],
        ]}
      />
    </Card>
  );
}

function UsageCard({ id }: { id: string }) {
  const words = useMediaTexts();
  const store = useStore();
  const { data: uses, error, refetch } = useQuery(usageQuery(store.id, id));
  return (
    <Card title={words.usedOn}>
      {error && <Failure error={error} onRetry={() => void refetch()} />}
      {!uses && !error && <Skeleton lines={2} />}
      {uses?.length === 0 && <p>{words.unused}</p>}
      {uses && uses.length > 0 && <Uses uses={uses} />}
    </Card>
  );
}

const middle = { x: 0.5, y: 0.5 };
const step = 0.05;
const clamp = (value: number) => Math.round(Math.min(1, Math.max(0, value)) * 1000) / 1000;
const moves: Readonly<Record<string, readonly [x: number, y: number]>> = {
  ArrowLeft: [-step, 0],
  ArrowRight: [step, 0],
  ArrowUp: [0, -step],
  ArrowDown: [0, step],
};

function Preview({
  file,
  focalPoint,
  onChange,
}: {
  file: Media;
  focalPoint: Media['focalPoint'];
  /** Missing: the user may only read. */
  onChange: ((focalPoint: Media['focalPoint']) => void) | undefined;
}) {
  const words = useMediaTexts();
  const formats = useFormats();
  if (file.kind === 'video') {
    // biome-ignore lint/a11y/useMediaCaption: the library stores no captions
    return <video src={file.url} controls className={style.preview} />;
  }
  if (file.kind === 'font') return <p>{words.kinds.font}</p>;
  const picture = <img src={file.url} alt={file.alt || file.name} />;
  if (!onChange) return <div className={style.preview}>{picture}</div>;
  const { x, y } = focalPoint ?? middle;
  const point = focalPoint
    ? words.focalLabel({ x: formats.percent(x), y: formats.percent(y) })
    : words.focalNone;
  function click(event: MouseEvent<HTMLButtonElement>) {
    // A click by keyboard has no position.
    if (event.detail === 0) return;
    const box = event.currentTarget.getBoundingClientRect();
    onChange?.({
      x: clamp((event.clientX - box.left) / box.width),
      y: clamp((event.clientY - box.top) / box.height),
    });
  }
  function press(event: KeyboardEvent) {
    const move = moves[event.key];
    if (!move) return;
    event.preventDefault();
    onChange?.({ x: clamp(x + move[0]), y: clamp(y + move[1]) });
  }
  return (
    <>
      <button
        type="button"
        className={`${style.preview} ${style.focal}`}
        aria-label={point}
        onClick={click}
        onKeyDown={press}
      >
        {picture}
        <span
          className={style.point}
          style={{ insetInlineStart: `${x * 100}%`, insetBlockStart: `${y * 100}%` }}
        />
      </button>
      <Row isSpread>
        <span role="status">{point}</span>
        {focalPoint && (
          <Button size="small" onPress={() => onChange(null)}>
            {words.clearFocal}
          </Button>
        )}
      </Row>
      <p>{words.focalHint}</p>
    </>
  );
}
