import { useQuery } from '@tanstack/react-query';
import {
  type FilterCondition,
  type FilterOp,
  filterOps,
  filterProblems,
  matchesFilter,
} from '@waybill/contracts/event-filter';
import { useDeferredValue, useState } from 'react';
import { useStore } from '../../api/me.ts';
import { useCommon } from '../../texts/common.ts';
import { Button } from '../../ui/button.tsx';
import { Card, Notice, Row, Stack } from '../../ui/layout.tsx';
import { Select } from '../../ui/select.tsx';
import { TextField } from '../../ui/text-field.tsx';
import { type EventType, latestEventsQuery } from './queries.ts';
import { useWebhookTexts } from './texts.ts';

/** Maximum number of conditions that the API accepts. */
const maxConditions = 20;

/** Edits the conditions of a webhook and tests them against the newest events. */
export function FilterCard({
  value,
  events,
  onChange,
}: {
  value: readonly FilterCondition[];
  events: readonly EventType[];
  onChange(filter: FilterCondition[]): void;
}) {
  const words = useWebhookTexts().settings;
  const change = (index: number, changes: Partial<FilterCondition>) =>
    onChange(value.map((each, i) => (i === index ? { ...each, ...changes } : each)));
  return (
    <Card title={words.filter}>
      <p>{words.filterHint}</p>
      <Stack>
        {value.map((condition, index) => (
          <Condition
            // A condition has no id, so its position is its key.
            key={index}
            index={index}
            value={condition}
            onChange={(changes) => change(index, changes)}
            onRemove={() => onChange(value.filter((_, i) => i !== index))}
          />
        ))}
        <Row>
          <Button
            isDisabled={value.length >= maxConditions}
            onPress={() => onChange([...value, { path: 'data.', op: 'is', value: '' }])}
          >
            {words.addCondition}
          </Button>
        </Row>
        {value.length > 0 && <Trial filter={value} events={events} />}
      </Stack>
    </Card>
  );
}

function Condition({
  index,
  value,
  onChange,
  onRemove,
}: {
  index: number;
  value: FilterCondition;
  onChange(changes: Partial<FilterCondition>): void;
  onRemove(): void;
}) {
  const words = useWebhookTexts().settings;
  const common = useCommon();
  // Kept as typed until the field loses the focus, since an unfinished value may parse differently.
  const [typed, setTyped] = useState<string | null>(null);
  const text = typed ?? formatValue(value.value);
  return (
    <Row>
      <TextField
        label={words.path}
        name={`/filter/${index}/path`}
        value={value.path}
        onChange={(path) => onChange({ path })}
        placeholder="data.product.status"
        isCode
        isRequired
      />
      <Select<FilterOp>
        label={words.op}
        name={`/filter/${index}/op`}
        choices={filterOps.map((id) => ({ id, text: words.ops[id] }))}
        value={value.op}
        onChange={(op) => onChange({ op, value: readValue(op, text) })}
      />
      <TextField
        label={words.value}
        name={`/filter/${index}/value`}
        value={text}
        onChange={(text) => {
          setTyped(text);
          onChange({ value: readValue(value.op, text) });
        }}
        onBlur={() => setTyped(null)}
        isCode
      />
      <Button onPress={onRemove}>{common.remove}</Button>
    </Row>
  );
}

/** Shows how many of the newest events pass the filter. */
function Trial({ filter, events }: { filter: readonly FilterCondition[]; events: readonly EventType[] }) {
  const words = useWebhookTexts().settings;
  const store = useStore();
  const typed = useDeferredValue(filter);
  const { data } = useQuery(latestEventsQuery(store.id, events));
  if (!data || filterProblems(typed).length > 0) return null;
  if (data.length === 0) return <Notice>{words.noEvents}</Notice>;
  const passed = data.filter((event) => matchesFilter(typed, { ...event })).length;
  return <Notice tone={passed === 0 ? 'warn' : 'good'}>{words.tried({ passed, all: data.length })}</Notice>;
}

/** Formats a value for the field. A text that would parse as JSON is quoted. */
function formatValue(value: FilterCondition['value']): string {
  if (typeof value !== 'string') return JSON.stringify(value);
  return typeof parsed(value) === 'undefined' ? value : JSON.stringify(value);
}

/** Parses a typed value as JSON, or takes it as text. For `in`, several values are separated by commas. */
function readValue(op: FilterOp, text: string): FilterCondition['value'] {
  if (op === 'exists') return text.trim() !== 'false';
  const json = parsed(text);
  if (op === 'in') {
    if (Array.isArray(json)) return json;
    return text.split(',').map((part) => readValue('is', part.trim()) as string);
  }
  const isScalar = json === null || ['number', 'boolean', 'string'].includes(typeof json);
  return isScalar ? (json as FilterCondition['value']) : text;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
