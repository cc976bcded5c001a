import { type Json, type PageNode, type ValueType, vocabulary } from '@waybill/page';
import { lazy, type ReactNode, Suspense, useId, useState } from 'react';
import { Button as AriaButton } from 'react-aria-components/Button';
import { Disclosure, DisclosurePanel } from 'react-aria-components/Disclosure';
import { Heading } from 'react-aria-components/Heading';
import { paths } from '../../paths.ts';
import { Button, IconButton, LinkButton } from '../../ui/button.tsx';
import { ChevronIcon } from '../../ui/icons.tsx';
import { Notice, Skeleton } from '../../ui/layout.tsx';
import { WithTooltip } from '../../ui/overlays.tsx';
import { describeKind, findBlockIcon, lookUpWord, nodeTitle } from '../elements/names.ts';
import type { CatalogueBlock } from '../workbench/catalogue.ts';
import { usePanelWorkbench } from '../workbench/panel-workbench.ts';
import { blockNameKey, type Names, useNames } from '../workbench/queries.ts';
import { useEditorState, useSources, useView } from '../workbench/workbench.ts';
import { useComputed } from './computed.ts';
import {
  ChoiceControl,
  ColorControl,
  type ControlProps,
  SliderControl,
  SwitchControl,
  TypedControl,
} from './controls.tsx';
import {
  createPointer,
  type EditTarget,
  type Field,
  fieldName,
  findSlotNode,
  type Group,
  getGroup,
  groups,
  listClosedSettings,
  listCommonFields,
  listFields,
  listOpenTargets,
  readField,
  setFields,
} from './fields.ts';
import { ElementIcon, ResetIcon } from './icons.tsx';
import style from './inspector.module.css';
import { BackgroundControl, MediaControl } from './media-control.tsx';
import { TokenControl } from './token-control.tsx';
import { listTokens, readToken } from './tokens.ts';

/** Controls that are more than a field load when they are first used. */
const LinkControl = lazy(async () => ({ default: (await import('./link-control.tsx')).LinkControl }));
const ItemsControl = lazy(async () => ({ default: (await import('./items-control.tsx')).ItemsControl }));
const MenuControl = lazy(async () => ({ default: (await import('./menu-control.tsx')).MenuControl }));
const SourceControl = lazy(async () => ({ default: (await import('./source-control.tsx')).SourceControl }));
const CategoryControl = lazy(async () => ({
  default: (await import('./source-control.tsx')).CategoryControl,
}));
const FieldControl = lazy(async () => ({ default: (await import('./field-control.tsx')).FieldControl }));
const ProductControl = lazy(async () => ({
  default: (await import('./product-control.tsx')).ProductControl,
}));

/** The inspector of the selection. It is built from the vocabulary, so a new element there has its controls here. */
export function Inspector() {
  const { words, storeId } = usePanelWorkbench();
  const { tree, selection } = useEditorState();
  const names = useNames(storeId);
  const nodes = selection.flatMap((id) => tree.nodes.get(id) ?? []);
  const [only] = nodes;
  if (!only) return <p className={style.hint}>{words.nothingSelected}</p>;
  return (
    <div className={style.inspector} data-inspector>
      <h2 className={style.title}>
        <ElementIcon
          type={only.type}
          blockIcon={nodes.length === 1 ? findBlockIcon(only, names) : undefined}
        />
        {nodes.length > 1 ? words.selectedCount({ count: nodes.length }) : nodeTitle(only, words, names)}
      </h2>
      <Width />
      {nodes.length === 1 && only.type === 'blockRef' && <BlockBar key={only.id} node={only} names={names} />}
      {nodes.length === 1 && only.type === 'sectionRef' && <SectionBar node={only} names={names} />}
      <NodeGroups nodes={nodes} />
    </div>
  );
}

/** Shows the width that is being edited, and whether texts are in the page's own or another language. */
function Width() {
  const { words } = usePanelWorkbench();
  const { width, locale } = useView();
  if (width === 'base' && locale === null) return null;
  return (
    <p className={style.hint} role="status">
      {width !== 'base' && words.setsWidth[width]}{' '}
      {locale !== null && words.setsLanguage({ language: locale })}
    </p>
  );
}

