import { type CallSecrets, type DeliveryJob, toCloudEvent } from '@waybill/contracts';
import { type Signers, sign } from '../sending/signature.ts';

/** What goes over the wire, and how it is shown to the owner of the endpoint. */
export interface ComposedRequest {
  headers: Record<string, string>;
  /** The same, secrets as `***`. */
  shownHeaders: Record<string, string>;
  body: string | Buffer;
}

/**
 * Writes the request of a call: `store-api.md 6.2`, `decisions.md 24.1`. Own headers go to URLs alone, and take the place of
 * ours of the same name.
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
