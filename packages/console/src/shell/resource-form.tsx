import {
  type QueryKey,
  queryOptions,
  type UseSuspenseQueryOptions,
  useQueryClient,
  useSuspenseQuery,
} from '@tanstack/react-query';
import type { Permission } from '@waybill/contracts/permissions';
import { type ComponentType, type ReactNode, useEffect, useRef, useState } from 'react';
import { useDraft } from '../api/draft.ts';
import { useStore } from '../api/me.ts';
import { type ErrorFields, isPreconditionFailed, type KnownRead, useMutation } from '../api/mutation.ts';
import { newId } from '../paths.ts';
import { navigate } from '../router/history.ts';
import { useParams } from '../router/router.tsx';
import { useCommon } from '../texts/common.ts';
import { Form } from '../ui/form.tsx';
import { SaveBar } from '../ui/save-bar.tsx';
import { NoPermission } from './problems.tsx';
import { Conflict, Unsaved, useLeaving } from './unsaved.tsx';

/** Properties that a resource's form gets from its route. */
export interface ResourceProps {
  id: string;
  /**
   * Replaces the address of the new resource by that of the created one. The form stays mounted with everything typed.
   */
  continueAs(id: string, href: string): void;
}

/**
 * The route of a form for an existing or a new resource. If the user's role is not sufficient, it names the required
 * one. After creating its resource, the form stays mounted, so text and focus are kept.
 */
export function ResourceRoute({
  param,
  title,
  toRead,
  toCreate,
  form: ResourceForm,
}: {
  /** Name of the route parameter that holds the id. */
  param: string;
  title: string;
  /** Missing: the screen needs no permission, and the server decides. */
  toRead?: Permission;
  /** Missing: no permission is needed to create one. */
  toCreate?: Permission;
  form: ComponentType<ResourceProps>;
}) {
  const { [param]: id } = useParams<string>();
  const store = useStore();
  const [shown, setShown] = useState<{ id: string; created?: string; key: number }>({ id: id!, key: 0 });
  if (id !== shown.id) setShown({ id: id!, key: shown.created === id ? shown.key : shown.key + 1 });
  const needed = id === newId ? toCreate : toRead;
  if (needed && !store.can(needed))
    return <NoPermission title={title} role={store.role} needed={store.roleFor(needed)} />;
  return (
    <ResourceForm
      key={shown.key}
      id={id!}
      continueAs={(created, href) => {
        setShown({ ...shown, created });
        navigate(href, { replaces: true, keepsScroll: true, isForced: true });
      }}
    />
  );
}

const nothing = queryOptions({
  queryKey: ['nothing'] as QueryKey,
  queryFn: () => null,
  initialData: null,
  staleTime: Number.POSITIVE_INFINITY,
});

/** Loads the resource of a form; null until it has been created. */
export function useResource<Read extends { etag: string | null }, Key extends QueryKey>(
  { id, continueAs }: Pick<ResourceProps, 'id'> & Partial<ResourceProps>,
  query: UseSuspenseQueryOptions<Read, Error, Read, Key>,
) {
  const [created, setCreated] = useState<Read | null>(null);
  const options = (id === newId ? nothing : query) as UseSuspenseQueryOptions<Read | null>;
  const read = useSuspenseQuery(options).data ?? created;
  return {
    read,
    /** Called after a save. The form of a new resource becomes the form of the created one. */
    adopt(saved: Omit<Read, 'etag'> & { etag?: string | null }, savedId: string, href: string) {
      if (read) return;
      setCreated({ etag: null, ...saved } as Read);
      continueAs?.(savedId, href);
    },
  };
}

/** Properties of a field. A refusal at the pointer `name` is shown at the field. */
export interface FieldProps<Value> {
  name: string;
  value: Value;
  onChange(value: Value): void;
  isReadOnly: boolean;
}

/** Functions that return the properties of a value's fields, for components that show part of a form. */
export interface Fields<Value> {
  /** Returns the properties of a member's field; `missing` replaces an absent value. */
  field<Key extends keyof Value & string>(
    key: Key,
    ...missing: undefined extends Value[Key] ? [missing: Exclude<Value[Key], undefined>] : []
  ): FieldProps<Exclude<Value[Key], undefined>>;
  value: Value;
  change(changes: Partial<Value>): void;
  isReadOnly: boolean;
  /** Returns the properties of a text field whose empty text means null. */
  optionalText<Key extends keyof Value & string>(key: Key): FieldProps<string>;
  /** Returns the same functions for a member that is an object. */
  within<Key extends keyof Value & string>(key: Key): Fields<NonNullable<Value[Key]>>;
}

