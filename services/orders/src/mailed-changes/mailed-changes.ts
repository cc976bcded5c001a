/** The columns of a fulfilment or a return that tell which of its changes its customer is mailed about. */
export interface MailedColumns {
  /** About the last change. The previous version knows only this column. */
  notifies: boolean;
  /** The instants of those changes; null for rows from before they were recorded. */
  mailed_changes: Date[] | null;
  updated_at: Date;
}

/** Maximum number of recorded changes. A mail waits for a week at most. */
const maxRecorded = 100;

const listRecorded = ({ notifies, mailed_changes: recorded, updated_at: at }: MailedColumns): Date[] =>
  recorded ?? (notifies ? [at] : []);

/** Returns the columns of a new row. */
export const createMailedColumns = (at: Date, notifies: boolean): MailedColumns => ({
  notifies,
  mailed_changes: notifies ? [at] : [],
  updated_at: at,
});

/**
 * Returns the columns of a locked row after another change. It leaves the mails about earlier changes as they are, since
 * they may still wait: `decisions.md 23.7`.
 */
export function recordMailedChange(row: MailedColumns, notifies: boolean): MailedColumns {
  // Later than the change before, so that the instant identifies the change.
  const at = new Date(Math.max(Date.now(), row.updated_at.getTime() + 1));
  const recorded = [...listRecorded(row), ...(notifies ? [at] : [])].slice(-maxRecorded);
  return { notifies, mailed_changes: recorded, updated_at: at };
}

/**
 * Whether the customer is mailed about the change at an instant. The last change counts if no instant is known: the
 * previous version of identity sends none.
 */
export const isCustomerMailed = (
  { notifies, mailed_changes: recorded }: MailedColumns,
  at: string | undefined,
) =>
  at === undefined || recorded === null
    ? notifies
    : recorded.some((instant) => instant.getTime() === Date.parse(at));
