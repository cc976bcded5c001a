import { readFileSync } from 'node:fs';

interface Codegen {
  services: string[];
  tablesFile(service: string): URL;
  generateTables(service: string): Promise<string>;
}

// Imported by its path: a tool that `npm run codegen` runs, which @waybill/testing does not export.
const codegen = new URL('../../../packages/testing/codegen.ts', import.meta.url);
const { services, tablesFile, generateTables }: Codegen = await import(codegen.href);

describe('src/tables.ts is what `npm run codegen` makes of the migrations', () => {
  test.each(services)('in %s', async (service) => {
    expect(readFileSync(tablesFile(service), 'utf8')).toBe(await generateTables(service));
  });
});
