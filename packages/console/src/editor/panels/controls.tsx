import type { Json, ValueType } from '@waybill/page';
import { type KeyboardEvent, useState } from 'react';
import { Button } from 'react-aria-components/Button';
import { useLocale } from 'react-aria-components/I18nProvider';
import { Input } from 'react-aria-components/Input';
import { ListBox, ListBoxItem } from 'react-aria-components/ListBox';
import { Popover } from 'react-aria-components/Popover';
import { Select, SelectValue } from 'react-aria-components/Select';
import { Switch } from 'react-aria-components/Switch';
import { TextArea } from 'react-aria-components/TextArea';
import { TextField } from 'react-aria-components/TextField';
import { CheckIcon, ChevronIcon } from '../../ui/icons.tsx';
import { Segments } from '../../ui/segments.tsx';
import style from './controls.module.css';
import { isValidInput, normalizeNumber, parseInput } from './fields.ts';

/**
 * The props of every control: its value, and the ids of the elements that name and describe it. Without `labelId` the
 * label itself is the name.
 */
export interface ControlProps {
  readonly label: string;
  readonly labelId: string;
  readonly describedBy: string | undefined;
  readonly value: Json | undefined;
  /** Shown if the control has no value of its own: that of a wider width, of the app or of the vocabulary. */
  readonly inherited: Json | undefined;
  readonly type: ValueType;
  /** The inherited value as text, else the computed one. */
  readonly placeholder: string;
  readonly isInvalid: boolean;
  readonly isDisabled: boolean;
  /** Returns the field's value as it is now, for changes that come long after the control was drawn. */
  readLatest(): Json | undefined;
  /** `undefined` removes the set value. */
  onChange(value: Json | undefined): void;
  /** Called when the typed text is not valid yet. */
  onReject(text: string): void;
}

const toText = (value: Json | undefined): string =>
  value === undefined || value === null
    ? ''
    : typeof value === 'object'
      ? JSON.stringify(value)
      : String(value);

/**
 * A control for a typed value. A valid text takes effect at once; an invalid one stays as typed and is reported. Arrow
 * keys change numbers and lengths: by 1, with Shift by 10, with Alt by 0.1.
 */
export function TypedControl({ rows = 1, ...props }: ControlProps & { rows?: number }) {
  const { value, type, label, labelId, describedBy, placeholder, isInvalid, isDisabled, onChange, onReject } =
    props;
  const [draft, setDraft] = useState<string | null>(null);
  const { locale } = useLocale();
  const isFreeText = type.pattern === undefined && type.type === 'string';
  const normalize = (typed: string) => (isFreeText ? typed : normalizeNumber(type, typed, locale));
  const text = draft ?? toText(value);
  function onType(next: string) {
    setDraft(next);
    if (next === '' && !isFreeText) onChange(undefined);
    else if (isValidInput(type, normalize(next))) onChange(toStoredValue(type, normalize(next)));
  }
  function commit() {
    if (draft === null) return;
    const trimmed = normalize(draft).trim();
    const withUnit = `${trimmed}px`;
    if (isValidInput(type, draft) || trimmed === '') return setDraft(null);
    if (isValidInput(type, trimmed)) onChange(toStoredValue(type, trimmed));
    else if (isValidInput(type, withUnit)) onChange(withUnit);
    else return onReject(draft);
    setDraft(null);
  }
  function onKeyDown(event: KeyboardEvent) {
    if (event.key === 'Escape' && draft !== null) {
      event.stopPropagation();
      setDraft(null);
      onReject('');
    }
    if (event.key === 'Enter' && rows === 1) commit();
    if (isFreeText || (event.key !== 'ArrowUp' && event.key !== 'ArrowDown')) return;
    const size = event.shiftKey ? 10 : event.altKey ? 0.1 : 1;
    const next = stepValue(text === '' ? placeholder : text, (event.key === 'ArrowUp' ? 1 : -1) * size, type);
    if (next === null) return;
    event.preventDefault();
    event.stopPropagation();
    setDraft(null);
    onChange(toStoredValue(type, next));
  }
  return (
    <TextField
      value={text}
      onChange={onType}
      onBlur={commit}
      isInvalid={isInvalid}
      isDisabled={isDisabled}
      {...(labelId === '' ? { 'aria-label': label } : { 'aria-labelledby': labelId })}
      {...(describedBy && { 'aria-describedby': describedBy })}
      className={style.typed!}
    >
      {/* The field would stop all keys that it is given a handler for, and with them the editor's own. */}
      {rows > 1 ? (
        <TextArea rows={rows} className={style.input!} placeholder={placeholder} onKeyDown={onKeyDown} />
      ) : (
        <Input
          className={style.input!}
          placeholder={placeholder}
          onKeyDown={onKeyDown}
          spellCheck={isFreeText}
          autoComplete="off"
        />
      )}
    </TextField>
  );
}

