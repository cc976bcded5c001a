import { useQuery } from '@tanstack/react-query';
import { currencyExponent } from '@waybill/contracts/currencies';
import type { DecodedFile, Encoding, Step } from '@waybill/product-files';
import { lazy, Suspense, useEffect, useRef, useState } from 'react';
import { useMe, useStore } from '../../api/me.ts';
import { queries } from '../../api/queries.ts';
import { newReading, readOn } from '../../api/reading.ts';
import { paths } from '../../paths.ts';
import { NoPermission } from '../../shell/problems.tsx';
import { Unsaved } from '../../shell/unsaved.tsx';
import { explain, useCommon } from '../../texts/common.ts';
import { useFormats } from '../../texts/format.ts';
import { Button, TextLink } from '../../ui/button.tsx';
import { FilePicker } from '../../ui/files.tsx';
import { Card, Notice, Progress, Screen } from '../../ui/layout.tsx';
import type { ImportState, Plan, Refusal } from './import-plan.tsx';
import style from './products.module.css';
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

// The parser and the plan load once a file is chosen.
const loadFiles = () => import('@waybill/product-files');
const Shown = lazy(async () => ({ default: (await import('./import-plan.tsx')).Shown }));

/** Imports products from a file. It shows the changes first and can resume an interrupted import. */
export function ImportScreen() {
  const words = useProductTexts();
  const store = useStore();
  if (store.can('products.write')) return <Import />;
  return <NoPermission title={words.import} role={store.role} needed={store.roleFor('products.write')} />;
}

