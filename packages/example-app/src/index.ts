export { islandName, readIslandModule, reviewsBlock, scopes } from './contribution.ts';
export * from './life.ts';
export { type ReviewsApp, startReviewsApp } from './reviews-app.ts';
export { Waybill, WaybillError } from './waybill.ts';
