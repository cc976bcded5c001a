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
  const common = useCommon();
  const formats = useFormats();
  const store = useStore();
  const { steps, problems, kept } = plan;
  // A set, because all of up to ten thousand products are looked up once a second.
  const refusedSteps = new Set(refused.map(({ step }) => step));
  const before = new Set(kept.done);
  const isRefused = (step: Step) => refusedSteps.has(step);
  const due = steps.filter((step) => step.action !== 'keep');
  const isDone = (step: Step) => written.has(step.key);
  const open = due.filter((step) => !isDone(step) && !isRefused(step));
  const count = (action: Step['action']) =>
    formats.number(
      steps.filter((step) => step.action === action && (action === 'keep' || !before.has(step.key))).length,
    );
  const wrongs: Wrong[] = [
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
  const report = () =>
    saveFile(
      'import-report.csv',
      new Blob(
        [
          writeTable(words.reportTitles, [
            ...wrongs.map(({ row, what, why }) => [`${row}`, what, words.left, why]),
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
  const byName = steps.filter(({ matchedBy }) => matchedBy === 'name');
  const ran = due.length - open.length;
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
        <div className={style.counts}>
          <Count value={count('create')} title={words.deeds.create} />
          <Count value={count('change')} title={words.deeds.change} />
          <Count value={count('keep')} title={words.deeds.keep} />
          <Count value={formats.number(wrongs.length)} title={words.faulty} />
        </div>
        <p>{words.readAs({ form: describeForm(kept.encoding ?? 'utf-8', plan.form, words) })}</p>
        {state === 'asking' && kept.isGuessed && (
          <Notice tone="warn" title={words.guessed({ encoding: kept.encoding ?? '' })}>
            {words.guessedHint}
          </Notice>
        )}
        {state === 'asking' && onEncoding && kept.encoding && kept.encoding !== 'utf-8' && (
          <Row>
            <Select
              label={words.encoding}
              choices={encodings.map((id) => ({ id, text: id }))}
              value={kept.encoding}
              onChange={(encoding) => void onEncoding(encoding)}
            />
            {kept.isGuessed && (
              <Button onPress={() => void onEncoding(kept.encoding!)}>
                {words.confirmEncoding({ encoding: kept.encoding })}
              </Button>
            )}
          </Row>
        )}
        {plan.unknown.length > 0 && (
          <Notice>{words.unknownColumns({ columns: formats.list(plan.unknown) })}</Notice>
        )}
        {state === 'asking' && due.length > 0 && <p>{words.nothingYet}</p>}
        {state === 'asking' && due.length === 0 && <p>{words.nothingToDo}</p>}
        {state !== 'asking' && (
          <Progress
            label={common.of({ shown: ran, total: due.length })}
            value={due.length === 0 ? 1 : ran / due.length}
          />
        )}
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
      </Card>
      {wrongs.length > 0 && <RefusedRows wrongs={wrongs} />}
      {byName.length > 0 && <ByName steps={byName} />}
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

function RefusedRows({ wrongs }: { wrongs: readonly Wrong[] }) {
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
  // Recomputed only when the visible rows change; the import keeps finding more.
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