function Import() {
  const words = useProductTexts();
  const common = useCommon();
  const formats = useFormats();
  const store = useStore();
  const { user } = useMe();
  const [plan, setPlan] = useState<Plan | null>(null);
  const [share, setShare] = useState<number | null>(null);
  const [fault, setFault] = useState<string | null>(null);
  const [state, setState] = useState<ImportState>('asking');
  const [written, setWritten] = useState<ReadonlySet<string>>(new Set());
  const [refused, setRefused] = useState<readonly Refusal[]>([]);
  const stop = useRef(new AbortController());
  // The bytes of the chosen file, to decode them again in another encoding.
  const bytes = useRef<Uint8Array | null>(null);
  // Stops when the user leaves; they were warned.
  useEffect(() => () => stop.current.abort(), []);
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

  /** Shows what the file asks for, without writing anything. */
  async function look(kept: KeptImport) {
    setFault(null);
    setState('asking');
    setRefused([]);
    setWritten(new Set(kept.done));
    setShare(0);
    stop.current = new AbortController();
    try {
      const { columnsWith, maxRows, planOf, readTable } = await loadFiles();
      const fields = await readFieldColumns(store.id, store.can('integrations.read'));
      const table = readTable(fileOf(kept), fields);
      if (table.missing) return setFault(words.noColumns(formats.list(columnsWith(fields))));
      if (table.isTooLong) return setFault(words.tooManyRows(formats.number(maxRows)));
      const reading = newReading<Product>();
      const { signal } = stop.current;
      await readOn(reading, readProducts(store.id, {}), { onProgress: setShare, signal });
      const digits = currencyExponent(store.currency);
      const { steps, problems } = planOf(table.rows, reading.items, digits, fields);
      setPlan({ kept, steps, problems, unknown: table.unknown, form: table.form });
    } catch (error) {
      setFault(explain(error, common));
    } finally {
      setShare(null);
    }
  }

  async function take([file]: readonly File[]) {
    if (!file) return;
    const { decodeFile, maxBytes } = await loadFiles();
    if (file.size > maxBytes) return setFault(words.fileTooLarge(formats.size(maxBytes)));
    bytes.current = new Uint8Array(await file.arrayBuffer());
    await look({ fileName: file.name, ...(await decodeFile(bytes.current)), done: [] });
  }

  /** Decodes the file in the encoding that the user has chosen. */
  const confirmEncoding = ({ kept }: Plan) =>
    bytes.current &&
    (async (encoding: Encoding) => {
      const { decodeFile } = await loadFiles();
      const file = await decodeFile(bytes.current!, encoding);
      await look({ fileName: kept.fileName, ...file, done: kept.done });
    });

  async function run({ kept }: Plan, steps: readonly Step[]) {
    setFault(null);
    setState('running');
    stop.current = new AbortController();
    const done = new Set(written);
    const wrongs = [...refused];
    const isMine = await navigator.locks.request(
      importLock(store.id),
      { ifAvailable: true },
      async (lock) => {
        if (!lock) return false;
        const mine = keptImport(user.id, store.id);
        // Products are written quickly, so progress is shown and stored only once a second.
        let shownAt = Date.now();
        const show = () => {
          shownAt = Date.now();
          setWritten(new Set(done));
          setRefused([...wrongs]);
          return mine.note([...done]);
        };
        const tell = () => void (Date.now() - shownAt > 1000 && show());
        await mine.begin({ ...kept, done: [...done] });
        try {
          await writeSteps(store.id, steps, {
            signal: stop.current.signal,
            onDone(step) {
              done.add(step.key);
              tell();
            },
            onRefused(step, error) {
              wrongs.push({ step, message: explain(error, common) });
              tell();
            },
          });
        } catch (error) {
          setFault(explain(error, common));
        } finally {
          await show();
        }
        return true;
      },
    );
    void queries.invalidateQueries({ queryKey: productsKey(store.id) });
    if (!isMine) setFault(words.otherTab);
    const leftOut = new Set(wrongs.map(({ step }) => step));
    const isThrough = steps.every((step) => done.has(step.key) || leftOut.has(step));
    setState(isThrough ? 'through' : 'stopped');
    if (isThrough) await forget();
  }

  async function forget() {
    await keptImport(user.id, store.id).forget();
    await left.refetch();
  }

  const anew = () => {
    setPlan(null);
    setFault(null);
    setState('asking');
  };
  const isRunning = state === 'running';
  return (
    <Screen
      title={words.import}
      back={<TextLink href={paths.inStore(store.id, 'products')}>{common.backTo(words.title)}</TextLink>}
    >
      {fault && <Notice tone="bad">{fault}</Notice>}
      {!plan && (
        <>
          {isElsewhere && <Notice tone="warn">{words.otherTab}</Notice>}
          {unfinished && share === null && (
            <Notice
              tone="warn"
              title={words.unfinished(unfinished.fileName)}
              actions={
                <>
                  <Button size="small" look="primary" onPress={() => void look(unfinished)}>
                    {words.resume}
                  </Button>
                  <Button size="small" onPress={() => void forget()}>
                    {words.giveUp}
                  </Button>
                </>
              }
            >
              {words.unfinishedHint(formats.number(unfinished.done.length))}
            </Notice>
          )}
          <Card title={words.chooseFile}>
            <p>{words.importHint}</p>
            {share === null ? (
              <FilePicker
                label={words.chooseFile}
                hint={words.dropFile}
                accept={['.csv', '.tsv', '.txt', 'text/csv', 'text/tab-separated-values']}
                isMultiple={false}
                onFiles={(files) => void take(files)}
              />
            ) : (
              <Progress label={words.comparing} value={share} />
            )}
            <h3>{words.columns}</h3>
            <p>{words.importRules}</p>
            <dl className={style.columns}>
              {Object.entries(words.columnHints).map(([column, hint]) => (
                <div key={column}>
                  <dt>
                    <code>{column}</code>
                  </dt>
                  <dd>{hint}</dd>
                </div>
              ))}
            </dl>
          </Card>
        </>
      )}
      {plan && (
        <Suspense>
          <Shown
            plan={plan}
            state={state}
            written={written}
            refused={refused}
            onRun={(steps) => void run(plan, steps)}
            onStop={() => stop.current.abort()}
            onAnew={anew}
            onEncoding={confirmEncoding(plan)}
          />
        </Suspense>
      )}
      <Unsaved isDirty={isRunning} hint={words.leaveHint} />
    </Screen>
  );
}

/** Restores the file of an interrupted import. Imports stored by older consoles have only the text. */
const fileOf = ({
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
