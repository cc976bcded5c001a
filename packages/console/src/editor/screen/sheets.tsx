import { useQueryClient } from '@tanstack/react-query';
import { foldText } from '@waybill/contracts/fold';
import { cleanText, limits, type PageDocument, vocabulary } from '@waybill/page';
import type { Model } from '@waybill/sdk';
import { lazy, Suspense, useState } from 'react';
import { Autocomplete } from 'react-aria-components/Autocomplete';
import { Input } from 'react-aria-components/Input';
import { ListBox, ListBoxItem } from 'react-aria-components/ListBox';
import { SearchField } from 'react-aria-components/SearchField';
import { api } from '../../api/client.ts';
import { useMutation } from '../../api/mutation.ts';
import { useCommon } from '../../texts/common.ts';
import { Button } from '../../ui/button.tsx';
import { RadioGroup } from '../../ui/choices.tsx';
import { Form } from '../../ui/form.tsx';
import { SearchIcon } from '../../ui/icons.tsx';
import { Actions, ConfirmDialog, Dialog } from '../../ui/overlays.tsx';
import { TextField } from '../../ui/text-field.tsx';
import { move, rename } from '../core/commands.ts';
import { describeNodes, findRefusal } from '../core/drop.ts';
import { createReferenceChanges, detach, extractSection } from '../core/sections.ts';
import { ancestors, findSiblingIndex, getChildIds, outermostIds, subtree } from '../core/tree.ts';
import { insertIntoDocument, listInsertables } from '../elements/insertables.ts';
import { describeKind, findBlockIcon, nodeTitle, textPreview } from '../elements/names.ts';
import { ElementIcon } from '../panels/icons.tsx';
import { applyChanges, listGlobalActions, listNodeActions } from '../workbench/actions.ts';
import { usePanelWorkbench } from '../workbench/panel-workbench.ts';
import { focusPane } from '../workbench/panes.ts';
import { useNames } from '../workbench/queries.ts';
import type { Sheet } from '../workbench/workbench.ts';
import style from './sheets.module.css';

const Revisions = lazy(() => import('./revisions.tsx'));
const Publish = lazy(() => import('./publish.tsx'));

/** The dialog that is open over the screen. */
export function Sheets({ sheet }: { sheet: Sheet }) {
  const { view } = usePanelWorkbench();
  return <Suspense>{renderSheet(sheet, () => view.set({ sheet: null }))}</Suspense>;
}

function renderSheet(sheet: Sheet, close: () => void) {
  switch (sheet.kind) {
    case 'insert':
      return <InsertSheet at={sheet.at} isSection={sheet.isSection === true} onClose={close} />;
    case 'rename':
      return <Rename id={sheet.id} onClose={close} />;
    case 'moveTo':
      return <MoveTo onClose={close} />;
    case 'help':
      return <Help onClose={close} />;
    case 'section':
      return <MakeSection onClose={close} />;
    case 'detach':
      return <Detach onClose={close} />;
    case 'revisions':
      return <Revisions onClose={close} />;
    case 'publish':
      return <Publish onClose={close} />;
  }
}

/** A dialog that finds elements to insert by typing. */
function InsertSheet({
  at,
  isSection,
  onClose,
}: {
  at: Extract<Sheet, { kind: 'insert' }>['at'];
  /** Whether only top-level parts of a page are offered. */
  isSection: boolean;
  onClose(): void;
}) {
  const workbench = usePanelWorkbench();
  const { words, storeId, subject } = workbench;
  const names = useNames(storeId);
  const [typed, setTyped] = useState('');
  const searchText = foldText(typed.trim());
  // Enter inserts the first one, so a name that was typed in full comes before longer names.
  const rank = (text: string) => {
    const name = foldText(text);
    return name === searchText ? 0 : name.startsWith(searchText) ? 1 : 2;
  };
  const all = listInsertables(words, names, subject.id).filter(
    ({ group, ...insertable }) =>
      !isSection || insertable.isSection || group === 'blocks' || group === 'sections',
  );
  const found = all
    .filter(({ text, detail = '' }) => foldText(`${text} ${detail}`).includes(searchText))
    .toSorted((a, b) => rank(a.text) - rank(b.text));
  function insertChosen(id: string) {
    const insertable = all.find((one) => one.id === id);
    onClose();
    if (insertable) void insertIntoDocument(workbench, insertable, at);
  }
  return (
    <Dialog title={isSection ? words.addSection : words.insertTitle} isOpen onClose={onClose} size="small">
      <Autocomplete inputValue={typed} onInputChange={setTyped}>
        <SearchField
          aria-label={words.findInsert}
          autoFocus
          className={style.field!}
          onSubmit={() => found[0] && insertChosen(found[0].id)}
        >
          <SearchIcon />
          <Input placeholder={words.findInsert} className={style.input!} />
        </SearchField>
        <ListBox
          aria-label={words.insertTitle}
          className={style.list!}
          items={found}
          onAction={(id) => insertChosen(String(id))}
          renderEmptyState={() => <p className={style.hint}>{words.nothingFound}</p>}
        >
          {(insertable) => (
            <ListBoxItem id={insertable.id} textValue={insertable.text} className={style.option!}>
              <ElementIcon type={insertable.type} blockIcon={insertable.blockIcon} />
              <span>
                {insertable.text}
                <small>{insertable.detail ?? words.insertGroups[insertable.group]}</small>
              </span>
            </ListBoxItem>
          )}
        </ListBox>
      </Autocomplete>
    </Dialog>
  );
}