function NodeGroups({ nodes }: { nodes: readonly PageNode[] }) {
  const types = nodes.flatMap(({ type }) =>
    type === 'blockRef' || type === 'sectionRef' ? [] : (vocabulary.elementTypes[type] ?? []),
  );
  if (types.length < nodes.length) return null;
  const editTarget: EditTarget = { kind: 'nodes', ids: nodes.map(({ id }) => id) };
  return (
    <Groups
      key={editTarget.ids.join(' ')}
      editTarget={editTarget}
      fields={listCommonFields(types)}
      elementType={nodes[0]!.type}
    />
  );
}

/**
 * The groups of fields. The content is always open; any other group is if one of its fields has a problem or is set,
 * except that the advanced group opens only for a problem.
 */
function Groups({
  editTarget,
  fields,
  elementType,
}: {
  editTarget: EditTarget;
  fields: readonly Field[];
  elementType: string;
}) {
  const { words, editor } = usePanelWorkbench();
  const { width, problems } = useView();
  const byGroup = Map.groupBy(fields, getGroup);
  return groups.flatMap((group) => {
    const own = byGroup.get(group);
    if (!own) return [];
    const isSet = own.some((field) => readField(editor, editTarget, field, width).origin === 'own');
    const pointers = new Set(own.map((field) => createPointer(editTarget, field, width)));
    const id = editTarget.kind === 'slot' ? editTarget.referenceId : editTarget.ids[0];
    const hasProblem = problems.some((problem) => problem.id === id && pointers.has(problem.pointer ?? ''));
    return [
      <GroupPanel
        key={group}
        title={words.groups[group]}
        isOpen={group === 'content' || hasProblem || (isSet && group !== 'advanced')}
        isSet={isSet}
      >
        <GroupFields group={group} editTarget={editTarget} fields={own} elementType={elementType} />
      </GroupPanel>,
    ];
  });
}

function GroupPanel({
  title,
  isOpen,
  isSet,
  children,
}: {
  title: string;
  isOpen: boolean;
  isSet: boolean;
  children: ReactNode;
}) {
  const { words } = usePanelWorkbench();
  const [expanded, setExpanded] = useState(isOpen);
  return (
    <Disclosure isExpanded={expanded} onExpandedChange={setExpanded} className={style.group!}>
      <Heading level={3}>
        <AriaButton slot="trigger" className={style.trigger!}>
          <ChevronIcon />
          {title}
          {isSet && <span className={style.dot} role="img" aria-label={words.somethingSet} />}
        </AriaButton>
      </Heading>
      <DisclosurePanel className={style.panel!}>{expanded && children}</DisclosurePanel>
    </Disclosure>
  );
}

const sides = ['Top', 'Right', 'Bottom', 'Left'] as const;
const corners = ['TopLeft', 'TopRight', 'BottomRight', 'BottomLeft'] as const;

/** Longhands that are mostly set together, by the parts of their names before and after the side. */
const boxes: Readonly<Partial<Record<Group, readonly (readonly [string, string, readonly string[]])[]>>> = {
  spacing: [
    ['padding', '', sides],
    ['margin', '', sides],
  ],
  border: [
    ['border', 'Width', sides],
    ['border', 'Style', sides],
    ['border', 'Color', sides],
    ['border', 'Radius', corners],
  ],
};

function GroupFields({
  group,
  editTarget,
  fields,
  elementType,
}: {
  group: Group;
  editTarget: EditTarget;
  fields: readonly Field[];
  elementType: string;
}) {
  const byKey = new Map(fields.map((field) => [field.key, field]));
  const boxGroups = (boxes[group] ?? []).map(([before, after, parts]) => ({
    name: `${before}${after}`,
    fields: parts.flatMap((part) => byKey.get(`${before}${part}${after}`) ?? []),
  }));
  const boxedFields = new Set(boxGroups.flatMap((box) => box.fields));
  return (
    <>
      {boxGroups.map(
        (box) =>
          box.fields.length > 0 && (
            <BoxRows key={box.name} name={box.name} editTarget={editTarget} fields={box.fields} />
          ),
      )}
      {fields
        .filter((field) => !boxedFields.has(field))
        .map((field) => (
          <FieldRow key={fieldName(field)} editTarget={editTarget} field={field} elementType={elementType} />
        ))}
    </>
  );
}

