import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { api } from '../../api/client.ts';
import { useStore } from '../../api/me.ts';
import { formatLocalTime, parseLocalTime } from '../../local-time.ts';
import { Button } from '../../ui/button.tsx';
import { Checkbox, CheckboxGroup } from '../../ui/choices.tsx';
import { SearchChoice } from '../../ui/combo-box.tsx';
import { CustomControlField } from '../../ui/custom-control-field.tsx';
import { Stack } from '../../ui/layout.tsx';
import { NumberField } from '../../ui/number-field.tsx';
import { Select } from '../../ui/select.tsx';
import { TextField } from '../../ui/text-field.tsx';
import { HtmlField } from '../html-field/html-field.tsx';
import { ImageField } from '../image-field.tsx';
import style from './custom-fields.module.css';
import {
  type CustomField,
  type CustomFieldsProps,
  escapePointerKey,
  type FieldValue,
  getFieldName,
} from './queries.ts';
import { useCustomFieldTexts } from './texts.ts';

/** One control for each definition. */
export function Fields({
  definitions,
  value,
  onChange,
  name: pointer = '/customFields',
  isReadOnly,
}: CustomFieldsProps & { definitions: readonly CustomField[] }) {
  const set = (name: string, next: FieldValue | null) => {
    const { [name]: _, ...rest } = value;
    onChange(next === null ? rest : { ...rest, [name]: next });
  };
  return (
    <Stack>
      {definitions.map((definition) => {
        const name = getFieldName(definition);
        return (
          <Control
            key={definition.id}
            definition={definition}
            name={`${pointer}/${escapePointerKey(name)}`}
            value={value[name] ?? null}
            onChange={(next) => set(name, next)}
            isReadOnly={isReadOnly}
          />
        );
      })}
    </Stack>
  );
}

interface ControlProps {
  definition: CustomField;
  name: string;
  value: FieldValue | null;
  onChange(value: FieldValue | null): void;
  isReadOnly: boolean;
}

function Control(props: ControlProps) {
  const words = useCustomFieldTexts();
  const { definition, name, value, onChange, isReadOnly } = props;
  const { name: label, rules, options } = definition;
  const text = typeof value === 'string' ? value : '';
  const shared = { label, name, isRequired: rules.required };
  const typed = { ...shared, value: text, isReadOnly };
  const put = (next: string) => onChange(next === '' ? null : next);
  switch (definition.type) {
    case 'text':
      return <TextField {...typed} onChange={put} maxLength={rules.max ?? 1_000} />;
    case 'longText':
      return <TextField {...typed} onChange={put} rows={4} maxLength={rules.max ?? 50_000} />;
    case 'richText':
      return (
        <HtmlField label={label} name={name} rows={4} value={text} onChange={put} isReadOnly={isReadOnly} />
      );
    case 'integer':
    case 'decimal':
      return (
        <NumberField
          {...shared}
          value={typeof value === 'number' ? value : null}
          onChange={onChange}
          {...(definition.type === 'integer' && { step: 1 })}
          {...(rules.min !== null && { minValue: rules.min })}
          {...(rules.max !== null && { maxValue: rules.max })}
          isDisabled={isReadOnly}
        />
      );
    case 'boolean':
      return (
        <Select
          label={label}
          name={name}
          choices={[
            { id: '', text: words.none },
            { id: 'true', text: words.yes },
            { id: 'false', text: words.no },
          ]}
          value={value === null ? '' : String(value)}
          onChange={(id) => onChange(id === '' ? null : id === 'true')}
          isDisabled={isReadOnly}
        />
      );
    case 'date':
      return <TextField {...typed} type="date" onChange={put} />;
    case 'instant':
      return <Instant {...props} />;
    case 'url':
      return <TextField {...typed} type="url" hint={words.urlHint} onChange={put} maxLength={2_048} />;
    case 'color':
      return <TextField {...typed} hint={words.colorHint} onChange={put} maxLength={9} spellCheck="false" />;
    case 'select':
      return (
        <Select
          label={label}
          name={name}
          choices={[
            { id: '', text: words.none },
            ...options.map((option) => ({ id: option, text: option })),
            // A value that is no longer an option stays selectable until the user chooses another.
            ...(text !== '' && !options.includes(text) ? [{ id: text, text }] : []),
          ]}
          value={text}
          onChange={put}
          isDisabled={isReadOnly}
        />
      );
    case 'multiSelect':
      return (
        <CheckboxGroup
          label={label}
          name={name}
          value={Array.isArray(value) ? value : []}
          onChange={(chosen) =>
            onChange(chosen.length === 0 ? null : options.filter((option) => chosen.includes(option)))
          }
          isDisabled={isReadOnly}
        >
          {options.map((option) => (
            <Checkbox key={option} id={option} label={option} />
          ))}
        </CheckboxGroup>
      );
    case 'list':
      return <Lines {...props} />;
    case 'media':
      return (
        <ImageField
          {...props}
          label={props.definition.name}
          value={typeof props.value === 'string' ? props.value : null}
        />
      );
    case 'product':
      return <ChosenProduct {...props} />;
  }
}

