import type { ServiceContext } from '@waybill/kernel';
import type { Config } from './config.ts';
import type { Tables } from './tables.ts';
import type { Examiner } from './uploads/examiner.ts';

/** The state that each copy of the service keeps in memory. */
export interface State {
  examiner: Examiner;
}
export type Context = ServiceContext<Config, Tables, State>;
