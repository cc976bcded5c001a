import { type ReactNode, useEffect, useRef } from 'react';
import { DropZone } from 'react-aria-components/DropZone';
import { FileTrigger } from 'react-aria-components/FileTrigger';
import type { FileDropItem } from 'react-aria-components/GridList';
import { Button } from './button.tsx';
import style from './files.module.css';
import { hasFiles } from './has-files.ts';
import { useUiTexts } from './texts.ts';

/** A drop area for files, with a button that opens the file dialog. */
export function FilePicker({
  label,
  hint,
  accept,
  isMultiple = true,
  isDisabled = false,
  onFiles,
}: {
  label: string;
  hint?: ReactNode;
  accept?: readonly string[];
  isMultiple?: boolean;
  isDisabled?: boolean;
  onFiles(files: readonly File[]): void;
}) {
  const texts = useUiTexts();
  return (
    <DropZone
      className={style.drop!}
      aria-label={texts.dropFiles}
      isDisabled={isDisabled}
      onDrop={({ items }) => {
        const files = items.filter((item): item is FileDropItem => item.kind === 'file');
        void Promise.all(files.map((item) => item.getFile())).then(onFiles);
      }}
    >
      <FileTrigger
        allowsMultiple={isMultiple}
        {...(accept && { acceptedFileTypes: accept })}
        onSelect={(files) => files && onFiles([...files])}
      >
        <Button isDisabled={isDisabled}>{label}</Button>
      </FileTrigger>
      {hint && <span>{hint}</span>}
    </DropZone>
  );
}

/** Accepts files dropped anywhere on a screen, except on elements that handle drops themselves. */
export function DropsAnywhere({ onFiles }: { onFiles(files: File[]): void }) {
  const latest = useRef(onFiles);
  latest.current = onFiles;
  useEffect(() => {
    const stop = new AbortController();
    const { signal } = stop;
    const isOurs = (event: DragEvent) =>
      !event.defaultPrevented &&
      hasFiles(event) &&
      document.querySelector('[role=dialog], [role=alertdialog]') === null;
    document.addEventListener(
      'dragover',
      (event) => {
        if (!isOurs(event)) return;
        event.preventDefault();
        event.dataTransfer!.dropEffect = 'copy';
      },
      { signal },
    );
    document.addEventListener(
      'drop',
      (event) => {
        if (!isOurs(event)) return;
        event.preventDefault();
        latest.current([...event.dataTransfer!.files]);
      },
      { signal },
    );
    return () => stop.abort();
  }, []);
  return null;
}
