import { useQuery } from '@tanstack/react-query';
import { useStore } from '../../api/me.ts';
import { paths } from '../../paths.ts';
import { LinkButton } from '../../ui/button.tsx';
import { neighboursQuery, type Order } from './queries.ts';
import { useOrderTexts } from './texts.ts';

/** Links to the orders placed just before and after this one. */
export function Neighbours({ order }: { order: Order }) {
  const words = useOrderTexts();
  const store = useStore();
  const { data } = useQuery(neighboursQuery(store.id, order));
  return (['previous', 'next'] as const).map((side) => {
    const other = data?.[side];
    return (
      other && (
        <LinkButton
          key={side}
          aria-label={words[side]({ number: other.number })}
          href={paths.inStore(store.id, 'orders', other.id)}
        >
          {side === 'previous' ? '‹' : '›'}
        </LinkButton>
      )
    );
  });
}
