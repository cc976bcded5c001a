import { api } from './client.ts';

/** Reads a resource with its ETag, which a later write sends as its condition (`decisions.md 11.1`). */
export async function readTagged<Body>(
  path: string,
  signal: AbortSignal | null = null,
): Promise<Body & { etag: string | null }> {
  const response = await api.fetch(path, { signal });
  return { ...((await response.json()) as Body), etag: response.headers.get('etag') };
}
