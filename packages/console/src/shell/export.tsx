import { writeTable } from '@waybill/product-files';
import { isWaybillError } from '@waybill/sdk';
import { useEffect, useRef, useState } from 'react';
import { newReading, type ReadPage, readOn } from '../api/reading.ts';
import { explain, useCommon } from '../texts/common.ts';
import { Button } from '../ui/button.tsx';
import { Notice, Progress } from '../ui/layout.tsx';
import { Actions, Dialog } from '../ui/overlays.tsx';
import { saveFile } from '../ui/save-file.ts';

/** Exports a whole list to a file. After a failure, it continues where it stopped. */
export function ExportDialog<Item>({
  words,
  isFiltered,
  file,
  read,
  createTable,
  onClose,
}: {
  words: {
    export: string;
    exportFiltered: string;
    exported(args: { count: number }): string;
    reading: string;
    resume: string;
  };
  isFiltered: boolean;
  /** Name of the file. */
  file: string;
  read: ReadPage<Item>;
  /** Returns the rows and columns of the file. */
  createTable(items: readonly Item[]): { columns: readonly string[]; rows: string[][] };
  onClose(): void;
}) {
  const common = useCommon();
  const [share, setShare] = useState(0);
  const [fault, setFault] = useState<string | null>(null);
  const [count, setCount] = useState<number | null>(null);
  const reading = useRef(newReading<Item>());
  const stop = useRef<AbortController>(null);

  async function run(signal: AbortSignal) {
    setFault(null);
    try {
      await readOn(reading.current, read, { onProgress: setShare, signal });
      const { items } = reading.current;
      const { columns, rows } = createTable(items);
      const text = writeTable(columns, rows);
      saveFile(file, new Blob([text], { type: 'text/csv' }));
      setCount(items.length);
    } catch (error) {
      if (signal.aborted) return;
      // An expired cursor cannot be continued, so the reading starts over.
      if (isWaybillError(error, 'invalid_cursor')) reading.current = newReading();
      setFault(explain(error, common));
    }
  }
  const begin = () => {
    stop.current?.abort();
    stop.current = new AbortController();
    void run(stop.current.signal);
  };
  // Starts once, when the dialog opens.
  useEffect(() => {
    begin();
    return () => stop.current?.abort();
  }, []);

  return (
    <Dialog title={words.export} isOpen onClose={onClose} size="small">
      {isFiltered && <p>{words.exportFiltered}</p>}
      {fault && (
        <Notice
          tone="bad"
          actions={
            <Button size="small" onPress={begin}>
              {words.resume}
            </Button>
          }
        >
          {fault}
        </Notice>
      )}
      {count === null ? (
        <Progress label={words.reading} value={share} />
      ) : (
        <p role="status">{words.exported({ count })}</p>
      )}
      <Actions>
        <Button onPress={onClose} autoFocus>
          {count === null ? common.cancel : common.close}
        </Button>
      </Actions>
    </Dialog>
  );
}
