import type { FairCapacity, ServiceContext, SharedClock, WriteContext } from '@waybill/kernel';
import type { Config } from './config.ts';
import type { DispatchTimer } from './memory/dispatch-timer.ts';
import type { HandOvers } from './memory/hand-overs.ts';
import type { Lanes } from './memory/lanes.ts';
import type { LogReaders } from './memory/log-readers.ts';
import type { RightsCache } from './memory/rights-cache.ts';
import type { SendingWindows } from './memory/sending-windows.ts';
import type { TargetHosts } from './memory/target-hosts.ts';
import type { WaitingCalls } from './memory/waiting-calls.ts';
import type { Tables } from './tables.ts';

/** The state of one replica of the service. `index.ts` builds it; fan-out, dispatcher and outcomes share it. */
export interface State {
  windows: SendingWindows;
  lanes: Lanes;
  hosts: TargetHosts;
  /** Calls waiting for room in `windows`. */
  waiting: WaitingCalls;
  handOvers: HandOvers;
  rights: RightsCache;
  timer: DispatchTimer;
  readers: LogReaders;
  /** The checks that this process waits for, by store. */
  checks: FairCapacity;
  /** Replays with calls that have ended since their last turn in this process. */
  replaysWithEndedCalls: Set<string>;
  /** The database's clock, which measures leases. */
  clock: SharedClock;
}

export type Context = ServiceContext<Config, Tables, State>;

/** The write context of this service. */
export type Write = WriteContext<Tables>;
