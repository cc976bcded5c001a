import { isWaybillError } from '@waybill/sdk';
import { useEffect, useRef, useState } from 'react';
import { useStore } from '../../api/me.ts';
import { queries } from '../../api/queries.ts';
import { paths } from '../../paths.ts';
import { NoPermission } from '../../shell/problems.tsx';
import { Unsaved } from '../../shell/unsaved.tsx';
import { explain, useCommon } from '../../texts/common.ts';
import { useFormats } from '../../texts/format.ts';
import { Button, TextLink } from '../../ui/button.tsx';
import { FilePicker } from '../../ui/files.tsx';
import { Badge, Card, Notice, Progress, Row, Screen, type Tone } from '../../ui/layout.tsx';
import { Switch } from '../../ui/switch.tsx';
import { afterSaleQueryKeys } from './after-sale-queries.ts';
import { useAfterSaleTexts } from './after-sale-texts.ts';
import style from './orders.module.css';
import { maxRows, planRows, readShipments, type Step, send, toCarrierCode } from './sending.ts';
import { useOrderTexts } from './texts.ts';

const maxBytes = 2 * 1024 * 1024;

/** The result of a row: sent, or refused for a reason. */
type Outcome = { is: 'done' } | { is: 'failed'; why: string };

const tones: Partial<Record<Step['is'], Tone>> = { send: 'accent', sent: 'neutral' };

/** Marks orders as sent from a file. It first shows a plan by line and skips rows that were processed before. */
export function SendFile() {
  const words = useAfterSaleTexts();
  const store = useStore();
  if (store.can('orders.write')) return <SendOrders />;
  return <NoPermission title={words.sendFile} role={store.role} needed={store.roleFor('orders.write')} />;
}

function SendOrders() {
  const words = useAfterSaleTexts();
  const orderWords = useOrderTexts();
  const common = useCommon();
  const store = useStore();
  const [notify, setNotify] = useState(true);
  const sending = useSending();
  const { fileName, steps, fault, share, isSending } = sending;
  return (
    <Screen
      title={words.sendFile}
      subtitle={words.sendFileHint}
      back={
        <TextLink href={paths.inStore(store.id, 'orders')}>
          {common.backTo({ place: orderWords.title })}
        </TextLink>
      }
    >
      <Card>
        <FilePicker
          label={words.chooseFile}
          hint={words.sendColumns}
          accept={['.csv', '.txt', 'text/csv']}
          isMultiple={false}
          isDisabled={share !== null}
          onFiles={(files) => void sending.readFile(files)}
        />
        {fault && (
          <Notice tone="bad" title={fileName}>
            {fault}
          </Notice>
        )}
        {share !== null && (
          <Progress label={isSending ? words.sendingFile : words.readingFile} value={share} />
        )}
      </Card>
      {steps && <PlanCard sending={sending} steps={steps} notify={notify} onNotify={setNotify} />}
      <Unsaved isDirty={isSending} hint={words.leaveSending} />
    </Screen>
  );
}

/** State and actions of the screen: reading a file into steps, and carrying them out. */
function useSending() {
  const words = useAfterSaleTexts();
  const common = useCommon();
  const store = useStore();
  const [fileName, setFileName] = useState('');
  const [steps, setSteps] = useState<readonly Step[] | null>(null);
  const [outcomes, setOutcomes] = useState<ReadonlyMap<number, Outcome>>(new Map());
  const [share, setShare] = useState<number | null>(null);
  const [isSending, setSending] = useState(false);
  const [fault, setFault] = useState<string | null>(null);
  const sendStep = useSendStep();
  const stop = useRef(new AbortController());
  useEffect(() => () => stop.current.abort(), []);
  const open = (steps ?? []).filter(({ is, row }) => is === 'send' && outcomes.get(row.line)?.is !== 'done');

  async function readFile([file]: readonly File[]) {
    if (!file) return;
    setFault(null);
    setSteps(null);
    setOutcomes(new Map());
    setFileName(file.name);
    if (file.size > maxBytes) return setFault(words.sendFaults.tooLarge);
    const sheet = await readShipments(file).catch((error) => setFault(explain(error, common)));
    if (!sheet) return;
    if (sheet.missing.includes('order')) return setFault(words.sendFaults.noColumn);
    if (sheet.isTooLong) return setFault(words.sendFaults.tooManyRows({ most: maxRows }));
    if (sheet.rows.length === 0) return setFault(words.sendFaults.empty);
    setShare(0);
    stop.current = new AbortController();
    try {
      const { signal } = stop.current;
      setSteps(await planRows(store.id, sheet.rows, { signal, onProgress: setShare }));
    } catch (error) {
      setFault(explain(error, common));
    } finally {
      setShare(null);
    }
  }

  async function sendAll(notify: boolean) {
    const results = new Map(outcomes);
    setSending(true);
    stop.current = new AbortController();
    for (const [at, step] of open.entries()) {
      if (stop.current.signal.aborted) return;
      setShare(at / open.length);
      const { outcome, isUnreachable } = await sendStep(step, notify);
      results.set(step.row.line, outcome);
      // Stops, because each further row would run through its own retries.
      if (isUnreachable) break;
      setOutcomes(new Map(results));
    }
    setOutcomes(new Map(results));
    setShare(null);
    setSending(false);
    await Promise.all(
      afterSaleQueryKeys(store.id).map((queryKey) => queries.invalidateQueries({ queryKey })),
    );
  }

  return { fileName, steps, outcomes, open, share, isSending, fault, readFile, sendAll };
}

