import { defineErrors, errors as shared } from '@waybill/contracts';

/** The errors of content in addition to the shared ones: `store-api.md 7.1`, `decisions.md 4`. */
export const errors = {
  ...shared,
  ...defineErrors({
    unsupported_body_type: [
      409,
      'The body of this article is a builder document; it cannot be written here.',
    ],
    cycle_detected: [409, 'A category cannot be moved into itself or its descendants.'],
    invalid_translation: [400, 'The translations are not valid.'],
    nothing_to_publish: [409, 'There is no saved draft to publish.'],
    invalid_form: [422, 'Some fields of the form are missing or not valid.'],
    invalid_document: [400, 'The document is not valid.'],
    too_many_pages: [409, 'A store has at most 10,000 pages; delete some.'],
    too_many_translations: [409, 'A store has at most 5,000,000 translations; delete some.'],
    too_many_sections: [409, 'A store has at most 10,000 global sections; delete some.'],
    too_many_articles: [409, 'A store has at most 1,000,000 articles; delete some.'],
    too_many_blog_categories: [409, 'A store has at most 10,000 blog categories; delete some.'],
  }),
};