/** Controls for all sides at once, followed by one for each side. */
function BoxRows({
  name,
  editTarget,
  fields,
}: {
  name: string;
  editTarget: EditTarget;
  fields: readonly Field[];
}) {
  const { words, editor } = usePanelWorkbench();
  const { width } = useView();
  const values = fields.map((field) => JSON.stringify(readField(editor, editTarget, field, width).value));
  const areAlike = values.every((value) => value === values[0]);
  const [isExpanded, setExpanded] = useState(!areAlike);
  const title = lookUpWord(words.fields, name);
  return (
    <fieldset className={style.box}>
      <legend>{title}</legend>
      <Button size="small" look="quiet" onPress={() => setExpanded(!isExpanded)} aria-expanded={isExpanded}>
        {isExpanded ? words.together : words.apart}
      </Button>
      {isExpanded ? (
        fields.map((field) => (
          <FieldRow key={field.key} editTarget={editTarget} field={field} elementType="" />
        ))
      ) : (
        <FieldRow
          editTarget={editTarget}
          field={fields[0]!}
          siblings={fields.slice(1)}
          label={words.allSides({ name: title })}
          elementType=""
        />
      )}
    </fieldset>
  );
}

interface FieldRowProps {
  editTarget: EditTarget;
  field: Field;
  /** Fields that are set together with it, to the same value. */
  siblings?: readonly Field[];
  label?: string;
  elementType: string;
}

/** One control with its name, the origin of its value, its problem, and a button that resets it. */
function FieldRow({ editTarget, field, siblings = [], label, elementType }: FieldRowProps) {
  const workbench = usePanelWorkbench();
  const { words, editor, canWrite } = workbench;
  const { width, problems, locale } = useView();
  const sources = useSources();
  const [rejected, setRejected] = useState<string | null>(null);
  const labelId = useId();
  const detailId = useId();
  const fieldValue = readField(editor, editTarget, field, width);
  const name = label ?? lookUpWord(words.fields, field.key);
  const pointer = createPointer(editTarget, field, width);
  const id = editTarget.kind === 'slot' ? editTarget.referenceId : editTarget.ids[0];
  const problem = problems.find((one) => one.id === id && one.pointer === pointer);
  const error = rejected ?? problem?.message ?? null;

  // A text in another language is not part of the document.
  const isText = field.target === 'specials' && field.type.kind === 'text';
  const entityId = editTarget.kind === 'slot' ? slotEntity(editTarget) : editTarget.ids[0]!;
  const isTranslated =
    locale !== null && isText && (editTarget.kind === 'slot' || editTarget.ids.length === 1);
  const translation = isTranslated ? sources?.texts?.[entityId]?.[field.key] : undefined;

  function setValue(value: Json | undefined) {
    setRejected(null);
    if (isTranslated) return workbench.translate(entityId, field.key, typeof value === 'string' ? value : '');
    const fields = [field, ...siblings];
    const refusal = setFields(editor, editTarget, fields, width, value, words.changed({ what: name }));
    if (refusal) setRejected(refusal.message);
  }
  const origin = isTranslated
    ? translation === undefined
      ? words.notTranslated
      : null
    : fieldValue.origin === 'wider' || fieldValue.origin === 'author'
      ? words.origins[fieldValue.origin]
      : null;
  const isOwn = isTranslated ? translation !== undefined : fieldValue.origin === 'own';
  const detail = error ?? origin;
  const inherited = isOwn ? undefined : fieldValue.value;
  const computed = useComputed(editTarget, field);
  const props: ControlProps = {
    label: name,
    labelId,
    type: field.type,
    isInvalid: error !== null,
    value: isTranslated ? (translation ?? '') : isOwn ? fieldValue.value : undefined,
    inherited: isTranslated ? undefined : inherited,
    placeholder: isTranslated
      ? String(fieldValue.value ?? '')
      : fieldValue.isMixed
        ? words.mixed
        : isOwn
          ? ''
          : typeof inherited === 'string' || typeof inherited === 'number'
            ? String(inherited)
            : computed,
    describedBy: detail ? detailId : undefined,
    isDisabled: !canWrite,
    readLatest: () => readField(editor, editTarget, field, width).value,
    onChange: setValue,
    onReject: (text) => setRejected(text === '' ? null : words.makesNoSense({ text })),
  };
  return (
    <div className={style.field} data-wide={isWide(field.type)} data-own={isOwn}>
      <span id={labelId} className={style.label}>
        {name}
      </span>
      <span className={style.reset}>
        {isOwn && canWrite && (
          <WithTooltip text={words.reset}>
            <IconButton label={words.resetOf({ name })} onPress={() => setValue(undefined)}>
              <ResetIcon />
            </IconButton>
          </WithTooltip>
        )}
      </span>
      <div className={style.control} data-control>
        <Suspense fallback={<Skeleton lines={1} />}>
          <Control {...props} field={field} elementType={elementType} />
        </Suspense>
        {detail && (
          <small
            id={detailId}
            className={error ? style.error : style.origin}
            role={error ? 'alert' : undefined}
          >
            {detail}
          </small>
        )}
      </div>
    </div>
  );
}

