import type { TaxPreset, TaxRate } from '@waybill/contracts';

/**
 * Standard and reduced rates as of 1 January 2026. Sources: European Commission, "VAT rates applied in the Member
 * States of the European Union" and the Taxes in Europe Database; HMRC, "VAT rates"; Swiss Federal Tax Administration,
 * "Swiss VAT rates"; Norwegian Tax Administration, "Rates for value added tax". In the order standard, reduced, second
 * reduced, super-reduced or parking (null: the country has no such rate).
 */
const rates: Readonly<Record<string, readonly [name: string, ...percents: (string | null)[]]>> = {
  AT: ['USt.', '20', '10', '13'],
  BE: ['BTW/TVA', '21', '6', '12'],
  BG: ['ДДС', '20', '9'],
  CY: ['ΦΠΑ', '19', '5', '9', '3'],
  CZ: ['DPH', '21', '12'],
  DE: ['MwSt.', '19', '7'],
  DK: ['moms', '25'],
  EE: ['KM', '24', '9', '13'],
  ES: ['IVA', '21', '10', null, '4'],
  FI: ['ALV', '25.5', '10', '13.5'],
  FR: ['TVA', '20', '5.5', '10', '2.1'],
  GR: ['ΦΠΑ', '24', '6', '13'],
  HR: ['PDV', '25', '5', '13'],
  HU: ['ÁFA', '27', '5', '18'],
  IE: ['VAT', '23', '9', '13.5', '4.8'],
  IT: ['IVA', '22', '5', '10', '4'],
  LT: ['PVM', '21', '5', '12'],
  LU: ['TVA', '17', '8', '14', '3'],
  LV: ['PVN', '21', '5', '12'],
  MT: ['VAT', '18', '5', '7'],
  NL: ['btw', '21', '9'],
  PL: ['VAT', '23', '5', '8'],
  PT: ['IVA', '23', '6', '13'],
  RO: ['TVA', '21', '11'],
  SE: ['moms', '25', '6', '12'],
  SI: ['DDV', '22', '5', '9.5'],
  SK: ['DPH', '23', '5', '19'],
  GB: ['VAT', '20', '5'],
  CH: ['MWST', '8.1', '2.6', '3.8'],
  NO: ['MVA', '25', '15', '12'],
};

const categories = ['standard', 'reduced', 'reduced2', 'superReduced'] as const;

const others: Readonly<Record<Exclude<TaxPreset, 'eu'>, string>> = { uk: 'GB', ch: 'CH', no: 'NO' };

/** Returns the countries of a preset. */
export const listPresetCountries = (preset: TaxPreset): readonly string[] =>
  preset === 'eu'
    ? Object.keys(rates).filter((country) => !Object.values(others).includes(country))
    : [others[preset]];

/** Returns the rates of a preset's countries. */
export const listPresetRates = (preset: TaxPreset): TaxRate[] =>
  listPresetCountries(preset).flatMap((country) => {
    const [name, ...percents] = rates[country]!;
    return percents.flatMap((percent, i) =>
      percent === null ? [] : [{ country, region: null, category: categories[i]!, name, percent }],
    );
  });
