import { useQuery } from '@tanstack/react-query';
import type { DecodedFile, Encoding, Step } from '@waybill/product-files';
import { type RefObject, useEffect, useRef, useState } from 'react';
import { useMe, useStore } from '../../api/me.ts';
import { queries } from '../../api/queries.ts';
import { newReading, readOn } from '../../api/reading.ts';
import { explain, useCommon } from '../../texts/common.ts';
import { useFormats } from '../../texts/format.ts';
import type { ImportState, Plan, Refusal } from './import-plan.tsx';
import { type Product, productsKey } from './queries.ts';
import { useProductTexts } from './texts.ts';
import {
  importLock,
  type KeptImport,
  keptImport,
  readFieldColumns,
  readProducts,
  writeSteps,
} from './transfer.ts';

/** The parser loads once a file is chosen. */
const loadFiles = () => import('@waybill/product-files');

/** State and actions of the import: reading a file into a plan, and writing its steps. */
export function useImport() {
  const words = useProductTexts();
  const formats = useFormats();
  const [plan, setPlan] = useState<Plan | null>(null);
  const [fault, setFault] = useState<string | null>(null);
  const stop = useRef(new AbortController());
  // The bytes of the chosen file, to decode them again in another encoding.
  const bytes = useRef<Uint8Array | null>(null);
  // Stops when the user leaves; they were warned.
  useEffect(() => () => stop.current.abort(), []);
  const kept = useKeptImport();
  const { share, readPlan } = usePlanReader(stop);
  const writing = useWriting(stop, kept.forget);

  /** Shows what the file asks for, without writing anything. */
  async function read(file: KeptImport) {
    setFault(null);
    writing.begin(file.done);
    const found = await readPlan(file);
    if (typeof found === 'string') setFault(found);
    else setPlan(found);
  }

  async function readFile([file]: readonly File[]) {
    if (!file) return;
    const { decodeFile, maxBytes } = await loadFiles();
    if (file.size > maxBytes) return setFault(words.fileTooLarge({ most: formats.size(maxBytes) }));
    bytes.current = new Uint8Array(await file.arrayBuffer());
    await read({ fileName: file.name, ...(await decodeFile(bytes.current)), done: [] });
  }

  return {
    ...kept,
    ...writing,
    plan,
    /** Share of the store's products that have been compared; null if none are being read. */
    share,
    fault,
    read,
    readFile,
    stop: () => stop.current.abort(),
    /** Returns a function that decodes the file in the encoding that the user has chosen; null without its bytes. */
    createDecoder: ({ kept }: Plan) =>
      bytes.current &&
      (async (encoding: Encoding) => {
        const { decodeFile } = await loadFiles();
        const file = await decodeFile(bytes.current!, encoding);
        await read({ fileName: kept.fileName, ...file, done: kept.done });
      }),
    async run({ kept }: Plan, steps: readonly Step[]) {
      setFault(null);
      await writing.run(kept, steps, setFault);
    },
    startOver() {
      setPlan(null);
      setFault(null);
      writing.begin([]);
    },
  };
}

/** The interrupted import of this browser, unless another tab is still writing it. */
function useKeptImport() {
  const store = useStore();
  const { user } = useMe();
  const left = useQuery({
    queryKey: ['kept-import', user.id, store.id],
    queryFn: () => keptImport(user.id, store.id).read(),
    staleTime: 0,
  });

  const isElsewhere = left.data === 'in another tab';
  const unfinished = left.data === 'in another tab' ? null : left.data;
  const { refetch } = left;
  // Waits for another import, even of this tab: a user who leaves and returns quickly finds the old one still
  // finishing.
  useEffect(() => {
    if (!isElsewhere) return;
    const waiting = new AbortController();
    navigator.locks
      .request(importLock(store.id), { mode: 'shared', signal: waiting.signal }, () => {})
      .then(
        () => void refetch(),
        () => {},
      );
    return () => waiting.abort();
  }, [isElsewhere, store.id, refetch]);
  return {
    /** The import to be resumed, if there is one. */
    unfinished,
    /** Another tab is writing an import. */
    isElsewhere,
    async forget() {
      await keptImport(user.id, store.id).forget();
      await refetch();
    },
  };
}