/** The key for translations of a slot's texts, in the form of `TreeNode.entityId`. */
const slotEntity = ({ referenceId, block, slot }: Extract<EditTarget, { kind: 'slot' }>) =>
  `${referenceId}/${findSlotNode(block, slot)?.id ?? ''}`;

const isWide = ({ kind, maxLength = 0 }: ValueType) =>
  ['media', 'link', 'items', 'background', 'product', 'richText', 'source'].includes(kind ?? '') ||
  (kind === 'text' && maxLength > 300);

function Control({ field, elementType, ...props }: ControlProps & { field: Field; elementType: string }) {
  if (listTokens(field.type).length === 0)
    return <PlainControl {...props} field={field} elementType={elementType} />;
  // The first alternative of the type is that for values of its own.
  const own = field.type.anyOf![0]!;
  const value = readToken(props.value) === undefined ? props.value : undefined;
  return (
    <TokenControl {...props}>
      <PlainControl
        {...props}
        type={own}
        value={value}
        field={{ ...field, type: own }}
        elementType={elementType}
      />
    </TokenControl>
  );
}

function PlainControl({
  field,
  elementType,
  ...props
}: ControlProps & { field: Field; elementType: string }) {
  const { words, view, editor } = usePanelWorkbench();
  const { type } = field;
  // Controls that are more than a field show an inherited value like their own.
  const effectiveProps = { ...props, value: props.value ?? props.inherited };
  switch (type.kind) {
    case 'boolean':
      return <SwitchControl {...props} />;
    case 'choice': {
      const choiceTexts = words.choices[field.key] ?? words.choices.any!;
      const choices = (type.enum ?? []).map((id) => ({
        id: String(id),
        text: lookUpWord(choiceTexts, String(id)),
      }));
      return <ChoiceControl {...props} choices={choices} />;
    }
    case 'color':
      return <ColorControl {...props} />;
    case 'number':
      return type.maximum === 1 ? <SliderControl {...props} /> : <TypedControl {...props} />;
    case 'media':
      return <MediaControl {...effectiveProps} isVideo={field.key === 'src' && elementType === 'video'} />;
    case 'background':
      return <BackgroundControl {...effectiveProps} />;
    case 'link':
      return <LinkControl {...effectiveProps} />;
    case 'product':
      return <ProductControl {...effectiveProps} />;
    case 'source':
      return <SourceControl {...effectiveProps} />;
    case 'category':
      return <CategoryControl {...effectiveProps} />;
    case 'items':
      if (elementType === 'menu') return <MenuControl {...effectiveProps} />;
      return <ItemsControl {...effectiveProps} shape={itemShape(field.key, elementType)} />;
    case 'richText':
      return (
        <Button
          size="small"
          isDisabled={props.isDisabled}
          onPress={() => view.set({ editingId: editor.state.selection[0] ?? null, narrow: 'canvas' })}
        >
          {words.editOnPage}
        </Button>
      );
    case 'identifier':
      if (field.key === 'key') return <FieldControl {...props} elementType={elementType} />;
      return <TypedControl {...props} rows={1} />;
    default:
      return <TypedControl {...props} rows={(type.maxLength ?? 0) > 300 && type.kind === 'text' ? 3 : 1} />;
  }
}

