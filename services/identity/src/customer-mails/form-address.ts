import { parseEmail } from '@waybill/contracts';

/** Finds the address that somebody entered in a form, in a field whose name contains `mail`; null if there is none. */
export function findFormAddress(values: object): string | null {
  for (const [name, value] of Object.entries(values))
    if (/mail/i.test(name) && typeof value === 'string') {
      const email = parseEmail(value.trim().toLowerCase());
      if (email !== null) return email;
    }
  return null;
}
