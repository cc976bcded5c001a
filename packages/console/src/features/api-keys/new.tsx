import { type Domain, domains, type Permission, permissions } from '@waybill/contracts/permissions';
import { useState } from 'react';
import { api } from '../../api/client.ts';
import { useStore } from '../../api/me.ts';
import { paths } from '../../paths.ts';
import { NoPermission } from '../../shell/problems.tsx';
import { FormSaveBar, ResourceForm, useResourceForm } from '../../shell/resource-form.tsx';
import { useCommon } from '../../texts/common.ts';
import { usePermissionWords } from '../../texts/permissions.ts';
import { Button, LinkButton, TextLink } from '../../ui/button.tsx';
import { Checkbox } from '../../ui/checkbox.tsx';
import { Code } from '../../ui/code.tsx';
import { Card, Row, Screen } from '../../ui/layout.tsx';
import { SecretDialog } from '../../ui/secret.tsx';
import { TextField } from '../../ui/text-field.tsx';
import style from './api-keys.module.css';
import { apiKeysKey } from './queries.ts';
import { useApiKeyTexts } from './texts.ts';

export function NewApiKey() {
  const store = useStore();
  const words = useApiKeyTexts();
  if (store.manages) return <Editor />;
  return <NoPermission title={words.new} role={store.role} needed="admin" />;
}

interface NewKey {
  name: string;
  scopes: Permission[];
}

const blank: NewKey = { name: '', scopes: [] };

function Editor() {
  const words = useApiKeyTexts();
  const common = useCommon();
  const store = useStore();
  const [secret, setSecret] = useState<string | null>(null);
  const listHref = paths.inStore(store.id, 'api-keys');
  const form = useResourceForm({
    stored: blank,
    isKept: false,
    save: ({ value }) =>
      api.post('/api/stores/{storeId}/api-keys', {
        params: { path: { storeId: store.id } },
        body: value,
      }),
    done: words.created,
    invalidates: [apiKeysKey(store.id), ['stores', store.id, 'first-steps']],
    onSaved: (answer) => setSecret(answer.secret),
  });
  const isPending = form.mutation.isPending || secret !== null;
  return (
    <Screen
      title={words.new}
      width="text"
      back={<TextLink href={listHref}>{common.backTo({ place: words.title })}</TextLink>}
    >
      <ResourceForm
        form={{ ...form, mutation: { ...form.mutation, isPending } }}
        bar={
          <FormSaveBar form={form} isNew isReady={form.value.scopes.length > 0} hasDiscard={false}>
            <LinkButton href={listHref}>{common.cancel}</LinkButton>
          </FormSaveBar>
        }
      >
        <Card>
          <TextField
            label={common.name}
            hint={words.nameHint}
            {...form.field('name')}
            maxLength={200}
            isRequired
            autoFocus
          />
        </Card>
        <Rights {...form.field('scopes')} />
      </ResourceForm>
      <SecretDialog
        title={words.secretTitle}
        warning={words.secretWarning}
        done={words.secretDone}
        secret={secret}
        onClose={() => {
          setSecret(null);
          form.leave(listHref);
        }}
      >
        <Code
          label={words.secretUse}
          text={`curl ${location.origin}/api/v1/store \\\n  -H 'Authorization: Bearer ${secret}'`}
        />
      </SecretDialog>
    </Screen>
  );
}

/** The resources with their read and write rights. Write access includes read access. */
function Rights({ value, onChange }: { value: Permission[]; onChange(scopes: Permission[]): void }) {
  const words = useApiKeyTexts();
  const { getDomainName, describePermission } = usePermissionWords();
  const set = (domain: Domain, right: 'read' | 'write', isOn: boolean) => {
    const touched: Permission[] =
      right === 'write' && !isOn
        ? [`${domain}.write`]
        : right === 'read' && isOn
          ? [`${domain}.read`]
          : [`${domain}.read`, `${domain}.write`];
    onChange(permissions.filter((scope) => (touched.includes(scope) ? isOn : value.includes(scope))));
  };
  return (
    <Card title={words.rights}>
      <p>{words.rightsHint}</p>
      <Row>
        <Button size="small" onPress={() => onChange(permissions.filter((scope) => scope.endsWith('.read')))}>
          {words.readAll}
        </Button>
        <Button size="small" onPress={() => onChange([...permissions])}>
          {words.everything}
        </Button>
        <Button size="small" onPress={() => onChange([])}>
          {words.nothing}
        </Button>
      </Row>
      <div className={style.matrix}>
        {domains.map((domain) => (
          <fieldset key={domain} className={style.domain} aria-label={getDomainName(domain)}>
            <strong aria-hidden="true">{getDomainName(domain)}</strong>
            {(['read', 'write'] as const).map((right) => (
              <Checkbox
                key={right}
                label={describePermission(`${domain}.${right}`)}
                value={value.includes(`${domain}.${right}`)}
                onChange={(isOn) => set(domain, right, isOn)}
              />
            ))}
          </fieldset>
        ))}
      </div>
    </Card>
  );
}
