import { type CallSecrets, type DeliveryJob, findSubjectId } from '@waybill/contracts';
import { open, type SealingKeys } from '@waybill/outbound';
import { LRUCache } from 'lru-cache';
import type { Call } from '../destination.ts';
import { createSigningKeys, type Signers, type SigningKeys } from '../sending/signature.ts';
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
  const keyCache = new LRUCache<string, SigningKeys>({ max: 1000 });
  const secretsCache = new LRUCache<string, CallSecrets>({ max: 1000 });

  function getKeys(sealedSecret: string, endpointId: string): SigningKeys {
    let keys = keyCache.get(sealedSecret);
    if (!keys) {
      keys = createSigningKeys(open(encryptionKeys, sealedSecret, endpointId));
      keyCache.set(sealedSecret, keys);
    }
    return keys;
  }

  function getSecrets({ sealedSettings, endpointId }: DeliveryJob): CallSecrets {
    if (!sealedSettings) return {};
    let secrets = secretsCache.get(sealedSettings);
    if (!secrets) {
      secrets = JSON.parse(open(encryptionKeys, sealedSettings, endpointId)) as CallSecrets;
      secretsCache.set(sealedSettings, secrets);
    }
    return secrets;
  }

  function getSigners(
    { sealedSecret, previousSecret: previous, endpointId }: DeliveryJob,
    now: Date,
  ): Signers {
    const keys = getKeys(sealedSecret, endpointId);
    // Decided at the time of sending, however long the call has waited.
    const isRotating = previous && Date.parse(previous.expiresAt) > now.getTime();
    return isRotating ? { keys: getKeys(previous.sealed, endpointId), nextKeys: keys } : { keys };
  }

  return (job, envelope, now, trace = {}) => {
    const { settings, url } = job;
    const secrets = getSecrets(job);
    const signers = getSigners(job, now);
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
            subject: findSubjectId(job.eventType, JSON.stringify(JSON.parse(envelope.toString()).data)),
          },
        }),
      },
    };
  };
}
