import { errors } from '@waybill/contracts';
import { ObjectStoreError } from './object-store.ts';

/** Turns a failure of the store into `503` and logs its cause for the operator. */
export async function throwUnavailable<Result>(
  log: { error(fields: object, message: string): void },
  work: () => Promise<Result>,
): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof ObjectStoreError)) throw error;
    log.error({ err: error }, 'bytes could not be kept or read');
    throw errors.resource_unavailable({ headers: { 'retry-after': '5' } });
  }
}
