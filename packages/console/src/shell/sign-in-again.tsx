import { useState } from 'react';
import { session } from '../api/session.ts';
import { useSignInTexts } from '../texts/sign-in.ts';
import { Dialog } from '../ui/overlays.tsx';
import { SignInForm } from './sign-in-form.tsx';

/** The session has ended under an open screen: signing in again keeps all that is typed there. */
export function SignInAgain({ email }: { email: string }) {
  const words = useSignInTexts();
  const [isOpen, setOpen] = useState(true);
  if (!isOpen) return null;
  return (
    <Dialog title={words.againTitle} isOpen onClose={() => {}} isAlert size="small">
      <p>{words.againHint}</p>
      <SignInForm email={email} onDone={() => setOpen(session.read().is !== 'signedIn')} />
    </Dialog>
  );
}
