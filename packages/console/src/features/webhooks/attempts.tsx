import { useCommon } from '../../texts/common.ts';
import { useEventTypeTexts } from '../../texts/event-types.ts';
import { useFormats } from '../../texts/format.ts';
import { Code } from '../../ui/code.tsx';
import { Badge, type Tone } from '../../ui/layout.tsx';
import type { Attempt, Delivery } from './queries.ts';
import { useWebhookTexts } from './texts.ts';
import style from './webhooks.module.css';

const tones: Readonly<Record<Delivery['status'], Tone>> = {
  pending: 'accent',
  retrying: 'warn',
  delivered: 'good',
  dead: 'bad',
  cancelled: 'neutral',
};

/** The state of a delivery with the last status code. */
export function DeliveryBadge({
  delivery: { status, lastStatusCode },
}: {
  delivery: Pick<Delivery, 'status' | 'lastStatusCode'>;
}) {
  const { deliveryStatus } = useEventTypeTexts();
  const code = lastStatusCode === null ? '' : ` · ${lastStatusCode}`;
  return <Badge tone={tones[status]}>{`${deliveryStatus[status]}${code}`}</Badge>;
}

/** The attempts of a delivery with their answers, latest first. */
export function Attempts({ attempts }: { attempts: readonly Attempt[] }) {
  const words = useWebhookTexts();
  if (attempts.length === 0) return <p role="status">{words.noAttempts}</p>;
  return (
    <ol className={style.attempts} reversed>
      {attempts.toReversed().map((attempt) => (
        <li key={`${attempt.attempt} ${attempt.startedAt}`}>
          <OneAttempt attempt={attempt} isOpen={attempt === attempts.at(-1)} />
        </li>
      ))}
    </ol>
  );
}

function OneAttempt({ attempt, isOpen }: { attempt: Attempt; isOpen: boolean }) {
  const words = useWebhookTexts();
  const common = useCommon();
  const formats = useFormats();
  const { statusCode, error, requestHeaders, responseHeaders, responseBody } = attempt;
  const isTaken = error === '';
  return (
    <details open={isOpen} className={style.attempt}>
      <summary>
        <span className={style.summary}>
          <Badge tone={isTaken ? 'good' : 'bad'}>{statusCode ?? words.noAnswer}</Badge>
          <span>
            {words.attempt} {attempt.attempt}
          </span>
          <span className={style.muted}>
            {formats.exact(attempt.startedAt)} · {words.ms({ count: formats.number(attempt.durationMs) })}
          </span>
        </span>
      </summary>
      <div className={style.reply}>
        {!isTaken && <p className={style.error}>{error}</p>}
        {responseBody ? (
          <Code label={words.answerBody} text={responseBody} />
        ) : (
          statusCode !== null && <p className={style.muted}>{words.noAnswerBody}</p>
        )}
        {responseHeaders && Object.keys(responseHeaders).length > 0 && (
          <Code label={words.answerHeaders} text={formatHeaders(responseHeaders)} />
        )}
        {requestHeaders && <Code label={words.requestHeaders} text={formatHeaders(requestHeaders)} />}
        {statusCode === null && isTaken && <p>{common.none}</p>}
      </div>
    </details>
  );
}

const formatHeaders = (headers: Record<string, string>): string =>
  Object.entries(headers)
    .map(([name, value]) => `${name}: ${value}`)
    .join('\n');
