export { checkBlock } from './check/block.ts';
export { checkDocument } from './check/document.ts';
export {
  type ContributionProblem,
  checkIslandNames,
  checkManifest,
  maxBlocks,
  maxIslands,
  tooManyBlocks,
} from './check/manifest.ts';
export { withoutReference } from './check/props.ts';
export { checkReferences, type KnownReferences } from './check/references.ts';
export { type DocumentSources, materialiseDocument, renderDocument, toFacts } from './document-sources.ts';
export { documentTexts } from './document-texts.ts';
export type {
  ArticleFacts,
  BrowseFacts,
  CategoryFacts,
  FacetFacts,
  FieldFacts,
  FieldsFacts,
  ListFacts,
  MediaFacts,
  OptionFacts,
  PageFacts,
  PlaceFacts,
  ProductFacts,
  SentForm,
  VariantFacts,
} from './facts.ts';
export { type FormField, findForm, formFields, formSentId, honeypotName } from './forms.ts';
export {
  type ArticleListQuery,
  findListQuery,
  type ListQuery,
  listKey,
  type ProductListQuery,
} from './lists.ts';
export { materialise, type TreeBinding, type TreeNode } from './materialise.ts';
export * from './model.ts';
export { decimalMoney, formatMoney } from './money.ts';
export { normaliseDocument } from './normalise.ts';
export { withOwnKeys } from './own-keys.ts';
export { findMediaId } from './own-media.ts';
export { type IslandModule, pageHtml, pageMain, pageStyle } from './page-html.ts';
export { references } from './references.ts';
export { tokenProperty } from './render/css.ts';
export { frameSources } from './render/elements.ts';
export { escapeAttribute, escapeText } from './render/escape.ts';
export { iconPaths } from './render/icons.ts';
export {
  type Rendered,
  type RenderedSpan,
  type RenderedWithSpans,
  type RenderOptions,
  render,
  rendererVersion,
} from './render/render.ts';
export { resolve } from './resolve.ts';
export { variantTitle } from './resolve-choices.ts';
export type { ResolvedNode } from './resolved.ts';
export { renderSample } from './sample.ts';
export { cleanText, hasVisibleText } from './text.ts';
export { minContrast, standardTheme, type Theme, textPairs, themeCss } from './theme.ts';
export { tolerateDocument } from './tolerate.ts';
export { vocabulary } from './vocabulary/index.ts';
export { plainColor } from './vocabulary/style.ts';
export type { ElementType, RichTextRules, ValueType, Vocabulary } from './vocabulary/types.ts';
export { formatDate, getWords, type Words } from './words.ts';
