import {
  type CallType,
  type CustomFieldEntity,
  type CustomFieldState,
  customFieldEntities,
  customFieldName,
  subjectOf,
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
const reading = singleFlight<PublicFields>();
const known = new LRUCache<string, PublicFields>({ max: 5_000, ttl: maxAgeMs });

/** Matches custom fields that have values, in the spelling of services. */
const someValues = /"customFields" ?: ?\{"/;

/** Removes the custom fields that an app may not see from the body of an event. */
export type HideFields = (type: CallType, body: string) => string;

export const hideNothing: HideFields = (_, body) => body;

/**
 * Returns a function that hides custom fields in these bodies: an app sees its own and public ones
 * (`decisions.md 20.4`). Catalog is not asked when no body has any, or the reader is not an app. While catalog does not
 * answer, an app sees only its own.
 */
export async function hidingFrom(
  context: Pick<Context, 'cache' | 'peers'>,
  storeId: string,
  appId: string | null,
  bodies: readonly string[],
): Promise<HideFields> {
  if (appId === null || !bodies.some((body) => someValues.test(body))) return hideNothing;
  const shown = await publicFields(context, storeId);
  return (type, body) => (someValues.test(body) ? hideIn(type, body, appId, shown) : body);
}

async function publicFields(
  { cache, peers }: Pick<Context, 'cache' | 'peers'>,
  storeId: string,
): Promise<PublicFields> {
  if (!peers.has('catalog')) return new Set();
  const key = `${storeId} ${await cache.epoch(storeId)}`;
  const kept = known.get(key);
  if (kept) return kept;
  if (performance.now() < unavailableUntil) return new Set();
  return reading(key, async () => {
    try {
      const reply = await peers.call<{ customFields: CustomFieldState[] }>(
        'catalog',
        'POST',
        '/internal/custom-fields/lookup',
        { storeId, entities: customFieldEntities },
        { timeoutMs: deadlineMs },
      );
      const shown = new Set(
        (reply?.customFields ?? []).flatMap((field) =>
          field.visibility === 'public' ? `${field.entity} ${customFieldName(field)}` : [],
        ),
      );
      known.set(key, shown);
      return shown;
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

function hideIn(type: CallType, body: string, appId: string, shown: PublicFields): string {
  const event: { data: Record<string, Item | undefined> } = JSON.parse(body);
  const entity = subjectOf(type).key as CustomFieldEntity;
  const item = event.data[entity];
  if (!item) return body;
  const hide = (of: CustomFieldEntity, { customFields = {} }: Item) => {
    for (const name of Object.keys(customFields))
      if (!name.startsWith(`${appId}/`) && !shown.has(`${of} ${name}`)) delete customFields[name];
  };
  hide(entity, item);
  if (entity === 'product') for (const variant of item.variants ?? []) hide('variant', variant);
  return JSON.stringify(event);
}
