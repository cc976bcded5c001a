import {
  codePages,
  type Encoding,
  type FileForm,
  type RowProblem,
  type Step,
  writeTable,
} from '@waybill/product-files';
import { useMemo } from 'react';
import { useStore } from '../../api/me.ts';
import { paths } from '../../paths.ts';
import { useCommon } from '../../texts/common.ts';
import type { ProductWords } from '../../texts/en/products.ts';
import { useFormats } from '../../texts/format.ts';
import { Button, LinkButton } from '../../ui/button.tsx';
import { Badge, Card, Notice, Progress, Row, type Tone } from '../../ui/layout.tsx';
import { saveFile } from '../../ui/save-file.ts';
import { Select } from '../../ui/select.tsx';
import { type ColumnOf, Table } from '../../ui/table.tsx';
import { describeForm, explainFault } from './import-texts.ts';
import style from './products.module.css';
import { useProductTexts } from './texts.ts';
import type { KeptImport } from './transfer.ts';

/** Maximum number of rows shown; the downloadable report has all. */
const shownRows = 100;

/** The changes that a file asks for. */
export interface Plan {
  kept: KeptImport;
  steps: Step[];
  problems: RowProblem[];
  unknown: string[];
  form: FileForm;
}

/** A product that the server refused. */
export interface Refusal {
  step: Step;
  message: string;
}

export type ImportState = 'asking' | 'running' | 'stopped' | 'through';

const tones: Readonly<Record<Step['action'], Tone>> = { create: 'good', change: 'accent', keep: 'neutral' };

/** The planned or completed changes of an import, and the problems found in the file. */
export function ImportPlan({
  plan,
  state,
  written,
  refused,
  onRun,
  onStop,
  onAnew,
  onEncoding,
}: {
  plan: Plan;
  state: ImportState;
  written: ReadonlySet<string>;
  refused: readonly Refusal[];
  onRun(steps: readonly Step[]): void;
  onStop(): void;
  onAnew(): void;
  /** Null: the file itself is no longer available. */
  onEncoding: ((encoding: Encoding) => Promise<void>) | null;
}) {
  const words = useProductTexts();
  const formats = useFormats();
  const { steps, problems, kept } = plan;
  // A set, because all of up to ten thousand products are looked up once a second.
  const refusedSteps = new Set(refused.map(({ step }) => step));
  const before = new Set(kept.done);
  const isRefused = (step: Step) => refusedSteps.has(step);
  const due = steps.filter((step) => step.action !== 'keep');
  const isDone = (step: Step) => written.has(step.key);
  const open = due.filter((step) => !isDone(step) && !isRefused(step));
  const refusedRows: RefusedRow[] = [
    ...problems.map((problem, at) => ({
      id: `p${at}`,
      row: problem.line,
      what: problem.column ?? '',
      why: explainFault(problem, words),
    })),
    ...refused.map(({ step, message }, at) => ({
      id: `r${at}`,
      row: step.line,
      what: step.name,
      why: message,
    })),
  ];
  const changes = due.filter((step) => !before.has(step.key));
  const report = () => saveReport(words, steps, refusedRows, isDone);
  const byName = steps.filter(({ matchedBy }) => matchedBy === 'name');
  return (
    <>
      <Card
        title={state === 'through' ? words.importDone : words.wouldChange({ file: kept.fileName })}
        actions={
          <Button size="small" onPress={report}>
            {words.downloadReport}
          </Button>
        }
      >
        <Counts steps={steps} before={before} refusedCount={refusedRows.length} />
        <p>{words.readAs({ form: describeForm(kept.encoding ?? 'utf-8', plan.form, words) })}</p>
        {state === 'asking' && kept.isGuessed && (
          <Notice tone="warn" title={words.guessed({ encoding: kept.encoding ?? '' })}>
            {words.guessedHint}
          </Notice>
        )}
        {state === 'asking' && onEncoding && <EncodingChoice kept={kept} onEncoding={onEncoding} />}
        {plan.unknown.length > 0 && (
          <Notice>{words.unknownColumns({ columns: formats.list(plan.unknown) })}</Notice>
        )}
        {state === 'asking' && due.length > 0 && <p>{words.nothingYet}</p>}
        {state === 'asking' && due.length === 0 && <p>{words.nothingToDo}</p>}
        {state !== 'asking' && <ImportProgress ran={due.length - open.length} total={due.length} />}
        <ImportActions state={state} open={open} onRun={onRun} onStop={onStop} onAnew={onAnew} />
      </Card>
      {refusedRows.length > 0 && <RefusedRows refusedRows={refusedRows} />}
      {byName.length > 0 && <ByName steps={byName} />}
      {changes.length > 0 && <Changes steps={changes} written={written} />}
    </>
  );
}

