import { useState } from 'react';
import { api } from '../../api/client.ts';
import { useDraft } from '../../api/draft.ts';
import { useMutation } from '../../api/mutation.ts';
import { Unsaved } from '../../shell/unsaved.tsx';
import { useFormats } from '../../texts/format.ts';
import { Button } from '../../ui/button.tsx';
import { Form } from '../../ui/form.tsx';
import { Card, CopyText, Facts, Row, TwoColumns } from '../../ui/layout.tsx';
import { NumberField } from '../../ui/number-field.tsx';
import { Actions, ConfirmDialog, Dialog } from '../../ui/overlays.tsx';
import { SaveBar } from '../../ui/save-bar.tsx';
import { TextField } from '../../ui/text-field.tsx';
import { linesOf, SecretDialog } from './parts.tsx';
import { type App, appKey } from './queries.ts';
import { useDeveloperTexts } from './texts.ts';

/** How the app's server and Waybill reach each other. */
export function Connection({ app }: { app: App }) {
  const words = useDeveloperTexts();
  const formats = useFormats();
  const path = { orgId: app.orgId, appId: app.id };
  const invalidates = [appKey(app.orgId, app.id)];
  const draft = useDraft({ uris: app.redirectUris.join('\n'), webhookUrl: app.webhookUrl ?? '' });
  const [asked, setAsked] = useState<'client' | 'webhook' | null>(null);
  const [secret, setSecret] = useState<{ title: string; value: string } | null>(null);
  const save = useMutation(
    () =>
      api.patch('/api/orgs/{orgId}/apps/{appId}', {
        params: { path },
        body: { redirectUris: linesOf(draft.value.uris), webhookUrl: draft.value.webhookUrl || null },
      }),
    { done: words.saved, invalidates, onDone: draft.markSaved },
  );
  const renew = useMutation(
    () => api.post('/api/orgs/{orgId}/apps/{appId}/client-secret', { params: { path } }),
    {
      invalidates,
      onDone: ({ clientSecret }) => setSecret({ title: words.clientSecret, value: clientSecret }),
    },
  );
  const issue = useMutation(
    (overlapHours: number | null) =>
      api.post('/api/orgs/{orgId}/apps/{appId}/webhook-secret', {
        params: { path },
        body: overlapHours === null ? {} : { overlapHours },
      }),
    {
      invalidates,
      onDone({ secret }) {
        setAsked(null);
        setSecret({ title: words.webhookSecret, value: secret });
      },
    },
  );
  return (
    <>
      <TwoColumns
        main={
          <Form mutation={save} isKept onSubmit={() => void save.run(undefined)}>
            <Card title={words.connection}>
              <TextField
                label={words.redirectUris}
                hint={words.redirectUrisHint}
                name="/redirectUris"
                rows={4}
                isCode
                value={draft.value.uris}
                onChange={(uris) => draft.change({ uris })}
              />
              <TextField
                label={`${words.webhook}: ${words.webhookUrl}`}
                hint={words.webhookHint}
                name="/webhookUrl"
                value={draft.value.webhookUrl}
                onChange={(webhookUrl) => draft.change({ webhookUrl })}
              />
              <SaveBar isPending={save.isPending} isDirty={draft.isDirty} onDiscard={draft.reset} />
            </Card>
            <Unsaved isDirty={draft.isDirty} />
          </Form>
        }
        side={
          <>
            <Card title={words.clientId}>
              <CopyText text={app.id} />
              <Row>
                <Button onPress={() => setAsked('client')}>{words.renewClientSecret}</Button>
              </Row>
            </Card>
            <Card title={words.webhookSecret}>
              {app.webhookSecretIssuedAt ? (
                <Facts
                  facts={[
                    [words.issued, formats.dateTime(app.webhookSecretIssuedAt)],
                    [
                      words.previousEnds,
                      app.previousWebhookSecretExpiresAt &&
                        formats.dateTime(app.previousWebhookSecretExpiresAt),
                    ],
                  ]}
                />
              ) : (
                <p>{words.noWebhookSecret}</p>
              )}
              <Row>
                {app.webhookSecretIssuedAt ? (
                  <Button onPress={() => setAsked('webhook')}>{words.rotateSecret}</Button>
                ) : (
                  <Button isPending={issue.isPending} onPress={() => void issue.run(null)}>
                    {words.issueSecret}
                  </Button>
                )}
              </Row>
            </Card>
          </>
        }
      />
      <ConfirmDialog
        title={words.renewClientSecretTitle}
        confirm={words.renew}
        isOpen={asked === 'client'}
        onClose={() => setAsked(null)}
        onConfirm={() => renew.attempt(undefined)}
      >
        {words.renewClientSecretHint}
      </ConfirmDialog>
      {asked === 'webhook' && <Rotate issue={issue} onClose={() => setAsked(null)} />}
      <SecretDialog
        title={secret?.title ?? ''}
        secret={secret?.value ?? null}
        onClose={() => setSecret(null)}
      />
    </>
  );
}

function Rotate({
  issue,
  onClose,
}: {
  issue: {
    run(overlapHours: number | null): Promise<unknown>;
    isPending: boolean;
    problems: Readonly<Record<string, string>>;
  };
  onClose(): void;
}) {
  const words = useDeveloperTexts();
  const [hours, setHours] = useState<number | null>(24);
  return (
    <Dialog title={words.rotateTitle} isOpen onClose={onClose} size="small">
      <Form mutation={issue} onSubmit={() => void issue.run(hours ?? 0)}>
        <p>{words.rotateHint}</p>
        <NumberField
          label={words.overlapHours}
          name="/overlapHours"
          value={hours}
          onChange={setHours}
          minValue={0}
          maxValue={168}
          step={1}
          isRequired
        />
        <Actions>
          <Button look="primary" type="submit" isPending={issue.isPending}>
            {words.rotate}
          </Button>
        </Actions>
      </Form>
    </Dialog>
  );
}
