import type { Json } from '@waybill/page';
import { lazy, Suspense } from 'react';
import type { RichTextTools } from '../../shell/rich-text.ts';
import { RichTextBar } from '../../shell/rich-text-bar.tsx';
import { formatLinkAddress, parseHref } from '../core/link-address.ts';

const FoundLinks = lazy(async () => ({
  default: (await import('../elements/link-search.tsx')).LinkResults,
}));

/** The toolbar of the rich text that is being typed. */
export function TextBar({ tools }: { tools: RichTextTools<Json> }) {
  return (
    <RichTextBar
      tools={tools}
      toHref={parseHref}
      formatAddress={formatLinkAddress}
      find={(typed, onPick, picksFirst) => (
        <Suspense>
          <FoundLinks typed={typed} onPick={onPick} picksFirst={picksFirst} />
        </Suspense>
      )}
    />
  );
}
