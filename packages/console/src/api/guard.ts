import { redirect } from '@tanstack/react-router';
import { base, paths } from '../paths.ts';
import { session } from './session.ts';

/**
 * Guards a screen that needs a session. Everybody else goes to the sign-in, which leads back to the requested address.
 */
export async function requireSession({ location }: { location: { href: string } }): Promise<void> {
  if (session.read().is !== 'signedIn') throw redirect({ href: paths.signIn(base + location.href) });
  // Loaded lazily: the query cache comes with it, which signed-out visitors do not need.
  const { loadMe } = await import('./me.ts');
  await loadMe();
}
