import { type KeyboardEvent, useEffect, useState } from 'react';
import { useLocale } from 'react-aria-components/I18nProvider';
import { Input } from 'react-aria-components/Input';
import { TextField as AriaTextField } from 'react-aria-components/TextField';
import { Around, type Named } from './field.tsx';
import style from './fields.module.css';
import { useIsSent } from './sent.ts';
import { useUiTexts } from './texts.ts';
import { readTypedNumber } from './typed-number.ts';

export interface NumberFieldProps extends Named {
  /** Null: nothing is typed. */
  value: number | null;
  onChange(value: number | null): void;
  minValue?: number;
  maxValue?: number;
  step?: number;
  isRequired?: boolean;
  isDisabled?: boolean;
  /** The number is money in the minor unit of a currency, a code of ISO 4217 that has so many decimals. */
  money?: { currency: string; exponent: number };
}

/** The decimals of a number that is no money and no whole number. */
const mostDecimals = 6;

const formats = new Map<string, Intl.NumberFormat>();

/** A format takes longer to make than a field: hundreds of fields share one. */
function formatOf(locale: string, decimals: number, currency: string | undefined): Intl.NumberFormat {
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
 * A number, typed as the language writes it; with a currency, an amount in its minor unit. What is no number that the field
 * takes stays as it was typed, with an error, and the form is not sent.
 */
export function NumberField({
  label,
  hint,
  value,
  onChange,
  money,
  minValue = Number.NEGATIVE_INFINITY,
  maxValue = Number.POSITIVE_INFINITY,
  step,
  ...props
}: NumberFieldProps) {
  const texts = useUiTexts();
  const { locale } = useLocale();
  const currency = money?.currency;
  const decimals = money ? money.exponent : step === 1 ? 0 : mostDecimals;
  const scale = currency ? 10 ** decimals : 1;
  const format = formatOf(locale, decimals, currency);
  const shown = value === null ? '' : format.format(value / scale);
  /** What is being typed, and the value it stands for; null: the field shows its value. */
  const [typed, setTyped] = useState<{ text: string; value: number | null } | null>(null);
  // A value that comes from elsewhere takes the place of what was typed.
  useEffect(() => setTyped((now) => (now && now.value !== value ? null : now)), [value]);

  function read(text: string): { value: number | null } | { fault: string } {
    // What was there is not put to nothing: whoever empties a field that must have a value has to type another.
    if (text.trim() === '')
      return props.isRequired ? { fault: texts.numberFaults.notANumber(decimals) } : { value: null };
    const number = readTypedNumber(text, { language: locale, decimals, currency });
    if (typeof number === 'string') return { fault: texts.numberFaults[number](decimals) };
    const found = Math.round(number * scale);
    const next = currency ? found : number;
    if (next < minValue) return { fault: texts.atLeast(format.format(minValue / scale)) };
    if (next > maxValue) return { fault: texts.atMost(format.format(maxValue / scale)) };
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
      {...(!props.isDisabled && !isReadOnly && { onKeyDown: turn })}
      validate={(text) => {
        const found = typed === null ? null : read(text);
        return found && 'fault' in found ? found.fault : null;
      }}
      inputMode={minValue < 0 ? 'text' : decimals > 0 ? 'decimal' : 'numeric'}
      autoComplete="off"
      className={style.field}
    >
      <Around label={label} hint={hint}>
        <div className={style.row}>
          <Input className={style.input} />
        </div>
      </Around>
    </AriaTextField>
  );
}
