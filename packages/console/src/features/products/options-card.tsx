import { productLimits } from '@waybill/contracts/product-limits';
import { useState } from 'react';
import { useCommon } from '../../texts/common.ts';
import { useFormats } from '../../texts/format.ts';
import { Button, IconButton } from '../../ui/button.tsx';
import { Form } from '../../ui/form.tsx';
import { CrossIcon } from '../../ui/icons.tsx';
import { Badge, Row, Stack } from '../../ui/layout.tsx';
import { Actions, ConfirmDialog, Dialog } from '../../ui/overlays.tsx';
import { TextField } from '../../ui/text-field.tsx';
import { useProductFormTexts } from './form-texts.ts';
import {
  countCombinations,
  type EditedOption,
  missingCombinations,
  type Option,
  toEditedOption,
  type Variant,
  withMissing,
  withOptions,
} from './options.ts';
import style from './products.module.css';

/** The options of a product and the variants that combine their values. */
export function OptionsEditor({
  options,
  variants,
  change,
  canWrite,
}: {
  options: readonly Option[];
  variants: readonly Variant[];
  change(changes: { options: Option[]; variants: Variant[] }): void;
  canWrite: boolean;
}) {
  const words = useProductFormTexts();
  /** Position of the edited option; a new one is at the end. */
  const [edited, setEdited] = useState<number | null>(null);
  const [removed, setRemoved] = useState<number | null>(null);
  const combinations = countCombinations(options);
  const missing = missingCombinations(options, variants).length;
  const put = (next: readonly EditedOption[]) => change(withOptions(options, variants, next));
  const all = options.map(toEditedOption);
  /** Returns the number of variants that an edit would remove. */
  const lostWith = (next: readonly EditedOption[]) =>
    variants.length - withOptions(options, variants, next).variants.length;
  return (
    <Stack>
      {options.length > 0 && (
        <ul className={style.options}>
          {options.map((option, at) => (
            <OptionRow
              key={option.name}
              option={option}
              canWrite={canWrite}
              onEdit={() => setEdited(at)}
              onRemove={() => setRemoved(at)}
            />
          ))}
        </ul>
      )}
      {canWrite && (
        <Row>
          <Button
            isDisabled={options.length >= productLimits.options}
            onPress={() => setEdited(options.length)}
          >
            {words.addOption}
          </Button>
          {missing > 0 && (
            <Button
              onPress={() => change({ options: [...options], variants: withMissing(options, variants) })}
            >
              {words.createMissing({ count: missing })}
            </Button>
          )}
          {combinations > productLimits.variants && (
            <small>{words.tooManyCombinations({ count: combinations })}</small>
          )}
        </Row>
      )}
      {edited !== null && (
        <OptionDialog
          option={all[edited] ?? { name: '', values: [] }}
          others={options.filter((_, at) => at !== edited).map(({ name }) => name)}
          lostWith={(next) => lostWith(all.toSpliced(edited, 1, next))}
          onDone={(next) => {
            put(all.toSpliced(edited, 1, next));
            setEdited(null);
          }}
          onClose={() => setEdited(null)}
        />
      )}
      <ConfirmDialog
        title={removed === null ? '' : words.removeOptionTitle({ name: options[removed]?.name ?? '' })}
        confirm={words.removeOption({ name: options[removed ?? -1]?.name ?? '' })}
        isOpen={removed !== null}
        onClose={() => setRemoved(null)}
        onConfirm={() => {
          put(all.toSpliced(removed!, 1));
          return Promise.resolve();
        }}
      >
        {removed !== null && words.losesVariants({ count: lostWith(all.toSpliced(removed, 1)) })}
      </ConfirmDialog>
    </Stack>
  );
}

