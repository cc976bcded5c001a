import { apiInfo } from '@waybill/contracts';
import { describeApi, mergeDescriptions } from '@waybill/kernel';
import { services } from './services.ts';

/**
 * The API document of all services, as their code describes itself: nothing has to run for it. `isWhole`: with answers
 * as they are without `?fields=`.
 */
export function apiDocument(options: { isWhole?: boolean } = {}) {
  return mergeDescriptions(
    apiInfo,
    services.map(({ aggregates, calls }) => ({
      ...describeApi(
        aggregates.map(({ routes }) => routes),
        options,
      ),
      webhooks: calls ?? {},
    })),
  );
}
