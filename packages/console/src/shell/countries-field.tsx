import type { ReactNode } from 'react';
import { IconButton } from '../ui/button.tsx';
import { CrossIcon } from '../ui/icons.tsx';
import { Row } from '../ui/layout.tsx';
import { Select } from '../ui/select.tsx';
import { useCountries } from './address.tsx';

/** A list of countries by their ISO codes. Unless it is disabled, countries can be added and removed. */
export function CountriesField<Code extends string>({
  addLabel,
  removeLabel,
  name,
  value,
  onChange,
  keepsOne = false,
  isDisabled,
  hint,
}: {
  addLabel: string;
  /** Label of the remove button; the country's name is appended. */
  removeLabel: string;
  name?: string;
  value: readonly Code[];
  onChange(value: Code[]): void;
  /** Whether the last country cannot be removed. */
  keepsOne?: boolean;
  isDisabled: boolean;
  hint?: ReactNode;
}) {
  const { choices, getCountryName } = useCountries();
  return (
    <>
      <ul>
        {value.map((country) => (
          <li key={country}>
            <Row isSpread>
              {getCountryName(country)}
              {!isDisabled && !(keepsOne && value.length === 1) && (
                <IconButton
                  label={`${removeLabel} ${getCountryName(country)}`}
                  onPress={() => onChange(value.filter((other) => other !== country))}
                >
                  <CrossIcon />
                </IconButton>
              )}
            </Row>
          </li>
        ))}
      </ul>
      {!isDisabled && (
        <Select
          label={addLabel}
          hint={hint}
          {...(name && { name })}
          choices={choices.filter(({ id }) => !value.includes(id as Code))}
          value={null}
          onChange={(id) => onChange([...value, id as Code])}
        />
      )}
    </>
  );
}
