/** What visitors have sent with forms. */
const words = {
  title: 'Forms',
  count: (count: string) => `Submissions: ${count}`,
  form: 'Form',
  anyForm: 'All forms',
  sent: 'Sent',
  values: 'What was sent',
  another: (name: string, number: number) => `${name}, form ${number}`,
  gone: 'something that was deleted',
  nothing: 'Nothing: it was erased.',
  empty: 'Nobody has sent anything yet',
  emptyHint:
    'What visitors send with the forms of your pages appears here. Put a form on a page in the editor, and publish it.',
  toPages: 'Go to the pages',
  submission: (name: string) => `Sent from ${name}`,
  facts: 'Facts',
  place: 'Where the form stands',
  ofForm: 'All that was sent with this form',
  delete: 'Delete…',
  deleteTitle: 'Delete this submission?',
  deleteHint: 'There is no way back. Apps that were told of it, and the log of events, keep what they have.',
  deleteDeed: 'Delete the submission',
  deleted: 'The submission is deleted.',

  export: 'Export as CSV',
  exportFiltered: 'Only what was sent with the chosen form is written.',
  exported: (count: string) => `Written: ${count} submissions. The file is in your downloads.`,
  reading: 'Reading submissions',
  goOn: 'Go on',
  columns: { id: 'id', sent: 'sent', form: 'form', page: 'page' },
};

export default words;
export type FormWords = typeof words;
