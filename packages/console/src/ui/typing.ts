import { useEffect, useState } from 'react';

const text =
  'textarea, select, input:not([type=checkbox], [type=radio], [type=button], [type=range], [type=color], [type=file])';

/** Whether a text has the focus, here or in a frame whose document can be seen. */
export function isTyping(within: Document = document): boolean {
  const focused = within.activeElement as HTMLElement | null;
  if (!focused) return false;
  if (focused.localName === 'iframe') {
    const inner = (focused as HTMLIFrameElement).contentDocument;
    return inner !== null && isTyping(inner);
  }
  return focused.isContentEditable || focused.matches(text);
}

/** No event says here that a text in a frame has lost the focus. */
const lookMs = 200;

/** Whether somebody types, as long as it matters: what would take their focus waits for them. */
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
