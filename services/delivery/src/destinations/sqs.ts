import { Agent as HttpAgent } from 'node:http';
import { Agent as HttpsAgent } from 'node:https';
import { pipeline, type Readable, Transform } from 'node:stream';
import type { SQSClient } from '@aws-sdk/client-sqs';
import { LRUCache } from 'lru-cache';
import {
  type Call,
  CallsInFlight,
  createNotStartedOutcome,
  createOutcome,
  type Destination,
  type Outcome,
  type QueueTarget,
  toAttributes,
} from '../destination.ts';
import { describeFailure, Refusal } from '../sending/failure.ts';
import { createVettedLookup, type VettingOptions, vetAddresses } from './vetted-lookup.ts';

/** Maximum number of bytes of a queue's answer. */
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
export class SqsDestination implements Destination {
  readonly #options: VettingOptions & { ca?: string | undefined };
  readonly #timeoutMs: number;
  readonly #clients = new LRUCache<string, SQSClient>({ max: 200, dispose: (client) => client.destroy() });
  readonly #inFlight = new CallsInFlight();

  /**
   * `timeoutMs` limits the time of a call; 10 seconds by default. `ca` are certificates to trust instead of the
   * system's.
   */
  constructor({
    timeoutMs = 10_000,
    ...options
  }: VettingOptions & { timeoutMs?: number; ca?: string | undefined }) {
    this.#options = options;
    this.#timeoutMs = timeoutMs;
  }

  send(call: Call): Promise<Outcome> {
    return this.#inFlight.add(this.#attempt(call));
  }

  async check(call: Call): Promise<string> {
    const { queueUrl } = call.queue!.address as { queueUrl: string };
    try {
      const { GetQueueAttributesCommand } = await import('@aws-sdk/client-sqs');
      await vetAddresses(new URL(queueUrl), this.#options);
      const client = await this.#getClient(call);
      const command = new GetQueueAttributesCommand({ QueueUrl: queueUrl, AttributeNames: ['QueueArn'] });
      const { Attributes } = await client.send(command, {
        abortSignal: AbortSignal.timeout(this.#timeoutMs),
      });
      return Attributes?.QueueArn ? '' : notSqs;
    } catch (error) {
      return describeError(error);
    }
  }

  async close(): Promise<void> {
    await this.#inFlight.end();
    this.#clients.clear();
  }

  async #attempt(call: Call): Promise<Outcome> {
    const started = performance.now();
    const target = call.queue!;
    const { queueUrl } = target.address as { queueUrl: string };
    let startedAt: number | null = null;
    try {
      const { SendMessageCommand } = await import('@aws-sdk/client-sqs');
      // A literal address needs no look-up, so a forbidden one must be refused here.
      await vetAddresses(new URL(queueUrl), this.#options);
      const client = await this.#getClient(call);
      startedAt = performance.now();
      if (startedAt >= (call.startBefore ?? Infinity)) return createNotStartedOutcome(started);
      const { MessageId } = await client.send(new SendMessageCommand(toMessage(call, target, queueUrl)), {
        abortSignal: AbortSignal.timeout(this.#timeoutMs),
      });
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

  /** Returns the client for a queue, access key and client certificate. It connects only to allowed addresses. */
  async #getClient({ queue, identity }: Call): Promise<SQSClient> {
    const { address, secret } = queue!;
    if (address.kind !== 'sqs') throw new TypeError('the target is not a queue of SQS');
    const { SQSClient } = await import('@aws-sdk/client-sqs');
    const key = JSON.stringify([address, secret, identity]);
    const known = this.#clients.get(key);
    if (known) return known;
    const url = new URL(address.queueUrl);
    const agent = { keepAlive: true, maxSockets: 100, lookup: createVettedLookup(url, this.#options) };
    const client = new SQSClient({
      region: address.region,
      endpoint: url.origin,
      credentials: { accessKeyId: address.accessKeyId, secretAccessKey: secret },
      // An attempt must be a single request.
      maxAttempts: 1,
      requestHandler: {
        httpAgent: new HttpAgent(agent),
        httpsAgent: new HttpsAgent({
          ...agent,
          ca: this.#options.ca,
          ...(identity && { cert: identity.certificate, key: identity.key }),
        }),
        connectionTimeout: this.#timeoutMs,
        requestTimeout: this.#timeoutMs,
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
    this.#clients.set(key, client);
    return client;
  }
}

/** Builds the message of a call. A FIFO queue keeps the order of messages about the same object. */
const toMessage = (
  { body, headers }: Call,
  { subject, eventId, messageId }: QueueTarget,
  queueUrl: string,
) => ({
  QueueUrl: queueUrl,
  MessageBody: body.toString(),
  MessageAttributes: Object.fromEntries(
    Object.entries(toAttributes(headers)).map(([name, StringValue]) => [
      name,
      { DataType: 'String', StringValue },
    ]),
  ),
  ...(queueUrl.endsWith('.fifo') && {
    MessageGroupId: subject ?? eventId,
    MessageDeduplicationId: messageId,
  }),
});

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
