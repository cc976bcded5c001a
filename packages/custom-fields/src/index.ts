export {
  applyChange,
  indexDefinitions,
  mergeWarnings,
  noChange,
  parseChange,
  requireValues,
  type ValuesChange,
  type WithFields,
} from './changes.ts';
export { type CheckedValue, checkValue, isEmptyValue } from './check-value.ts';
export { copyRoutes, createRefresh, onDefinitionsChanged, sweepFieldsTask } from './copies.ts';
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
export { definitionProblems, isFilterableType, noRules, supportsOptions } from './definitions.ts';
export { customFieldsJson, publicFieldsJson, typedFieldsJson } from './json.ts';
export {
  hasMedia,
  holdsMedia,
  listMediaFields,
  listRowsWithMedia,
  type RemovedMedia,
  withoutMedia,
} from './media.ts';
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
export { applyView, createView, type View } from './view.ts';
