import { type CallSecrets, type DeliveryJob, subjectIn } from '@waybill/contracts';
import { open, type SealingKeys } from '@waybill/outbound';
import { LRUCache } from 'lru-cache';
import type { Call } from '../destination.ts';
import { type Signers, type SigningKeys, signingKeys } from '../sending/signature.ts';
import { composeRequest } from './compose.ts';

/** A call ready for its destination, and its headers as they are shown. */
export interface ComposedCall {
  call: Call;
  shownHeaders: Record<string, string>;
}

type Compose = (
  job: DeliveryJob,
  body: string | Buffer,
  now: Date,
  trace?: Record<string, string>,
) => ComposedCall;

/**
 * Creates the function that turns jobs into calls: it opens their secrets, signs, and applies the settings of their
 * endpoints.
 */
export function createComposer({ encryptionKeys }: { encryptionKeys: SealingKeys }): Compose {
  const keysOf = new LRUCache<string, SigningKeys>({ max: 1000 });
  const secretsOf = new LRUCache<string, CallSecrets>({ max: 1000 });

  function keysFor(sealedSecret: string, endpointId: string): SigningKeys {
    let keys = keysOf.get(sealedSecret);
    if (!keys) {
      keys = signingKeys(open(encryptionKeys, sealedSecret, endpointId));
      keysOf.set(sealedSecret, keys);
    }
    return keys;
  }

  function secretsFor({ sealedSettings, endpointId }: DeliveryJob): CallSecrets {
    if (!sealedSettings) return {};
    let secrets = secretsOf.get(sealedSettings);
    if (!secrets) {
      secrets = JSON.parse(open(encryptionKeys, sealedSettings, endpointId)) as CallSecrets;
      secretsOf.set(sealedSettings, secrets);
    }
    return secrets;
  }

  function signersFor(
    { sealedSecret, previousSecret: previous, endpointId }: DeliveryJob,
    now: Date,
  ): Signers {
    const keys = keysFor(sealedSecret, endpointId);
    // Decided at the time of sending, however long the call has waited.
    const isRotating = previous && Date.parse(previous.expiresAt) > now.getTime();
    return isRotating ? { keys: keysFor(previous.sealed, endpointId), nextKeys: keys } : { keys };
  }

  return (job, envelope, now, trace = {}) => {
    const { settings, url } = job;
    const secrets = secretsFor(job);
    const signers = signersFor(job, now);
    const { headers, shownHeaders, body } = composeRequest(job, envelope, { signers, secrets, trace, now });
    const certificate = settings?.certificate;
    return {
      shownHeaders,
      call: {
        url,
        headers,
        body,
        ...(certificate !== undefined && { identity: { certificate, key: secrets.certificateKey! } }),
        ...(settings?.destination && {
          queue: {
            address: settings.destination,
            secret: secrets.destination!,
            eventId: job.eventId,
            messageId: `${job.deliveryId}.${job.attempt}`,
            subject: subjectIn(job.eventType, JSON.stringify(JSON.parse(envelope.toString()).data)),
          },
        }),
      },
    };
  };
}
