import type { Call, Destination } from '../destination.ts';
import { createSender, type SenderOptions } from '../sending/send.ts';
import { RabbitMqDestination } from './rabbitmq.ts';
import { SqsDestination } from './sqs.ts';

/** Creates a destination that sends each call to its target: a URL, RabbitMQ, or SQS. */
export function createDestinations(options: SenderOptions): Required<Destination> {
  const byKind = {
    http: createSender(options),
    rabbitmq: new RabbitMqDestination(options),
    sqs: new SqsDestination(options),
  };
  const getDestination = ({ queue }: Call): Destination => byKind[queue?.address.kind ?? 'http'];
  return {
    send: (call) => getDestination(call).send(call),
    check: async (call) => (await getDestination(call).check?.(call)) ?? '',
    async close() {
      await Promise.all(Object.values(byKind).map((destination) => destination.close()));
    },
  };
}
