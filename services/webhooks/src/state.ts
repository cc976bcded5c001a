import { type ServiceContext, SharedClock } from '@waybill/kernel';
import type { Config } from './config.ts';
import { RightsMemory } from './endpoints/rights.ts';
import { LogReaders } from './event-log/readers.ts';
import { TargetHosts } from './schedule/hosts.ts';
import { Lanes } from './schedule/lanes.ts';
import { leaseMs, readClock } from './schedule/queries.ts';
import { SendingWindows } from './schedule/sending-windows.ts';
import { WaitingCalls } from './schedule/waiting-calls.ts';
import type { Tables } from './tables.ts';

/** What one copy of the service keeps in memory: fan-out, dispatcher and outcomes share it. */
export interface State {
  windows: SendingWindows;
  lanes: Lanes;
  hosts: TargetHosts;
  /** What waits for room in them. */
  waiting: WaitingCalls;
  rights: RightsMemory;
  readers: LogReaders;
  /** The replays of which calls have ended since they had a turn here. */
  endedCallsOf: Set<string>;
  /** The database's, which leases are by. */
  clock: SharedClock;
}

export const newState = ({
  bus,
  config,
  db,
  stopping,
}: Pick<ServiceContext<Config, Tables>, 'bus' | 'config' | 'db' | 'stopping'>): State => ({
  windows: new SendingWindows(leaseMs),
  lanes: new Lanes(bus),
  hosts: new TargetHosts(config.trustedTargets),
  waiting: new WaitingCalls(),
  rights: new RightsMemory(),
  readers: new LogReaders(stopping),
  endedCallsOf: new Set(),
  clock: new SharedClock(() => readClock(db)),
});

export type Context = ServiceContext<Config, Tables, State>;
