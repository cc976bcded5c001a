import type { ComponentProps } from 'react';
import { useCommon } from '../texts/common.ts';
import { LinkButton } from '../ui/button.tsx';
import { ExternalIcon } from '../ui/icons.tsx';

type ViewProps = Pick<ComponentProps<typeof LinkButton>, 'size' | 'look'> & { href: string };

/** Opens the shop as visitors see it. */
export function ViewShop({ href, ...props }: ViewProps) {
  const words = useCommon();
  return (
    <LinkButton {...props} href={href} target="_blank" rel="noreferrer">
      {words.viewShop}
      <ExternalIcon />
    </LinkButton>
  );
}

/** Opens the page of the shop that shows an item. */
export function ViewInShop({ href, ...props }: ViewProps) {
  const words = useCommon();
  return (
    <LinkButton {...props} href={href} target="_blank" rel="noreferrer">
      {words.viewInShop}
      <ExternalIcon />
    </LinkButton>
  );
}
