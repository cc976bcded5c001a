import { findMediaId, type Json } from '@waybill/page';
import { lazy, Suspense, useState } from 'react';
import { Button } from '../../ui/button.tsx';
import { hasFiles } from '../../ui/has-files.ts';
import style from '../elements/pickers.module.css';
import { usePanelWorkbench } from '../workbench/panel-workbench.ts';
import { useSources } from '../workbench/workbench.ts';
import { type ControlProps, TypedControl } from './controls.tsx';

const MediaPicker = lazy(async () => ({
  default: (await import('../../shell/media-picker.tsx')).MediaPicker,
}));
const FilePicker = lazy(async () => ({ default: (await import('../../ui/files.tsx')).FilePicker }));

/** A control for a picture or a video, from the store's library or by URL. */
export function MediaControl({ isVideo, ...props }: ControlProps & { isVideo: boolean }) {
  const { words, upload } = usePanelWorkbench();
  const sources = useSources();
  const [isOpen, setOpen] = useState(false);
  const [isUploading, setUploading] = useState(false);
  const [isDraggedOver, setDraggedOver] = useState(false);
  const { value, isDisabled, onChange } = props;
  const id = typeof value === 'string' ? findMediaId(value) : undefined;
  const url = id ? sources?.media[id]?.url : undefined;
  async function onFile([file]: readonly File[]) {
    if (!file) return;
    setUploading(true);
    const mediaId = await upload(file);
    setUploading(false);
    if (mediaId !== undefined) onChange(mediaId);
  }
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: "Upload" does the same for keys
    <div
      className={style.stack}
      data-file-field
      data-drop-target={isDraggedOver}
      onDragOver={(event) => {
        if (isDisabled || !hasFiles(event.nativeEvent)) return;
        event.preventDefault();
        event.dataTransfer.dropEffect = 'copy';
        setDraggedOver(true);
      }}
      onDragLeave={() => setDraggedOver(false)}
      onDrop={(event) => {
        setDraggedOver(false);
        if (isDisabled || !hasFiles(event.nativeEvent)) return;
        event.preventDefault();
        const typePrefix = isVideo ? 'video/' : 'image/';
        void onFile([...event.dataTransfer.files].filter(({ type }) => type.startsWith(typePrefix)));
      }}
    >
      {url && !isVideo && <img className={style.thumb} src={url} alt="" />}
      <div className={style.row}>
        <Button size="small" isDisabled={isDisabled} onPress={() => setOpen(true)}>
          {value ? words.chooseOther : isVideo ? words.chooseVideo : words.choosePicture}
        </Button>
      </div>
      {!isDisabled && (
        <Suspense>
          <FilePicker
            label={words.upload}
            accept={[isVideo ? 'video/*' : 'image/*']}
            isMultiple={false}
            isDisabled={isUploading}
            onFiles={(files) => void onFile(files)}
          />
        </Suspense>
      )}
      <TypedControl {...props} placeholder={words.orUrl} />
      {isOpen && (
        <Suspense>
          <MediaPicker
            title={isVideo ? words.chooseVideo : words.choosePicture}
            kind={isVideo ? 'video' : 'image'}
            onPick={([file]) => file && onChange(file.id)}
            onClose={() => setOpen(false)}
          />
        </Suspense>
      )}
    </div>
  );
}

/** A control for an element's background: a typed gradient, or a picture. */
export function BackgroundControl(props: ControlProps) {
  const { words } = usePanelWorkbench();
  const { value, type, onChange } = props;
  const src = readPicture(value);
  const text = type.anyOf?.find((one) => one.type === 'string') ?? type;
  const picture = type.anyOf?.find((one) => one.type === 'object')?.properties?.src;
  return (
    <div className={style.stack}>
      {picture && (
        <MediaControl
          {...props}
          type={picture}
          value={src}
          isVideo={false}
          onChange={(next) => onChange(next === undefined ? undefined : { src: next })}
        />
      )}
      <TypedControl
        {...props}
        type={text}
        value={src === undefined ? value : undefined}
        placeholder={words.orGradient}
      />
    </div>
  );
}

function readPicture(value: Json | undefined): string | undefined {
  const src = typeof value === 'object' && value !== null ? (value as { src?: Json }).src : undefined;
  return typeof src === 'string' ? src : undefined;
}