/** A date and time. The typed text is kept until blur, because a half-typed year is another instant. */
function Instant({ definition, name, value, onChange, isReadOnly }: ControlProps) {
  const [typed, setTyped] = useState<string | null>(null);
  return (
    <TextField
      label={definition.name}
      name={name}
      type="datetime-local"
      value={typed ?? (typeof value === 'string' ? formatLocalTime(value) : '')}
      onChange={(local) => {
        setTyped(local);
        onChange(parseLocalTime(local));
      }}
      onBlur={() => setTyped(null)}
      isRequired={definition.rules.required}
      isReadOnly={isReadOnly}
    />
  );
}

/** Texts, one per line. An empty line is kept while the user types. */
function Lines({ definition, name, value, onChange, isReadOnly }: ControlProps) {
  const words = useCustomFieldTexts();
  const [typed, setTyped] = useState<string | null>(null);
  return (
    <TextField
      label={definition.name}
      hint={words.listHint}
      name={name}
      rows={4}
      value={typed ?? (Array.isArray(value) ? value.join('\n') : '')}
      onChange={(text) => {
        setTyped(text);
        const lines = text.split('\n').filter((line) => line.trim() !== '');
        onChange(lines.length === 0 ? null : lines);
      }}
      onBlur={() => setTyped(null)}
      isRequired={definition.rules.required}
      isReadOnly={isReadOnly}
    />
  );
}

function ChosenProduct({ definition, name, value, onChange, isReadOnly }: ControlProps) {
  const words = useCustomFieldTexts();
  const store = useStore();
  const [q, setQ] = useState('');
  const id = typeof value === 'string' ? value : null;
  const { data: found, isFetching } = useQuery({
    queryKey: ['stores', store.id, 'products', 'of-field', q],
    queryFn: ({ signal }) =>
      api.get('/api/stores/{storeId}/products', {
        params: { path: { storeId: store.id }, query: { limit: 20, ...(q && { q }) } },
        signal,
      }),
    enabled: id === null && !isReadOnly,
  });
  const { data: chosen, isError } = useQuery({
    queryKey: ['stores', store.id, 'products', 'of-field', 'chosen', id],
    queryFn: ({ signal }) =>
      api.get('/api/stores/{storeId}/products/{id}', {
        params: { path: { storeId: store.id, id: id! } },
        signal,
      }),
    enabled: id !== null,
    retry: false,
  });
  if (id === null)
    return (
      <SearchChoice
        label={definition.name}
        name={name}
        choices={(found?.products ?? []).map((product) => ({ id: product.id, text: product.name }))}
        onSearch={setQ}
        onChoose={onChange}
        placeholder={words.searchProducts}
        empty={words.noProducts}
        isLoading={isFetching}
        isDisabled={isReadOnly}
      />
    );
  return (
    <CustomControlField label={definition.name} name={name}>
      {(attributes) => (
        <div {...attributes} className={style.chosen}>
          <span>{chosen?.product.name ?? (isError ? words.unknownProduct : id)}</span>
          {!isReadOnly && (
            <Button
              size="small"
              look="quiet"
              aria-label={words.removeValue({ name: definition.name })}
              onPress={() => onChange(null)}
            >
              ✕
            </Button>
          )}
        </div>
      )}
    </CustomControlField>
  );
}