/** A dialog that moves the selection next to or into a chosen element, like dragging. */
function MoveTo({ onClose }: { onClose(): void }) {
  const workbench = usePanelWorkbench();
  const { words, editor, storeId } = workbench;
  const names = useNames(storeId);
  const [target, setTarget] = useState<string | null>(null);
  const [where, setWhere] = useState<'into' | 'before' | 'after'>('into');
  const { tree, selection } = editor.state;
  const ids = outermostIds(tree, selection).filter((id) => id !== tree.rootId);
  const payload = describeNodes(tree, ids);
  const positionAt = (id: string) => {
    if (where === 'into') return { parentId: id, index: getChildIds(tree, id).length };
    const parentId = tree.parents.get(id);
    return parentId === undefined
      ? undefined
      : { parentId, index: findSiblingIndex(tree, id) + (where === 'after' ? 1 : 0) };
  };
  const targetNodes = [...subtree(tree, tree.rootId)].filter(({ id }) => {
    const position = positionAt(id);
    return (
      position && !payload.movedIds.has(id) && !findRefusal(vocabulary, tree, position.parentId, payload)
    );
  });
  function moveToTarget() {
    const position = target === null ? undefined : positionAt(target);
    onClose();
    if (position)
      applyChanges(workbench, words.moved, move(tree, ids, position.parentId, position.index), ids);
  }
  return (
    <Dialog title={words.moveTitle} isOpen onClose={onClose}>
      <RadioGroup
        label={words.moveWhere}
        choices={(['into', 'before', 'after'] as const).map((id) => ({ id, text: words.moves[id] }))}
        value={where}
        onChange={(next) => {
          setWhere(next);
          setTarget(null);
        }}
      />
      <ListBox
        aria-label={words.moves[where]}
        className={style.list!}
        items={targetNodes}
        selectionMode="single"
        selectionBehavior="replace"
        selectedKeys={target === null ? [] : [target]}
        onSelectionChange={(keys) => setTarget(keys === 'all' ? null : String([...keys][0] ?? ''))}
        renderEmptyState={() => <p className={style.hint}>{words.noPlaces}</p>}
        dependencies={[names, words, tree]}
      >
        {(node) => (
          <ListBoxItem id={node.id} textValue={nodeTitle(node, words, names)} className={style.option!}>
            {/* Depth is shown by dots, because indentation would use up the width. */}
            <span className={style.depth}>{'· '.repeat([...ancestors(tree, node.id)].length)}</span>
            <ElementIcon type={node.type} blockIcon={findBlockIcon(node, names)} />
            <span>
              {describeKind(node, words, names)}
              <small>{textPreview(node)}</small>
            </span>
          </ListBoxItem>
        )}
      </ListBox>
      <Actions>
        <Button onPress={onClose}>{words.cancel}</Button>
        <Button look="primary" isDisabled={!target} onPress={moveToTarget}>
          {words.move}
        </Button>
      </Actions>
    </Dialog>
  );
}