/** Returns a function that sends the order of one step. */
function useSendStep() {
  const words = useAfterSaleTexts();
  const common = useCommon();
  const store = useStore();
  return async (
    { order, row }: Step,
    notify: boolean,
  ): Promise<{ outcome: Outcome; isUnreachable?: boolean }> => {
    try {
      const carrier = toCarrierCode(row.cells.carrier, words.carriers);
      await send(store.id, order!, row, { carrier, notify });
      return { outcome: { is: 'done' } };
    } catch (error) {
      // Somebody else has shipped the rest meanwhile.
      const isGone = isWaybillError(error, 'invalid_quantity', 'invalid_state');
      const why = isGone ? words.nothingLeft : explain(error, common);
      return { outcome: { is: 'failed', why }, isUnreachable: isWaybillError(error, 'unreachable') };
    }
  };
}

/** The steps of the file, with the button that carries them out. */
function PlanCard({
  sending,
  steps,
  notify,
  onNotify,
}: {
  sending: ReturnType<typeof useSending>;
  steps: readonly Step[];
  /** Customers get a mail about their parcels. */
  notify: boolean;
  onNotify(notify: boolean): void;
}) {
  const words = useAfterSaleTexts();
  const orderWords = useOrderTexts();
  const common = useCommon();
  const { fileName, open, outcomes, isSending } = sending;
  const done = [...outcomes.values()].filter(({ is }) => is === 'done').length;
  return (
    <Card
      title={fileName}
      actions={
        open.length > 0 && (
          <Button look="primary" isPending={isSending} onPress={() => void sending.sendAll(notify)}>
            {words.sendOrders({ count: open.length })}
          </Button>
        )
      }
    >
      <div role="status">
        {done > 0 && !isSending && <Notice tone="good">{words.sentOrders({ count: done })}</Notice>}
        {open.length === 0 && done === 0 && <Notice>{words.nothingToSend}</Notice>}
      </div>
      {open.length > 0 && (
        <Switch label={words.notify} value={notify} onChange={onNotify} isDisabled={isSending} />
      )}
      <table className={style.lines}>
        <thead>
          <tr>
            <th scope="col">{words.line}</th>
            <th scope="col">{orderWords.order}</th>
            <th scope="col" className={style.price}>
              {words.trackingNumber}
            </th>
            <th scope="col">{common.status}</th>
          </tr>
        </thead>
        <tbody>
          {steps.map((step) => (
            <StepRow key={step.row.line} step={step} outcome={outcomes.get(step.row.line)} />
          ))}
        </tbody>
      </table>
    </Card>
  );
}

function StepRow({ step: { row, order, is }, outcome }: { step: Step; outcome: Outcome | undefined }) {
  const words = useAfterSaleTexts();
  const orderWords = useOrderTexts();
  const formats = useFormats();
  const store = useStore();
  const carrier = toCarrierCode(row.cells.carrier, words.carriers);
  const name = words.carriers[carrier as keyof typeof words.carriers] ?? carrier;
  const lines = row.lastLine > row.line ? [row.line, row.lastLine] : [row.line];
  return (
    <tr>
      <td>{lines.map(formats.number).join('–')}</td>
      <th scope="row">
        {order ? (
          <TextLink href={paths.inStore(store.id, 'orders', order.id)} target="_blank">
            {orderWords.number({ number: order.number })}
          </TextLink>
        ) : (
          row.cells.order
        )}
        <small>{order && (order.customer.name || order.customer.email)}</small>
      </th>
      <td className={style.price}>
        {!row.hasBadQuote && [name, row.cells.trackingNumber].filter(Boolean).join(' ')}
      </td>
      <td>
        <Row>
          <StepBadge is={is} outcome={outcome} />
        </Row>
      </td>
    </tr>
  );
}

function StepBadge({ is, outcome }: { is: Step['is']; outcome: Outcome | undefined }) {
  const words = useAfterSaleTexts();
  if (outcome?.is === 'done') return <Badge tone="good">{words.parcelStates.shipped}</Badge>;
  if (outcome) return <Badge tone="bad">{outcome.why}</Badge>;
  return <Badge tone={tones[is] ?? 'bad'}>{words.sendSteps[is]}</Badge>;
}
