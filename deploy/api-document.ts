import { apiInfo } from '@waybill/contracts';
import { describeApi, mergeDescriptions } from '@waybill/kernel';
import { services } from './services.ts';

/**
 * Returns the API document of all services, as their code describes itself, without running anything. With `isWhole`,
 * answers are described without `?fields=`.
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
