import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { api } from '../../api/client.ts';
import { useStore } from '../../api/me.ts';
import { useMutation } from '../../api/mutation.ts';
import { paths } from '../../paths.ts';
import { navigate } from '../../router/history.ts';
import { useCommon } from '../../texts/common.ts';
import { Button, LinkButton, TextLink } from '../../ui/button.tsx';
import { Form } from '../../ui/form.tsx';
import { ActionMenu, Actions, ConfirmDialog, Dialog } from '../../ui/overlays.tsx';
import { Select } from '../../ui/select.tsx';
import { TextField } from '../../ui/text-field.tsx';
import style from './media.module.css';
import { type FolderAtDepth, folderPath, foldersKey, foldersQuery } from './queries.ts';
import { useMediaTexts } from './texts.ts';

type FolderQuestion = 'create' | 'rename' | 'move' | 'delete';

/** The path of the current folder, its subfolders and the folder's actions. */
export function Folders({
  folders,
  folderId,
  canWrite,
}: {
  folders: readonly FolderAtDepth[];
  folderId: string | undefined;
  canWrite: boolean;
}) {
  const words = useMediaTexts();
  const common = useCommon();
  const store = useStore();
  const [question, setQuestion] = useState<FolderQuestion | null>(null);
  const way = folderPath(folders, folderId);
  const here = way.at(-1);
  const within = folders.filter(({ parentId }) => parentId === (folderId ?? null));
  const home = paths.inStore(store.id, 'media');
  const createHref = (id: string | null) => (id ? `${home}?folderId=${id}` : home);
  return (
    <nav className={style.folders} aria-label={words.folders}>
      <ol className={style.way}>
        <li>{folderId ? <TextLink href={home}>{words.root}</TextLink> : <strong>{words.root}</strong>}</li>
        {way.map(({ id, name }) => (
          <li key={id}>
            {id === folderId ? <strong>{name}</strong> : <TextLink href={createHref(id)}>{name}</TextLink>}
          </li>
        ))}
        {here && canWrite && (
          <li>
            <ActionMenu
              label={common.actionsFor({ thing: here.name })}
              actions={[
                { id: 'rename', text: words.renameFolder, onAction: () => setQuestion('rename') },
                { id: 'move', text: words.moveFolder, onAction: () => setQuestion('move') },
                {
                  id: 'delete',
                  text: words.deleteFolder,
                  isDanger: true,
                  onAction: () => setQuestion('delete'),
                },
              ]}
            />
          </li>
        )}
      </ol>
      <ul className={style.within}>
        {within.map(({ id, name }) => (
          <li key={id}>
            <LinkButton size="small" href={createHref(id)}>
              {name}
            </LinkButton>
          </li>
        ))}
        {canWrite && (
          <li>
            <Button size="small" look="quiet" onPress={() => setQuestion('create')}>
              {words.newFolder}
            </Button>
          </li>
        )}
      </ul>
      <FolderDialogs
        folder={here}
        parentId={folderId ?? null}
        question={question}
        onClose={() => setQuestion(null)}
        onDeleted={() => navigate(createHref(here?.parentId ?? null))}
      />
    </nav>
  );
}