/** Saves a table of all rows of the file: those that were refused, and the others with their changes. */
function saveReport(
  words: ProductWords,
  steps: readonly Step[],
  refusedRows: readonly RefusedRow[],
  isDone: (step: Step) => boolean,
) {
  saveFile(
    'import-report.csv',
    new Blob(
      [
        writeTable(words.reportTitles, [
          ...refusedRows.map(({ row, what, why }) => [`${row}`, what, words.left, why]),
          ...steps.map((step) => [
            `${step.line}`,
            step.slug || step.name,
            isDone(step) ? words.deedsDone[step.action] : words.deeds[step.action],
            step.action === 'change' ? step.changed.join(', ') : '',
          ]),
        ]),
      ],
      { type: 'text/csv' },
    ),
  );
}

/** The numbers of products by what the import does with them, without changes of an earlier run. */
function Counts({
  steps,
  before,
  refusedCount,
}: {
  steps: readonly Step[];
  /** Keys of the steps that an earlier run has completed. */
  before: ReadonlySet<string>;
  refusedCount: number;
}) {
  const words = useProductTexts();
  const formats = useFormats();
  const count = (action: Step['action']) =>
    formats.number(
      steps.filter((step) => step.action === action && (action === 'keep' || !before.has(step.key))).length,
    );
  return (
    <div className={style.counts}>
      <Count value={count('create')} title={words.deeds.create} />
      <Count value={count('change')} title={words.deeds.change} />
      <Count value={count('keep')} title={words.deeds.keep} />
      <Count value={formats.number(refusedCount)} title={words.faulty} />
    </div>
  );
}

/** Lets the user correct the encoding of a file that is not in UTF-8. */
function EncodingChoice({
  kept: { encoding: present, isGuessed },
  onEncoding,
}: {
  kept: KeptImport;
  onEncoding(encoding: Encoding): Promise<void>;
}) {
  const words = useProductTexts();
  if (!present || present === 'utf-8') return null;
  return (
    <Row>
      <Select
        label={words.encoding}
        choices={encodings.map((id) => ({ id, text: id }))}
        value={present}
        onChange={(encoding) => void onEncoding(encoding)}
      />
      {isGuessed && (
        <Button onPress={() => void onEncoding(present)}>
          {words.confirmEncoding({ encoding: present })}
        </Button>
      )}
    </Row>
  );
}

function ImportProgress({ ran, total }: { ran: number; total: number }) {
  const common = useCommon();
  return <Progress label={common.of({ shown: ran, total })} value={total === 0 ? 1 : ran / total} />;
}

