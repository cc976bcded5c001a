import { redirect } from '@tanstack/react-router';
import { base, paths } from '../paths.ts';
import { session } from './session.ts';

/** Before a screen for who is signed in. Who is not goes to the door, and comes back to where they wanted to go. */
export async function requireSession({ location }: { location: { href: string } }): Promise<void> {
  if (session.read().is !== 'signedIn') throw redirect({ href: paths.signIn(base + location.href) });
  // What keeps all that is read comes with it: a stranger needs neither.
  const { loadMe } = await import('./me.ts');
  await loadMe();
}
