import type { Compiled } from '../messages.ts';

/** Texts about form submissions. */
const words = {
  title: 'Forms',
  count: 'Submissions: {count, number}',
  form: 'Form',
  anyForm: 'All forms',
  sent: 'Submitted',
  values: 'Submission',
  another: '{name}, form {number}',
  gone: 'a deleted page',
  nothing: 'This submission’s data was erased.',
  empty: 'No submissions yet',
  emptyHint:
    'Submissions from forms on your pages appear here. Add a form to a page in the editor and publish it.',
  toPages: 'Go to pages',
  submission: 'Submission from {name}',
  facts: 'Details',
  place: 'Page',
  ofForm: 'All submissions of this form',
  delete: 'Delete…',
  deleteTitle: 'Delete this submission?',
  deleteHint: 'You can’t undo this. Apps and the event log keep their copies.',
  deleteDeed: 'Delete submission',
  deleted: 'Submission deleted',

  export: 'Export as CSV',
  exportFiltered: 'Exports submissions of the selected form only.',
  exported: 'Exported submissions: {count, number}',
  reading: 'Reading submissions',
  resume: 'Resume',
  columns: { id: 'id', sent: 'sent', form: 'form', page: 'page' },
} as const;

export default words;
export type FormWords = Compiled<typeof words>;
