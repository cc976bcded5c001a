import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { api } from '../../api/client.ts';
import { useStore } from '../../api/me.ts';
import { paths } from '../../paths.ts';
import { useParams } from '../../router/router.tsx';
import { NoPermission } from '../../shell/problems.tsx';
import { FormSaveBar, ResourceForm, useResource, useResourceForm } from '../../shell/resource-form.tsx';
import { useCommon } from '../../texts/common.ts';
import { useEventTypeTexts } from '../../texts/event-types.ts';
import { LinkButton, TextLink } from '../../ui/button.tsx';
import { Checkbox } from '../../ui/checkbox.tsx';
import { Card, Notice, Screen } from '../../ui/layout.tsx';
import { SecretDialog } from '../../ui/secret.tsx';
import { TextField } from '../../ui/text-field.tsx';
import {
  type EventType,
  getAddress,
  toInput,
  type Webhook,
  type WebhookInput,
  webhookQuery,
  webhooksKey,
} from './queries.ts';
import { DestinationFields, WebhookSettings } from './settings.tsx';
import { useWebhookTexts } from './texts.ts';
import style from './webhooks.module.css';

const blank: WebhookInput = { url: '', events: [], description: '' };

/** Pointers of the fields that are always visible; all others are in the collapsible settings. */
const basic = /^\/(?:url|events|description|destination)/;

export function EditWebhook() {
  const { webhookId } = useParams<'webhookId'>();
  const store = useStore();
  const words = useWebhookTexts();
  if (!store.can('webhooks.write'))
    return (
      <NoPermission title={words.editTitle} role={store.role} needed={store.roleFor('webhooks.write')} />
    );
  return <WebhookEditor key={webhookId} id={webhookId} />;
}

/**
 * The form of an existing or new webhook. After creating the webhook, it continues as the form of the created one. Its
 * address stays the same meanwhile, because another address would mount another screen.
 */
export function WebhookEditor({ id }: { id: string }) {
  const words = useWebhookTexts();
  const common = useCommon();
  const store = useStore();
  const queries = useQueryClient();
  const [created, setCreated] = useState<{ id: string; secret: string | null } | null>(null);
  const shownId = created?.id ?? id;
  const { read } = useResource({ id: shownId }, webhookQuery(store.id, shownId));
  const webhook = read?.webhook ?? null;
  const listHref = paths.inStore(store.id, 'webhooks');
  const at = (id: string) => paths.inStore(store.id, 'webhooks', id);
  const path = { storeId: store.id, id: webhook?.id ?? '' };
  const form = useResourceForm<WebhookInput, { webhook: Webhook; secret?: string }>({
    stored: webhook ? toInput(webhook) : blank,
    etag: read?.etag ?? null,
    async save({ value, headers }) {
      if (!webhook) {
        const answer = await api.post('/api/stores/{storeId}/webhooks', { params: { path }, body: value });
        const query = webhookQuery(store.id, answer.webhook.id);
        // The webhook exists even if reading it fails, and its secret is shown only this once.
        await queries
          .fetchQuery(query)
          .catch(() => queries.setQueryData(query.queryKey, { webhook: answer.webhook, etag: null }));
        return answer;
      }
      const body = { ...value, status: webhook.status };
      return api.put('/api/stores/{storeId}/webhooks/{id}', { params: { path }, headers, body });
    },
    done: webhook ? words.saved : words.created,
    invalidates: [webhooksKey(store.id)],
    fields: { blocked_url: '/url' },
    onSaved({ webhook: saved, secret }) {
      if (secret) setCreated({ id: saved.id, secret });
      else form.leave(at(saved.id));
    },
  });
  const { value } = form;

  const back = webhook ? (
    <TextLink href={at(webhook.id)}>{common.backTo({ place: getAddress(webhook) })}</TextLink>
  ) : (
    <TextLink href={listHref}>{common.backTo({ place: words.title })}</TextLink>
  );
  return (
    <Screen title={webhook ? words.editTitle : words.new} back={back} width="text">
      <ResourceForm
        form={form}
        bar={
          <FormSaveBar
            form={form}
            isNew={!webhook}
            isReady={value.events.length > 0 && (webhook === null || form.isDirty)}
            hasDiscard={false}
          >
            <LinkButton href={webhook ? at(webhook.id) : listHref}>{common.cancel}</LinkButton>
          </FormSaveBar>
        }
      >
        <Card>
          {webhook && <Notice>{words.editHint}</Notice>}
          <DestinationFields value={value} onChange={form.change} />
          <TextField
            label={words.description}
            hint={words.descriptionHint}
            {...form.field('description', '')}
            maxLength={200}
          />
        </Card>
        <ChooseEvents {...form.field('events')} />
        <WebhookSettings
          key={`settings-${form.resets}`}
          value={value}
          isRefused={Object.keys(form.mutation.problems).some((pointer) => !basic.test(pointer))}
          onChange={form.change}
        />
      </ResourceForm>
      <SecretDialog
        title={words.secretTitle}
        warning={words.secretWarning}
        done={words.secretDone}
        secret={created?.secret ?? null}
        onClose={() => {
          setCreated({ id: created!.id, secret: null });
          form.leave(at(created!.id));
        }}
      />
    </Screen>
  );
}

function ChooseEvents({ value, onChange }: { value: EventType[]; onChange(events: EventType[]): void }) {
  const words = useWebhookTexts();
  const { groups, types } = useEventTypeTexts();
  const all = Object.keys(types) as EventType[];
  const set = (some: readonly EventType[], isOn: boolean) =>
    onChange(all.filter((type) => (some.includes(type) ? isOn : value.includes(type))));
  return (
    <Card
      title={words.chooseEvents}
      actions={<span>{words.chosenEvents({ chosen: value.length, all: all.length })}</span>}
    >
      <div className={style.groups}>
        {Object.entries(groups).map(([group, title]) => {
          const within = all.filter((type) => type.startsWith(`${group}.`));
          const chosen = within.filter((type) => value.includes(type)).length;
          return (
            <fieldset key={group} className={style.group} aria-label={title}>
              <Checkbox
                label={<strong>{words.allOf({ group: title })}</strong>}
                value={chosen === within.length}
                isIndeterminate={chosen > 0 && chosen < within.length}
                onChange={(isOn) => set(within, isOn)}
              />
              <div className={style.nested}>
                {within.map((type) => (
                  <Checkbox
                    key={type}
                    label={types[type]}
                    hint={<code>{type}</code>}
                    value={value.includes(type)}
                    onChange={(isOn) => set([type], isOn)}
                  />
                ))}
              </div>
            </fieldset>
          );
        })}
      </div>
    </Card>
  );
}