/** An option with its first values. */
function OptionRow({
  option,
  canWrite,
  onEdit,
  onRemove,
}: {
  option: Option;
  canWrite: boolean;
  onEdit(): void;
  onRemove(): void;
}) {
  const words = useProductFormTexts();
  const common = useCommon();
  const formats = useFormats();
  return (
    <li className={style.option}>
      <span>
        <strong>{option.name}</strong>
        <span className={style.values}>
          {option.values.slice(0, 30).map((value) => (
            <Badge key={value}>{value}</Badge>
          ))}
          {option.values.length > 30 && <small>+{formats.number(option.values.length - 30)}</small>}
        </span>
      </span>
      {canWrite && (
        <Row>
          <Button
            size="small"
            look="quiet"
            aria-label={words.editOption({ name: option.name })}
            onPress={onEdit}
          >
            {common.edit}
          </Button>
          <Button
            size="small"
            look="quiet"
            aria-label={words.removeOption({ name: option.name })}
            onPress={onRemove}
          >
            {common.remove}
          </Button>
        </Row>
      )}
    </li>
  );
}

function OptionDialog({
  option,
  others,
  lostWith,
  onDone,
  onClose,
}: {
  option: EditedOption;
  others: readonly string[];
  lostWith(option: EditedOption): number;
  onDone(option: EditedOption): void;
  onClose(): void;
}) {
  const words = useProductFormTexts();
  const common = useCommon();
  const [name, setName] = useState(option.name);
  const [values, setValues] = useState(option.values);
  const [added, setAdded] = useState('');
  const [fault, setFault] = useState<string | null>(null);
  const add = (text: string): typeof values => {
    const texts = text
      .split(/[,\n]/)
      .map((each) => each.trim())
      .filter((each) => each !== '');
    const present = new Set(values.map(({ now }) => now));
    return [...values, ...[...new Set(texts)].filter((each) => !present.has(each)).map((now) => ({ now }))];
  };
  const take = () => {
    setValues(add(added));
    setAdded('');
  };
  function finish() {
    const all = add(added).map((value) => ({ ...value, now: value.now.trim() }));
    const wanted = name.trim();
    const names = new Set(all.map(({ now }) => now));
    const problem = others.includes(wanted)
      ? words.optionTwice
      : all.length === 0
        ? words.noValues
        : names.has('') || names.size < all.length
          ? words.valueTwice
          : all.length > productLimits.optionValues
            ? words.tooManyValues
            : null;
    setFault(problem);
    if (problem === null) onDone({ ...option, name: wanted, values: all });
  }
  const lost = values.length > 0 && option.was !== undefined ? lostWith({ ...option, name, values }) : 0;
  return (
    <Dialog
      title={option.was === undefined ? words.addOption : words.editOption({ name: option.was })}
      isOpen
      onClose={onClose}
    >
      <Form onSubmit={finish}>
        <TextField
          label={words.optionName}
          hint={words.optionNameHint}
          value={name}
          onChange={setName}
          maxLength={100}
          isRequired
          autoFocus
        />
        {values.length > 0 && <OptionValues values={values} onChange={setValues} />}
        <TextField
          label={words.addValues}
          hint={words.addValuesHint}
          value={added}
          onChange={setAdded}
          onKeyDown={(event) => {
            if (event.key !== 'Enter' || added.trim() === '') return;
            event.preventDefault();
            take();
          }}
        />
        <p role="alert">{fault}</p>
        {lost > 0 && <p>{words.losesVariants({ count: lost })}</p>}
        <Actions>
          <Button onPress={onClose}>{common.cancel}</Button>
          <Button look="primary" type="submit">
            {words.done}
          </Button>
        </Actions>
      </Form>
    </Dialog>
  );
}

function OptionValues({
  values,
  onChange,
}: {
  values: EditedOption['values'];
  onChange(values: EditedOption['values']): void;
}) {
  const words = useProductFormTexts();
  return (
    <ul className={style.optionValues} aria-label={words.optionValues}>
      {values.map((value, at) => (
        <li key={at}>
          <TextField
            label={words.optionValue({ position: at + 1 })}
            value={value.now}
            onChange={(now) => onChange(values.with(at, { ...value, now }))}
            maxLength={100}
            isRequired
          />
          <IconButton
            label={words.removeValue({ value: value.now })}
            onPress={() => onChange(values.toSpliced(at, 1))}
          >
            <CrossIcon />
          </IconButton>
        </li>
      ))}
    </ul>
  );
}
