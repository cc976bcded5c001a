import { parsePercent } from '@waybill/pricing';
import { listPresetCountries, listPresetRates } from '../src/pricing/presets.ts';
import { parseVatIdCountry } from '../src/pricing/vat-ids.ts';

// Published ids of public bodies and large companies, and examples from the countries' own descriptions.
const valid =
  'ATU13585627 BE0403019261 BG175074752 CY10259033P CZ25123891 DE136695976 DK13585628 EE100931558 EL094259216 ESB58378431 ' +
  'FI20774740 FR40303265045 HR33392005961 HU12892312 IE6388047V IT00743110157 LT119511515 LU15027442 LV40003521600 ' +
  'MT11679112 NL004495445B01 PL8567346215 PT501964843 RO18547290 SE556188840401 SI50223054 SK2022749619';

describe('a VAT id', () => {
  test.each(valid.split(' '))('%s is of its country, however it is spaced and spelt', (id) => {
    const country = id.startsWith('EL') ? 'GR' : id.slice(0, 2);
    expect(parseVatIdCountry(id)).toBe(country);
    expect(parseVatIdCountry(` ${id.slice(0, 2).toLowerCase()} ${id.slice(2, 5)}.${id.slice(5)} `)).toBe(
      country,
    );
  });

  test.each([
    ...['DE136695978', 'ATU13585626', 'FR40303265046', 'EL094259217'],
    ...['DE DE136695976', 'GR094259216', 'GB980780684', 'XI925901618', 'CHE107787577', 'DE', '', 'hello'],
  ])('%s is none', (id) => {
    expect(parseVatIdCountry(id)).toBeNull();
  });
});

test('presets have a standard rate for each country, and percentages that taxes can have', () => {
  expect(listPresetCountries('eu')).toHaveLength(27);
  for (const preset of ['eu', 'uk', 'ch', 'no'] as const) {
    const rates = listPresetRates(preset);
    expect(rates.filter(({ category }) => category === 'standard').map(({ country }) => country)).toEqual(
      listPresetCountries(preset),
    );
    for (const { percent } of rates) expect(parsePercent(percent)).not.toBeNull();
  }
});