function itemShape(key: string, elementType: string): 'options' | 'pictures' | 'texts' {
  if (key === 'options') return 'options';
  return elementType === 'gallery' ? 'pictures' : 'texts';
}

/**
 * The trait bar of a block: the settings that its author opens to the merchant, and stored settings that no trait opens
 * now.
 */
function BlockBar({ node, names }: { node: PageNode; names: Names }) {
  const { words } = usePanelWorkbench();
  const { appId, blockKey } = node.props?.specials ?? {};
  const block = names.blocks.get(blockNameKey(appId, blockKey));
  const settings = node.props?.settings ?? {};
  if (!block) {
    return (
      <Notice tone="warn" title={words.unknownBlock}>
        {words.unknownBlockHint({ key: String(blockKey) })}
      </Notice>
    );
  }
  const openTargets = listOpenTargets(block);
  const closedSettings = listClosedSettings(settings, openTargets);
  return (
    <>
      <p className={style.hint}>{words.blockOf({ app: block.appName, version: block.versionNumber })}</p>
      {openTargets.length === 0 && <p className={style.hint}>{words.nothingOpen}</p>}
      {(block.traits ?? []).map(({ key, label, attributes }) => (
        <GroupPanel key={key} title={label} isOpen isSet={false}>
          {attributes.map((attribute) => {
            const type = vocabulary.elementTypes[findSlotNode(block, attribute.slot)?.type ?? ''];
            const field =
              type &&
              listFields(type).find(
                (one) => one.target === attribute.target && one.key === attribute.writeKey,
              );
            if (!field) return null;
            const editTarget = createSlotTarget(node, block, attribute.slot);
            return (
              <FieldRow
                key={`${attribute.slot} ${fieldName(field)}`}
                editTarget={editTarget}
                field={field}
                elementType={findSlotNode(block, attribute.slot)?.type ?? ''}
              />
            );
          })}
        </GroupPanel>
      ))}
      {openTargets.map(({ slot, target, type }) => (
        <GroupPanel
          key={`${slot} ${target}`}
          title={words.allOf({ target: words.targets[target], slot: slot === '$root' ? block.name : slot })}
          isOpen={false}
          isSet={Object.keys(settings[slot]?.[target] ?? {}).length > 0}
        >
          <Groups
            editTarget={createSlotTarget(node, block, slot)}
            fields={listFields(type).filter((field) => field.target === target)}
            elementType={findSlotNode(block, slot)?.type ?? ''}
          />
        </GroupPanel>
      ))}
      {closedSettings.length > 0 && (
        <Notice title={words.keptTitle}>
          {words.keptHint}
          <ul>
            {closedSettings.map(({ slot, target }) => (
              <li key={`${slot} ${target}`}>{words.allOf({ target: words.targets[target], slot })}</li>
            ))}
          </ul>
        </Notice>
      )}
    </>
  );
}

const createSlotTarget = (node: PageNode, block: CatalogueBlock, slot: string): EditTarget => ({
  kind: 'slot',
  referenceId: node.id,
  slot,
  block,
});

/**
 * The bar of a global section, which counts as one node here. Its content is edited in place, or at its own address if
 * the section is inside another one.
 */
function SectionBar({ node, names }: { node: PageNode; names: Names }) {
  const { words, storeId, view, canWrite, surrounding: around, enter } = usePanelWorkbench();
  const sectionId = String(node.props?.specials?.sectionId);
  if (!names.sections.has(sectionId)) {
    return <Notice tone="warn" title={words.unknownSection} />;
  }
  return (
    <div className={style.section}>
      <p className={style.hint}>{words.sectionHint}</p>
      {canWrite && !around ? (
        <Button size="small" onPress={() => enter(node.id)}>
          {words.editSection({ name: describeKind(node, words, names) })}
        </Button>
      ) : (
        <LinkButton size="small" href={paths.inStore(storeId, 'sections', sectionId, 'edit')}>
          {words.editSection({ name: describeKind(node, words, names) })}
        </LinkButton>
      )}
      {canWrite && (
        <Button size="small" onPress={() => view.set({ sheet: { kind: 'detach' } })}>
          {words.detach}
        </Button>
      )}
    </div>
  );
}
