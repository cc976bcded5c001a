import { currencyExponent } from '@waybill/contracts/currencies';
import { Input } from 'react-aria-components/Input';
import { NumberField as AriaNumberField } from 'react-aria-components/NumberField';
import { Around, type Named } from './field.tsx';
import style from './fields.module.css';
import { useIsSent } from './sent.ts';

export interface NumberFieldProps extends Named {
  /** Null: nothing is typed. */
  value: number | null;
  onChange(value: number | null): void;
  minValue?: number;
  maxValue?: number;
  step?: number;
  isRequired?: boolean;
  isDisabled?: boolean;
  /** A code of ISO 4217: the number is money in its minor unit. */
  currency?: string;
}

/** A number, typed as the language writes it; with a currency, an amount in its minor unit. */
export function NumberField({ label, hint, value, onChange, currency, ...props }: NumberFieldProps) {
  const scale = currency ? 10 ** currencyExponent(currency) : 1;
  const scaled = (number: number | undefined) => (number === undefined ? undefined : number / scale);
  return (
    <AriaNumberField
      {...props}
      isReadOnly={useIsSent()}
      minValue={scaled(props.minValue)}
      maxValue={scaled(props.maxValue)}
      value={value === null ? Number.NaN : value / scale}
      onChange={(next) => onChange(Number.isNaN(next) ? null : Math.round(next * scale))}
      {...(currency && { formatOptions: { style: 'currency', currency } })}
      className={style.field}
    >
      <Around label={label} hint={hint}>
        <div className={style.row}>
          <Input className={style.input} />
        </div>
      </Around>
    </AriaNumberField>
  );
}
