import { api } from '../../api/client.ts';
import { useDraft } from '../../api/draft.ts';
import { useMutation } from '../../api/mutation.ts';
import { AppIcon } from '../../shell/apps.tsx';
import { Unsaved } from '../../shell/unsaved.tsx';
import { useCommon } from '../../texts/common.ts';
import { Button } from '../../ui/button.tsx';
import { Checkbox } from '../../ui/checkbox.tsx';
import { FilePicker } from '../../ui/files.tsx';
import { Form } from '../../ui/form.tsx';
import { Card, Row, TwoColumns } from '../../ui/layout.tsx';
import { SaveBar } from '../../ui/save-bar.tsx';
import { TextField } from '../../ui/text-field.tsx';
import { type App, appKey, orgKey } from './queries.ts';
import { useDeveloperTexts } from './texts.ts';

/** What merchants read of an app. */
export function Listing({ app }: { app: App }) {
  const words = useDeveloperTexts();
  const common = useCommon();
  const { name, description, website, supportEmail, privacyUrl, installUrl, isListed } = app;
  const stored = { name, description, website, supportEmail, privacyUrl, installUrl, isListed };
  const draft = useDraft(stored);
  const { value, change } = draft;
  const path = { orgId: app.orgId, appId: app.id };
  const invalidates = [appKey(app.orgId, app.id), [...orgKey(app.orgId), 'apps', 'list'], ['apps']];
  const save = useMutation(
    () => {
      // What was not touched here may have been changed elsewhere.
      const keys = Object.keys(stored) as (keyof typeof stored)[];
      const body = Object.fromEntries(
        keys.filter((key) => value[key] !== draft.base[key]).map((key) => [key, value[key]]),
      );
      return api.patch('/api/orgs/{orgId}/apps/{appId}', { params: { path }, body });
    },
    { done: words.saved, invalidates, onDone: draft.markSaved },
  );
  const icon = useMutation(
    (file: File | null) =>
      api.fetch(`/api/orgs/${app.orgId}/apps/${app.id}/icon`, {
        method: file ? 'PUT' : 'DELETE',
        ...(file && { headers: { 'content-type': file.type }, body: file }),
      }),
    { done: words.iconSaved, invalidates },
  );
  return (
    <TwoColumns
      main={
        <Form mutation={save} isKept onSubmit={() => void save.run(undefined)}>
          <Card title={words.listing}>
            <TextField
              label={common.name}
              name="/name"
              value={value.name}
              onChange={(name) => change({ name })}
              isRequired
            />
            <TextField
              label={words.description}
              name="/description"
              rows={6}
              maxLength={2000}
              value={value.description}
              onChange={(description) => change({ description })}
            />
            <TextField
              label={words.website}
              name="/website"
              value={value.website ?? ''}
              onChange={(website) => change({ website: website || null })}
            />
            <TextField
              label={words.supportEmail}
              name="/supportEmail"
              value={value.supportEmail ?? ''}
              onChange={(supportEmail) => change({ supportEmail: supportEmail || null })}
            />
            <TextField
              label={words.privacyUrl}
              name="/privacyUrl"
              value={value.privacyUrl ?? ''}
              onChange={(privacyUrl) => change({ privacyUrl: privacyUrl || null })}
            />
            <TextField
              label={words.installUrl}
              hint={words.installUrlHint}
              name="/installUrl"
              value={value.installUrl ?? ''}
              onChange={(installUrl) => change({ installUrl: installUrl || null })}
            />
            <Checkbox
              label={words.isListed}
              hint={words.isListedHint}
              value={value.isListed}
              onChange={(isListed) => change({ isListed })}
            />
            <SaveBar isPending={save.isPending} isDirty={draft.isDirty} onDiscard={draft.reset} />
          </Card>
          <Unsaved isDirty={draft.isDirty} />
        </Form>
      }
      side={
        <Card title={words.icon}>
          <AppIcon url={app.iconUrl} name={app.name} isLarge />
          <FilePicker
            label={words.chooseIcon}
            hint={words.iconHint}
            accept={['image/png', 'image/webp']}
            isMultiple={false}
            isDisabled={icon.isPending}
            onFiles={([file]) => file && void icon.run(file)}
          />
          {app.iconUrl && (
            <Row>
              <Button size="small" isPending={icon.isPending} onPress={() => void icon.run(null)}>
                {words.removeIcon}
              </Button>
            </Row>
          )}
        </Card>
      }
    />
  );
}
