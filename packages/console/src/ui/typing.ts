import { useEffect, useState } from 'react';

const text =
  'textarea, select, input:not([type=checkbox], [type=radio], [type=button], [type=range], [type=color], [type=file])';

/** Whether a text field has the focus, here or in a same-origin frame. */
export function isTyping(within: Document = document): boolean {
  const focused = within.activeElement as HTMLElement | null;
  if (!focused) return false;
  if (focused.localName === 'iframe') {
    const inner = (focused as HTMLIFrameElement).contentDocument;
    return inner !== null && isTyping(inner);
  }
  return focused.isContentEditable || focused.matches(text);
}

/** Interval of the check, in milliseconds. No event reports that a text field in a frame has lost the focus. */
const lookMs = 200;

/**
 * Whether somebody is typing; checked only while `matters`. Callers that would take the focus wait until it is false.
 */
export function useIsTyping(matters: boolean): boolean {
  const [is, setIs] = useState(isTyping);
  useEffect(() => {
    if (!matters) return;
    setIs(isTyping());
    const timer = setInterval(() => setIs(isTyping()), lookMs);
    return () => clearInterval(timer);
  }, [matters]);
  return is;
}