/** A dialog that gives a node a name of its own. */
function Rename({ id, onClose }: { id: string; onClose(): void }) {
  const workbench = usePanelWorkbench();
  const { words, editor, storeId } = workbench;
  const common = useCommon();
  const names = useNames(storeId);
  const node = editor.state.tree.nodes.get(id);
  const [name, setName] = useState(node?.label ?? '');
  if (!node) return null;
  const { label: _, ...unnamed } = node;
  return (
    <Dialog
      title={words.renameTitle({ name: describeKind(node, words, names) })}
      isOpen
      onClose={onClose}
      size="small"
    >
      <form
        onSubmit={(event) => {
          event.preventDefault();
          onClose();
          applyChanges(workbench, words.renamed, rename(editor.state.tree, id, cleanText(name).trim()));
        }}
      >
        <TextField
          label={common.name}
          hint={words.renameHint({ name: describeKind(unnamed, words, names) })}
          name="/name"
          value={name}
          onChange={setName}
          maxLength={limits.labelLength}
          autoFocus
        />
        <Actions>
          <Button onPress={onClose}>{words.cancel}</Button>
          <Button look="primary" type="submit">
            {words.rename}
          </Button>
        </Actions>
      </form>
    </Dialog>
  );
}

/** A dialog with all keyboard shortcuts. */
function Help({ onClose }: { onClose(): void }) {
  const workbench = usePanelWorkbench();
  const { words } = workbench;
  const actions = [...listGlobalActions(workbench), ...listNodeActions(workbench)].filter(
    ({ keys }) => keys !== undefined,
  );
  return (
    <Dialog title={words.help} isOpen onClose={onClose}>
      <div className={style.body}>
        <dl className={style.keys}>
          {[...Object.entries(words.walking), ...actions.map(({ keys, text }) => [keys!, text] as const)].map(
            ([keys, text]) => (
              <div key={`${keys} ${text}`}>
                <dt>
                  {keys.split('+').map((key) => (
                    <kbd key={key}>{words.keyNames[key] ?? key.toUpperCase()}</kbd>
                  ))}
                </dt>
                <dd>{text}</dd>
              </div>
            ),
          )}
        </dl>
      </div>
    </Dialog>
  );
}

/** A dialog that turns the selection into a global section, which can then be used in other places, too. */
function MakeSection({ onClose }: { onClose(): void }) {
  const workbench = usePanelWorkbench();
  const { words, editor, storeId } = workbench;
  const common = useCommon();
  const [name, setName] = useState('');
  const { tree, selection } = editor.state;
  const ids = outermostIds(tree, selection);
  const document = extractSection(tree, ids);
  const create = useMutation(
    (content: PageDocument) =>
      api.post('/api/stores/{storeId}/sections', {
        params: { path: { storeId } },
        body: { name, document: content as Model<'Document'> },
      }),
    {
      invalidates: [['stores', storeId, 'sections']],
      onDone({ section }) {
        onClose();
        applyChanges(
          workbench,
          words.sectionMade({ name }),
          createReferenceChanges(editor.state.tree, ids, section.id),
        );
      },
    },
  );
  return (
    <Dialog title={words.makeSectionTitle} isOpen onClose={onClose} size="small">
      <Form mutation={create} onSubmit={() => document && void create.run(document)}>
        <p>{document ? words.makeSectionHint : words.makeSectionNot}</p>
        <TextField
          label={common.name}
          name="/name"
          value={name}
          onChange={setName}
          isRequired
          maxLength={200}
          autoFocus
        />
        <Actions>
          <Button onPress={onClose}>{words.cancel}</Button>
          <Button look="primary" type="submit" isPending={create.isPending} isDisabled={!document}>
            {words.makeSectionDo}
          </Button>
        </Actions>
      </Form>
    </Dialog>
  );
}

/** A dialog that replaces a reference to a section by the section's content, which then belongs to this page. */
function Detach({ onClose }: { onClose(): void }) {
  const workbench = usePanelWorkbench();
  const { words, editor, storeId } = workbench;
  const queries = useQueryClient();
  const names = useNames(storeId);
  const [id] = editor.state.selection;
  const node = id === undefined ? undefined : editor.state.tree.nodes.get(id);
  const sectionId = String(node?.props?.specials?.sectionId);
  const read = useMutation(async () => {
    const { section } = await queries.fetchQuery({
      queryKey: ['stores', storeId, 'sections', sectionId, 'content'],
      queryFn: ({ signal }) =>
        api.get('/api/stores/{storeId}/sections/{sectionId}', {
          params: { path: { storeId, sectionId } },
          signal,
        }),
    });
    return section.document as PageDocument;
  });
  return (
    <ConfirmDialog
      title={words.detachTitle({ name: node ? describeKind(node, words, names) : '' })}
      confirm={words.detach}
      isDanger={false}
      isOpen
      onClose={onClose}
      onConfirm={async () => {
        const content = await read.attempt(undefined);
        if (id !== undefined) applyChanges(workbench, words.detached, detach(editor.state.tree, id, content));
        focusPane('canvas');
      }}
    >
      {words.detachHint}
    </ConfirmDialog>
  );
}
