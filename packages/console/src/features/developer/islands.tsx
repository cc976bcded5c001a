import { useMemo, useState } from 'react';
import { FileTrigger } from 'react-aria-components/FileTrigger';
import { api } from '../../api/client.ts';
import { useMutation } from '../../api/mutation.ts';
import { useCommon } from '../../texts/common.ts';
import { useFormats } from '../../texts/format.ts';
import { Button, IconButton } from '../../ui/button.tsx';
import { Form } from '../../ui/form.tsx';
import { CrossIcon } from '../../ui/icons.tsx';
import { Card, Row } from '../../ui/layout.tsx';
import { Actions, ConfirmDialog, Dialog } from '../../ui/overlays.tsx';
import { TextField } from '../../ui/text-field.tsx';
import style from './developer.module.css';
import { useAppId, useOrgId } from './parts.tsx';
import { appKey, type VersionDetails } from './queries.ts';
import { useDeveloperTexts } from './texts.ts';

/** The scripts of a version's blocks. */
export function Islands({ version }: { version: VersionDetails }) {
  const words = useDeveloperTexts();
  const common = useCommon();
  const orgId = useOrgId();
  const appId = useAppId();
  const [name, setName] = useState<string | null>(null);
  const [removedName, setRemovedName] = useState<string | null>(null);
  const invalidates = [appKey(orgId, appId)];
  const path = { orgId, appId, versionId: version.id };
  const names = version.islands.map((island) => island.name);
  const isDraft = version.state === 'draft';
  const declare = useMutation(
    (islands: readonly string[]) =>
      api.put('/api/orgs/{orgId}/apps/{appId}/versions/{versionId}/islands', {
        params: { path },
        body: { islands: islands.map((name) => ({ name })) },
      }),
    { done: words.islandsSaved, invalidates, onDone: () => setName(null) },
  );
  // Memoised: a new object would mark the field as wrong again after the user has changed it.
  const problems = useMemo(
    () => nameProblems(declare.problems, version.islands.length),
    [declare.problems, version.islands.length],
  );
  const upload = useMutation(
    ({ island, file }: { island: string; file: File }) =>
      api.fetch(
        `/api/orgs/${orgId}/apps/${appId}/versions/${version.id}/islands/module?${new URLSearchParams({ name: island })}`,
        { method: 'POST', headers: { 'content-type': 'text/javascript' }, body: file },
      ),
    { done: words.moduleSaved, invalidates },
  );
  return (
    <Card
      title={words.islands}
      actions={isDraft && <Button onPress={() => setName('')}>{words.addIsland}</Button>}
    >
      <p className={style.muted}>{version.islands.length > 0 ? words.islandsHint : words.noIslands}</p>
      <ul className={style.islands}>
        {version.islands.map((island) => (
          <IslandRow
            key={island.name}
            island={island}
            isDraft={isDraft}
            isUploading={upload.isPending}
            onUpload={(file) => void upload.run({ island: island.name, file })}
            onRemove={() => setRemovedName(island.name)}
          />
        ))}
      </ul>
      <Dialog title={words.addIsland} isOpen={name !== null} onClose={() => setName(null)} size="small">
        <Form
          mutation={{ ...declare, problems }}
          onSubmit={() => void declare.run([...names, (name ?? '').trim()])}
        >
          <TextField
            label={words.islandName}
            name="/name"
            value={name ?? ''}
            onChange={setName}
            isRequired
            autoFocus
            isCode
          />
          <Actions>
            <Button look="primary" type="submit" isPending={declare.isPending}>
              {common.add}
            </Button>
          </Actions>
        </Form>
      </Dialog>
      <ConfirmDialog
        title={words.removeIslandTitle({ name: removedName ?? '' })}
        confirm={common.delete}
        isOpen={removedName !== null}
        onClose={() => setRemovedName(null)}
        onConfirm={() => declare.attempt(names.filter((other) => other !== removedName))}
      >
        {words.removeIslandHint}
      </ConfirmDialog>
    </Card>
  );
}

function IslandRow({
  island,
  isDraft,
  isUploading,
  onUpload,
  onRemove,
}: {
  island: VersionDetails['islands'][number];
  isDraft: boolean;
  isUploading: boolean;
  onUpload(file: File): void;
  onRemove(): void;
}) {
  const words = useDeveloperTexts();
  const formats = useFormats();
  return (
    <li>
      <span>
        <strong>{island.name}</strong>
        <small>
          {island.moduleSha256 ? (
            <>
              {formats.size(island.sizeBytes ?? 0)} · <code>{island.moduleSha256.slice(0, 16)}</code>
            </>
          ) : (
            words.noModule
          )}
        </small>
      </span>
      {isDraft && (
        <Row>
          <FileTrigger
            acceptedFileTypes={['text/javascript', '.js', '.mjs']}
            onSelect={(files) => {
              const file = files?.[0];
              if (file) onUpload(file);
            }}
          >
            <Button size="small" isPending={isUploading} aria-label={words.upload({ name: island.name })}>
              {words.uploadModule}
            </Button>
          </FileTrigger>
          <IconButton label={words.removeIsland({ name: island.name })} onPress={onRemove}>
            <CrossIcon />
          </IconButton>
        </Row>
      )}
    </li>
  );
}

/** Moves problems of the new island, the last one sent, to the name field. */
const nameProblems = (problems: Readonly<Record<string, string>>, position: number) =>
  Object.fromEntries(
    Object.entries(problems).map(([pointer, message]) => [
      pointer.startsWith(`/islands/${position}`) ? '/name' : pointer,
      message,
    ]),
  );