/** Returns a function that compares a file with the store's products. It returns the plan, or a reason without one. */
function usePlanReader(stop: RefObject<AbortController>) {
  const words = useProductTexts();
  const common = useCommon();
  const formats = useFormats();
  const store = useStore();
  const [share, setShare] = useState<number | null>(null);
  async function readPlan(kept: KeptImport): Promise<Plan | string> {
    setShare(0);
    stop.current = new AbortController();
    try {
      const { listColumns, maxRows, planImport, readTable } = await loadFiles();
      const fields = await readFieldColumns(store.id, store.can('integrations.read'));
      const table = readTable(restoreFile(kept), fields);
      if (table.hasNoKnownColumn) return words.noColumns({ columns: formats.list(listColumns(fields)) });
      if (table.isTooLong) return words.tooManyRows({ most: maxRows });
      const reading = newReading<Product>();
      const { signal } = stop.current;
      await readOn(reading, readProducts(store.id, {}), { onProgress: setShare, signal });
      const { steps, problems } = planImport(table.rows, reading.items, store.currency, fields);
      return { kept, steps, problems, unknown: table.unknown, form: table.form };
    } catch (error) {
      return explain(error, common);
    } finally {
      setShare(null);
    }
  }
  return { share, readPlan };
}

/** State and actions of writing the steps of a plan, in one tab at a time. */
function useWriting(stop: RefObject<AbortController>, forget: () => Promise<void>) {
  const words = useProductTexts();
  const common = useCommon();
  const store = useStore();
  const { user } = useMe();
  const mine = keptImport(user.id, store.id);
  const [state, setState] = useState<ImportState>('asking');
  const [written, setWritten] = useState<ReadonlySet<string>>(new Set());
  const [refused, setRefused] = useState<readonly Refusal[]>([]);

  async function run(kept: KeptImport, steps: readonly Step[], onFault: (fault: string) => void) {
    setState('running');
    stop.current = new AbortController();
    const progress: Progress = { done: new Set(written), refused: [...refused] };
    const show = () => {
      setWritten(new Set(progress.done));
      setRefused([...progress.refused]);
      return mine.note([...progress.done]);
    };
    const isMine = await navigator.locks.request(
      importLock(store.id),
      { ifAvailable: true },
      async (lock) => {
        if (!lock) return false;
        await mine.begin({ ...kept, done: [...progress.done] });
        const toText = (error: unknown) => explain(error, common);
        await writeWithProgress(store.id, steps, progress, {
          signal: stop.current.signal,
          show,
          toText,
        }).catch((error) => onFault(toText(error)));
        return true;
      },
    );
    void queries.invalidateQueries({ queryKey: productsKey(store.id) });
    if (!isMine) onFault(words.otherTab);
    const leftOut = new Set(progress.refused.map(({ step }) => step));
    const isThrough = steps.every((step) => progress.done.has(step.key) || leftOut.has(step));
    setState(isThrough ? 'through' : 'stopped');
    if (isThrough) await forget();
  }

  return {
    state,
    /** Keys of the steps that are written. */
    written,
    refused,
    run,
    /** Starts with the steps that were written before. */
    begin(done: readonly string[]) {
      setState('asking');
      setRefused([]);
      setWritten(new Set(done));
    },
  };
}

/** The keys of the written steps and the refused steps, as they grow. */
interface Progress {
  done: Set<string>;
  refused: Refusal[];
}

/** Writes the steps and shows the progress, at the end too if writing fails. */
async function writeWithProgress(
  storeId: string,
  steps: readonly Step[],
  { done, refused }: Progress,
  { signal, show, toText }: { signal: AbortSignal; show(): Promise<unknown>; toText(error: unknown): string },
): Promise<void> {
  // Products are written quickly, so progress is shown and stored only once a second.
  let shownAt = Date.now();
  const showLater = () => {
    if (Date.now() - shownAt <= 1000) return;
    shownAt = Date.now();
    void show();
  };
  try {
    await writeSteps(storeId, steps, {
      signal,
      onDone(step) {
        done.add(step.key);
        showLater();
      },
      onRefused(step, error) {
        refused.push({ step, message: toText(error) });
        showLater();
      },
    });
  } finally {
    await show();
  }
}

/** Restores the file of an interrupted import. Imports stored by older consoles have only the text. */
const restoreFile = ({
  text,
  encoding = 'utf-8',
  isGuessed = false,
  isDamaged = false,
}: KeptImport): DecodedFile => ({
  text,
  encoding,
  isGuessed,
  isDamaged,
});
