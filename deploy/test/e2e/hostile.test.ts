import { startReceiver } from '@waybill/testing';
import { startBadReceiver } from './bad-receivers.ts';
import { hostileReceivers, type Receivers } from './hostile-receivers.ts';
import { hostileRequests } from './hostile-requests.ts';
import { type StartedSystem, smallHeap, topologies, unlimited } from './topologies.ts';

// One system serves both: each start costs as much as many tests.
describe.each(topologies)('$name', ({ start }) => {
  let receivers: Receivers;
  let system: StartedSystem;
  beforeAll(async () => {
    const [good, untrusted, bad] = await Promise.all([startReceiver(), startReceiver(), startBadReceiver()]);
    receivers = { good, untrusted, bad };
    system = await start({
      ...unlimited,
      ...smallHeap,
      WEBHOOK_TRUSTED_TARGETS: `${good.trusted},127.0.0.1/32:${bad.port}`,
    });
  });
  afterAll(async () => {
    await system.stop();
    await Promise.all(Object.values(receivers).map((receiver) => receiver.close()));
  });

  hostileRequests(() => system);
  hostileReceivers(() => ({ system, receivers }));
});
