import { useSuspenseQuery } from '@tanstack/react-query';
import { domains, type Permission } from '@waybill/contracts/permissions';
import { useState } from 'react';
import { api } from '../../api/client.ts';
import { paths } from '../../paths.ts';
import { useSearch } from '../../router/router.tsx';
import { ResourceForm, useResourceForm } from '../../shell/resource-form.tsx';
import { useCommon } from '../../texts/common.ts';
import { useFormats } from '../../texts/format.ts';
import { usePermissionWords } from '../../texts/permissions.ts';
import { Button, TextLink } from '../../ui/button.tsx';
import { Checkbox } from '../../ui/checkbox.tsx';
import { Card, Row, Screen } from '../../ui/layout.tsx';
import { Select } from '../../ui/select.tsx';
import { TextField } from '../../ui/text-field.tsx';
import style from './developer.module.css';
import { splitLines, useAppId, useOrgId } from './parts.tsx';
import { type AppVersion, appKey } from './queries.ts';
import { useDeveloperTexts } from './texts.ts';

/** Stands for a version that is not copied from another. */
const noSource = 'nothing';

/** Creates a version: the access it asks for, and the version it is copied from. */
export function NewVersion() {
  const words = useDeveloperTexts();
  const common = useCommon();
  const formats = useFormats();
  const orgId = useOrgId();
  const appId = useAppId();
  const { from } = useSearch<{ from?: string }>();
  const { data: versions } = useSuspenseQuery({
    queryKey: [...appKey(orgId, appId), 'versions', 'latest'],
    queryFn: async ({ signal }) =>
      (
        await api.get('/api/orgs/{orgId}/apps/{appId}/versions', {
          params: { path: { orgId, appId }, query: { limit: 100 } },
          signal,
        })
      ).versions,
  });
  const [source, setSource] = useState(
    (versions.find(({ id }) => id === from) ?? versions.toSorted((a, b) => b.number - a.number)[0])?.id ??
      noSource,
  );
  const form = useResourceForm({
    stored: getRequestedAccess(versions.find(({ id }) => id === source)),
    isKept: false,
    save: ({ value }) =>
      api.post('/api/orgs/{orgId}/apps/{appId}/versions', {
        params: { path: { orgId, appId } },
        body: {
          scopes: value.scopes,
          connectOrigins: splitLines(value.origins),
          ...(source !== noSource && { from: source }),
        },
      }),
    done: words.versionCreated,
    invalidates: [appKey(orgId, appId)],
    onSaved: ({ version }) => form.leave(paths.inOrg(orgId, 'apps', appId, 'versions', version.id)),
  });
  return (
    <Screen
      title={words.newVersion}
      back={
        <TextLink href={paths.inOrg(orgId, 'apps', appId)}>
          {common.backTo({ place: words.versions })}
        </TextLink>
      }
    >
      <ResourceForm
        form={form}
        bar={
          <Row>
            <Button look="primary" type="submit" isPending={form.mutation.isPending}>
              {common.create}
            </Button>
          </Row>
        }
      >
        {versions.length > 0 && (
          <Card>
            <Select
              label={words.from}
              hint={words.fromHint}
              name="/from"
              choices={[
                { id: noSource, text: words.fromNothing },
                ...versions.map(({ id, number, state }) => ({
                  id,
                  text: words.versionOf({ number: formats.number(number) }),
                  detail: words.versionState[state],
                })),
              ]}
              value={source}
              onChange={setSource}
            />
          </Card>
        )}
        <Card title={words.scopes}>
          <p className={style.muted}>{words.scopesHint}</p>
          <ScopeCheckboxes scopes={form.value.scopes} onChange={form.field('scopes').onChange} />
        </Card>
        <Card title={words.origins}>
          <TextField
            label={words.origins}
            hint={words.originsHint}
            rows={3}
            isCode
            {...form.field('origins')}
            name="/connectOrigins"
          />
        </Card>
      </ResourceForm>
    </Screen>
  );
}

const getRequestedAccess = (version: AppVersion | undefined): { scopes: Permission[]; origins: string } => ({
  scopes: version ? [...version.scopes] : [],
  origins: version ? version.connectOrigins.join('\n') : '',
});

/** A checkbox for every permission. */
function ScopeCheckboxes({
  scopes,
  onChange,
}: {
  scopes: readonly Permission[];
  onChange(scopes: Permission[]): void;
}) {
  const { getDomainName, describePermission } = usePermissionWords();
  return (
    <div className={style.matrix}>
      {domains.map((domain) => (
        <fieldset key={domain} className={style.domain}>
          <legend>{getDomainName(domain)}</legend>
          {([`${domain}.read`, `${domain}.write`] as const).map((scope) => (
            <Checkbox
              key={scope}
              label={describePermission(scope)}
              value={scopes.includes(scope)}
              onChange={(isRequested) =>
                onChange(isRequested ? [...scopes, scope] : scopes.filter((other) => other !== scope))
              }
            />
          ))}
        </fieldset>
      ))}
    </div>
  );
}
