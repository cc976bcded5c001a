import {
  type QueryKey,
  queryOptions,
  type UseSuspenseQueryOptions,
  useQueryClient,
  useSuspenseQuery,
} from '@tanstack/react-query';
import { useParams, useRouter } from '@tanstack/react-router';
import type { Permission } from '@waybill/contracts/permissions';
import { type ComponentType, type ReactNode, useEffect, useRef, useState } from 'react';
import { useDraft } from '../api/draft.ts';
import { useStore } from '../api/me.ts';
import { isPreconditionFailed, type KnownRead, useMutation } from '../api/mutation.ts';
import { newId } from '../paths.ts';
import { useCommon } from '../texts/common.ts';
import { Form } from '../ui/form.tsx';
import { SaveBar } from '../ui/save-bar.tsx';
import { NoPermission } from './problems.tsx';
import { Conflict, Unsaved, useLeaving } from './unsaved.tsx';

/** What a form of a resource gets from its route. */
export interface ResourceProps {
  id: string;
  /** Replaces the address of the new resource with that of the created one. The form stays, with all that is typed. */
  continueAs(id: string, href: string): void;
}

/**
 * The route of a resource's form, or of the form of a new one. Shows which role is needed where the user's is not enough.
 * A form that creates its resource stays the same form, so whoever types on loses neither text nor focus.
 */
export function ResourceRoute({
  param,
  title,
  toRead,
  toCreate,
  form: ResourceForm,
}: {
  /** The name of the address's parameter. */
  param: string;
  title: string;
  /** Missing: whoever comes here may read it, and the server refuses others. */
  toRead?: Permission;
  /** Missing: whoever comes here may create one. */
  toCreate?: Permission;
  form: ComponentType<ResourceProps>;
}) {
  const { [param]: id } = useParams({ strict: false }) as { [param: string]: string };
  const router = useRouter();
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
        void router.navigate({ href, replace: true, resetScroll: false, ignoreBlocker: true });
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

/** Loads the resource of a form; null until it is created. */
export function useResource<Read extends { etag: string | null }, Key extends QueryKey>(
  { id, continueAs }: Pick<ResourceProps, 'id'> & Partial<ResourceProps>,
  query: UseSuspenseQueryOptions<Read, Error, Read, Key>,
) {
  const [created, setCreated] = useState<Read | null>(null);
  const options = (id === newId ? nothing : query) as UseSuspenseQueryOptions<Read | null>;
  const read = useSuspenseQuery(options).data ?? created;
  return {
    read,
    /** To be called after a save: a form that has created its resource becomes the form of that resource. */
    adopt(saved: Omit<Read, 'etag'> & { etag?: string | null }, savedId: string, href: string) {
      if (read) return;
      setCreated({ etag: null, ...saved } as Read);
      continueAs?.(savedId, href);
    },
  };
}

/** What a field of the form is given: a refusal at its pointer stands at the field. */
export interface FieldProps<Value> {
  name: string;
  value: Value;
  onChange(value: Value): void;
  isReadOnly: boolean;
}

/** The fields of a value, as what shows a part of a form is given them. */
export interface Fields<Value> {
  /** The properties of a member's field; `missing` stands for an absent value. */
  field<Key extends keyof Value & string>(
    key: Key,
    ...missing: undefined extends Value[Key] ? [missing: Exclude<Value[Key], undefined>] : []
  ): FieldProps<Exclude<Value[Key], undefined>>;
  value: Value;
  change(changes: Partial<Value>): void;
  isReadOnly: boolean;
  /** The properties of a text's field; an empty text is null. */
  optionalText<Key extends keyof Value & string>(key: Key): FieldProps<string>;
  /** The fields of a member that is an object. */
  within<Key extends keyof Value & string>(key: Key): Fields<NonNullable<Value[Key]>>;
}

function fieldsOf<Value extends object>(
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
      fieldsOf(
        (value[key] ?? {}) as NonNullable<Value[typeof key]> & object,
        (changes) => change({ [key]: { ...value[key], ...changes } } as Partial<Value>),
        isReadOnly,
        `${pointer}/${key}`,
      ) as never,
  };
}

