import { paths } from '../paths.ts';
import { session } from './session.ts';

/**
 * Guards a screen that needs a session: returns the address of the sign-in, which leads back to the requested one, or
 * null if somebody is signed in.
 */
export async function requireSession({ href }: { href: string }): Promise<string | null> {
  if (session.read().is !== 'signedIn') return paths.signIn(href);
  // Loaded lazily: the query cache comes with it, which signed-out visitors do not need.
  const { loadMe } = await import('./me.ts');
  await loadMe();
  return null;
}
