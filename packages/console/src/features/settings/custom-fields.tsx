import { useQuery } from '@tanstack/react-query';
import type { Model } from '@waybill/sdk';
import { useState } from 'react';
import { api } from '../../api/client.ts';
import { useStore } from '../../api/me.ts';
import { useMutation } from '../../api/mutation.ts';
import {
  type CustomField,
  customFieldsKey,
  customFieldsQuery,
  type FieldEntity,
  getFieldName,
} from '../../shell/custom-fields/queries.ts';
import { useCustomFieldTexts } from '../../shell/custom-fields/texts.ts';
import { Failure } from '../../shell/problems.tsx';
import { useCommon } from '../../texts/common.ts';
import { Button } from '../../ui/button.tsx';
import { Form } from '../../ui/form.tsx';
import { Badge, Card, Grid, Row, Skeleton } from '../../ui/layout.tsx';
import { NumberField } from '../../ui/number-field.tsx';
import { Actions, ConfirmDialog, Dialog } from '../../ui/overlays.tsx';
import { Select } from '../../ui/select.tsx';
import { Switch } from '../../ui/switch.tsx';
import { TextField } from '../../ui/text-field.tsx';
import style from './settings.module.css';
import { SettingsScreen } from './settings-screen.tsx';

type FieldType = CustomField['type'];

const numbers: readonly FieldType[] = ['integer', 'decimal'];
const lengths: readonly FieldType[] = ['text', 'longText', 'richText', 'multiSelect', 'list'];
const patterned: readonly FieldType[] = ['text', 'longText', 'url', 'list'];
const chosen: readonly FieldType[] = ['select', 'multiSelect'];

/** The definitions of the store's custom fields, by entity. */
export function CustomFieldSettings() {
  return (
    <SettingsScreen part="custom-fields">
      <Definitions />
    </SettingsScreen>
  );
}

function Definitions() {
  const words = useCustomFieldTexts();
  const common = useCommon();
  const { id: storeId, manages } = useStore();
  const [entity, setEntity] = useState<FieldEntity>('product');
  const [edited, setEdited] = useState<CustomField | 'new' | null>(null);
  const [deleted, setDeleted] = useState<CustomField | null>(null);
  const { data, error, refetch } = useQuery(customFieldsQuery(storeId, entity));
  const remove = useMutation(
    (id: string) =>
      api.delete('/api/stores/{storeId}/custom-fields/{id}', { params: { path: { storeId, id } } }),
    { done: words.deleted, invalidates: [customFieldsKey(storeId)] },
  );
  const entities = Object.entries(words.entities).map(([id, text]) => ({ id: id as FieldEntity, text }));
  return (
    <Card title={words.title}>
      <p className={style.hint}>{words.definitionsHint}</p>
      <Select label={words.entity} choices={entities} value={entity} onChange={(id) => setEntity(id)} />
      {error && <Failure error={error} onRetry={() => void refetch()} />}
      {!data && !error && <Skeleton lines={3} />}
      {data?.length === 0 && <p className={style.hint}>{words.empty[entity]}</p>}
      {data && data.length > 0 && (
        <ul className={style.fields}>
          {data.map((field) => (
            <li key={field.id} className={style.fieldRow}>
              <div>
                <strong>{field.name}</strong>
                <small>
                  <code>{getFieldName(field)}</code> · {words.types[field.type]}
                </small>
              </div>
              <Row>
                {field.rules.required && <Badge>{words.required}</Badge>}
                {field.visibility === 'public' && <Badge tone="good">{words.public}</Badge>}
                {field.isFilterable && <Badge>{words.filterable}</Badge>}
                {field.appId !== null && <Badge>{words.ofApp}</Badge>}
                {manages && (
                  <>
                    <Button
                      size="small"
                      look="quiet"
                      aria-label={words.openEntity({ name: field.name })}
                      onPress={() => setEdited(field)}
                    >
                      {common.edit}
                    </Button>
                    <Button
                      size="small"
                      look="quiet"
                      aria-label={words.deleteField({ name: field.name })}
                      onPress={() => setDeleted(field)}
                    >
                      {common.delete}
                    </Button>
                  </>
                )}
              </Row>
            </li>
          ))}
        </ul>
      )}
      {manages && (
        <Row>
          <Button look="primary" onPress={() => setEdited('new')}>
            {words.add}
          </Button>
        </Row>
      )}
      {edited && (
        <DefinitionDialog
          entity={entity}
          field={edited === 'new' ? null : edited}
          onClose={() => setEdited(null)}
        />
      )}
      <ConfirmDialog
        title={deleted ? words.deleteTitle({ name: deleted.name }) : ''}
        confirm={common.delete}
        isOpen={deleted !== null}
        onClose={() => setDeleted(null)}
        onConfirm={() => remove.attempt(deleted!.id)}
      >
        {words.deleteHint}
      </ConfirmDialog>
    </Card>
  );
}

