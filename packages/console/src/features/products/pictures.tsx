import { lazy, Suspense, useState } from 'react';
import { useStore } from '../../api/me.ts';
import { useMutation } from '../../api/mutation.ts';
import { uploadFile } from '../../api/upload.ts';
import { Button, IconButton } from '../../ui/button.tsx';
import { FilePicker } from '../../ui/files.tsx';
import { CrossIcon } from '../../ui/icons.tsx';
import { useLatest } from '../../ui/latest.ts';
import { Card, Progress, Row, Stack } from '../../ui/layout.tsx';
import { ActionMenu } from '../../ui/overlays.tsx';
import { ReorderGrid } from '../../ui/reorder-grid.tsx';
import style from './products.module.css';
import type { Product, ProductInput } from './queries.ts';
import { useProductTexts } from './texts.ts';

const MediaPicker = lazy(async () => ({
  default: (await import('../../shell/media-picker.tsx')).MediaPicker,
}));

/** The pictures of a product, uploaded or picked from the library, in the order of the shop. */
export function Pictures({
  product,
  value,
  change,
  canWrite,
}: {
  product: Product | null;
  value: ProductInput;
  change(changes: Partial<ProductInput>): void;
  canWrite: boolean;
}) {
  const words = useProductTexts();
  const store = useStore();
  const [known, setKnown] = useState<Readonly<Record<string, string>>>({});
  const [share, setShare] = useState<number | null>(null);
  const [isPicking, setPicking] = useState(false);
  const ids = value.mediaIds ?? [];
  const findUrl = (id: string) => known[id] ?? product?.media.find((file) => file.id === id)?.url;
  // The user may reorder, remove or save pictures during an upload.
  const latest = useLatest({ ids, change });
  const put = (mediaIds: string[]) => change({ mediaIds });
  const add = (files: readonly { id: string; url: string }[]) => {
    setKnown((before) => ({ ...before, ...Object.fromEntries(files.map(({ id, url }) => [id, url])) }));
    const mediaIds = [...new Set([...latest.current.ids, ...files.map(({ id }) => id)])];
    latest.current.change({ mediaIds });
  };
  const upload = useMutation(async (files: readonly File[]) => {
    const added: { id: string; url: string }[] = [];
    try {
      for (const [position, file] of files.entries()) {
        const onProgress = (part: number) => setShare((position + part) / files.length);
        added.push(await uploadFile(store.id, file, { onProgress }));
      }
    } finally {
      setShare(null);
      if (added.length > 0) add(added);
    }
  });
  const moved = (id: string, to: number) => {
    const rest = ids.filter((other) => other !== id);
    return [...rest.slice(0, to), id, ...rest.slice(to)];
  };
  return (
    <Card title={words.pictures}>
      <Stack>
        <p>{words.picturesHint}</p>
        {ids.length > 0 && (
          <ReorderGrid
            label={words.pictures}
            items={ids.map((id, position) => ({ id, text: words.picture({ position: position + 1 }) }))}
            onReorder={put}
            isDisabled={!canWrite}
          >
            {({ id, text }, position) => (
              <div className={style.picture}>
                <img src={`${findUrl(id)}?w=320`} alt="" draggable="false" />
                {canWrite && (
                  <PictureMenu
                    text={text}
                    position={position}
                    count={ids.length}
                    onMove={(to) => put(moved(id, to))}
                    onRemove={() => put(ids.filter((other) => other !== id))}
                  />
                )}
              </div>
            )}
          </ReorderGrid>
        )}
        {canWrite && store.can('media.write') && (
          <FilePicker
            label={words.addPictures}
            accept={['image/*']}
            isDisabled={upload.isPending}
            onFiles={(files) => void upload.run(files)}
          />
        )}
        {canWrite && store.can('media.read') && (
          <Row>
            <Button onPress={() => setPicking(true)}>{words.fromLibrary}</Button>
          </Row>
        )}
        {share !== null && <Progress label={words.addPictures} value={share} />}
      </Stack>
      {isPicking && (
        <Suspense>
          <MediaPicker title={words.fromLibrary} isMultiple onPick={add} onClose={() => setPicking(false)} />
        </Suspense>
      )}
    </Card>
  );
}

/** The actions of a picture, which keyboards can reach too. */
function PictureMenu({
  text,
  position,
  count,
  onMove,
  onRemove,
}: {
  text: string;
  position: number;
  /** Number of pictures. */
  count: number;
  onMove(position: number): void;
  onRemove(): void;
}) {
  const words = useProductTexts();
  return (
    <span className={style.pictureMenu}>
      <ActionMenu
        label={text}
        actions={[
          ...(position > 0
            ? [
                { id: 'front', text: words.moveToFront, onAction: () => onMove(0) },
                {
                  id: 'earlier',
                  text: words.moveEarlier,
                  onAction: () => onMove(position - 1),
                },
              ]
            : []),
          ...(position < count - 1
            ? [
                {
                  id: 'later',
                  text: words.moveLater,
                  onAction: () => onMove(position + 1),
                },
              ]
            : []),
        ]}
      />
      <IconButton label={words.removePicture({ position: position + 1 })} onPress={onRemove}>
        <CrossIcon />
      </IconButton>
    </span>
  );
}
