import at from 'stdnum/lib/cjs/at/uid.js';
import be from 'stdnum/lib/cjs/be/vat.js';
import bg from 'stdnum/lib/cjs/bg/vat.js';
import cy from 'stdnum/lib/cjs/cy/vat.js';
import cz from 'stdnum/lib/cjs/cz/dic.js';
import de from 'stdnum/lib/cjs/de/vat.js';
import dk from 'stdnum/lib/cjs/dk/cvr.js';
import ee from 'stdnum/lib/cjs/ee/kmkr.js';
import es from 'stdnum/lib/cjs/es/nif.js';
import fi from 'stdnum/lib/cjs/fi/alv.js';
import fr from 'stdnum/lib/cjs/fr/tva.js';
import gr from 'stdnum/lib/cjs/gr/vat.js';
import hr from 'stdnum/lib/cjs/hr/oib.js';
import hu from 'stdnum/lib/cjs/hu/anum.js';
import ie from 'stdnum/lib/cjs/ie/vat.js';
import it from 'stdnum/lib/cjs/it/iva.js';
import lt from 'stdnum/lib/cjs/lt/pvm.js';
import lu from 'stdnum/lib/cjs/lu/tva.js';
import lv from 'stdnum/lib/cjs/lv/pvn.js';
import mt from 'stdnum/lib/cjs/mt/vat.js';
import nl from 'stdnum/lib/cjs/nl/btw.js';
import pl from 'stdnum/lib/cjs/pl/nip.js';
import pt from 'stdnum/lib/cjs/pt/nif.js';
import ro from 'stdnum/lib/cjs/ro/cui.js';
import se from 'stdnum/lib/cjs/se/vat.js';
import si from 'stdnum/lib/cjs/si/ddv.js';
import sk from 'stdnum/lib/cjs/sk/dph.js';

/** The rules of each EU country, by the prefix of its ids. Loading the whole library would take half a second. */
const rules: Readonly<Record<string, { country: string; validate(id: string): { isValid: boolean } }>> = {
  AT: { country: 'AT', validate: at.validate },
  BE: { country: 'BE', validate: be.validate },
  BG: { country: 'BG', validate: bg.validate },
  CY: { country: 'CY', validate: cy.validate },
  CZ: { country: 'CZ', validate: cz.validate },
  DE: { country: 'DE', validate: de.validate },
  DK: { country: 'DK', validate: dk.validate },
  EE: { country: 'EE', validate: ee.validate },
  EL: { country: 'GR', validate: gr.validate },
  ES: { country: 'ES', validate: es.validate },
  FI: { country: 'FI', validate: fi.validate },
  FR: { country: 'FR', validate: fr.validate },
  HR: { country: 'HR', validate: hr.validate },
  HU: { country: 'HU', validate: hu.validate },
  IE: { country: 'IE', validate: ie.validate },
  IT: { country: 'IT', validate: it.validate },
  LT: { country: 'LT', validate: lt.validate },
  LU: { country: 'LU', validate: lu.validate },
  LV: { country: 'LV', validate: lv.validate },
  MT: { country: 'MT', validate: mt.validate },
  NL: { country: 'NL', validate: nl.validate },
  PL: { country: 'PL', validate: pl.validate },
  PT: { country: 'PT', validate: pt.validate },
  RO: { country: 'RO', validate: ro.validate },
  SE: { country: 'SE', validate: se.validate },
  SI: { country: 'SI', validate: si.validate },
  SK: { country: 'SK', validate: sk.validate },
};

/** Returns the EU country of a VAT id, by its format and check digits; null if it is not valid. */
export function parseVatIdCountry(text: string): string | null {
  const id = text.replace(/[\s.\-/]/g, '').toUpperCase();
  const [prefix, rest] = [id.slice(0, 2), id.slice(2)];
  const rule = rules[prefix];
  if (!rule?.validate(rest).isValid) return null;
  // The library also accepts ids with their prefix, so an id with a repeated prefix would pass.
  return rest.startsWith(prefix) && rule.validate(rest.slice(2)).isValid ? null : rule.country;
}
