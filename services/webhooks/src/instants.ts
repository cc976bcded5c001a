const pattern = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$/i;

/** The moment that a text names as RFC 3339 writes it; null: it names none. */
export function instantOf(text: string | undefined): Date | null {
  const date = pattern.test(text ?? '') ? new Date(text!) : null;
  return date && !Number.isNaN(date.getTime()) ? date : null;
}
