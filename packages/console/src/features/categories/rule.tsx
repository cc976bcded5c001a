import { keepPreviousData, useQuery } from '@tanstack/react-query';
import {
  customFieldPrefix,
  kindOfCustomFieldType,
  kindOfRuleField,
  maxRuleConditions,
  operationsOfKind,
  type RuleField,
  type RuleOperation,
  type RuleValueKind,
  ruleFields,
} from '@waybill/contracts/category-rules';
import { foldText } from '@waybill/contracts/fold';
import { isWaybillError } from '@waybill/sdk';
import { lazy, Suspense, useEffect, useState } from 'react';
import { useStore } from '../../api/me.ts';
import { paths } from '../../paths.ts';
import { useDefinitions } from '../../shell/custom-fields/custom-fields.tsx';
import { type CustomField, getFieldName } from '../../shell/custom-fields/queries.ts';
import { useCommon } from '../../texts/common.ts';
import { Button, IconButton, TextLink } from '../../ui/button.tsx';
import { RadioGroup } from '../../ui/choices.tsx';
import { CrossIcon } from '../../ui/icons.tsx';
import { Row, Stack } from '../../ui/layout.tsx';
import { NumberField } from '../../ui/number-field.tsx';
import { Select } from '../../ui/select.tsx';
import { SuggestField } from '../../ui/suggest-field.tsx';
import { TextField } from '../../ui/text-field.tsx';
import style from './categories.module.css';
import { CategoryField } from './category-field.tsx';
import type { DraftCondition, DraftRule } from './draft-rule.ts';
import { previewQuery, type Rule, suggestionsQuery } from './queries.ts';
import { useCategoryTexts } from './texts.ts';
import { Thumb } from './thumb.tsx';

/** Loads on demand, because few rules compare anything but texts and numbers. */
const Fields = lazy(async () => ({ default: (await import('../../shell/custom-fields/fields.tsx')).Fields }));

const isFilled = ({ value }: DraftCondition): boolean => value !== null && value !== '';

/** Returns the kind of value of a field, or null if its custom field was deleted. */
function findKind(field: string, definitions: readonly CustomField[]): RuleValueKind | null {
  if (!field.startsWith(customFieldPrefix)) return kindOfRuleField[field as RuleField] ?? null;
  const definition = findDefinition(field, definitions);
  return definition ? kindOfCustomFieldType[definition.type] : null;
}

const findDefinition = (field: string, definitions: readonly CustomField[]) =>
  definitions.find((definition) => customFieldPrefix + getFieldName(definition) === field);

/** Edits the conditions of a rule and previews the products that match. */
export function RuleEditor({
  rule,
  onChange,
  ownId,
  isReadOnly,
}: {
  rule: DraftRule;
  onChange(rule: DraftRule): void;
  /** Id of the category that has the rule, or null for a new one. */
  ownId: string | null;
  isReadOnly: boolean;
}) {
  const words = useCategoryTexts();
  const definitions = useDefinitions('product');
  const { conditions } = rule;
  const put = (next: readonly DraftCondition[]) => onChange({ ...rule, conditions: next });
  return (
    <Stack>
      <RadioGroup
        label={words.match}
        choices={[
          { id: 'all', text: words.matches.all },
          { id: 'any', text: words.matches.any },
        ]}
        value={rule.match}
        onChange={(match) => onChange({ ...rule, match })}
        isDisabled={isReadOnly}
      />
      <ol className={style.conditions} aria-label={words.conditions}>
        {conditions.map((condition, at) => (
          <li key={at} className={style.condition}>
            <ConditionFields
              condition={condition}
              at={at}
              definitions={definitions}
              ownId={ownId}
              onChange={(next) => put(conditions.with(at, next))}
              isReadOnly={isReadOnly}
            />
            {!isReadOnly && (
              <span className={style.remove}>
                <IconButton
                  label={words.removeCondition({ position: at + 1 })}
                  isDisabled={conditions.length === 1}
                  onPress={() => put(conditions.toSpliced(at, 1))}
                >
                  <CrossIcon />
                </IconButton>
              </span>
            )}
          </li>
        ))}
      </ol>
      {!isReadOnly && (
        <Row>
          <Button
            isDisabled={conditions.length >= maxRuleConditions}
            onPress={() => put([...conditions, { field: 'tag', op: 'is', value: null }])}
          >
            {words.addCondition}
          </Button>
        </Row>
      )}
      <Preview rule={rule} />
    </Stack>
  );
}

interface ConditionProps {
  condition: DraftCondition;
  at: number;
  definitions: readonly CustomField[];
  ownId: string | null;
  onChange(condition: DraftCondition): void;
  isReadOnly: boolean;
}

function ConditionFields(props: ConditionProps) {
  const { condition, at, definitions, onChange, isReadOnly } = props;
  const words = useCategoryTexts();
  const { field, op } = condition;
  const pointer = `/rule/conditions/${at}`;
  const fields = [
    ...ruleFields.map((id) => ({ id: id as string, text: words.ruleFields[id] })),
    ...definitions.map((definition) => ({
      id: customFieldPrefix + getFieldName(definition),
      text: definition.name,
      detail: words.customField,
    })),
  ];
  const kind = findKind(field, definitions);
  const operations: readonly RuleOperation[] = kind ? operationsOfKind[kind] : [op];
  const isTime = kind === 'instant' || kind === 'time';
  const operationTexts = isTime ? { ...words.operations, ...words.timeOperations } : words.operations;
  return (
    <>
      <Select
        label={words.field}
        name={`${pointer}/field`}
        // A deleted custom field stays in the list while the condition uses it.
        choices={fields.some(({ id }) => id === field) ? fields : [...fields, { id: field, text: field }]}
        value={field}
        onChange={(next) => {
          const nextKind = findKind(next, definitions);
          const isSame = nextKind === kind && kind !== 'category' && kind !== 'id';
          const fitting: readonly RuleOperation[] = nextKind ? operationsOfKind[nextKind] : [op];
          onChange({
            field: next,
            op: fitting.includes(op) ? op : fitting[0]!,
            value: isSame && next !== 'priceCents' && field !== 'priceCents' ? condition.value : null,
          });
        }}
        isDisabled={isReadOnly}
      />
      <Select
        label={words.operation}
        name={`${pointer}/op`}
        choices={operations.map((id) => ({ id, text: operationTexts[id] }))}
        value={op}
        onChange={(next) =>
          onChange({
            ...condition,
            op: next,
            value: (next === 'within') === (op === 'within') ? condition.value : null,
          })
        }
        isDisabled={isReadOnly}
      />
      <ValueField {...props} kind={kind} name={`${pointer}/value`} />
    </>
  );
}

