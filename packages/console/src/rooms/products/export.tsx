import { isWaybillError } from '@waybill/sdk';
import { useEffect, useRef, useState } from 'react';
import { useStore } from '../../api/me.ts';
import { explain, useCommon } from '../../texts/common.ts';
import { useFormats } from '../../texts/format.ts';
import { Button } from '../../ui/button.tsx';
import { digitsOf } from '../../ui/digits.ts';
import { Notice, Progress } from '../../ui/layout.tsx';
import { Actions, Dialog } from '../../ui/overlays.tsx';
import { saveFile } from '../../ui/save-file.ts';
import { columns, rowsOf, writeTable } from './csv.ts';
import { useProductTexts } from './texts.ts';
import { newReading, readOn } from './transfer.ts';

/** Writes the products of the list into a file, all of them; what failed goes on from where it was. */
export function ExportDialog({
  filter,
  onClose,
}: {
  filter: { q?: string; status?: string };
  onClose(): void;
}) {
  const words = useProductTexts();
  const common = useCommon();
  const formats = useFormats();
  const store = useStore();
  const [share, setShare] = useState(0);
  const [fault, setFault] = useState<string | null>(null);
  const [count, setCount] = useState<number | null>(null);
  const reading = useRef(newReading());
  const stop = useRef<AbortController>(null);
  const isFiltered = filter.q !== undefined || filter.status !== undefined;

  async function run(signal: AbortSignal) {
    setFault(null);
    try {
      await readOn(store.id, reading.current, filter, { onProgress: setShare, signal });
      const { products } = reading.current;
      const digits = digitsOf(store.currency);
      const text = writeTable(
        columns,
        products.flatMap((product) => rowsOf(product, digits)),
      );
      saveFile(`products-${store.slug}.csv`, new Blob([text], { type: 'text/csv' }));
      setCount(products.length);
    } catch (error) {
      if (signal.aborted) return;
      // A cursor that is no longer good has nothing to go on from.
      if (isWaybillError(error, 'invalid_cursor')) reading.current = newReading();
      setFault(explain(error, common));
    }
  }
  const begin = () => {
    stop.current?.abort();
    stop.current = new AbortController();
    void run(stop.current.signal);
  };
  // It begins when it is opened, and once.
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
              {words.goOn}
            </Button>
          }
        >
          {fault}
        </Notice>
      )}
      {count === null ? (
        <Progress label={words.reading} value={share} />
      ) : (
        <p role="status">{words.exported(formats.number(count))}</p>
      )}
      <Actions>
        <Button onPress={onClose} autoFocus>
          {count === null ? common.cancel : common.close}
        </Button>
      </Actions>
    </Dialog>
  );
}
