import { useQuery } from '@tanstack/react-query';
import {
  columns,
  decode,
  maxBytes,
  maxRows,
  planOf,
  type RowProblem,
  readTable,
  type Step,
  writeTable,
} from '@waybill/product-files';
import { useMemo, useRef, useState } from 'react';
import { useMe, useStore } from '../../api/me.ts';
import { queries } from '../../api/queries.ts';
import { newReading, readOn } from '../../api/reading.ts';
import { paths } from '../../paths.ts';
import { NoPermission } from '../../shell/problems.tsx';
import { Unsaved } from '../../shell/unsaved.tsx';
import { explain, useCommon } from '../../texts/common.ts';
import { useFormats } from '../../texts/format.ts';
import { Button, LinkButton, TextLink } from '../../ui/button.tsx';
import { digitsOf } from '../../ui/digits.ts';
import { FilePicker } from '../../ui/files.tsx';
import { Badge, Card, Notice, Progress, Row, Screen, type Tone } from '../../ui/layout.tsx';
import { saveFile } from '../../ui/save-file.ts';
import { type ColumnOf, Table } from '../../ui/table.tsx';
import style from './products.module.css';
import { type Product, productsKey } from './queries.ts';
import { useProductTexts } from './texts.ts';
import { type KeptImport, keptImport, readProducts, writeSteps } from './transfer.ts';

/** How many rows of a long list are shown; the file that can be downloaded has all. */
const shownRows = 100;

/** Products from a file: what it would change is shown first, and what breaks off goes on where it was. */
export function ImportScreen() {
  const words = useProductTexts();
  const store = useStore();
  if (store.can('products.write')) return <Import />;
  return <NoPermission title={words.import} role={store.role} needed={store.roleFor('products.write')} />;
}

interface Plan {
  kept: KeptImport;
  steps: Step[];
  problems: RowProblem[];
  unknown: string[];
}

interface Refusal {
  step: Step;
  message: string;
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
  const [state, setState] = useState<'asking' | 'running' | 'stopped' | 'through'>('asking');
  const [written, setWritten] = useState<ReadonlySet<string>>(new Set());
  const [refused, setRefused] = useState<readonly Refusal[]>([]);
  const stop = useRef(new AbortController());
  const left = useQuery({
    queryKey: ['kept-import', user.id, store.id],
    queryFn: () => keptImport(user.id, store.id).read(),
    staleTime: 0,
  });

  /** Says what the file asks for; nothing is written. */
  async function look(kept: KeptImport) {
    setFault(null);
    setState('asking');
    setRefused([]);
    setWritten(new Set(kept.done));
    setShare(0);
    try {
      const table = readTable(kept.text);
      if (table.missing) return setFault(words.noColumns(formats.list(columns)));
      if (table.isTooLong) return setFault(words.tooManyRows(formats.number(maxRows)));
      const reading = newReading<Product>();
      const { signal } = new AbortController();
      await readOn(reading, readProducts(store.id, {}), { onProgress: setShare, signal });
      const { steps, problems } = planOf(table.rows, reading.items, digitsOf(store.currency));
      setPlan({ kept, steps, problems, unknown: table.unknown });
    } catch (error) {
      setFault(explain(error, common));
    } finally {
      setShare(null);
    }
  }

  async function take([file]: readonly File[]) {
    if (!file) return;
    if (file.size > maxBytes) return setFault(words.fileTooLarge(formats.size(maxBytes)));
    await look({ fileName: file.name, text: decode(new Uint8Array(await file.arrayBuffer())), done: [] });
  }

