import { describeApi, mergeDescriptions } from '@waybill/kernel';
import { services } from './services.ts';

/** The API document of all services, as their code describes itself: nothing has to run for it. */
export function apiDocument() {
  return mergeDescriptions(
    { title: 'Waybill', version: '1' },
    services.map(({ name, aggregates }) =>
      describeApi(
        name,
        aggregates.map(({ routes }) => routes),
      ),
    ),
  );
}
