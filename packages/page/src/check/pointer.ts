/** Appends one step to an RFC 6901 pointer. */
export function below(pointer: string, key: string | number): string {
  const part = String(key);
  return `${pointer}/${/[~/]/.test(part) ? part.replaceAll('~', '~0').replaceAll('/', '~1') : part}`;
}

/** Whether a value is a JSON object, which an array is not. */
export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
