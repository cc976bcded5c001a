import { useId, useState } from 'react';
import { session } from '../api/session.ts';
import { useSignInTexts } from '../texts/sign-in.ts';
import { Dialog } from '../ui/overlays.tsx';
import { isTyping } from '../ui/typing.ts';
import style from './shell.module.css';
import { SignInForm } from './sign-in-form.tsx';

/**
 * The sign-in for a session that ended while a screen is open; typed text stays. If the user is typing, the form opens
 * beside the screen and waits.
 */
export function SignInAgain({ email }: { email: string }) {
  const words = useSignInTexts();
  const [isOpen, setOpen] = useState(true);
  const [isBeside] = useState(isTyping);
  const titleId = useId();
  if (!isOpen) return null;
  const done = () => setOpen(session.read().is !== 'signedIn');
  if (!isBeside)
    return (
      <Dialog title={words.againTitle} isOpen onClose={() => {}} isAlert size="small">
        <p>{words.againHint}</p>
        <SignInForm email={email} onDone={done} />
      </Dialog>
    );
  return (
    <div role="dialog" aria-labelledby={titleId} data-beside className={style.beside}>
      <h2 id={titleId}>{words.againTitle}</h2>
      <p role="status">{words.againHint}</p>
      <SignInForm email={email} hasFocus={false} onDone={done} />
    </div>
  );
}