/** The buttons that run, stop and resume the import, by its state. */
function ImportActions({
  state,
  open,
  onRun,
  onStop,
  onAnew,
}: {
  state: ImportState;
  /** The steps that are left to run. */
  open: readonly Step[];
  onRun(steps: readonly Step[]): void;
  onStop(): void;
  onAnew(): void;
}) {
  const words = useProductTexts();
  const store = useStore();
  return (
    <Row>
      {state === 'asking' && open.length > 0 && (
        <Button look="primary" onPress={() => onRun(open)}>
          {words.importDeed({ count: open.length })}
        </Button>
      )}
      {state === 'running' && <Button onPress={onStop}>{words.stop}</Button>}
      {state === 'stopped' && (
        <Button look="primary" onPress={() => onRun(open)}>
          {words.resume}
        </Button>
      )}
      {state === 'through' && (
        <LinkButton look="primary" href={paths.inStore(store.id, 'products')}>
          {words.title}
        </LinkButton>
      )}
      {state !== 'running' && <Button onPress={onAnew}>{words.anotherFile}</Button>}
    </Row>
  );
}

interface RefusedRow {
  id: string;
  row: number;
  what: string;
  why: string;
}

function RefusedRows({ refusedRows }: { refusedRows: readonly RefusedRow[] }) {
  const words = useProductTexts();
  const formats = useFormats();
  const columns = useMemo(
    (): ColumnOf<RefusedRow>[] => [
      { id: 'row', title: words.row, cell: ({ row }) => formats.number(row) },
      { id: 'what', title: words.column, cell: ({ what }) => what || '–' },
      { id: 'why', title: words.why, isHeader: true, cell: ({ why }) => why },
    ],
    [words, formats],
  );
  // Recomputed only when the visible rows change; the import keeps finding more.
  const ids = refusedRows
    .slice(0, shownRows)
    .map(({ id }) => id)
    .join();
  const items = useMemo(() => refusedRows.slice(0, shownRows), [ids, words]);
  return (
    <Card isFlush title={words.faultyTitle}>
      <Table label={words.faultyTitle} columns={columns} items={items} empty={null} />
      <More count={refusedRows.length} />
    </Card>
  );
}

/** The first changes, recomputed only when one of these is written and not with each of ten thousand. */
function Changes({ steps, written }: { steps: readonly Step[]; written: ReadonlySet<string> }) {
  const words = useProductTexts();
  const common = useCommon();
  const formats = useFormats();
  const columns = useMemo(
    (): ColumnOf<Step & { id: string; isDone: boolean }>[] => [
      { id: 'row', title: words.row, isWide: true, cell: ({ line }) => formats.number(line) },
      { id: 'name', title: words.name, isHeader: true, cell: ({ name }) => name },
      {
        id: 'deed',
        title: common.status,
        cell: ({ action, isDone }) => (
          <Badge tone={tones[action]}>{isDone ? words.deedsDone[action] : words.deeds[action]}</Badge>
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
    id: step.key,
    isDone: written.has(step.key),
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

/** Products matched by name alone. Two products may share a name, so these are reviewed first. */
function ByName({ steps }: { steps: readonly Step[] }) {
  const words = useProductTexts();
  const formats = useFormats();
  const columns = useMemo(
    (): ColumnOf<Step & { id: string }>[] => [
      { id: 'row', title: words.row, cell: ({ line }) => formats.number(line) },
      { id: 'name', title: words.name, isHeader: true, cell: ({ name }) => name },
      { id: 'slug', title: 'slug', cell: ({ slug }) => slug },
    ],
    [words, formats],
  );
  const items = useMemo(() => steps.slice(0, shownRows).map((step) => ({ ...step, id: step.key })), [steps]);
  return (
    <Card isFlush title={words.byNameTitle}>
      <Table label={words.byNameTitle} columns={columns} items={items} empty={null} />
      <More count={steps.length} />
    </Card>
  );
}

const encodings: readonly Encoding[] = ['utf-8', 'utf-16le', 'utf-16be', ...codePages];

const Count = ({ value, title }: { value: string; title: string }) => (
  <div className={style.count}>
    <strong>{value}</strong>
    <span>{title}</span>
  </div>
);

function More({ count }: { count: number }) {
  const words = useProductTexts();
  if (count <= shownRows) return null;
  return <p className={style.more}>{words.moreInReport({ count: count - shownRows })}</p>;
}