/** The dialogs that create, rename, move and delete a folder. */
function FolderDialogs({
  folder,
  parentId,
  question,
  onClose,
  onDeleted,
}: {
  /** Missing: the root, which cannot be changed. */
  folder: FolderAtDepth | undefined;
  /** The folder in which one is created. */
  parentId: string | null;
  question: FolderQuestion | null;
  onClose(): void;
  onDeleted(): void;
}) {
  const words = useMediaTexts();
  const common = useCommon();
  const store = useStore();
  const invalidates = [foldersKey(store.id)];
  const create = useMutation(
    (name: string) =>
      api.post('/api/stores/{storeId}/media-folders', {
        params: { path: { storeId: store.id } },
        body: { name, parentId },
      }),
    { done: words.folderMade, invalidates, onDone: onClose },
  );
  const path = { storeId: store.id, id: folder?.id ?? '' };
  const change = useMutation(
    (body: { name?: string; parentId?: string | null }) =>
      api.patch('/api/stores/{storeId}/media-folders/{id}', { params: { path }, body }),
    { done: common.saved, invalidates, onDone: onClose },
  );
  const remove = useMutation(
    () => api.delete('/api/stores/{storeId}/media-folders/{id}', { params: { path } }),
    {
      done: words.folderDeleted,
      invalidates,
      onDone: onDeleted,
    },
  );
  return (
    <>
      <NameDialog
        key={`create ${question}`}
        title={words.newFolder}
        confirm={common.create}
        name=""
        isOpen={question === 'create'}
        onClose={onClose}
        act={create}
      />
      {folder && (
        <>
          <NameDialog
            key={`rename ${question}`}
            title={words.renameFolder}
            confirm={words.rename}
            name={folder.name}
            isOpen={question === 'rename'}
            onClose={onClose}
            act={{ ...change, run: (name) => change.run({ name }) }}
          />
          <FolderDialog
            title={words.moveFolder}
            confirm={words.moveHere}
            isOpen={question === 'move'}
            onClose={onClose}
            from={folder.parentId}
            without={folder.id}
            onChoose={(parentId) => change.attempt({ parentId })}
          />
          <ConfirmDialog
            title={words.deleteFolderTitle({ name: folder.name })}
            confirm={common.delete}
            isOpen={question === 'delete'}
            onClose={onClose}
            onConfirm={() => remove.attempt(undefined)}
          >
            {words.deleteFolderHint}
          </ConfirmDialog>
        </>
      )}
    </>
  );
}

function NameDialog({
  title,
  confirm,
  name,
  isOpen,
  onClose,
  act,
}: {
  title: string;
  confirm: string;
  name: string;
  isOpen: boolean;
  onClose(): void;
  act: {
    run(name: string): Promise<unknown>;
    isPending: boolean;
    problems: Readonly<Record<string, string>>;
  };
}) {
  const common = useCommon();
  const [typed, setTyped] = useState(name);
  return (
    <Dialog title={title} isOpen={isOpen} onClose={onClose} size="small">
      <Form mutation={act} onSubmit={() => void act.run(typed.trim())}>
        <TextField
          label={common.name}
          name="/name"
          value={typed}
          onChange={setTyped}
          isRequired
          autoFocus
          maxLength={200}
        />
        <Actions>
          <Button look="primary" type="submit" isPending={act.isPending}>
            {confirm}
          </Button>
        </Actions>
      </Form>
    </Dialog>
  );
}

/** Stands for the root; no folder has this id. */
const root = 'root';

/** Chooses a folder, shown with its depth. Null: no folder. */
export function FolderSelect({
  name,
  value,
  onChange,
  without,
  isReadOnly = false,
}: {
  /** JSON pointer of the folder in the request body. */
  name?: string;
  value: string | null;
  onChange(folderId: string | null): void;
  /** A folder to leave out, with everything in it. */
  without?: string;
  isReadOnly?: boolean;
}) {
  const words = useMediaTexts();
  const { data: folders = [] } = useQuery(foldersQuery(useStore().id));
  const offered = without
    ? folders.filter(({ id }) => !folderPath(folders, id).some((place) => place.id === without))
    : folders;
  return (
    <Select
      label={words.folder}
      choices={[
        { id: root, text: words.noFolder },
        ...offered.map(({ id, name, depth }) => ({ id, text: `${'– '.repeat(depth)}${name}` })),
      ]}
      value={value ?? root}
      onChange={(id) => onChange(id === root ? null : id)}
      isReadOnly={isReadOnly}
      {...(name !== undefined && { name })}
    />
  );
}

/** Asks for a target folder. */
export function FolderDialog({
  title,
  confirm,
  isOpen,
  onClose,
  from,
  without,
  onChoose,
}: {
  title: string;
  confirm: string;
  isOpen: boolean;
  onClose(): void;
  from: string | null;
  without?: string;
  onChoose(folderId: string | null): Promise<unknown>;
}) {
  const [chosen, setChosen] = useState<string | null | undefined>(undefined);
  const close = () => {
    setChosen(undefined);
    onClose();
  };
  const target = chosen === undefined ? from : chosen;
  return (
    <ConfirmDialog
      title={title}
      confirm={confirm}
      isOpen={isOpen}
      onClose={close}
      onConfirm={() => onChoose(target)}
      isDanger={false}
    >
      <FolderSelect value={target} onChange={setChosen} {...(without && { without })} />
    </ConfirmDialog>
  );
}
