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
  const path = { orgId: app.orgId, appId: app.id };
  const invalidates = [appKey(app.orgId, app.id)];
  const [pendingRenewal, setPendingRenewal] = useState<'client' | 'webhook' | null>(null);
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
        setPendingRenewal(null);
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
                <Button onPress={() => setPendingRenewal('client')}>{words.renewClientSecret}</Button>
              </Row>
            </Card>
            <WebhookSecretCard app={app} issue={issue} onRotate={() => setPendingRenewal('webhook')} />
          </>
        }
      />
      <ConfirmDialog
        title={words.renewClientSecretTitle}
        confirm={words.renew}
        isOpen={pendingRenewal === 'client'}
        onClose={() => setPendingRenewal(null)}
        onConfirm={() => renew.attempt(undefined)}
      >
        {words.renewClientSecretHint}
      </ConfirmDialog>
      {pendingRenewal === 'webhook' && (
        <RotateWebhookSecret issue={issue} onClose={() => setPendingRenewal(null)} />
      )}
      <SecretDialog
        title={secret?.title ?? ''}
        secret={secret?.value ?? null}
        onClose={() => setSecret(null)}
      />
    </>
  );
}

/** A write that issues a secret. The previous one stays valid for some hours; null: there is none. */
interface IssueSecret {
  run(overlapHours: number | null): Promise<unknown>;
  isPending: boolean;
  problems: Readonly<Record<string, string>>;
}

/** Shows when the webhook's secret was issued, and issues or rotates it. */
function WebhookSecretCard({ app, issue, onRotate }: { app: App; issue: IssueSecret; onRotate(): void }) {
  const words = useDeveloperTexts();
  const formats = useFormats();
  return (
    <Card title={words.webhookSecret}>
      {app.webhookSecretIssuedAt ? (
        <Facts
          facts={[
            [words.issued, formats.dateTime(app.webhookSecretIssuedAt)],
            [
              words.previousEnds,
              app.previousWebhookSecretExpiresAt && formats.dateTime(app.previousWebhookSecretExpiresAt),
            ],
          ]}
        />
      ) : (
        <p>{words.noWebhookSecret}</p>
      )}
      <Row>
        {app.webhookSecretIssuedAt ? (
          <Button onPress={onRotate}>{words.rotateSecret}</Button>
        ) : (
          <Button isPending={issue.isPending} onPress={() => void issue.run(null)}>
            {words.issueSecret}
          </Button>
        )}
      </Row>
    </Card>
  );
}

function RotateWebhookSecret({ issue, onClose }: { issue: IssueSecret; onClose(): void }) {
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
