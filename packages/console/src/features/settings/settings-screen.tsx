import { useQueryClient, useSuspenseQuery } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { api } from '../../api/client.ts';
import { useDraft } from '../../api/draft.ts';
import { meQuery, useStore } from '../../api/me.ts';
import { isPreconditionFailed, useMutation } from '../../api/mutation.ts';
import { paths } from '../../paths.ts';
import { Conflict, Unsaved } from '../../shell/unsaved.tsx';
import { useCommon } from '../../texts/common.ts';
import { TextLink } from '../../ui/button.tsx';
import { Form } from '../../ui/form.tsx';
import { Notice, Screen } from '../../ui/layout.tsx';
import { SaveBar } from '../../ui/save-bar.tsx';
import { changeOf, differing, type Store, type StoreChange, settingsQuery } from './queries.ts';
import style from './settings.module.css';
import { useSettingsTexts } from './texts.ts';

const parts = [
  'general',
  'languages',
  'domains',
  'checkout',
  'documents',
  'mails',
  'custom-fields',
  'notifications',
] as const;
type SettingsPart = (typeof parts)[number];

/** A part of the settings, beside the way to the others. */
export function SettingsScreen({
  part,
  title,
  children,
}: {
  part: SettingsPart;
  /** Of one thing of the part; missing: the part’s own. */
  title?: string;
  children: ReactNode;
}) {
  const words = useSettingsTexts();
  const { id, role, manages } = useStore();
  const common = useCommon();
  return (
    <Screen title={title ?? words.parts[part]} {...(!title && { subtitle: words.partHints[part] })}>
      <div className={style.settings}>
        <nav aria-label={common.settings} className={style.parts}>
          <ul>
            {parts.map((other) => (
              <li key={other}>
                <TextLink
                  href={paths.inStore(id, 'settings', ...(other === 'general' ? [] : [other]))}
                  {...(other === part && { 'aria-current': 'page' as const })}
                >
                  {words.parts[other]}
                </TextLink>
              </li>
            ))}
          </ul>
        </nav>
        <div className={style.part}>
          {!manages && part !== 'notifications' && <Notice>{words.readOnly(common.roles[role])}</Notice>}
          {children}
        </div>
      </div>
    </Screen>
  );
}

/** Some settings of the store, while they are being changed: the others stay as somebody else may set them meanwhile. */
export function SettingsForm<Key extends keyof StoreChange>({
  keys,
  children,
}: {
  keys: readonly Key[];
  children(form: {
    store: Store;
    value: Pick<StoreChange, Key>;
    change(changes: Partial<Pick<StoreChange, Key>>): void;
    isDisabled: boolean;
  }): ReactNode;
}) {
  const words = useSettingsTexts();
  const queries = useQueryClient();
  const { id, manages } = useStore();
  const {
    data: { store, etag },
  } = useSuspenseQuery(settingsQuery(id));
  const draft = useDraft<Pick<StoreChange, Key>>(changeOf(store, keys), etag);
  const [isConflict, setConflict] = useState(false);
  const save = useMutation(
    (condition: string | null) =>
      api.patch('/api/stores/{storeId}', {
        params: { path: { storeId: id } },
        headers: condition ? { 'if-match': condition } : {},
        body: differing(draft.value, draft.base),
      }),
    {
      done: words.saved,
      invalidates: [['stores', id], meQuery.queryKey],
      fields: { duplicate_slug: '/slug', invalid_slug: '/slug' },
      handles: isPreconditionFailed,
      onDone: () => draft.markSaved(),
    },
  );
  const submit = (condition: string | null) =>
    save.attempt(condition).catch((error) => {
      if (isPreconditionFailed(error)) setConflict(true);
    });
  return (
    <>
      <Form mutation={save} isKept onSubmit={() => void submit(draft.baseEtag)}>
        {children({ store, value: draft.value, change: draft.change, isDisabled: !manages })}
        {manages && <SaveBar isPending={save.isPending} isDirty={draft.isDirty} onDiscard={draft.reset} />}
      </Form>
      <Unsaved isDirty={draft.isDirty} />
      <Conflict
        isOpen={isConflict}
        onClose={() => setConflict(false)}
        onKeepMine={() => void submit(null)}
        onTakeTheirs={() => {
          draft.reset();
          void queries.invalidateQueries({ queryKey: ['stores', id] });
        }}
      />
    </>
  );
}
