/** Number of days that the records of calls are kept, and the events that were called for. */
export const retentionDays = 30;
