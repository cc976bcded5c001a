import { NumberField, type NumberFieldProps } from './number-field.tsx';

/** A percentage as the API holds it: a decimal from 0 to 100 such as `8.1`, or an empty text. */
export const PercentField = ({
  value,
  onChange,
  ...props
}: Omit<NumberFieldProps, 'value' | 'onChange' | 'money' | 'minValue' | 'maxValue' | 'decimals'> & {
  value: string;
  onChange(value: string): void;
}) => (
  <NumberField
    {...props}
    value={value === '' ? null : Number(value)}
    onChange={(percent) => onChange(percent === null ? '' : String(percent))}
    minValue={0}
    maxValue={100}
    decimals={4}
  />
);
