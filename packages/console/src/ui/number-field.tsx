import { type KeyboardEvent, useEffect, useState } from 'react';
import { useLocale } from 'react-aria-components/I18nProvider';
import { Input } from 'react-aria-components/Input';
import { TextField as AriaTextField } from 'react-aria-components/TextField';
import { FieldFrame, type Named } from './field.tsx';
import style from './fields.module.css';
import { useResets } from './resets.ts';
import { useIsSent } from './sent.ts';
import { useUiTexts } from './texts.ts';
import { type NumberFault, readTypedNumber } from './typed-number.ts';

export interface NumberFieldProps extends Named {
  /** Null: the field is empty. */
  value: number | null;
  onChange(value: number | null): void;
  minValue?: number;
  maxValue?: number;
  step?: number;
  /** Maximum decimals of a number that is neither money nor whole. */
  decimals?: number;
  isRequired?: boolean;
  isDisabled?: boolean;
  /** Makes the number an amount in the minor unit of this ISO 4217 currency, which has `exponent` decimals. */
  money?: { currency: string; exponent: number };
}

const formats = new Map<string, Intl.NumberFormat>();

/**
 * Returns a shared number format. Creating one is slower than rendering a field, and screens have hundreds of fields.
 */
function getFormat(locale: string, decimals: number, currency: string | undefined): Intl.NumberFormat {
  const key = `${locale} ${decimals} ${currency}`;
  let format = formats.get(key);
  if (!format) {
    format = new Intl.NumberFormat(locale, {
      ...(currency && { style: 'currency', currency, minimumFractionDigits: decimals }),
      maximumFractionDigits: decimals,
    });
    formats.set(key, format);
  }
  return format;
}

/**
 * A number field that follows the notation of the language; with `money`, the value is an amount in minor units. Text
 * that is not a valid number stays as typed, shows an error and blocks the form, until the form drops what was typed.
 */
export const NumberField = (props: NumberFieldProps) => <TypedNumber key={useResets()} {...props} />;

function TypedNumber({
  label,
  hint,
  value,
  onChange,
  money,
  minValue = Number.NEGATIVE_INFINITY,
  maxValue = Number.POSITIVE_INFINITY,
  step,
  decimals: mostDecimals = 6,
  ...props
}: NumberFieldProps) {
  const texts = useUiTexts();
  const { locale } = useLocale();
  const currency = money?.currency;
  const decimals = money ? money.exponent : step === 1 ? 0 : mostDecimals;
  const scale = currency ? 10 ** decimals : 1;
  const format = getFormat(locale, decimals, currency);
  const shown = value === null ? '' : format.format(value / scale);
  /** The text being typed and the value it stands for. Null: the field shows its value. */
  const [typed, setTyped] = useState<{ text: string; value: number | null } | null>(null);
  // A value set from outside replaces the typed text.
  useEffect(() => setTyped((now) => (now && now.value !== value ? null : now)), [value]);

  const explain = (fault: NumberFault) =>
    fault === 'tooManyDecimals'
      ? texts.numberFaults.tooManyDecimals({ decimals })
      : texts.numberFaults[fault];

  function read(text: string): { value: number | null } | { fault: string } {
    // An emptied required field keeps its old value and asks for a number, instead of becoming null.
    if (text.trim() === '')
      return props.isRequired ? { fault: texts.numberFaults.notANumber } : { value: null };
    const number = readTypedNumber(text, { language: locale, decimals, currency });
    if (typeof number === 'string') return { fault: explain(number) };
    const found = Math.round(number * scale);
    const next = currency ? found : number;
    if (next < minValue) return { fault: texts.atLeast({ number: format.format(minValue / scale) }) };
    if (next > maxValue) return { fault: texts.atMost({ number: format.format(maxValue / scale) }) };
    return { value: next };
  }

  function type(text: string) {
    const found = read(text);
    const isValue = 'value' in found;
    setTyped({ text, value: isValue ? found.value : value });
    if (isValue && found.value !== value) onChange(found.value);
  }

  function turn(event: KeyboardEvent) {
    const by = event.key === 'ArrowUp' ? 1 : event.key === 'ArrowDown' ? -1 : 0;
    if (by === 0) return;
    event.preventDefault();
    event.stopPropagation();
    const next = (value ?? 0) + by * (step ?? 1) * scale;
    if (next < minValue || next > maxValue) return;
    setTyped(null);
    onChange(next);
  }

  const isSent = useIsSent();
  const isReadOnly = isSent || props.isReadOnly;
  return (
    <AriaTextField
      {...props}
      isReadOnly={isReadOnly}
      value={typed?.text ?? shown}
      onChange={type}
      onBlur={() => setTyped((now) => (now && 'value' in read(now.text) ? null : now))}
      validate={(text) => {
        const found = typed === null ? null : read(text);
        return found && 'fault' in found ? found.fault : null;
      }}
      inputMode={minValue < 0 ? 'text' : decimals > 0 ? 'decimal' : 'numeric'}
      autoComplete="off"
      className={style.field}
    >
      <FieldFrame label={label} hint={hint}>
        <div className={style.row}>
          {/* The field would stop all keys that it is given a handler for, such as Escape in a dialog. */}
          <Input className={style.input} {...(!isReadOnly && { onKeyDown: turn })} />
        </div>
      </FieldFrame>
    </AriaTextField>
  );
}
