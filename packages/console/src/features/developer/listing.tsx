import { api } from '../../api/client.ts';
import { useMutation } from '../../api/mutation.ts';
import { AppIcon } from '../../shell/apps.tsx';
import { FormSaveBar, ResourceForm, useResourceForm } from '../../shell/resource-form.tsx';
import { useCommon } from '../../texts/common.ts';
import { Button } from '../../ui/button.tsx';
import { Checkbox } from '../../ui/checkbox.tsx';
import { FilePicker } from '../../ui/files.tsx';
import { Card, Row, TwoColumns } from '../../ui/layout.tsx';
import { TextField } from '../../ui/text-field.tsx';
import { type App, appKey, orgKey } from './queries.ts';
import { useDeveloperTexts } from './texts.ts';

/** The app's public listing. */
export function Listing({ app }: { app: App }) {
  const words = useDeveloperTexts();
  const common = useCommon();
  const { name, description, website, supportEmail, privacyUrl, installUrl, isListed } = app;
  const stored = { name, description, website, supportEmail, privacyUrl, installUrl, isListed };
  const path = { orgId: app.orgId, appId: app.id };
  const invalidates = [appKey(app.orgId, app.id), [...orgKey(app.orgId), 'apps', 'list'], ['apps']];
  const form = useResourceForm({
    stored,
    save({ value, base }) {
      // Unchanged fields are not sent, because somebody else may have changed them.
      const keys = Object.keys(stored) as (keyof typeof stored)[];
      const body = Object.fromEntries(
        keys.filter((key) => value[key] !== base[key]).map((key) => [key, value[key]]),
      );
      return api.patch('/api/orgs/{orgId}/apps/{appId}', { params: { path }, body });
    },
    done: words.saved,
    invalidates,
  });
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
        <ResourceForm form={form} bar={null}>
          <Card title={words.listing}>
            <TextField label={common.name} {...form.field('name')} isRequired />
            <TextField label={words.description} rows={6} maxLength={2000} {...form.field('description')} />
            {(['website', 'supportEmail', 'privacyUrl'] as const).map((key) => (
              <TextField key={key} label={words[key]} {...form.optionalText(key)} />
            ))}
            <TextField
              label={words.installUrl}
              hint={words.installUrlHint}
              {...form.optionalText('installUrl')}
            />
            <Checkbox label={words.isListed} hint={words.isListedHint} {...form.field('isListed')} />
            <FormSaveBar form={form} />
          </Card>
        </ResourceForm>
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