/** What a save sends, and under which condition. */
export interface SaveInput<Value, Etag> {
  value: Value;
  /** The stored values that the typing began with. */
  base: Value;
  baseEtag: Etag;
  /** The user has decided to overwrite what somebody else saved. */
  isForced: boolean;
  /** `If-Match`, unless the save is forced or the resource is new. */
  headers: { 'if-match'?: string };
}

/**
 * A form of a resource: what is typed on top of what is stored, saved under the ETag that the typing began with. The user
 * decides on a conflict, and is asked before unsaved values are lost. `<ResourceForm>` shows all of it.
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
  readOf,
  fields,
  adopt,
  onSaved,
}: {
  stored: Value;
  /** The ETag of the stored version, or what else a save is bound to; missing: a save has no condition. */
  etag?: Etag;
  canWrite?: boolean;
  /** Something on the screen that is not part of this form is unsaved. */
  isElseDirty?: boolean;
  /** False: a save drops what is typed and shows what is stored, because the server may write it otherwise. */
  isKept?: boolean;
  save(input: SaveInput<Value, Etag>): Promise<Saved>;
  /** The toast of a save. */
  done: string | ((saved: Saved) => string);
  /** Prefixes of the keys of the queries that a save changes. */
  invalidates: readonly QueryKey[];
  /** What the resource's query would read after a save, where the answer says it. */
  readOf?(saved: Saved): KnownRead | null;
  /** The fields of errors that name none, by error code. */
  fields?: Readonly<Record<string, string | readonly [pointer: string, message: string]>>;
  /** Gives what was typed during the save the parts that the server added, such as ids. */
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
      ...(readOf && { readOf }),
      ...(fields && { fields }),
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
  return {
    ...draft,
    ...fieldsOf(value, draft.change, !canWrite),
    mutation,
    submit,
    canWrite,
    isKept,
    leave,
    /** Whether to ask before the screen is left. What else is unsaved goes with a resource that is deleted. */
    isUnsaved: draft.isDirty || (isElseDirty && !isLeaving),
    isConflict,
    closeConflict: () => setConflict(false),
    keepMine: () => void submit(true),
    async takeTheirs() {
      draft.reset();
      await Promise.all(invalidates.map((queryKey) => queries.invalidateQueries({ queryKey })));
      setResets((count) => count + 1);
    },
    /** How often somebody else's values were taken. A key of fields that hold a state of their own. */
    resets,
  };
}

/** The part of a form that shows it; any form of any value. */
type ShownForm = Pick<
  ReturnType<typeof useResourceForm<object, unknown>>,
  | 'mutation'
  | 'submit'
  | 'canWrite'
  | 'isKept'
  | 'isDirty'
  | 'isUnsaved'
  | 'reset'
  | 'isConflict'
  | 'closeConflict'
  | 'keepMine'
  | 'takeTheirs'
>;

/** A resource's form with its save bar, and the questions about conflicts and unsaved values. */
export function ResourceForm({
  form,
  bar,
  isPart = false,
  children,
}: {
  form: ShownForm;
  /** The form around this one asks before unsaved values are lost. */
  isPart?: boolean;
  /** The save bar; null: it stands among the fields. */
  bar?: ReactNode;
  children: ReactNode;
}) {
  return (
    <>
      <Form mutation={form.mutation} isKept={form.isKept} onSubmit={() => void form.submit()}>
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

/** The save bar of a form; nothing for whoever may only read. */
export function FormSaveBar({
  form: { mutation, isDirty, reset, canWrite },
  isNew = false,
  label,
  isReady,
  hasDiscard = true,
  children,
}: {
  form: ShownForm;
  /** The button creates the resource. */
  isNew?: boolean;
  /** What the button does, where that is neither. */
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

/** Deletes a form's resource and leaves its screen. What was read of it goes once nothing shows it, or it would be read again. */
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
    /** The key of the resource's own query. */
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
  return useMutation<void, Output>(remove, {
    done,
    ...(handles && { handles }),
    onDone() {
      form.reset();
      form.leave(leaveTo);
      removed.current = queryKey ?? null;
      onRemoved?.();
    },
  });
}
