import { useSuspenseQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { api } from '../../api/client.ts';
import { meQuery, useStore } from '../../api/me.ts';
import { paths } from '../../paths.ts';
import { type Fields, ResourceForm, useResourceForm } from '../../shell/resource-form.tsx';
import { useCommon } from '../../texts/common.ts';
import { TextLink } from '../../ui/button.tsx';
import { Notice, Screen } from '../../ui/layout.tsx';
import { differing, pickSettings, type Store, type StoreChange, settingsQuery } from './queries.ts';
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

/** A part of the settings, with the navigation to the others. */
export function SettingsScreen({
  part,
  title,
  children,
}: {
  part: SettingsPart;
  /** Title of an item within the part. Defaults to the part's title. */
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
          {!manages && part !== 'notifications' && (
            <Notice>{words.readOnly({ role: common.roles[role] })}</Notice>
          )}
          {children}
        </div>
      </div>
    </Screen>
  );
}

/** A form for some settings of the store. It leaves the others unchanged, even if somebody changes them meanwhile. */
export function SettingsForm<Key extends keyof StoreChange>({
  keys,
  children,
}: {
  keys: readonly Key[];
  children(form: Fields<Pick<StoreChange, Key>>, store: Store): ReactNode;
}) {
  const words = useSettingsTexts();
  const { id, manages } = useStore();
  const {
    data: { store, etag },
  } = useSuspenseQuery(settingsQuery(id));
  const form = useResourceForm<Pick<StoreChange, Key>, unknown>({
    stored: pickSettings(store, keys),
    etag,
    canWrite: manages,
    save: ({ value, base, headers }) =>
      api.patch('/api/stores/{storeId}', {
        params: { path: { storeId: id } },
        headers,
        body: differing(value, base),
      }),
    done: words.saved,
    invalidates: [['stores', id], meQuery.queryKey],
    fields: { duplicate_slug: '/slug', invalid_slug: '/slug' },
  });
  return <ResourceForm form={form}>{children(form, store)}</ResourceForm>;
}
