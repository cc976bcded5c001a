import {
  type CallType,
  type CustomFieldEntity,
  type CustomFieldState,
  customFieldEntities,
  customFieldName,
  getEventSubject,
} from '@waybill/contracts';
import { singleFlight } from '@waybill/kernel';
import { LRUCache } from 'lru-cache';
import type { Context } from '../context.ts';

/** Names of public custom fields, each with the kind of its owner. */
type PublicFields = ReadonlySet<string>;

const maxAgeMs = 30_000;
/** Deadline for catalog, because calls of all stores wait for its answer. */
const deadlineMs = 1_000;
/** How long catalog is not asked again after it failed to answer. */
const pauseMs = 2_000;
let unavailableUntil = 0;
const publicFieldsFlight = singleFlight<PublicFields>();
const publicFieldsCache = new LRUCache<string, PublicFields>({ max: 5_000, ttl: maxAgeMs });

/** Matches custom fields that have values, in the spelling of services. */
const customFieldValuesPattern = /"customFields" ?: ?\{"/;

/** Removes the custom fields that an app may not see from the body of an event. */
export type HideFields = (type: CallType, body: string) => string;

export const hideNothing: HideFields = (_, body) => body;

/**
 * Returns a function that hides custom fields in these bodies: an app sees its own and public ones
 * (`decisions.md 20.4`). Catalog is not asked when no body has any, or the reader is not an app. While catalog does not
 * answer, an app sees only its own.
 */
export async function prepareHideFields(
  context: Pick<Context, 'cache' | 'peers'>,
  storeId: string,
  appId: string | null,
  bodies: readonly string[],
): Promise<HideFields> {
  if (appId === null || !bodies.some((body) => customFieldValuesPattern.test(body))) return hideNothing;
  const publicNames = await findPublicFields(context, storeId);
  return (type, body) =>
    customFieldValuesPattern.test(body) ? hideFields(type, body, appId, publicNames) : body;
}

async function findPublicFields(
  { cache, peers }: Pick<Context, 'cache' | 'peers'>,
  storeId: string,
): Promise<PublicFields> {
  if (!peers.has('catalog')) return new Set();
  const key = `${storeId} ${await cache.epoch(storeId)}`;
  const cached = publicFieldsCache.get(key);
  if (cached) return cached;
  if (performance.now() < unavailableUntil) return new Set();
  return publicFieldsFlight(key, async () => {
    try {
      const reply = await peers.call<{ customFields: CustomFieldState[] }>(
        'catalog',
        'POST',
        '/internal/custom-fields/lookup',
        { storeId, entities: customFieldEntities },
        { timeoutMs: deadlineMs },
      );
      const publicNames = new Set(
        (reply?.customFields ?? []).flatMap((field) =>
          field.visibility === 'public' ? `${field.entity} ${customFieldName(field)}` : [],
        ),
      );
      publicFieldsCache.set(key, publicNames);
      return publicNames;
    } catch {
      unavailableUntil = performance.now() + pauseMs;
      return new Set();
    }
  });
}

interface Item {
  customFields?: Record<string, unknown>;
  variants?: Item[];
}

function hideFields(type: CallType, body: string, appId: string, publicNames: PublicFields): string {
  const event: { data: Record<string, Item | undefined> } = JSON.parse(body);
  const entity = getEventSubject(type).key as CustomFieldEntity;
  const item = event.data[entity];
  if (!item) return body;
  const removeHidden = (owner: CustomFieldEntity, { customFields = {} }: Item) => {
    for (const name of Object.keys(customFields))
      if (!name.startsWith(`${appId}/`) && !publicNames.has(`${owner} ${name}`)) delete customFields[name];
  };
  removeHidden(entity, item);
  if (entity === 'product') for (const variant of item.variants ?? []) removeHidden('variant', variant);
  return JSON.stringify(event);
}