function ValueField({
  condition,
  kind,
  definitions,
  ownId,
  name,
  onChange,
  isReadOnly,
}: ConditionProps & { kind: RuleValueKind | null; name: string }) {
  const words = useCategoryTexts();
  const store = useStore();
  const { data: suggestions } = useQuery(suggestionsQuery(store.id));
  const { field, op, value } = condition;
  const put = (next: DraftCondition['value']) => onChange({ ...condition, value: next });
  const text = typeof value === 'string' ? value : '';
  const number = typeof value === 'number' ? value : null;
  const shared = { label: words.value, name, isRequired: true };
  const definition = findDefinition(field, definitions);
  if (op === 'within')
    return (
      <NumberField
        {...shared}
        label={words.days}
        value={number}
        onChange={put}
        minValue={1}
        maxValue={36_500}
        isDisabled={isReadOnly}
      />
    );
  if (kind === 'category')
    return <CategoryField {...shared} value={text} onChange={put} without={ownId} isReadOnly={isReadOnly} />;
  if (kind === 'number' || kind === 'decimal')
    return (
      <NumberField
        {...shared}
        value={number}
        onChange={put}
        {...(field === 'priceCents' && {
          money: { currency: store.currency, exponent: store.currencyExponent },
        })}
        {...(kind === 'number' && field !== 'priceCents' && { step: 1 })}
        isDisabled={isReadOnly}
      />
    );
  if (kind === 'instant')
    return (
      <TextField
        {...shared}
        type="date"
        value={text.slice(0, 10)}
        onChange={(day) => put(day === '' ? null : `${day}T00:00:00.000Z`)}
        isReadOnly={isReadOnly}
      />
    );
  if (definition && (kind === 'boolean' || kind === 'time' || kind === 'id'))
    return (
      <Suspense>
        <Fields
          entity="product"
          definitions={[
            { ...definition, name: words.value, rules: { ...definition.rules, required: false } },
          ]}
          value={value === null ? {} : { [getFieldName(definition)]: value }}
          onChange={(values) => put((values[getFieldName(definition)] as DraftCondition['value']) ?? null)}
          isReadOnly={isReadOnly}
        />
      </Suspense>
    );
  const known =
    field === 'vendor'
      ? (suggestions?.vendors ?? [])
      : field === 'tag'
        ? (suggestions?.tags ?? [])
        : definition?.options.length
          ? definition.options
          : undefined;
  if (known)
    return (
      <SuggestField
        fold={foldText}
        {...shared}
        choices={known.map((each) => ({ id: each, text: each }))}
        value={text}
        onChange={put}
        takesTyped
        isDisabled={isReadOnly}
      />
    );
  return <TextField {...shared} value={text} onChange={put} maxLength={200} isReadOnly={isReadOnly} />;
}

/** Typing pause before a rule is previewed, in milliseconds. */
const restMs = 300;

/** The products that match the edited rule. */
function Preview({ rule }: { rule: DraftRule }) {
  const words = useCategoryTexts();
  const common = useCommon();
  const store = useStore();
  const filled = rule.conditions.filter(isFilled);
  const wanted = filled.length === 0 ? null : JSON.stringify({ match: rule.match, conditions: filled });
  const [rested, setRested] = useState(wanted);
  useEffect(() => {
    const timer = setTimeout(() => setRested(wanted), restMs);
    return () => clearTimeout(timer);
  }, [wanted]);
  const asked = rested === null ? null : (JSON.parse(rested) as Rule);
  const { data, error, isFetching } = useQuery({
    ...previewQuery(store.id, asked),
    placeholderData: keepPreviousData,
  });
  const isOpen = filled.length < rule.conditions.length;
  const said =
    wanted === null
      ? words.previewHint
      : error
        ? isWaybillError(error, 'invalid_body')
          ? words.previewInvalid
          : common.errors.resource_unavailable
        : data
          ? words.previewCount({ count: data.total })
          : common.loading;
  const isShown = wanted !== null && !error && data;
  return (
    <section className={style.preview} aria-label={words.preview}>
      <p role="status">
        <strong>{said}</strong>
        {isOpen && wanted !== null && <span className={style.hint}> {words.previewOpen}</span>}
      </p>
      {isShown && data.products.length > 0 && (
        <ul className={isFetching ? style.waiting : ''}>
          {data.products.map(({ id, name, imageMediaId }) => (
            <li key={id} className={style.product}>
              <Thumb id={imageMediaId} />
              <TextLink href={paths.inStore(store.id, 'products', id)}>{name}</TextLink>
            </li>
          ))}
        </ul>
      )}
      {isShown && data.total > data.products.length && data.products.length > 0 && (
        <p className={style.hint}>{words.previewMore({ count: data.total - data.products.length })}</p>
      )}
    </section>
  );
}
