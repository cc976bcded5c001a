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

/** Names of public custom fields, with what has them. */
type PublicFields = ReadonlySet<string>;

const maxAgeMs = 30_000;
/** How long catalog may take: calls of all stores wait meanwhile. */
const deadlineMs = 1_000;
/** For how long nobody asks again once it did not answer. */
const pauseMs = 2_000;
let unavailableUntil = 0;
const reading = singleFlight<PublicFields>();
const known = new LRUCache<string, PublicFields>({ max: 5_000, ttl: maxAgeMs });

/** As services write it. */
const someValues = /"customFields" ?: ?\{"/;

/** Takes out of the body of an event what an app is not to see of custom fields. */
export type HideFields = (type: CallType, body: string) => string;

export const hideNothing: HideFields = (_, body) => body;

/**
 * What an app sees of custom fields in these bodies: its own and public ones, `decisions.md 20.4`. Nobody is asked where no
 * body has any, or the reader is no app. While catalog does not answer an app sees its own alone.
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
