import type { Model } from '@waybill/sdk';
import { useMemo } from 'react';
import { defineTexts, useLanguage, useTexts } from '../texts/texts.ts';
import { Grid } from '../ui/layout.tsx';
import { Select } from '../ui/select.tsx';
import { TextField } from '../ui/text-field.tsx';
import style from './shell.module.css';

export type Address = Model<'Address'>;

const texts = defineTexts({
  en: () => import('../texts/en/address.ts'),
  de: () => import('../texts/de/address.ts'),
});

export const blankAddress: Address = {
  name: '',
  line1: '',
  line2: '',
  postalCode: '',
  city: '',
  region: '',
  country: '',
};

/** ISO 3166-1 alpha-2 codes. */
const countries = (
  'AD AE AF AG AI AL AM AO AQ AR AS AT AU AW AX AZ BA BB BD BE BF BG BH BI BJ BL BM BN BO BQ BR BS BT BV BW BY BZ ' +
  'CA CC CD CF CG CH CI CK CL CM CN CO CR CU CV CW CX CY CZ DE DJ DK DM DO DZ EC EE EG EH ER ES ET FI FJ FK FM FO FR ' +
  'GA GB GD GE GF GG GH GI GL GM GN GP GQ GR GS GT GU GW GY HK HM HN HR HT HU ID IE IL IM IN IO IQ IR IS IT JE JM JO ' +
  'JP KE KG KH KI KM KN KP KR KW KY KZ LA LB LC LI LK LR LS LT LU LV LY MA MC MD ME MF MG MH MK ML MM MN MO MP MQ MR ' +
  'MS MT MU MV MW MX MY MZ NA NC NE NF NG NI NL NO NP NR NU NZ OM PA PE PF PG PH PK PL PM PN PR PS PT PW PY QA RE RO ' +
  'RS RU RW SA SB SC SD SE SG SH SI SJ SK SL SM SN SO SR SS ST SV SX SY SZ TC TD TF TG TH TJ TK TL TM TN TO TR TT TV ' +
  'TW TZ UA UG UM US UY UZ VA VC VE VG VI VN VU WF WS YE YT ZA ZM ZW'
).split(' ');

/** Returns the names of the countries in the current language. */
export function useCountries(): {
  getCountryName(code: string): string;
  choices: { id: string; text: string }[];
} {
  const language = useLanguage();
  return useMemo(() => {
    const names = new Intl.DisplayNames(language, { type: 'region', fallback: 'code' });
    const getCountryName = (code: string) => (/^[A-Z]{2}$/.test(code) ? names.of(code)! : code);
    const choices = countries.map((id) => ({ id, text: getCountryName(id) }));
    choices.sort((one, other) => one.text.localeCompare(other.text, language));
    return { getCountryName, choices };
  }, [language]);
}

/** The fields of an address. `name` is the JSON pointer of the address in the request body. */
export function AddressFields({
  name,
  value,
  onChange,
  isReadOnly = false,
}: {
  name: string;
  value: Address;
  onChange(address: Address): void;
  isReadOnly?: boolean;
}) {
  const words = useTexts(texts);
  const { choices } = useCountries();
  const field = (part: Exclude<keyof Address, 'country'>) => (
    <TextField
      label={words[part]}
      name={`${name}/${part}`}
      value={value[part]}
      onChange={(text) => onChange({ ...value, [part]: text })}
      autoComplete="off"
      maxLength={200}
      isReadOnly={isReadOnly}
    />
  );
  return (
    <Grid>
      {field('name')}
      {field('line1')}
      {field('line2')}
      {field('postalCode')}
      {field('city')}
      {field('region')}
      <Select
        label={words.country}
        name={`${name}/country`}
        choices={[{ id: 'none', text: words.noCountry }, ...choices]}
        value={value.country || 'none'}
        onChange={(country) => onChange({ ...value, country: country === 'none' ? '' : country })}
        isDisabled={isReadOnly}
      />
    </Grid>
  );
}

/** An address in the form of a parcel label, without its empty parts. */
export function AddressText({ address }: { address: Address }) {
  const { getCountryName } = useCountries();
  const { name, line1, line2, postalCode, city, region, country } = address;
  const lines = [name, line1, line2, `${postalCode} ${city}`.trim(), region, getCountryName(country)];
  return (
    <address className={style.address}>
      {lines
        .filter((line) => line !== '')
        .map((line, position) => (
          <span key={position}>{line}</span>
        ))}
    </address>
  );
}