function createFields<Value extends object>(
  value: Value,
  change: (changes: Partial<Value>) => void,
  isReadOnly: boolean,
  pointer = '',
): Fields<Value> {
  return {
    value,
    change,
    isReadOnly,
    field: (key, ...[missing]) => ({
      name: `${pointer}/${key}`,
      value: (value[key] ?? (missing === undefined ? value[key] : missing)) as never,
      onChange: (next) => change({ [key]: next } as Partial<Value>),
      isReadOnly,
    }),
    optionalText: (key) => ({
      name: `${pointer}/${key}`,
      value: (value[key] as string | null) ?? '',
      onChange: (text) => change({ [key]: text || null } as Partial<Value>),
      isReadOnly,
    }),
    within: (key) =>
      createFields(
        (value[key] ?? {}) as NonNullable<Value[typeof key]> & object,
        (changes) => change({ [key]: { ...value[key], ...changes } } as Partial<Value>),
        isReadOnly,
        `${pointer}/${key}`,
      ) as never,
  };
}

/** Values and condition of a save. */
export interface SaveInput<Value, Etag> {
  value: Value;
  /** The stored values when typing began. */
  base: Value;
  baseEtag: Etag;
  /** The user has decided to overwrite another user's change. */
  isForced: boolean;
  /** `If-Match`, unless the save is forced or the resource is new. */
  headers: { 'if-match'?: string };
}

/**
 * State and actions of a resource's form. Typed changes are kept on top of the stored values and saved under the ETag
 * from when typing began. The user decides conflicts and is asked before unsaved values are lost. `<ResourceForm>`
 * renders all of it.
 */
export function useResourceForm<Value extends object, Saved, Etag = string | null>({
  stored,
  etag,
  canWrite = true,
  isElseDirty = false,
  isKept = true,
  save,
  done,
  invalidates,
  toKnownRead,
  fields,
  adopt,
  onSaved,
}: {
  stored: Value;
  /** ETag of the stored version, or another condition of a save. Missing: saves are unconditional. */
  etag?: Etag;
  canWrite?: boolean;
  /** Something outside this form is unsaved on the same screen. */
  isElseDirty?: boolean;
  /**
   * False: after a save, the form shows the stored values instead of the typed ones, because the server may normalise
   * them.
   */
  isKept?: boolean;
  save(input: SaveInput<Value, Etag>): Promise<Saved>;
  /** Toast text after a save. */
  done: string | ((saved: Saved) => string);
  /** Prefixes of the keys of the queries that a save changes. */
  invalidates: readonly QueryKey[];
  /** Returns the new data of the resource's query, if the answer holds it. */
  toKnownRead?(saved: Saved): KnownRead | null;
  fields?: ErrorFields;
  /** Merges parts that the server added, such as ids, into values typed during the save. */
  adopt?(rest: Partial<Value>, saved: Saved, sent: Value): Partial<Value>;
  onSaved?(saved: Saved, draft: ReturnType<typeof useDraft<Value, Etag>>): void;
}) {
  const queries = useQueryClient();
  const draft = useDraft<Value, Etag>(stored, etag);
  const [isConflict, setConflict] = useState(false);
  const [resets, setResets] = useState(0);
  const { leave, isLeaving } = useLeaving(draft.isDirty);
  const { value, base, baseEtag } = draft;
  const mutation = useMutation(
    (isForced: boolean) => {
      const isConditional = typeof baseEtag === 'string' && !isForced;
      const headers = isConditional ? { 'if-match': baseEtag } : {};
      return save({ value, base, baseEtag, isForced, headers });
    },
    {
      done,
      invalidates,
      toKnownRead,
      fields,
      handles: isPreconditionFailed,
      onDone(saved) {
        if (isKept) draft.markSaved(adopt && ((rest) => adopt(rest, saved, value)));
        else draft.reset();
        onSaved?.(saved, draft);
      },
    },
  );
  const submit = (isForced = false) =>
    mutation.attempt(isForced).then(
      () => {},
      (error) => isPreconditionFailed(error) && setConflict(true),
    );
  const countReset = () => setResets((count) => count + 1);
  return {
    ...draft,
    reset() {
      draft.reset();
      countReset();
    },
    ...createFields(value, draft.change, !canWrite),
    mutation,
    submit,
    canWrite,
    isKept,
    leave,
    /** Whether to ask before leaving. Deleting the resource discards all other unsaved values too. */
    isUnsaved: draft.isDirty || (isElseDirty && !isLeaving),
    isConflict,
    closeConflict: () => setConflict(false),
    keepMine: () => void submit(true),
    async takeTheirs() {
      draft.reset();
      await Promise.all(invalidates.map((queryKey) => queries.invalidateQueries({ queryKey })));
      countReset();
    },
    /** Counts how often the typed values were dropped. Use it as the key of fields with internal state. */
    resets,
  };
}