interface Draft {
  name: string;
  key: string;
  type: FieldType;
  options: string;
  required: boolean;
  min: number | null;
  max: number | null;
  pattern: string;
  isPublic: boolean;
  isFilterable: boolean;
}

const createDraft = (field: CustomField | null): Draft => ({
  name: field?.name ?? '',
  key: field?.key ?? '',
  type: field?.type ?? 'text',
  options: field?.options.join('\n') ?? '',
  required: field?.rules.required ?? false,
  min: field?.rules.min ?? null,
  max: field?.rules.max ?? null,
  pattern: field?.rules.pattern ?? '',
  isPublic: field?.visibility === 'public',
  isFilterable: field?.isFilterable ?? false,
});

/** Derives a key from a name. */
const keyFrom = (name: string): string =>
  name
    .normalize('NFKD')
    .toLowerCase()
    .split(/[^a-z0-9]/)
    .filter((word) => word !== '')
    .join('_')
    .replace(/^[0-9_]+/, '')
    .slice(0, 40);

function buildBody(
  draft: Draft,
  entity: FieldEntity,
): Omit<Model<'CustomFieldInput'>, 'entity' | 'key' | 'type'> {
  const { type } = draft;
  const isBounded = numbers.includes(type) || lengths.includes(type);
  return {
    name: draft.name,
    options: chosen.includes(type)
      ? draft.options
          .split('\n')
          .map((option) => option.trim())
          .filter((option) => option !== '')
      : [],
    rules: {
      required: draft.required,
      min: isBounded ? draft.min : null,
      max: isBounded ? draft.max : null,
      pattern: (patterned.includes(type) && draft.pattern) || null,
    },
    visibility: draft.isPublic ? 'public' : 'private',
    isFilterable: canFilter(entity, type) && draft.isPublic && draft.isFilterable,
  };
}

/** Whether shoppers can filter by a field. Long texts offer no sensible choices. */
const canFilter = (entity: FieldEntity, type: CustomField['type']) =>
  (entity === 'product' || entity === 'variant') && type !== 'longText' && type !== 'richText';

