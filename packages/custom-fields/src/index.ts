export {
  applyChange,
  indexDefinitions,
  mergeWarnings,
  noChange,
  readChange,
  requireValues,
  type ValuesChange,
  type WithFields,
} from './changes.ts';
export { type CheckedValue, checkValue, isEmptyValue } from './check-value.ts';
export { copyRoutes, createRefresh, followDefinitions, sweepFieldsTask } from './copies.ts';
export {
  type DefinitionRow,
  definitionColumns,
  definitionRow,
  readDefinitions,
  readDefinitionsOfEach,
  storeDefinitions,
  sweepValues,
  toState,
  type ValueTables,
} from './definition-store.ts';
export { definitionProblems, isFilterableType, noRules, takesOptions } from './definitions.ts';
export { customFieldsJson, publicFieldsJson, typedFieldsJson } from './json.ts';
export { createOwnValues, type OwnValues } from './own-values.ts';
export { compilePattern } from './patterns.ts';
export {
  createValuesReader,
  findKnownProducts,
  type GivenValues,
  isVisibleTo,
  type ReadValues,
  type ValuesReaderOptions,
} from './values.ts';
export { inView, type View, viewOf } from './view.ts';
