import {
  countries,
  hasVisibleCharacter,
  isSingleLine,
  type PageCheckout,
  parseEmail,
} from '@waybill/contracts';
import type { FormValues } from './form.ts';
import type { ShopTexts } from './texts.ts';

export type FieldName =
  | ('name' | 'email' | 'phone')
  | ('line1' | 'line2' | 'postalCode' | 'city' | 'region' | 'country');

/** A field in the checkout's form. */
interface Field {
  name: FieldName;
  /** WHATWG HTML, 4.10.18.7. */
  autocomplete: string;
  type?: 'email' | 'tel';
  isRequired?: true;
  maxLength: number;
}

export const contactFields: readonly Field[] = [
  { name: 'name', autocomplete: 'name', isRequired: true, maxLength: 200 },
  { name: 'email', autocomplete: 'email', type: 'email', isRequired: true, maxLength: 254 },
  { name: 'phone', autocomplete: 'tel', type: 'tel', maxLength: 50 },
];
export const addressFields: readonly Field[] = [
  { name: 'line1', autocomplete: 'address-line1', isRequired: true, maxLength: 200 },
  { name: 'line2', autocomplete: 'address-line2', maxLength: 200 },
  { name: 'postalCode', autocomplete: 'postal-code', maxLength: 200 },
  { name: 'city', autocomplete: 'address-level2', isRequired: true, maxLength: 200 },
  { name: 'region', autocomplete: 'address-level1', maxLength: 200 },
  { name: 'country', autocomplete: 'country', isRequired: true, maxLength: 2 },
];
const fields = [...contactFields, ...addressFields];

/** The values of the fields, and their errors in the visitor's language. */
export interface FilledFields {
  values: Readonly<Record<FieldName, string>>;
  errors: Readonly<Partial<Record<FieldName, string>>>;
}

/** Reads and checks the typed values as `POST /storefront/{storeId}/orders` would: `decisions.md 3.5`. */
export function readFields(sent: FormValues, texts: ShopTexts): FilledFields {
  const typed = fields.map(({ name }) => [name, cleanInput(sent.get(name) ?? '')] as const);
  const values = Object.fromEntries(typed) as FilledFields['values'];
  const errors: Partial<Record<FieldName, string>> = {};
  for (const { name, isRequired, maxLength } of fields) {
    const value = values[name];
    if (value === '' || (name === 'name' && !hasVisibleCharacter(value))) {
      if (isRequired) errors[name] = texts.missing;
    } else if ([...value].length > maxLength) errors[name] = texts.tooLong;
    else if (!isSingleLine(value)) errors[name] = texts.notALine;
    else if (name === 'email' && parseEmail(value) === null) errors[name] = texts.wrongEmail;
    else if (name === 'country' && !countries.includes(value)) errors[name] = texts.missing;
  }
  return { values, errors };
}

/** Reads the values typed so far without checking them: the form is shown, not submitted. */
export function typedFields(sent: FormValues, language: string): FilledFields {
  const { values: empty } = emptyFields(language);
  const typed = fields.map(({ name, maxLength }) => {
    const value = sent.get(name);
    return [name, value === null ? empty[name] : cleanInput(value).slice(0, maxLength)] as const;
  });
  return { values: Object.fromEntries(typed) as FilledFields['values'], errors: {} };
}

/** Cleans the value of a single-line field: no database stores NUL or half a surrogate pair. */
const cleanInput = (text: string) => text.toWellFormed().replaceAll('\0', '').trim();

/** Returns empty fields; the country is where most speakers of the language live. */
export function emptyFields(language: string): FilledFields {
  const values = Object.fromEntries(fields.map(({ name }) => [name, ''])) as Record<FieldName, string>;
  const region = new Intl.Locale(language).maximize().region ?? '';
  return { values: { ...values, country: countries.includes(region) ? region : '' }, errors: {} };
}

/** Converts filled fields to the customer of an order, whose name is also that of the address. */
export function readCustomer({ values }: FilledFields): PageCheckout['checkout']['customer'] {
  const { name, email, phone, ...address } = values;
  return { name, email, phone: phone || null, shippingAddress: { name, ...address } };
}
