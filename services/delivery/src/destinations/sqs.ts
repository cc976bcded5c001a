import { Agent as HttpAgent } from 'node:http';
import { Agent as HttpsAgent } from 'node:https';
import { pipeline, type Readable, Transform } from 'node:stream';
import type { SQSClient } from '@aws-sdk/client-sqs';
import { LRUCache } from 'lru-cache';
import {
  type Call,
  createNotStartedOutcome,
  createOutcome,
  type Destination,
  type Outcome,
  type QueueTarget,
  toAttributes,
} from '../destination.ts';
import { describeFailure, Refusal } from '../sending/failure.ts';
import { createVettedLookup, type VettingOptions, vetAddresses } from './vetted-lookup.ts';

const maxReplyBytes = 65_536;

/** Creates a stream that passes on `bytes` bytes and fails on the next one. */
function limitBytes(bytes: number): Transform {
  let remaining = bytes;
  return new Transform({
    transform(chunk: Buffer, _encoding, done) {
      remaining -= chunk.length;
      if (remaining < 0) done(new Refusal('the queue answered too much'));
      else done(null, chunk);
    },
  });
}

/** Sends to SQS queues (`decisions.md 24.2`). Loads the SDK when the first message is sent. */
// biome-ignore lint/complexity/noExcessiveLinesPerFunction: its functions share the state of one closure
export function createSqsDestination(options: VettingOptions & { timeoutMs?: number }): Destination {
  const { timeoutMs = 10_000 } = options;
  const clients = new LRUCache<string, SQSClient>({ max: 200, dispose: (client) => client.destroy() });
  const inFlight = new Set<Promise<unknown>>();

  /** Returns the client for a queue and key. Its connections are made only to allowed addresses. */
  async function getClient({ address, secret }: QueueTarget): Promise<SQSClient> {
    if (address.kind !== 'sqs') throw new TypeError('not a queue of SQS');
    const { SQSClient } = await import('@aws-sdk/client-sqs');
    const key = JSON.stringify([address, secret]);
    let client = clients.get(key);
    if (!client) {
      const url = new URL(address.queueUrl);
      const agent = { keepAlive: true, maxSockets: 100, lookup: createVettedLookup(url, options) };
      client = new SQSClient({
        region: address.region,
        endpoint: url.origin,
        credentials: { accessKeyId: address.accessKeyId, secretAccessKey: secret },
        // An attempt must be a single request.
        maxAttempts: 1,
        requestHandler: {
          httpAgent: new HttpAgent(agent),
          httpsAgent: new HttpsAgent(agent),
          connectionTimeout: timeoutMs,
          requestTimeout: timeoutMs,
        },
      });
      // The store chooses the address, so its answer may be endless and has to be limited.
      client.middlewareStack.add(
        (next) => async (args) => {
          const result = await next(args);
          const response = result.response as { body?: Readable };
          if (response.body) response.body = pipeline(response.body, limitBytes(maxReplyBytes), () => {});
          return result;
        },
        { step: 'deserialize', priority: 'low', name: 'limitReply' },
      );
      clients.set(key, client);
    }
    return client;
  }

  async function attempt(call: Call): Promise<Outcome> {
    const started = performance.now();
    const target = call.queue!;
    const { queueUrl } = target.address as { queueUrl: string };
    let startedAt: number | null = null;
    try {
      const { SendMessageCommand } = await import('@aws-sdk/client-sqs');
      // A literal address needs no look-up, so a forbidden one must be refused here.
      await vetAddresses(new URL(queueUrl), options);
      const client = await getClient(target);
      startedAt = performance.now();
      if (startedAt >= (call.startBefore ?? Infinity)) return createNotStartedOutcome(started);
      const { MessageId } = await client.send(
        new SendMessageCommand({
          QueueUrl: queueUrl,
          MessageBody: call.body.toString(),
          MessageAttributes: Object.fromEntries(
            Object.entries(toAttributes(call.headers)).map(([name, StringValue]) => [
              name,
              { DataType: 'String', StringValue },
            ]),
          ),
          ...(queueUrl.endsWith('.fifo') && {
            MessageGroupId: target.subject ?? target.eventId,
            MessageDeduplicationId: target.messageId,
          }),
        }),
        { abortSignal: AbortSignal.timeout(timeoutMs) },
      );
      if (!MessageId) throw new Refusal(notSqs);
      return { ...createOutcome(started, '', 200), startedAt };
    } catch (error) {
      const status = (error as { $metadata?: { httpStatusCode?: number } }).$metadata?.httpStatusCode ?? null;
      return {
        ...createOutcome(started, describeError(error), status),
        startedAt,
        isFinal: isTooLarge(error),
      };
    }
  }

  return {
    send(call) {
      const attempted = attempt(call);
      inFlight.add(attempted);
      return attempted.finally(() => inFlight.delete(attempted));
    },
    async check({ queue }) {
      const { queueUrl } = queue!.address as { queueUrl: string };
      try {
        const { GetQueueAttributesCommand } = await import('@aws-sdk/client-sqs');
        await vetAddresses(new URL(queueUrl), options);
        const client = await getClient(queue!);
        const command = new GetQueueAttributesCommand({ QueueUrl: queueUrl, AttributeNames: ['QueueArn'] });
        const { Attributes } = await client.send(command, { abortSignal: AbortSignal.timeout(timeoutMs) });
        return Attributes?.QueueArn ? '' : notSqs;
      } catch (error) {
        return describeError(error);
      }
    },
    async close() {
      await Promise.allSettled(inFlight);
      clients.clear();
    },
  };
}

const notSqs = 'the answer is not one of SQS';

const formatError = (error: unknown): string => {
  const { name = '', message = '' } = error as { name?: string; message?: string };
  return `${name} ${message}`;
};

const isTooLarge = (error: unknown): boolean =>
  /must be shorter|MessageTooLong|too large|too long|exceeds? the (maximum|limit)/i.test(formatError(error));

/** Describes a failure without the details of accounts and keys that the queue reports. */
function describeError(error: unknown): string {
  if (error instanceof Refusal) return error.message;
  const text = formatError(error);
  if (isTooLarge(error)) return 'the message is too large for the queue';
  if (/QueueDoesNotExist|NonExistentQueue/i.test(text)) return 'the queue does not exist';
  if (
    /InvalidClientTokenId|UnrecognizedClient|SignatureDoesNotMatch|InvalidSecurity|InvalidAccessKey/i.test(
      text,
    )
  )
    return 'the queue refused the access key';
  if (/InvalidChecksum|SyntaxError/i.test(text)) return notSqs;
  if (/AccessDenied/i.test(text)) return 'the access key may not send to the queue';
  if (/Timeout|AbortError/i.test(text)) return 'the queue did not answer in time';
  if (/Throttl/i.test(text)) return 'the queue takes no more messages at present';
  const { code, $metadata } = error as { code?: unknown; $metadata?: { httpStatusCode?: number } };
  if (code !== undefined) return describeFailure(error);
  return $metadata?.httpStatusCode ? `answered ${$metadata.httpStatusCode}` : 'the connection failed';
}
