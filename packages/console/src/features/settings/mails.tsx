import { useQuery, useSuspenseQuery } from '@tanstack/react-query';
import { api } from '../../api/client.ts';
import { useStore } from '../../api/me.ts';
import { useMutation } from '../../api/mutation.ts';
import { paths } from '../../paths.ts';
import { Failure } from '../../shell/problems.tsx';
import { FormSaveBar, ResourceForm, useResourceForm } from '../../shell/resource-form.tsx';
import { useFormats } from '../../texts/format.ts';
import { useLanguage } from '../../texts/texts.ts';
import { TextLink } from '../../ui/button.tsx';
import { Badge, Card, Grid, Row, Skeleton } from '../../ui/layout.tsx';
import { Switch } from '../../ui/switch.tsx';
import { TextField } from '../../ui/text-field.tsx';
import { type Kind, mailSettingsQuery, mailsKey, mailTemplatesQuery } from './mail-queries.ts';
import { useMailTexts } from './mail-texts.ts';
import style from './settings.module.css';
import { SettingsScreen } from './settings-screen.tsx';

/** The mails that customers receive, and their sender. */
export function MailTemplates() {
  const words = useMailTexts();
  const store = useStore();
  const { data, error, refetch } = useQuery(mailTemplatesQuery(store.id));
  const kinds = Object.keys(words.kinds) as Kind[];
  return (
    <SettingsScreen part="mails">
      <Card title={words.list}>
        <p className={style.hint}>{words.listHint}</p>
        {error && !data && <Failure error={error} onRetry={() => void refetch()} />}
        {!data && !error && <Skeleton lines={9} />}
        {data && (
          <ul className={style.fields}>
            {kinds.map((kind) => (
              <OneKind key={kind} kind={kind} templates={data.filter((each) => each.kind === kind)} />
            ))}
          </ul>
        )}
      </Card>
      <Sender />
    </SettingsScreen>
  );
}

/** A kind of mail: whether it is sent, and whether the store has changed its text. */
function OneKind({
  kind,
  templates,
}: {
  kind: Kind;
  templates: readonly { locale: string; isEnabled: boolean; isDefault: boolean }[];
}) {
  const words = useMailTexts();
  const formats = useFormats();
  const store = useStore();
  const names = new Intl.DisplayNames(useLanguage(), { type: 'language' });
  const formatLanguages = (some: readonly { locale: string }[]) =>
    formats.list(some.map(({ locale }) => names.of(locale) ?? locale));
  const on = templates.filter(({ isEnabled }) => isEnabled);
  const changed = templates.filter(({ isDefault }) => !isDefault);
  const change = useMutation(
    async (isEnabled: boolean) => {
      // Sequential, because the API renders each mail before storing it, and only one per store at a time.
      for (const { locale } of templates.filter((each) => each.isEnabled !== isEnabled))
        await api.put('/api/stores/{storeId}/mail-templates/{kind}', {
          params: { path: { storeId: store.id, kind }, query: { locale } },
          body: { isEnabled },
        });
      return isEnabled;
    },
    {
      done: (isEnabled) => (isEnabled ? words.switchedOn : words.switchedOff),
      invalidates: [mailsKey(store.id)],
    },
  );
  const state =
    on.length === 0
      ? words.isOff
      : on.length === templates.length
        ? words.isOn
        : words.onInSome({ languages: formatLanguages(on) });
  return (
    <li className={style.fieldRow}>
      <span>
        <TextLink href={paths.inStore(store.id, 'settings', 'mails', kind)}>{words.kinds[kind]}</TextLink>
        <small>{words.kindHints[kind]}</small>
      </span>
      <Row>
        {changed.length > 0 ? (
          <Badge tone="accent">{words.isChanged({ languages: formatLanguages(changed) })}</Badge>
        ) : (
          <Badge>{words.isDefault}</Badge>
        )}
        <Switch
          aria-label={words.send({ kind: words.kinds[kind] })}
          label={state}
          value={on.length > 0}
          onChange={(isOn) => !change.isPending && void change.run(isOn)}
          isDisabled={!store.manages}
        />
      </Row>
    </li>
  );
}

/** The sender of mails and the address for replies. */
function Sender() {
  const words = useMailTexts();
  const { id: storeId, manages } = useStore();
  const query = mailSettingsQuery(storeId);
  const { data } = useSuspenseQuery(query);
  const { senderName, replyTo } = data.mailSettings;
  const form = useResourceForm({
    stored: { senderName, replyTo: replyTo ?? '' },
    etag: data.etag,
    canWrite: manages,
    // The server replaces an empty name by the store's name.
    isKept: false,
    save: ({ value, headers }) =>
      api.put('/api/stores/{storeId}/mail-settings', {
        params: { path: { storeId } },
        headers,
        body: { senderName: value.senderName.trim() || null, replyTo: value.replyTo.trim() || null },
      }),
    done: words.saved,
    invalidates: [query.queryKey],
  });
  return (
    <ResourceForm form={form} bar={null}>
      <Card title={words.sender}>
        <p className={style.hint}>{words.senderHint}</p>
        <Grid>
          <TextField
            label={words.senderName}
            hint={words.senderNameHint}
            {...form.field('senderName')}
            maxLength={100}
          />
          <TextField
            label={words.replyTo}
            hint={words.replyToHint}
            type="email"
            {...form.field('replyTo')}
            maxLength={254}
          />
        </Grid>
        <FormSaveBar form={form} />
      </Card>
    </ResourceForm>
  );
}
