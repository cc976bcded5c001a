import { eventually } from '@waybill/testing';
import { Publisher } from '../../src/events/rabbitmq/publisher.ts';
import { createLog } from '../../src/index.ts';

test('a call returns within its deadline even if the clock is set back', async () => {
  const publisher = new Publisher({
    deadlineMs: 200,
    async declare() {},
    async onMarkMissing() {},
    log: createLog('silent'),
  });
  const message = {
    exchange: 'events',
    routingKey: 'a',
    body: Buffer.from('a'),
    properties: { messageId: 'a' },
  };
  const { now } = Date;
  try {
    let results: string[] = [];
    void publisher
      .send([message], (each) => each)
      .then((all) => {
        results = all;
      });
    Date.now = () => now() - 3_600_000;
    publisher.onDisconnect();
    await eventually(() => results.length > 0);
    expect(results).toEqual(['failed']);
  } finally {
    Date.now = now;
  }
});
