import { type CallSecrets, type DeliveryJob, toCloudEvent } from '@waybill/contracts';
import { type Signers, sign } from '../sending/signature.ts';

/** A request as sent over the wire, and as shown to the owner of the endpoint. */
export interface ComposedRequest {
  headers: Record<string, string>;
  /** The same headers with secrets replaced by `***`. */
  shownHeaders: Record<string, string>;
  body: string | Buffer;
}

/**
 * Builds the request of a call (`store-api.md 6.2`, `decisions.md 24.1`). Custom headers are sent to URLs only, and
 * replace ours of the same name.
 */
export function composeRequest(
  job: Pick<DeliveryJob, 'storeId' | 'eventId' | 'eventType' | 'attempt' | 'isTest' | 'settings' | 'batch'>,
  envelope: string | Buffer,
  {
    signers,
    secrets,
    trace,
    now,
  }: { signers: Signers; secrets: CallSecrets; trace: Record<string, string>; now: Date },
): ComposedRequest {
  const { settings, batch } = job;
  const isCloudEvent = settings?.format === 'cloudevents';
  const body = isCloudEvent ? toCloudEvent(job.storeId, envelope.toString()) : envelope;
  const signed = sign({
    ...signers,
    eventId: batch?.id ?? job.eventId,
    eventType: batch ? null : job.eventType,
    attempt: job.attempt,
    isTest: job.isTest,
    contentType: isCloudEvent ? 'application/cloudevents+json' : 'application/json',
    body,
    now,
  });
  const ours = { ...signed, ...trace };
  const own = settings?.destination ? {} : (settings?.headers ?? {});
  const names = Object.keys(own);
  if (names.length === 0) return { headers: ours, shownHeaders: ours, body };
  const replaced = new Set(names.map((name) => name.toLowerCase()));
  const kept = Object.fromEntries(Object.entries(ours).filter(([name]) => !replaced.has(name.toLowerCase())));
  return {
    headers: { ...kept, ...own, ...secrets.headers },
    shownHeaders: { ...kept, ...own },
    body,
  };
}
