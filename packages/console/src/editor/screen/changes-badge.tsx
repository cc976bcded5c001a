import { useQuery } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { Badge } from '../../ui/layout.tsx';
import { whenIdle } from '../../when-idle.ts';
import { withRoot } from '../core/same.ts';
import { useWorkbench } from '../workbench/workbench.ts';
import { compareDocuments, hasNoChanges } from './comparison.ts';
import { publishedDocumentQuery } from './published-document.ts';

/** Pause in changes before a comparison, which takes too long for every keystroke on a large page. */
const debounceMs = 300;

/**
 * Shows whether a live document differs from what visitors see. A saved draft does not mean that it does: changes may
 * have been undone.
 */
export default function ChangesBadge({ live, liveWithChanges }: { live: string; liveWithChanges: string }) {
  const { subject, editor } = useWorkbench();
  const { data: published } = useQuery(publishedDocumentQuery(subject));
  const [isSame, setSame] = useState(false);
  useEffect(() => {
    if (!published) return setSame(false);
    const own = withRoot(published, editor.state.tree.rootId);
    let timer: ReturnType<typeof setTimeout> | undefined;
    let isStopped = false;
    async function compare(): Promise<void> {
      await whenIdle();
      if (!isStopped) setSame(hasNoChanges(compareDocuments(own, editor.document)));
    }
    const schedule = () => {
      clearTimeout(timer);
      timer = setTimeout(() => void compare(), debounceMs);
    };
    schedule();
    const unsubscribe = editor.subscribe((_, changes) => changes.length > 0 && schedule());
    return () => {
      isStopped = true;
      clearTimeout(timer);
      unsubscribe();
    };
  }, [published, editor]);
  return <Badge tone={isSame ? 'good' : 'warn'}>{isSame ? live : liveWithChanges}</Badge>;
}
