import type { Json } from '@waybill/page';
import { lazy, Suspense } from 'react';
import type { RichTextTools } from '../../shell/rich-text.ts';
import { RichTextBar } from '../../shell/rich-text-bar.tsx';
import { hrefOf } from '../panels/link-address.ts';

const FoundLinks = lazy(async () => ({
  default: (await import('../panels/link-search.tsx')).FoundLinks,
}));

/** The toolbar of the rich text that is being typed. */
export function TextBar({ tools }: { tools: RichTextTools<Json> }) {
  return (
    <RichTextBar
      tools={tools}
      hrefOf={(typed) => hrefOf(typed) ?? typed}
      find={(typed, onPick) => (
        <Suspense>
          <FoundLinks typed={typed} onPick={onPick} />
        </Suspense>
      )}
    />
  );
}