  async function run({ kept }: Plan, steps: readonly Step[]) {
    setFault(null);
    setState('running');
    stop.current = new AbortController();
    const done = new Set(written);
    const wrongs = [...refused];
    // Two tabs at once would each take the other's work for somebody else's.
    const isMine = await navigator.locks.request(
      `waybill.import.${store.id}`,
      { ifAvailable: true },
      async (lock) => {
        if (!lock) return false;
        const mine = keptImport(user.id, store.id);
        // Thousands are through in a moment: what they come to is shown and noted once a second.
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
              done.add(step.slug);
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
    const isThrough = steps.every((step) => done.has(step.slug) || leftOut.has(step));
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
          {left.data && share === null && (
            <Notice
              tone="warn"
              title={words.unfinished(left.data.fileName)}
              actions={
                <>
                  <Button size="small" look="primary" onPress={() => void look(left.data!)}>
                    {words.goOn}
                  </Button>
                  <Button size="small" onPress={() => void forget()}>
                    {words.giveUp}
                  </Button>
                </>
              }
            >
              {words.unfinishedHint(formats.number(left.data.done.length))}
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
              {columns.map((column) => (
                <div key={column}>
                  <dt>
                    <code>{column}</code>
                  </dt>
                  <dd>{words.columnHints[column]}</dd>
                </div>
              ))}
            </dl>
          </Card>
        </>
      )}
      {plan && (
        <Shown
          plan={plan}
          state={state}
          written={written}
          refused={refused}
          onRun={(steps) => void run(plan, steps)}
          onStop={() => stop.current.abort()}
          onAnew={anew}
        />
      )}
      <Unsaved isDirty={isRunning} hint={words.leaveHint} />
    </Screen>
  );
}

const tones: Readonly<Record<Step['deed'], Tone>> = { create: 'good', change: 'accent', keep: 'neutral' };

function Shown({
  plan,
  state,
  written,
  refused,
  onRun,
  onStop,
  onAnew,
}: {
  plan: Plan;
  state: 'asking' | 'running' | 'stopped' | 'through';
  written: ReadonlySet<string>;
  refused: readonly Refusal[];
  onRun(steps: readonly Step[]): void;
  onStop(): void;
  onAnew(): void;
}) {
  const words = useProductTexts();
  const common = useCommon();
  const formats = useFormats();
  const store = useStore();
  const { steps, problems, kept } = plan;
  // Of ten thousand products each is looked up, once a second.
  const refusedSteps = new Set(refused.map(({ step }) => step));
  const before = new Set(kept.done);
  const isRefused = (step: Step) => refusedSteps.has(step);
  const due = steps.filter((step) => step.deed !== 'keep');
  const isDone = (step: Step) => written.has(step.slug);
  const open = due.filter((step) => !isDone(step) && !isRefused(step));
  const count = (deed: Step['deed']) =>
    formats.number(
      steps.filter((step) => step.deed === deed && (deed === 'keep' || !before.has(step.slug))).length,
    );
  const wrongs: Wrong[] = [
    ...problems.map((problem, at) => ({
      id: `p${at}`,
      row: problem.row,
      what: problem.column ?? '',
      why: words.faults[problem.fault](problem.value),
    })),
    ...refused.map(({ step, message }, at) => ({
      id: `r${at}`,
      row: step.row,
      what: step.name,
      why: message,
    })),
  ];
  const changes = due.filter((step) => !before.has(step.slug));
  const report = () =>
    saveFile(
      'import-report.csv',
      new Blob(
        [
          writeTable(words.reportTitles, [
            ...wrongs.map(({ row, what, why }) => [`${row}`, what, words.left, why]),
            ...steps.map((step) => [
              `${step.row}`,
              step.slug,
              isDone(step) ? words.deedsDone[step.deed] : words.deeds[step.deed],
              step.deed === 'change' ? step.changed.join(', ') : '',
            ]),
          ]),
        ],
        { type: 'text/csv' },
      ),
    );
  const ran = due.length - open.length;
  return (
    <>
      <Card
        title={state === 'through' ? words.importDone : words.wouldChange(kept.fileName)}
        actions={
          <Button size="small" onPress={report}>
            {words.downloadReport}
          </Button>
        }
      >
        <div className={style.counts}>
          <Count value={count('create')} title={words.deeds.create} />
          <Count value={count('change')} title={words.deeds.change} />
          <Count value={count('keep')} title={words.deeds.keep} />
          <Count value={formats.number(wrongs.length)} title={words.faulty} />
        </div>
        {plan.unknown.length > 0 && <Notice>{words.unknownColumns(formats.list(plan.unknown))}</Notice>}
        {state === 'asking' && due.length > 0 && <p>{words.nothingYet}</p>}
        {state === 'asking' && due.length === 0 && <p>{words.nothingToDo}</p>}
        {state !== 'asking' && (
          <Progress
            label={common.of(formats.number(ran), formats.number(due.length))}
            value={due.length === 0 ? 1 : ran / due.length}
          />
        )}
        <Row>
          {state === 'asking' && open.length > 0 && (
            <Button look="primary" onPress={() => onRun(open)}>
              {words.importDeed(formats.number(open.length))}
            </Button>
          )}
          {state === 'running' && <Button onPress={onStop}>{words.stop}</Button>}
          {state === 'stopped' && (
            <Button look="primary" onPress={() => onRun(open)}>
              {words.goOn}
            </Button>
          )}
          {state === 'through' && (
            <LinkButton look="primary" href={paths.inStore(store.id, 'products')}>
              {words.title}
            </LinkButton>
          )}
          {state !== 'running' && <Button onPress={onAnew}>{words.anotherFile}</Button>}
        </Row>
      </Card>
      {wrongs.length > 0 && <Wrongs wrongs={wrongs} />}
      {changes.length > 0 && <Changes steps={changes} written={written} />}
    </>
  );
}

interface Wrong {
  id: string;
  row: number;
  what: string;
  why: string;
}

function Wrongs({ wrongs }: { wrongs: readonly Wrong[] }) {
  const words = useProductTexts();
  const formats = useFormats();
  const columns = useMemo(
    (): ColumnOf<Wrong>[] => [
      { id: 'row', title: words.row, cell: ({ row }) => formats.number(row) },
      { id: 'what', title: words.column, cell: ({ what }) => what || '–' },
      { id: 'why', title: words.why, isHeader: true, cell: ({ why }) => why },
    ],
    [words, formats],
  );
  // More are found while it runs; those that are shown stay.
  const ids = wrongs
    .slice(0, shownRows)
    .map(({ id }) => id)
    .join();
  const items = useMemo(() => wrongs.slice(0, shownRows), [ids, words]);
  return (
    <Card isFlush title={words.faultyTitle}>
      <Table label={words.faultyTitle} columns={columns} items={items} empty={null} />
      <More count={wrongs.length} />
    </Card>
  );
}

/** The first of what is written: made again when one of these is, not with each of ten thousand. */
function Changes({ steps, written }: { steps: readonly Step[]; written: ReadonlySet<string> }) {
  const words = useProductTexts();
  const common = useCommon();
  const formats = useFormats();
  const columns = useMemo(
    (): ColumnOf<Step & { id: string; isDone: boolean }>[] => [
      { id: 'row', title: words.row, isWide: true, cell: ({ row }) => formats.number(row) },
      { id: 'name', title: words.name, isHeader: true, cell: ({ name }) => name },
      {
        id: 'deed',
        title: common.status,
        cell: ({ deed, isDone }) => (
          <Badge tone={tones[deed]}>{isDone ? words.deedsDone[deed] : words.deeds[deed]}</Badge>
        ),
      },
      {
        id: 'changed',
        title: words.changedColumns,
        isWide: true,
        cell: ({ changed }) => changed.join(', '),
      },
    ],
    [words, common, formats],
  );
  const shown = steps.slice(0, shownRows).map((step) => ({
    ...step,
    id: step.slug,
    isDone: written.has(step.slug),
  }));
  const states = shown.map(({ id, isDone }) => `${id} ${isDone}`).join();
  const items = useMemo(() => shown, [states]);
  return (
    <Card isFlush title={words.changesTitle}>
      <Table label={words.changesTitle} columns={columns} items={items} empty={null} />
      <More count={steps.length} />
    </Card>
  );
}

const Count = ({ value, title }: { value: string; title: string }) => (
  <div className={style.count}>
    <strong>{value}</strong>
    <span>{title}</span>
  </div>
);

function More({ count }: { count: number }) {
  const words = useProductTexts();
  const formats = useFormats();
  if (count <= shownRows) return null;
  return <p className={style.more}>{words.moreInReport(formats.number(count - shownRows))}</p>;
}