function DefinitionDialog({
  entity,
  field,
  onClose,
}: {
  entity: FieldEntity;
  field: CustomField | null;
  onClose(): void;
}) {
  const words = useCustomFieldTexts();
  const common = useCommon();
  const { id: storeId } = useStore();
  const [draft, setDraft] = useState(() => createDraft(field));
  const [isKeyTyped, setKeyTyped] = useState(false);
  const change = (changes: Partial<Draft>) => setDraft((before) => ({ ...before, ...changes }));
  const save = useMutation(
    () => {
      const body = buildBody(draft, entity);
      return field
        ? api.patch('/api/stores/{storeId}/custom-fields/{id}', {
            params: { path: { storeId, id: field.id } },
            body,
          })
        : api.post('/api/stores/{storeId}/custom-fields', {
            params: { path: { storeId } },
            body: { ...body, entity, key: draft.key, type: draft.type },
          });
    },
    {
      done: field ? words.saved : words.created,
      invalidates: [customFieldsKey(storeId)],
      fields: { invalid_key: '/key', duplicate_key: ['/key', words.keyTaken] },
      onDone: onClose,
    },
  );
  const types = Object.entries(words.types).map(([id, text]) => ({ id: id as FieldType, text }));
  return (
    <Dialog title={field ? words.edit : words.add} isOpen onClose={onClose}>
      <Form mutation={save} onSubmit={() => void save.run(undefined)}>
        <TextField
          label={words.name}
          name="/name"
          value={draft.name}
          onChange={(name) => change({ name, ...(!field && !isKeyTyped && { key: keyFrom(name) }) })}
          maxLength={200}
          isRequired
          autoFocus
        />
        <Grid>
          <TextField
            label={words.key}
            hint={words.keyHint}
            name="/key"
            value={draft.key}
            onChange={(key) => {
              setKeyTyped(true);
              change({ key });
            }}
            maxLength={40}
            isRequired
            isReadOnly={field !== null}
            isCode
          />
          <Select
            label={words.type}
            hint={words.typeHint}
            name="/type"
            choices={types}
            value={draft.type}
            onChange={(type) => change({ type, min: null, max: null, pattern: '' })}
            isDisabled={field !== null}
          />
        </Grid>
        <RuleFields draft={draft} onChange={change} />
        <VisibilityFields draft={draft} entity={entity} onChange={change} />
        <Actions>
          <Button onPress={onClose}>{common.cancel}</Button>
          <Button look="primary" type="submit" isPending={save.isPending}>
            {field ? common.save : common.create}
          </Button>
        </Actions>
      </Form>
    </Dialog>
  );
}

/** The fields that only some types have: options, bounds and a pattern. */
function RuleFields({ draft, onChange }: { draft: Draft; onChange(changes: Partial<Draft>): void }) {
  const words = useCustomFieldTexts();
  const isNumber = numbers.includes(draft.type);
  return (
    <>
      {chosen.includes(draft.type) && (
        <TextField
          label={words.options}
          hint={words.optionsHint}
          name="/options"
          rows={5}
          value={draft.options}
          onChange={(options) => onChange({ options })}
          isRequired
        />
      )}
      {(isNumber || lengths.includes(draft.type)) && (
        <Grid>
          <NumberField
            label={isNumber ? words.minimum : words.minimumLength}
            name="/rules/min"
            value={draft.min}
            onChange={(min) => onChange({ min })}
            {...(draft.type !== 'decimal' && { step: 1 })}
            {...(!isNumber && { minValue: 0 })}
          />
          <NumberField
            label={isNumber ? words.maximum : words.maximumLength}
            name="/rules/max"
            value={draft.max}
            onChange={(max) => onChange({ max })}
            {...(draft.type !== 'decimal' && { step: 1 })}
            {...(!isNumber && { minValue: 0 })}
          />
        </Grid>
      )}
      {patterned.includes(draft.type) && (
        <TextField
          label={words.pattern}
          hint={words.patternHint}
          name="/rules/pattern"
          value={draft.pattern}
          onChange={(pattern) => onChange({ pattern })}
          maxLength={500}
          isCode
        />
      )}
    </>
  );
}

/** Switches for who must fill in the field, sees it and filters by it. */
function VisibilityFields({
  draft,
  entity,
  onChange,
}: {
  draft: Draft;
  entity: FieldEntity;
  onChange(changes: Partial<Draft>): void;
}) {
  const words = useCustomFieldTexts();
  return (
    <>
      <Switch
        label={words.isRequired}
        value={draft.required}
        onChange={(required) => onChange({ required })}
      />
      <Switch label={words.isPublic} value={draft.isPublic} onChange={(isPublic) => onChange({ isPublic })} />
      <p className={style.hint}>{words.isPublicHint}</p>
      {canFilter(entity, draft.type) && (
        <>
          <Switch
            label={words.isFilterable}
            value={draft.isPublic && draft.isFilterable}
            onChange={(isFilterable) => onChange({ isFilterable })}
            isDisabled={!draft.isPublic}
          />
          <p className={style.hint}>{words.isFilterableHint}</p>
        </>
      )}
    </>
  );
}
