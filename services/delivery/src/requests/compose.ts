import { type CallSecrets, type DeliveryJob, toCloudEvent } from '@waybill/contracts';
import { type Signers, signCall } from '../sending/signature.ts';

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
  const signed = signCall({
    ...signers,
    eventId: batch?.id ?? job.eventId,
    eventType: batch ? null : job.eventType,
    attempt: job.attempt,
    isTest: job.isTest,
    contentType: isCloudEvent ? 'application/cloudevents+json' : 'application/json',
    body,
    now,
  });
  const standardHeaders = { ...signed, ...trace };
  const customHeaders = settings?.destination ? {} : (settings?.headers ?? {});
  const names = Object.keys(customHeaders);
  if (names.length === 0) return { headers: standardHeaders, shownHeaders: standardHeaders, body };
  const replaced = new Set(names.map((name) => name.toLowerCase()));
  const remainingHeaders = Object.fromEntries(
    Object.entries(standardHeaders).filter(([name]) => !replaced.has(name.toLowerCase())),
  );
  return {
    headers: { ...remainingHeaders, ...customHeaders, ...secrets.headers },
    shownHeaders: { ...remainingHeaders, ...customHeaders },
    body,
  };
}
