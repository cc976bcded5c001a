import {
  type CustomField,
  CustomFieldChanged,
  type CustomFieldState,
  customFieldLimits,
  customFieldName,
  newId,
  type Problem,
} from '@waybill/contracts';
import { definitionProblems, isFilterableType, noRules, toState } from '@waybill/custom-fields';
import { violatedConstraint } from '@waybill/kernel';
import type { Transaction } from 'kysely';
import type { Write } from '../config.ts';
import { errors } from '../errors.ts';
import type { Tables } from '../tables.ts';
import {
  type AppScope,
  countDefinitions,
  insertDefinition,
  lockDefinition,
  lockDefinitions,
  lockDefinitionsOfApp,
  rematchRulesOfField,
  updateDefinition,
} from './queries.ts';
import type { CustomFieldInput, CustomFieldPatch } from './routes.ts';

type Trx = Transaction<Tables>;

/** Converts a definition to the shape that the API uses. */
export const toCustomField = ({
  revision: _,
  hiddenAt: __,
  deletedAt: ___,
  ...shown
}: CustomFieldState): CustomField => shown;

/**
 * Creates a definition for the store or for an app.
 * @throws duplicate_key, too_many_custom_fields, invalid_body
 */
export async function createDefinition(
  { trx, emit, audit }: Write,
  storeId: string,
  appId: AppScope,
  input: CustomFieldInput,
): Promise<CustomFieldState> {
  const now = new Date();
  const state: CustomFieldState = {
    id: newId('customField', now.getTime()),
    entity: input.entity,
    key: input.key,
    name: input.name,
    type: input.type,
    options: input.options ?? [],
    rules: mergeRules(noRules, input.rules),
    visibility: input.visibility ?? 'private',
    isFilterable: input.isFilterable ?? false,
    appId,
    createdAt: now.toISOString(),
    updatedAt: now.toISOString(),
    revision: 1,
    hiddenAt: null,
    deletedAt: null,
  };
  throwProblems(definitionProblems(state));
  try {
    await lockDefinitions(trx, storeId);
    if ((await countDefinitions(trx, storeId, state.entity)) >= customFieldLimits.perEntity)
      throw errors.too_many_custom_fields();
    await insertDefinition(trx, storeId, state);
    await rematch(trx, storeId, state, now);
    await emit(CustomFieldChanged, storeId, { customField: state });
    await audit(storeId, 'customField.created', { id: state.id, name: state.name });
    return state;
  } catch (error) {
    if (violatedConstraint(error) === 'custom_field_key') throw errors.duplicate_key();
    throw error;
  }
}

/**
 * Changes a definition. An app finds only its own definitions.
 * @throws not_found, invalid_body
 */
export async function changeDefinition(
  write: Write,
  storeId: string,
  appId: AppScope,
  id: string,
  patch: CustomFieldPatch,
): Promise<CustomFieldState> {
  const { trx, audit } = write;
  const current = await lock(trx, storeId, appId, id);
  const fixed = ['entity', 'key', 'type'] as const;
  throwProblems(
    fixed.flatMap((name): Problem[] =>
      patch[name] === undefined || patch[name] === current[name]
        ? []
        : [{ pointer: `/${name}`, message: 'cannot change' }],
    ),
  );
  const now = new Date();
  const next: CustomFieldState = {
    ...current,
    name: patch.name ?? current.name,
    options: patch.options ?? current.options,
    rules: mergeRules(current.rules, patch.rules),
    visibility: patch.visibility ?? current.visibility,
    // Older versions accepted the flag for every type, without effect.
    isFilterable: patch.isFilterable ?? (current.isFilterable && isFilterableType(current.type)),
  };
  throwProblems(definitionProblems(next));
  const changed = (['name', 'options', 'rules', 'visibility', 'isFilterable'] as const).filter(
    (name) => JSON.stringify(current[name]) !== JSON.stringify(next[name]),
  );
  if (changed.length === 0) return current;
  await store(write, storeId, next, now);
  await audit(storeId, 'customField.updated', { id, name: next.name }, { changed });
  return next;
}

/**
 * Deletes a definition and thereby hides its values everywhere.
 * @throws not_found
 */
export async function deleteDefinition(
  write: Write,
  storeId: string,
  appId: AppScope,
  id: string,
): Promise<CustomFieldState> {
  const { trx, audit } = write;
  const current = await lock(trx, storeId, appId, id);
  const now = new Date();
  const next = { ...current, deletedAt: now.toISOString() };
  await store(write, storeId, next, now);
  await rematch(trx, storeId, next, now);
  await audit(storeId, 'customField.deleted', { id, name: current.name });
  return next;
}

/**
 * Hides an app's definitions from an instant on, shows them again, or deletes the hidden ones. Returns the changed
 * definitions. `unlessChangedAfter` stops a late uninstall event from hiding definitions that a new install has shown
 * since.
 */
export async function setAppDefinitions(
  write: Write,
  storeId: string,
  appId: string,
  change: { hiddenAt: string | null; unlessChangedAfter?: string } | 'delete',
): Promise<CustomFieldState[]> {
  const now = new Date();
  const changed: CustomFieldState[] = [];
  for (const row of await lockDefinitionsOfApp(write.trx, storeId, appId)) {
    const current = toState(row);
    const next = change === 'delete' ? deleted(current, now) : hidden(current, change);
    if (next === null) continue;
    await store(write, storeId, next, now);
    await rematch(write.trx, storeId, next, now);
    changed.push(next);
  }
  return changed;
}

const deleted = (current: CustomFieldState, now: Date): CustomFieldState | null =>
  current.hiddenAt === null ? null : { ...current, deletedAt: now.toISOString() };

function hidden(
  current: CustomFieldState,
  { hiddenAt, unlessChangedAfter }: { hiddenAt: string | null; unlessChangedAfter?: string },
): CustomFieldState | null {
  if ((hiddenAt === null) === (current.hiddenAt === null)) return null;
  if (unlessChangedAfter && Date.parse(current.updatedAt) > Date.parse(unlessChangedAfter)) return null;
  return { ...current, hiddenAt };
}

async function lock(trx: Trx, storeId: string, appId: AppScope, id: string): Promise<CustomFieldState> {
  const row = await lockDefinition(trx, storeId, appId, id);
  if (!row) throw errors.not_found();
  return toState(row);
}

/** Stores a changed definition as its next revision, and emits the change. */
async function store(
  { trx, emit }: Write,
  storeId: string,
  next: CustomFieldState,
  now: Date,
): Promise<void> {
  next.revision++;
  next.updatedAt = new Date(Math.max(now.getTime(), Date.parse(next.updatedAt) + 1)).toISOString();
  await updateDefinition(trx, storeId, next);
  await emit(CustomFieldChanged, storeId, { customField: next });
}

/** Matches the rules that name a definition again when it is created or deleted. Rules use no other property of it. */
async function rematch(trx: Trx, storeId: string, state: CustomFieldState, now: Date): Promise<void> {
  if (state.entity === 'product') await rematchRulesOfField(trx, storeId, customFieldName(state), now);
}

const mergeRules = (
  current: CustomField['rules'],
  { required, min, max, pattern }: NonNullable<CustomFieldInput['rules']> = {},
): CustomField['rules'] => ({
  required: required ?? current.required,
  min: min === undefined ? current.min : min,
  max: max === undefined ? current.max : max,
  pattern: pattern === undefined ? current.pattern : pattern,
});

function throwProblems(details: Problem[]): void {
  if (details.length > 0) throw errors.invalid_body({ details: details.slice(0, 100) });
}