/** Converts a text to a value. A type with several alternatives may read it as a number, as for a line height. */
function toStoredValue(type: ValueType, text: string): Json {
  const own = type.anyOf?.find((one) => isValidInput(one, text)) ?? type;
  return parseInput(own, text);
}

/** Returns a text with its number increased; null if it has no number or the result would be out of range. */
function stepValue(text: string, steps: number, type: ValueType): string | null {
  const [, number, unit] =
    /^(-?(?:\d+(?:\.\d+)?|\.\d+))([a-z%]*)$/.exec(text.trim() === '' ? '0' : text.trim()) ?? [];
  if (number === undefined) return null;
  const step = type.maximum !== undefined && type.maximum <= 1 ? 0.1 : 1;
  const next = String(Math.round((Number(number) + steps * step) * 10_000) / 10_000);
  return [`${next}${unit}`, `${next}px`].find((one) => isValidInput(type, one)) ?? null;
}

/** A control for a colour, typed or picked. */
export function ColorControl(props: ControlProps) {
  const { value, inherited, placeholder, label, isDisabled, onChange } = props;
  const candidates = [toText(value), toText(inherited), placeholder];
  const hex = candidates.find((one) => /^#[0-9a-f]{6}$/i.test(one)) ?? '#000000';
  return (
    <div className={style.pair}>
      <input
        type="color"
        className={style.swatch}
        aria-label={label}
        value={hex}
        disabled={isDisabled}
        onChange={({ target }) => onChange(target.value)}
      />
      <TypedControl {...props} />
    </div>
  );
}

/** A control for a number in a narrow range, set by a slider or typed. */
export function SliderControl(props: ControlProps) {
  const { value, inherited, placeholder, label, type, isDisabled, onChange } = props;
  const { minimum = 0, maximum = 1 } = type;
  const effective = value ?? inherited ?? (placeholder === '' ? maximum : Number(placeholder));
  return (
    <div className={style.pair}>
      <input
        type="range"
        className={style.range}
        aria-label={label}
        min={minimum}
        max={maximum}
        step={(maximum - minimum) / 100}
        value={typeof effective === 'number' && !Number.isNaN(effective) ? effective : maximum}
        disabled={isDisabled}
        onChange={({ target }) => onChange(Number(target.value))}
      />
      <TypedControl {...props} />
    </div>
  );
}

/** A control for one of several choices, side by side if they are few and short. */
export function ChoiceControl({
  choices,
  ...props
}: ControlProps & { choices: readonly { id: string; text: string }[] }) {
  const { value, inherited, type, label, labelId, describedBy, placeholder, isDisabled, onChange } = props;
  const chosen = value === undefined || value === null ? null : String(value);
  const effective = choices.find(({ id }) => id === String(inherited ?? placeholder));
  const choose = (id: string) => onChange(parseInput(type, id));
  const isShort = choices.length <= 4 && choices.reduce((sum, { text }) => sum + text.length + 2, 0) <= 18;
  if (isShort) {
    return (
      <Segments
        label={label}
        choices={choices}
        value={chosen ?? effective?.id ?? null}
        isInherited={chosen === null}
        onChange={choose}
        isDisabled={isDisabled}
      />
    );
  }
  return (
    <Select
      aria-labelledby={labelId}
      {...(describedBy && { 'aria-describedby': describedBy })}
      value={chosen}
      onChange={(id) => id !== null && choose(String(id))}
      isDisabled={isDisabled}
      className={style.typed!}
    >
      <Button className={`${style.input} ${style.select}`}>
        <SelectValue>{({ selectedText }) => selectedText || (effective?.text ?? placeholder)}</SelectValue>
        <ChevronIcon />
      </Button>
      <Popover className={style.popover!}>
        <ListBox className={style.list!} items={choices}>
          {(choice) => (
            <ListBoxItem id={choice.id} textValue={choice.text} className={style.option!}>
              {choice.text}
              <CheckIcon />
            </ListBoxItem>
          )}
        </ListBox>
      </Popover>
    </Select>
  );
}

export function SwitchControl({
  value,
  inherited,
  labelId,
  describedBy,
  isDisabled,
  onChange,
}: ControlProps) {
  return (
    <Switch
      isSelected={(value ?? inherited) === true}
      onChange={(next) => onChange(next)}
      isDisabled={isDisabled}
      aria-labelledby={labelId}
      {...(describedBy && { 'aria-describedby': describedBy })}
      className={style.switch!}
    >
      <span className={style.track} />
    </Switch>
  );
}
