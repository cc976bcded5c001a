import { type DeliveryJob, deliveryLanes } from '@waybill/contracts';
import type { Bus, ServiceContext } from '@waybill/kernel';
import type { Config } from '../config.ts';
import type { Tables } from '../tables.ts';
import { findEndpointsNow, findLeased, leaseSeconds } from './queries.ts';
import { SendingWindows } from './sending-windows.ts';
import { WaitingCalls } from './waiting-calls.ts';

interface Sending {
  windows: SendingWindows;
  waiting: WaitingCalls;
}

const sendingByBus = new WeakMap<Bus, Sending>();

/** The sending windows of this process and what waits for room in them: fan-out and dispatcher share them. */
export function sendingOf(bus: Bus): Sending {
  let sending = sendingByBus.get(bus);
  if (!sending) {
    sending = { windows: new SendingWindows(leaseSeconds * 1000), waiting: new WaitingCalls() };
    sendingByBus.set(bus, sending);
  }
  return sending;
}

export interface Call {
  job: DeliveryJob;
  /** Whether the endpoint's last call failed. */
  isFailing: boolean;
}

/** Gives calls to delivery, those of endpoints whose last call failed in a lane of their own. */
export async function handOver(bus: Bus, calls: readonly Call[]): Promise<void> {
  const { windows } = sendingOf(bus);
  for (const {
    job: { storeId, endpointId, deliveryId },
  } of calls)
    windows.take({ storeId, endpointId, deliveryId });
  const lane = (wanted: boolean) =>
    calls.filter(({ isFailing }) => isFailing === wanted).map(({ job }) => job);
  const [healthy, failing] = [lane(false), lane(true)];
  if (healthy.length > 0) await bus.enqueue(deliveryLanes.healthy, healthy);
  if (failing.length > 0) await bus.enqueue(deliveryLanes.failing, failing);
}

/**
 * Gives back the places of calls whose end another copy of this service has recorded: outcomes go to any of them.
 */
async function freePlaces({ db, bus }: ServiceContext<Config, Tables>): Promise<void> {
  if (bus.soleProcess) return;
  const { windows } = sendingOf(bus);
  const calls = windows.doubtful();
  if (calls.length === 0) return;
  const leased = await findLeased(db, calls);
  for (const call of calls) if (!leased.has(call.deliveryId)) windows.release(call);
}

/** Hands over what waits in memory, as far as there is room, to endpoints that are as they were. */
export async function handOverWaiting(context: ServiceContext<Config, Tables>): Promise<void> {
  await freePlaces(context);
  const { db, bus } = context;
  const { windows, waiting } = sendingOf(bus);
  const ready = waiting.endpoints().filter(({ endpointId }) => windows.roomForWaiting(endpointId) > 0);
  if (ready.length === 0) return;
  const now = await findEndpointsNow(db, ready);
  const calls = ready.flatMap(({ endpointId }) => {
    const endpoint = now.get(endpointId);
    const isFailing = endpoint !== undefined && endpoint.failures > 0;
    return waiting
      .take(endpointId, windows.roomForWaiting(endpointId), endpoint?.changedAt)
      .map((job) => ({ job, isFailing }));
  });
  await handOver(bus, calls);
}
