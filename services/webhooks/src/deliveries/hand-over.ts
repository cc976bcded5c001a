import { type DeliveryJob, deliveryLanes } from '@waybill/contracts';
import type { Bus } from '@waybill/kernel';
import { leaseSeconds } from './queries.ts';
import { SendingWindows } from './sending-windows.ts';

const windowsByBus = new WeakMap<Bus, SendingWindows>();

/** The sending windows of this process: fan-out and dispatcher share them. */
export function windowsOf(bus: Bus): SendingWindows {
  const windows = windowsByBus.get(bus) ?? new SendingWindows(leaseSeconds * 1000);
  windowsByBus.set(bus, windows);
  return windows;
}

/** Gives calls to delivery, those of endpoints whose last call failed in a lane of their own. */
export async function handOver(
  bus: Bus,
  jobs: readonly (DeliveryJob & { isFailing: boolean })[],
): Promise<void> {
  const lane = (wanted: boolean): DeliveryJob[] =>
    jobs.filter(({ isFailing }) => isFailing === wanted).map(({ isFailing: _, ...job }) => job);
  const [healthy, failing] = [lane(false), lane(true)];
  if (healthy.length > 0) await bus.enqueue(deliveryLanes.healthy, healthy);
  if (failing.length > 0) await bus.enqueue(deliveryLanes.failing, failing);
}