/** The part of a form's state that `ResourceForm` needs, for any type of value. */
type ShownForm = Pick<
  ReturnType<typeof useResourceForm<object, unknown>>,
  | 'mutation'
  | 'submit'
  | 'canWrite'
  | 'isKept'
  | 'resets'
  | 'isDirty'
  | 'isUnsaved'
  | 'reset'
  | 'isConflict'
  | 'closeConflict'
  | 'keepMine'
  | 'takeTheirs'
>;

/** A resource's form with its save bar and the dialogs for conflicts and unsaved values. */
export function ResourceForm({
  form,
  bar,
  isPart = false,
  children,
}: {
  form: ShownForm;
  /** The surrounding form asks before unsaved values are lost. */
  isPart?: boolean;
  /** Replaces the save bar. Null: the save bar is among `children`. */
  bar?: ReactNode;
  children: ReactNode;
}) {
  return (
    <>
      <Form
        mutation={form.mutation}
        isKept={form.isKept}
        resets={form.resets}
        onSubmit={() => void form.submit()}
      >
        {children}
        {bar === undefined ? <FormSaveBar form={form} /> : bar}
      </Form>
      {!isPart && <Unsaved isDirty={form.isUnsaved} />}
      <Conflict
        isOpen={form.isConflict}
        onClose={form.closeConflict}
        onKeepMine={form.keepMine}
        onTakeTheirs={() => void form.takeTheirs()}
      />
    </>
  );
}

/** The save bar of a form; nothing for users who may only read. */
export function FormSaveBar({
  form: { mutation, isDirty, reset, canWrite },
  isNew = false,
  label,
  isReady,
  hasDiscard = true,
  children,
}: {
  form: ShownForm;
  /** The button says that it creates the resource. */
  isNew?: boolean;
  /** Label of the button, if it neither saves nor creates. */
  label?: string;
  isReady?: boolean;
  hasDiscard?: boolean;
  children?: ReactNode;
}) {
  const common = useCommon();
  if (!canWrite) return null;
  return (
    <SaveBar
      label={label ?? (isNew ? common.create : undefined)}
      isPending={mutation.isPending}
      isDirty={isDirty}
      {...(isReady !== undefined && { isReady })}
      {...(hasDiscard && { onDiscard: reset })}
    >
      {children}
    </SaveBar>
  );
}

/**
 * Deletes a form's resource and leaves the screen. Its cached query is removed only after the screen is gone; the
 * screen would read it again otherwise.
 */
export function useRemoval<Output>(
  form: { reset(): void; leave(href: string): void },
  {
    remove,
    done,
    leaveTo,
    queryKey,
    onRemoved,
    handles,
  }: {
    remove(): Promise<Output>;
    done: string;
    leaveTo: string;
    /** Key of the resource's own query. */
    queryKey?: QueryKey;
    onRemoved?(): void;
    handles?(error: unknown): boolean;
  },
) {
  const queries = useQueryClient();
  const removed = useRef<QueryKey | null>(null);
  useEffect(
    () => () => {
      if (removed.current) queries.removeQueries({ queryKey: removed.current });
    },
    [queries],
  );
  const removeUnread = async () => {
    // A read of the resource that arrives after its removal would fail.
    if (queryKey) await queries.cancelQueries({ queryKey });
    return remove().catch((error: unknown) => {
      if (queryKey) void queries.invalidateQueries({ queryKey });
      throw error;
    });
  };
  return useMutation<void, Output>(removeUnread, {
    done,
    handles,
    onDone() {
      form.reset();
      form.leave(leaveTo);
      removed.current = queryKey ?? null;
      onRemoved?.();
    },
  });
}
