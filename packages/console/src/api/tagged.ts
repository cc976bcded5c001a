import { api } from './client.ts';

/** Reads one item with the tag of the state that was read, which a later write is bound to (`decisions.md 11.1`). */
export async function readTagged<Body>(
  path: string,
  signal: AbortSignal | null = null,
): Promise<Body & { etag: string | null }> {
  const response = await api.fetch(path, { signal });
  return { ...((await response.json()) as Body), etag: response.headers.get('etag') };
}
