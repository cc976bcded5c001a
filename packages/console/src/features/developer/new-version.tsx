import { useSuspenseQuery } from '@tanstack/react-query';
import { useSearch } from '@tanstack/react-router';
import { domains, type Permission } from '@waybill/contracts/permissions';
import { useState } from 'react';
import { api } from '../../api/client.ts';
import { useDraft } from '../../api/draft.ts';
import { useMutation } from '../../api/mutation.ts';
import { paths } from '../../paths.ts';
import { Unsaved, useLeaving } from '../../shell/unsaved.tsx';
import { useCommon } from '../../texts/common.ts';
import { useFormats } from '../../texts/format.ts';
import { usePermissionWords } from '../../texts/permissions.ts';
import { Button, TextLink } from '../../ui/button.tsx';
import { Checkbox } from '../../ui/checkbox.tsx';
import { Form } from '../../ui/form.tsx';
import { Card, Row, Screen } from '../../ui/layout.tsx';
import { Select } from '../../ui/select.tsx';
import { TextField } from '../../ui/text-field.tsx';
import style from './developer.module.css';
import { linesOf, useAppId, useOrgId } from './parts.tsx';
import { type AppVersion, appKey } from './queries.ts';
import { useDeveloperTexts } from './texts.ts';

const nothing = 'nothing';

/** A version that is to be: what it asks for, and which one it is a copy of. */
export function NewVersion() {
  const words = useDeveloperTexts();
  const common = useCommon();
  const formats = useFormats();
  const orgId = useOrgId();
  const appId = useAppId();
  const { from } = useSearch({ strict: false }) as { from?: string };
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
      nothing,
  );
  const draft = useDraft(asksOf(versions.find(({ id }) => id === source)));
  const { leave } = useLeaving(draft.isDirty);
  const create = useMutation(
    () =>
      api.post('/api/orgs/{orgId}/apps/{appId}/versions', {
        params: { path: { orgId, appId } },
        body: {
          scopes: draft.value.scopes,
          connectOrigins: linesOf(draft.value.origins),
          ...(source !== nothing && { from: source }),
        },
      }),
    {
      done: words.versionCreated,
      invalidates: [appKey(orgId, appId)],
      onDone({ version }) {
        draft.reset();
        leave(paths.inOrg(orgId, 'apps', appId, 'versions', version.id));
      },
    },
  );
  return (
    <Screen
      title={words.newVersion}
      back={<TextLink href={paths.inOrg(orgId, 'apps', appId)}>{common.backTo(words.versions)}</TextLink>}
    >
      <Form mutation={create} onSubmit={() => void create.run(undefined)}>
        {versions.length > 0 && (
          <Card>
            <Select
              label={words.from}
              hint={words.fromHint}
              name="/from"
              choices={[
                { id: nothing, text: words.fromNothing },
                ...versions.map(({ id, number, state }) => ({
                  id,
                  text: words.versionOf(formats.number(number)),
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
          <Matrix scopes={draft.value.scopes} onChange={(scopes) => draft.change({ scopes })} />
        </Card>
        <Card title={words.origins}>
          <TextField
            label={words.origins}
            hint={words.originsHint}
            name="/connectOrigins"
            rows={3}
            isCode
            value={draft.value.origins}
            onChange={(origins) => draft.change({ origins })}
          />
        </Card>
        <Row>
          <Button look="primary" type="submit" isPending={create.isPending}>
            {common.create}
          </Button>
        </Row>
      </Form>
      <Unsaved isDirty={draft.isDirty} />
    </Screen>
  );
}

const asksOf = (version: AppVersion | undefined): { scopes: Permission[]; origins: string } => ({
  scopes: version ? [...version.scopes] : [],
  origins: version ? version.connectOrigins.join('\n') : '',
});

/** Every permission there is, in words. */
function Matrix({
  scopes,
  onChange,
}: {
  scopes: readonly Permission[];
  onChange(scopes: Permission[]): void;
}) {
  const { nameOf, sentenceOf } = usePermissionWords();
  return (
    <div className={style.matrix}>
      {domains.map((domain) => (
        <fieldset key={domain} className={style.domain}>
          <legend>{nameOf(domain)}</legend>
          {([`${domain}.read`, `${domain}.write`] as const).map((scope) => (
            <Checkbox
              key={scope}
              label={sentenceOf(scope)}
              value={scopes.includes(scope)}
              onChange={(isAsked) =>
                onChange(isAsked ? [...scopes, scope] : scopes.filter((other) => other !== scope))
              }
            />
          ))}
        </fieldset>
      ))}
    </div>
  );
}
