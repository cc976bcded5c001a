import { useState } from 'react';
import { api } from '../../api/client.ts';
import { useMutation } from '../../api/mutation.ts';
import { FormSaveBar, ResourceForm, useResourceForm } from '../../shell/resource-form.tsx';
import { useFormats } from '../../texts/format.ts';
import { Button } from '../../ui/button.tsx';
import { Form } from '../../ui/form.tsx';
import { Card, CopyText, Facts, Row, TwoColumns } from '../../ui/layout.tsx';
import { NumberField } from '../../ui/number-field.tsx';
import { Actions, ConfirmDialog, Dialog } from '../../ui/overlays.tsx';
import { TextField } from '../../ui/text-field.tsx';
import { SecretDialog, splitLines } from './parts.tsx';
import { type App, appKey } from './queries.ts';
import { useDeveloperTexts } from './texts.ts';

/** The redirect URIs, webhook address and secrets that connect the app's server with Waybill. */
export function Connection({ app }: { app: App }) {
  const words = useDeveloperTexts();
  const formats = useFormats();
  const path = { orgId: app.orgId, appId: app.id };
  const invalidates = [appKey(app.orgId, app.id)];
  const [asked, setAsked] = useState<'client' | 'webhook' | null>(null);
  const [secret, setSecret] = useState<{ title: string; value: string } | null>(null);
  const form = useResourceForm({
    stored: { uris: app.redirectUris.join('\n'), webhookUrl: app.webhookUrl },
    save: ({ value }) =>
      api.patch('/api/orgs/{orgId}/apps/{appId}', {
        params: { path },
        body: { redirectUris: splitLines(value.uris), webhookUrl: value.webhookUrl },
      }),
    done: words.saved,
    invalidates,
  });
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
          <ResourceForm form={form} bar={null}>
            <Card title={words.connection}>
              <TextField
                label={words.redirectUris}
                hint={words.redirectUrisHint}
                rows={4}
                isCode
                {...form.field('uris')}
                name="/redirectUris"
              />
              <TextField
                label={`${words.webhook}: ${words.webhookUrl}`}
                hint={words.webhookHint}
                {...form.optionalText('webhookUrl')}
              />
              <FormSaveBar form={form} />
            </Card>
          </ResourceForm>
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
