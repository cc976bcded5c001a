import { eventually } from '@waybill/testing';
import { Publisher } from '../../src/events/rabbitmq/publisher.ts';
import { createLog } from '../../src/index.ts';

test('a call is answered within its deadline also where the clock is set back meanwhile', async () => {
  const publisher = new Publisher({
    deadlineMs: 200,
    async declare() {},
    async onMarkGone() {},
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
    publisher.down();
    await eventually(() => results.length > 0);
    expect(results).toEqual(['failed']);
  } finally {
    Date.now = now;
  }
});
